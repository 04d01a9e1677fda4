"""Stand-ins for a program's functions, classes, iterators and objects.

What a stand-in forwards is chosen so that no answer of the program can make a comparison true by itself. Equality of two
objects is by content, fetched as plain values, or by identity where their class defines none. Equality with a plain
value, order, truth other than that of any plain object, and arithmetic that does not give an object again are refused
(`unsupported_value`), but for the instances that the tests make of a class they test: what is expected of those is an
object, which answers by its own operators as it does by its methods.
"""

import types
from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from rewardstack_sandbox.oracle.test_functions import NotRunnable
from rewardstack_sandbox.values import is_named_tuple

__all__ = ["Reference", "RemoteClass", "RemoteItems", "RemoteObject", "class_of", "stand_in", "types_among"]

ATTACHED = "_rewardstack_reference"
# What tests ask of text, numbers and sets. An object that a function returned in their place would answer as it likes.
QUESTIONS = frozenset(
    [
        "endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isdisjoint", "isidentifier", "islower",
        "isnumeric", "isprintable", "isspace", "issubset", "issuperset", "istitle", "isupper", "is_integer", "startswith",
    ]
)  # fmt: skip
# The same of arrays and sets, where programs have objects of their own that answer: with tests of functions alone they have none
ANSWERS = frozenset(["all", "any", "difference", "equals", "intersection", "symmetric_difference"])
HOLDER = "Solution"  # the class that holds LeetCode's functions, and is itself under no test
TOLD = frozenset(["__dict__", "__mro__", "__bases__", "__wrapped__"])  # of the language's own attributes
PLAIN = ("function", "class", "iterator")  # what has no truth or equality of its own


class Talk(Protocol):
    """What stand-ins need of a conversation.

    `types` are the classes that the tests know by a name of a class, `constructed` the objects that they made of these.
    """

    types: set[int]
    constructed: set[int]

    def ask(self, *request: Any) -> Any: ...
    def call(self, number: int, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any: ...
    def attribute(self, number: int, name: str) -> Any: ...
    def refuse(self, text: str) -> Exception: ...


class Reference:
    """The number of an object of the program, as an argument of a request."""

    def __init__(self, number: int) -> None:
        self.number = number


class RemoteItems(NamedTuple):
    """What a stand-in holds, kept apart from the attributes it forwards."""

    talk: Talk
    number: int
    kind: str
    name: str

    @staticmethod
    def reference(number: int) -> Reference:
        """Return a reference to send."""
        return Reference(number)

    @staticmethod
    def of(value: Any) -> "Reference | None":
        """Return the reference behind a stand-in, None for other values."""
        if isinstance(value, Reference):
            return value
        if isinstance(value, RemoteObject):
            return Reference(items_of(value).number)
        if isinstance(value, type) and ATTACHED in vars(value):
            return Reference(vars(value)[ATTACHED])
        return None

    @staticmethod
    def attach(kind: type, number: int) -> None:
        """Let a class made here stand for one of the program."""
        setattr(kind, ATTACHED, number)


def items_of(value: "RemoteObject") -> RemoteItems:
    """Return what a stand-in holds."""
    found: RemoteItems = object.__getattribute__(value, "_rewardstack_items")
    return found


def ask(value: "RemoteObject", what: str, *arguments: Any) -> Any:
    """Ask for something of the object."""
    items = items_of(value)
    return items.talk.ask(what, Reference(items.number), *arguments)


def refusal(value: "RemoteObject", what: str) -> Exception:
    """Return the exception for what is not forwarded."""
    items = items_of(value)
    return items.talk.refuse(f"{what} of {items.name} (an object of the program)")


class RemoteObject:
    """An object of the program. Attributes, items, length, text and iteration are forwarded."""

    __slots__ = ("_rewardstack_items",)
    _rewardstack_items: RemoteItems

    def __init__(self, items: RemoteItems) -> None:
        object.__setattr__(self, "_rewardstack_items", items)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in TOLD:
            raise AttributeError(name)
        items = items_of(self)
        if name in QUESTIONS and items.number not in items.talk.types | items.talk.constructed:
            raise refusal(self, name)
        if name in ANSWERS and not items.talk.types:
            raise refusal(self, name)
        return items.talk.attribute(items.number, name)

    def __setattr__(self, name: str, value: Any) -> None:
        ask(self, "set", name, value)

    def __iter__(self) -> Iterator[Any]:
        found = ask(self, "iterate")
        if not isinstance(found, RemoteIterator):
            raise refusal(self, "iteration")
        return found

    def __len__(self) -> int:
        return int(plain(self, "length", int))

    def __str__(self) -> str:
        return str(plain(self, "text", str))

    def __repr__(self) -> str:
        return str(plain(self, "shown", str))

    def __getitem__(self, key: Any) -> Any:
        return ask(self, "item", key)

    def __setitem__(self, key: Any, value: Any) -> None:
        ask(self, "set_item", key, value)

    def __delitem__(self, key: Any) -> None:
        ask(self, "del_item", key)

    def __enter__(self) -> Any:
        return ask(self, "enter")

    def __exit__(self, *_: object) -> None:
        ask(self, "exit")

    def __aiter__(self) -> AsyncIterator[Any]:
        found = ask(self, "async_iterate")
        if not isinstance(found, RemoteAsyncIterator):
            raise refusal(self, "iteration")
        return found

    async def __aenter__(self) -> Any:
        return ask(self, "async_enter")

    async def __aexit__(self, *_: object) -> None:
        ask(self, "async_exit")

    def __hash__(self) -> int:
        items = items_of(self)
        return items.number if items.kind in PLAIN else int(plain(self, "hash", int))

    def __bool__(self) -> bool:
        if items_of(self).kind in PLAIN:
            return True
        if is_tested(self):
            return bool(plain(self, "truth", bool))
        if ask(self, "always_true") is not True:  # worth no more than if the program gave True
            raise refusal(self, "truth")
        return True

    def __contains__(self, value: Any) -> bool:
        if is_tested(self):
            return bool(plain(self, "contains", bool, value))
        return any(item is value or item == value for item in self)

    def __copy__(self) -> Any:
        return ask(self, "copy")

    def __deepcopy__(self, _: object) -> Any:
        return ask(self, "deepcopy")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, RemoteObject):
            if other is None or items_of(self).kind in PLAIN or is_tested(self):
                return False
            raise refusal(self, "equality")
        mine, theirs = ask(self, "content"), ask(other, "content")
        return bool(mine == theirs)

    def __ne__(self, other: object) -> bool:
        return not self == other


def class_of(value: Any) -> Any:
    """Return `type(value)`; for an object of the program the stand-in for its class, which is the same for all of them."""
    if not isinstance(value, RemoteObject) or items_of(value).kind in PLAIN:
        return type(value)
    found = ask(value, "class")
    if not isinstance(found, RemoteClass):
        raise refusal(value, "class")
    return found


def is_tested(value: RemoteObject) -> bool:
    """Whether the tests made an object of a class under test, and no function of the program has given it to them."""
    items = items_of(value)
    return items.number in items.talk.constructed


def plain(value: RemoteObject, what: str, kind: type, *arguments: Any) -> Any:
    """Return an answer that must be of an exact type."""
    answer = ask(value, what, *arguments)
    if type(answer) is not kind:
        raise refusal(value, what)
    return answer


def forward(name: str, *, swapped: bool = False) -> Any:
    """Return an operator's method: its result must be an object again, no plain value to be compared.

    It may be one where the object is an instance that the tests made of a class under test, and no plain value is the
    other operand: that may be what is expected, and the result its difference from what a function named like a class
    returns. With a plain value an operator is forwarded only where classes are under test: an object in its place would
    stand for a difference as small as it likes.
    """

    def method(self: RemoteObject, *others: Any) -> Any:
        alone = name == "round" or all(isinstance(one, RemoteObject) for one in others)
        if not (items_of(self).talk.types or alone):
            raise refusal(self, name)
        operands = (Reference(items_of(self).number), *others)
        found = items_of(self).talk.ask(name, *(reversed(operands) if swapped else operands))
        if not isinstance(found, RemoteObject) and not (is_tested(self) and alone):
            raise refusal(self, name)
        return found

    return method


def refuse(name: str, kind: type) -> Any:
    """Return the method of an operator that is forwarded for instances of tested classes alone; its result is a `kind`."""

    def method(self: RemoteObject, *others: Any) -> Any:
        if not is_tested(self):
            raise refusal(self, name)
        return plain(self, name, kind, *others)

    return method


FORWARDED = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")
for operator in FORWARDED:
    setattr(RemoteObject, f"__{operator}__", forward(operator))
    setattr(RemoteObject, f"__r{operator}__", forward(operator, swapped=True))
    setattr(RemoteObject, f"__i{operator}__", forward(f"i{operator}"))
for operator in ("neg", "abs", "round"):
    setattr(RemoteObject, f"__{operator}__", forward(operator))
for operator, result in {
    "lt": bool, "le": bool, "gt": bool, "ge": bool, "int": int, "float": float, "index": int, "complex": complex
}.items():  # fmt: skip
    setattr(RemoteObject, f"__{operator}__", refuse(operator, result))


class RemoteCallable(RemoteObject):
    """An object of the program that can be called."""

    __slots__ = ()

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        items = items_of(self)
        return items.talk.call(items.number, arguments, keywords)


class RemoteFunction(RemoteCallable):
    """A function of the program, or a class."""

    __slots__ = ()

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__"):
            return items_of(self).name
        return super().__getattr__(name)


class RemoteClass(RemoteFunction):
    """A class of the program. It says itself what its instances are, as it says what its methods return."""

    __slots__ = ()

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self

    def __mro_entries__(self, _: object) -> tuple[type, ...]:
        raise NotRunnable(f"the tests derive a class from {items_of(self).name}, which is the program's")

    def __instancecheck__(self, value: Any) -> bool:
        if isinstance(value, RemoteObject):
            return self.tells("is_instance", value)
        return is_named_tuple(type(value)) and type(value).__name__ == items_of(self).name

    def __subclasscheck__(self, value: Any) -> bool:
        return isinstance(value, RemoteClass) and self.tells("is_subclass", value)

    def tells(self, what: str, value: RemoteObject) -> bool:
        """Ask whether a value or class is one of its own."""
        answer = ask(value, what, self)
        if type(answer) is not bool:
            raise refusal(self, what)
        return answer


def types_among(names: Mapping[str, Any]) -> set[int]:
    """Return the numbers of the program's classes that are under test: named as classes are, and in no other way.

    One that is named like a function answers in place of one.
    """
    classes = [(name, items_of(one).number) for name, one in names.items() if isinstance(one, RemoteClass)]
    fitting = {number for name, number in classes if name.lstrip("_")[:1].isupper() and name != HOLDER}
    return fitting - {number for name, number in classes if not name.lstrip("_")[:1].isupper()}


class RemoteIterator(RemoteObject):
    """An iterator of the program, asked for one item at a time."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return ask(self, "next")


class RemoteAwaitable(RemoteObject):
    """A coroutine of the program, or what else can be awaited there: it runs to its end when it is first waited for.

    It has a coroutine's methods, by which `asyncio.run` and others know one.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("cr_", "gi_")):  # what asyncio shows of a coroutine
            raise AttributeError(name)
        return super().__getattr__(name)

    def __await__(self) -> Generator[Any, None, Any]:
        yield from ()
        return ask(self, "await")

    def send(self, _: Any) -> Any:
        """Run it; its result is the value of the `StopIteration`, as a coroutine's is."""
        raise StopIteration(ask(self, "await"))

    def throw(self, *error: Any) -> Any:
        """Raise an exception where it stands, which is at its beginning or its end."""
        raise error[0] if len(error) == 1 else error[1]

    def close(self) -> None:
        """Do nothing: it does not stand in the middle."""


class RemoteAsyncIterator(RemoteObject):
    """An asynchronous iterator of the program, asked for one item at a time."""

    __slots__ = ()

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        return ask(self, "async_next")


KINDS = {
    "awaitable": RemoteAwaitable,
    "async_iterator": RemoteAsyncIterator,
    "function": RemoteFunction,
    "class": RemoteClass,
    "callable": RemoteCallable,
    "iterator": RemoteIterator,
}


def stand_in(talk: Talk, number: int, kind: str, name: str) -> RemoteObject:
    """Return the stand-in for an object of the program."""
    return KINDS.get(kind, RemoteObject)(RemoteItems(talk, number, kind, name))


def read_docstring(self: RemoteObject) -> Any:
    """Return the docstring of the program's own object: that of a stand-in is none of the tests' business."""
    return ask(self, "get", "__doc__")


for one in (RemoteObject, *KINDS.values()):
    one.__doc__ = property(read_docstring)  # type: ignore[assignment]
