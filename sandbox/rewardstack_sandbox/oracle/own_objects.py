"""Objects of the tests that a program uses where they are: it asks for their attributes, methods and operators.

In this way behave instances of the tests' classes that do more than hold attributes, where the program has no class of
that name to remake them in. What an object is made of is not for the program to see: no name of the language's own is
answered but operators.
"""

import copy
import enum
from typing import Any

__all__ = ["OwnObjects", "operators_of"]

# What a program may ask of an object of the tests, where the object's class has it
ARITHMETIC = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
)
OPERATORS = frozenset(
    [
        *(f"__{prefix}{name}__" for name in ARITHMETIC for prefix in ("", "r", "i")),
        "__abs__", "__bool__", "__call__", "__complex__", "__contains__", "__copy__", "__deepcopy__", "__delitem__",
        "__divmod__", "__enter__", "__eq__", "__exit__", "__float__", "__format__", "__ge__", "__getitem__", "__gt__",
        "__hash__", "__index__", "__int__", "__invert__", "__iter__", "__le__", "__len__", "__lt__", "__ne__", "__neg__",
        "__next__", "__pos__", "__repr__", "__reversed__", "__round__", "__setitem__", "__str__",
    ]
)  # fmt: skip
# Methods that do nothing to an object that its content would not do
PASSIVE = frozenset(
    ["__init__", "__new__", "__post_init__", "__repr__", "__str__", "__hash__", "__init_subclass__", "__replace__"]
)  # fmt: skip
NOT_SHARED = (
    type, BaseException, enum.Enum,
    int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset,
)  # fmt: skip
RUNNERS = frozenset(["unittest.case", "unittest.async_case"])
COPYING = ("__copy__", "__deepcopy__")  # which all objects can
DESCRIPTORS = (property, classmethod, staticmethod)


def operators_of(value: Any, module: str) -> tuple[str, ...] | None:
    """Return the operators of an instance of a class of that module; None where its content is all there is to it."""
    kind = type(value)
    if kind.__module__ != module or isinstance(value, NOT_SHARED):
        return None
    own = {
        name: one for base in kind.__mro__ if base.__module__ == module for name, one in vars(base).items()
    }
    does = [name for name, one in own.items() if callable(one) or isinstance(one, DESCRIPTORS)]
    if PASSIVE.issuperset(does):
        return None
    return tuple(name for name in does if name in OPERATORS)


class OwnObjects:
    """The objects that the program has been told of, by number, and what it asks of them."""

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}

    def answer(self, request: list[Any]) -> Any:
        """Return what an object answers; it raises as the object does, `AttributeError` for what is not to be asked."""
        match request:
            case ["attribute", int(number), str(name)] if self.tells(number, name):
                return getattr(self.values[number], name)
            case ["assign", int(number), str(name), value] if self.takes(number, name):
                return setattr(self.values[number], name, value)
            case ["remove", int(number), str(name)] if self.takes(number, name):
                return delattr(self.values[number], name)
            case ["operate", int(number), str(name), tuple(operands)] if self.does(number, name):
                return operate(self.values[number], name, operands)
        raise AttributeError("an object of the tests does not tell that")

    def tells(self, number: int, name: str) -> bool:
        """Whether an attribute is the program's to see: nothing of the language's own.

        Nor what unittest runs a test case by, such as the functions that say for each type what is equal.
        """
        kinds = type(self.values[number]).__mro__
        runners = [kind for kind in kinds if kind.__module__ in RUNNERS]
        if not runners or any(name in vars(kind) for kind in kinds if kind.__module__ not in RUNNERS):
            return name[:2] != "__"
        return name[:1] != "_" and not any(name in vars(kind) for kind in runners)

    def takes(self, number: int, name: str) -> bool:
        """Whether an attribute is the program's to set: one that it sees, and no method."""
        return self.tells(number, name) and not callable(getattr(type(self.values[number]), name, None))

    def does(self, number: int, name: str) -> bool:
        """Whether an object's class has an operator; what the class itself answers to, such as a call, is none."""
        kinds = type(self.values[number]).__mro__
        return name in COPYING or (name in OPERATORS and any(name in vars(kind) for kind in kinds))


def operate(value: Any, name: str, operands: tuple[Any, ...]) -> Any:
    """Return what an operator gives."""
    if name == "__copy__":
        return copy.copy(value)
    if name == "__deepcopy__":
        return copy.deepcopy(value)
    return getattr(type(value), name)(value, *operands)
