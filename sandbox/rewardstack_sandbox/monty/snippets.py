"""The oracle's requests as snippets of Python, for an interpreter that can only be asked by source."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = [
    "BEGIN",
    "EXPRESSIONS",
    "KEEP",
    "NAMES",
    "STATEMENTS",
    "Foreign",
    "Kept",
    "Snippet",
    "call",
    "operation",
    "reading",
]

HELD = "_rewardstack_held"
BEGIN = f"{HELD} = {{}}"
NAMES = "list(locals())"
VALUE = f"(type({HELD}[0]).__name__, {HELD}[0])"
KEEP = f"{HELD}[{{number}}] = {HELD}[0]"
# what may be asked of an object, as in `program.serving`: nothing here compares
EXPRESSIONS = {
    "get": "getattr({}, {})", "iterate": "iter({})", "next": "next({})", "length": "len({})", "item": "{}[{}]",
    "text": "str({})", "shown": "repr({})", "truth": "bool({})", "add": "{} + {}", "sub": "{} - {}",
    "mul": "{} * {}", "truediv": "{} / {}", "floordiv": "{} // {}", "mod": "{} % {}", "pow": "{} ** {}",
    "and": "{} & {}", "or": "{} | {}", "xor": "{} ^ {}", "neg": "-{}", "abs": "abs({})", "content": "{}",
    "set": "setattr({}, {}, {})", "is_instance": "isinstance({}, {})",
}  # fmt: skip
STATEMENTS = {"set_item": "{}[{}] = {}"}


@dataclass(frozen=True, slots=True)
class Kept:
    """A value that stays in the program's process: its number there, its kind and its name."""

    number: int
    kind: str = ""
    name: str = ""


class Foreign:
    """A function or object of the tests, which Monty's programs cannot be given."""


class Snippet(NamedTuple):
    """Source, and the values it is given by name."""

    code: str
    inputs: dict[str, Any]


def call(target: Kept, arguments: Sequence[Any], keywords: dict[str, Any]) -> Snippet:
    """Return a call. Its value is the result's kind, the result, and the arguments as they are afterwards."""
    places, inputs = operands(arguments)
    starred = "**_rewardstack_keywords" if keywords else ""
    inputs |= {"_rewardstack_keywords": keywords} if keywords else {}
    code = f"{HELD}[0] = {place_of(target)}({', '.join([*places, starred])})".replace(", )", ")")
    return Snippet(f"{code}\n(*{VALUE}, [{', '.join(places)}])", inputs)


def operation(name: str, values: Sequence[Any]) -> Snippet:
    """Return another request. Its value is the result's kind and the result."""
    places, inputs = operands(values)
    if name in STATEMENTS:
        return Snippet(f"{STATEMENTS[name].format(*places)}\n('NoneType', None)", inputs)
    return Snippet(f"{HELD}[0] = {EXPRESSIONS[name].format(*places)}\n{VALUE}", inputs)


def reading(name: str) -> Snippet:
    """Return the reading of a global name."""
    return operation("content", [Global(name)])


@dataclass(frozen=True, slots=True)
class Global:
    """A global name of the program."""

    name: str


def operands(values: Sequence[Any]) -> tuple[list[str], dict[str, Any]]:
    """Return how values are written in a snippet, and those of them that it is given."""
    places, inputs = [], {}
    for index, value in enumerate(values):
        if isinstance(value, (Kept, Global)):
            places.append(place_of(value))
        else:
            places.append(f"_rewardstack_{index}")
            inputs[places[-1]] = value
    return places, inputs


def place_of(value: Kept | Global) -> str:
    """Return how a value of the program is written."""
    return f"{HELD}[{value.number}]" if isinstance(value, Kept) else value.name
