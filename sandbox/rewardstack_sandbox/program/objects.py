"""The candidate's side of objects that cannot cross: numbers that stand for them, and stand-ins for the tests' own."""

import builtins
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

from rewardstack_sandbox.program.errors import class_names, describe_error
from rewardstack_sandbox.values import Unsupported

__all__ = ["Callback", "Table", "state_of"]

BUILT_IN = (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset)
FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    type(functools.lru_cache(len)),
    functools.partial,
)
Ask = Callable[[tuple[Any, ...]], Any]


class Callback:
    """A function of the tests, as the candidate sees it: calling it asks the other side.

    It has the name and the docstring that it has there, for programs that wrap it.
    """

    def __init__(self, number: int, ask: Ask, name: str, doc: str | None) -> None:
        self.number = number
        self.ask = ask
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Ask the tests' side to call it."""
        return self.ask(("call", self.number, arguments, keywords))


class Feed:
    """An iterator of the tests, as the candidate sees it."""

    def __init__(self, number: int, ask: Ask) -> None:
        self.number = number
        self.ask = ask

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self.ask(("next", self.number))


class Shared:
    """An object of the tests, as the candidate sees it: it asks the other side for all it is and does.

    Methods are asked for once. A class is made for each class of the tests, with its operators.
    """

    __slots__ = ("_rewardstack_ask", "_rewardstack_methods", "_rewardstack_number")

    def __getattr__(self, name: str) -> Any:
        ask, number, methods = parts_of(self)
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in methods:
            value = ask(("attribute", number, name))
            if type(value) is not Callback:
                return value
            methods[name] = value
        return methods[name]

    def __setattr__(self, name: str, value: Any) -> None:
        ask, number, _ = parts_of(self)
        ask(("assign", number, name, value))

    def __delattr__(self, name: str) -> None:
        ask, number, _ = parts_of(self)
        ask(("remove", number, name))

    def __copy__(self) -> Any:
        return operate(self, "__copy__")

    def __deepcopy__(self, _: Any) -> Any:
        return operate(self, "__deepcopy__")


def parts_of(value: Shared) -> tuple[Ask, int, dict[str, Any]]:
    """Return how to ask of an object of the tests, its number, and the methods that have been asked for."""
    get = object.__getattribute__
    return (
        get(value, "_rewardstack_ask"),
        get(value, "_rewardstack_number"),
        get(value, "_rewardstack_methods"),
    )


def operate(value: Shared, name: str, *operands: Any) -> Any:
    """Return what an operator of an object of the tests gives."""
    ask, number, _ = parts_of(value)
    return ask(("operate", number, name, operands))


def operator(name: str) -> Callable[..., Any]:
    """Return the method of an operator that is asked for. What a context manager is told of an exception stays here."""
    if name == "__exit__":
        return lambda self, *_: operate(self, name, None, None, None)
    if name == "__call__":
        return lambda self, *arguments, **keywords: parts_of(self)[0](
            ("call", parts_of(self)[1], arguments, keywords)
        )
    return lambda self, *operands: operate(self, name, *operands)


def shared_class(name: str, operators: tuple[str, ...]) -> type[Shared]:
    """Return the class of such objects. One whose objects are compared by content has no hash unless it says so."""
    body: dict[str, Any] = {one: operator(one) for one in operators}
    if "__eq__" in body:
        body.setdefault("__hash__", None)
    return type(name, (Shared,), {"__slots__": (), **body})


class Table:
    """Objects that stay here and are known by number on the other side.

    `records` are classes of the tests by name, remade here: their instances cross by content. `shared` are those whose
    instances stay on the other side.
    """

    def __init__(self, names: dict[str, Any], ask: Ask) -> None:
        self.names = names
        self.ask = ask
        self.objects: dict[int, Any] = {}
        self.numbers: dict[int, int] = {}
        self.records: dict[str, type] = {}
        self.shared: dict[tuple[str, tuple[str, ...]], type[Shared]] = {}

    def add(self, value: Any) -> int:
        """Return the number of an object, the same whenever it is asked for."""
        number = self.numbers.get(id(value))
        if number is None:
            number = self.numbers[id(value)] = len(self.objects) + 1
            self.objects[number] = value
        return number

    def pack(self, value: Any) -> Any:
        """Return what stands for an object: its number and kind, or an instance's content."""
        kind = type(value)
        if kind in (Callback, Feed):
            return ("yours", value.number)
        if issubclass(kind, Shared):
            return ("yours", parts_of(value)[1])
        if kind.__name__ in self.records:
            return ("record", kind.__name__, state_of(value))
        if issubclass(kind, BaseException):
            return ("error", *describe_error(value))
        if issubclass(kind, BUILT_IN):
            raise Unsupported(f"{kind.__name__}, a subclass of a built-in type")
        return self.stand_in(value)

    def stand_in(self, value: Any) -> tuple[Any, ...]:
        """Return what stands for an object of the program: its number, kind and name."""
        if type(value) is types.FunctionType:
            return ("mine", self.add(value), "function", str(value.__name__), ())
        return ("mine", self.add(value), describe(value), *details(value))

    def unpack(self, packed: Any) -> Any:
        """Return what something stands for."""
        match packed:
            case ("yours", number):
                return self.objects[number]
            case ("builtin", name):
                return getattr(builtins, name)
            case ("mine", number, "iterator"):
                return Feed(number, self.ask)
            case ("mine", number, "object", name, operators):
                return self.share(number, name, operators)
            case ("mine", number, _, name, doc):
                return Callback(number, self.ask, name, doc)
            case ("record", name, state):
                return self.remake(name, state)
        raise ValueError("unknown object")

    def share(self, number: int, name: str, operators: tuple[str, ...]) -> Shared:
        """Return what stands for an object of the tests that stays on the other side."""
        if (name, operators) not in self.shared:
            self.shared[name, operators] = shared_class(name, operators)
        value = self.shared[name, operators]()
        for key, item in (("ask", self.ask), ("number", number), ("methods", {})):
            object.__setattr__(value, f"_rewardstack_{key}", item)
        return value

    def remake(self, name: str, state: dict[str, Any]) -> Any:
        """Return an instance with the given content, of the program's own class of that name where it has one."""
        found = self.names.get(name)
        if name not in self.records:
            self.records[name] = found if isinstance(found, type) else type(name, (), {})
        value: Any = object.__new__(self.records[name])
        for key, item in state.items():
            object.__setattr__(value, key, item)
        return value


def describe(value: Any) -> str:
    """Return what kind of object it is."""
    if isinstance(value, type):
        return "exception" if issubclass(value, BaseException) else "class"
    if hasattr(type(value), "__next__"):
        return "iterator"
    if hasattr(type(value), "__await__"):
        return "awaitable"
    if hasattr(type(value), "__anext__"):
        return "async_iterator"
    if isinstance(value, FUNCTIONS):
        return "function"
    return "callable" if callable(value) else "object"


def details(value: Any) -> tuple[str, tuple[str, ...]]:
    """Return an object's name and, for a class of exceptions, those it derives from."""
    name = getattr(value, "__name__", None) or type(value).__name__
    bases = class_names(value) if isinstance(value, type) and issubclass(value, BaseException) else ()
    return str(name), bases


def state_of(value: Any) -> dict[str, Any]:
    """Return an instance's attributes, from its dictionary and its slots."""
    state = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name) and name not in ("__dict__", "__weakref__"):
                state[name] = getattr(value, name)
    return state
