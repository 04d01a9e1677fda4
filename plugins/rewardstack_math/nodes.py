"""The small frozen nodes an answer is parsed into."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import msgspec

__all__ = [
    "Add",
    "Apply",
    "Based",
    "Big",
    "Call",
    "Const",
    "Div",
    "Group",
    "Matrix",
    "Mul",
    "Node",
    "Num",
    "PlusMinus",
    "Pow",
    "Quantity",
    "Relation",
    "SetOp",
    "Sym",
    "Text",
    "Unit",
    "children",
    "has_decimal",
    "negate",
    "rebuild",
    "substitute",
    "symbols",
    "walk",
]


class Node(msgspec.Struct, frozen=True, gc=False):
    """Anything an answer can be made of; nodes compare by value."""


class Num(Node, frozen=True, gc=False):
    """An exact rational; `digits` counts the significant digits of a number written as a decimal, else 0."""

    value: Fraction
    digits: int = 0


class Sym(Node, frozen=True, gc=False):
    """A letter with its index and primes: `x`, `x_1`, `alpha`, `f'`."""

    name: str


class Const(Node, frozen=True, gc=False):
    """A named constant: `pi`, `e`, `i`, `inf`, and the sets `R`, `Z`, `N`, `Q`, `C` and `empty`."""

    name: str


class Text(Node, frozen=True, gc=False):
    """Words, in lower case, as one answer or one factor."""

    words: str


class Add(Node, frozen=True, gc=False):
    """A sum."""

    args: tuple[Node, ...]


class Mul(Node, frozen=True, gc=False):
    """A product."""

    args: tuple[Node, ...]


class Div(Node, frozen=True, gc=False):
    """A quotient."""

    top: Node
    bottom: Node


class Pow(Node, frozen=True, gc=False):
    """A power; roots are powers with a `Div` or `Num` exponent."""

    base: Node
    exponent: Node


class PlusMinus(Node, frozen=True, gc=False):
    """`±arg` (sign 1) or `∓arg` (sign -1)."""

    arg: Node
    sign: int = 1


class Call(Node, frozen=True, gc=False):
    """A known function: `sin`, `ln`, `log` (argument, base), `fact`, `binom`, `abs`, `floor`, ..."""

    name: str
    args: tuple[Node, ...]


class Apply(Node, frozen=True, gc=False):
    """An unknown function or sequence: `f(x)`, `a_n`."""

    name: str
    args: tuple[Node, ...]


class Big(Node, frozen=True, gc=False):
    """`sum`, `prod`, `int`, `lim` or `diff` of `body` over `var`; a limit's point stands in `low`."""

    kind: str
    var: str
    low: Node | None
    high: Node | None
    body: Node


class Relation(Node, frozen=True, gc=False):
    """A chain `a = b < c`; there is one member more than there are signs."""

    signs: tuple[str, ...]
    members: tuple[Node, ...]


class Group(Node, frozen=True, gc=False):
    """Several values; `kind` is `list`, `or`, `set`, `ratio`, or the pair of brackets: `()`, `[)`, ..."""

    kind: str
    items: tuple[Node, ...]


class SetOp(Node, frozen=True, gc=False):
    """`cup`, `cap` or `minus` of two sets."""

    kind: str
    left: Node
    right: Node


class Matrix(Node, frozen=True, gc=False):
    """A matrix by rows."""

    rows: tuple[tuple[Node, ...], ...]


class Based(Node, frozen=True, gc=False):
    """Digits with the subscript of their base, `2F_{16}`."""

    digits: str
    base: int


class Unit(msgspec.Struct, frozen=True, gc=False):
    """A unit: its size in base units, its dimensions, and an offset for temperatures.

    `letter` is the unit's if it is a single one, which may have been meant as a factor: `2 m`. `dimensions` of an unknown unit are its words, so that two unknown units are the same when their words are.
    """

    factor: Fraction
    dimensions: str
    offset: Fraction = Fraction(0)
    known: bool = True
    letter: str = ""


class Quantity(Node, frozen=True, gc=False):
    """A value with its unit; percent, degrees and currencies are units too."""

    value: Node
    unit: Unit


def _pairs(node: Node) -> tuple[Node, ...]:
    return (
        tuple(part for part in (node.low, node.high, node.body) if part is not None)
        if isinstance(node, Big)
        else ()
    )


_CHILDREN: dict[type[Node], Callable[..., tuple[Node, ...]]] = {
    Add: lambda n: n.args,
    Mul: lambda n: n.args,
    Div: lambda n: (n.top, n.bottom),
    Pow: lambda n: (n.base, n.exponent),
    PlusMinus: lambda n: (n.arg,),
    Call: lambda n: n.args,
    Apply: lambda n: n.args,
    Big: _pairs,
    Relation: lambda n: n.members,
    Group: lambda n: n.items,
    SetOp: lambda n: (n.left, n.right),
    Matrix: lambda n: tuple(entry for row in n.rows for entry in row),
    Quantity: lambda n: (n.value,),
}

_REBUILD: dict[type[Node], Callable[..., Node]] = {
    Add: lambda _, parts: Add(parts),
    Mul: lambda _, parts: Mul(parts),
    Div: lambda _, parts: Div(*parts),
    Pow: lambda _, parts: Pow(*parts),
    PlusMinus: lambda n, parts: PlusMinus(parts[0], n.sign),
    Call: lambda n, parts: Call(n.name, parts),
    Apply: lambda n, parts: Apply(n.name, parts),
    Relation: lambda n, parts: Relation(n.signs, parts),
    Group: lambda n, parts: Group(n.kind, parts),
    SetOp: lambda n, parts: SetOp(n.kind, *parts),
    Quantity: lambda n, parts: Quantity(parts[0], n.unit),
}


def children(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly below."""
    below = _CHILDREN.get(type(node))
    return below(node) if below else ()


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and all below it."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(children(here))


def rebuild(node: Node, change: Callable[[Node], Node]) -> Node:
    """Return the node with `change` applied to each child."""
    if isinstance(node, Matrix):
        return Matrix(tuple(tuple(change(entry) for entry in row) for row in node.rows))
    if isinstance(node, Big):
        low, high = (part if part is None else change(part) for part in (node.low, node.high))
        return Big(node.kind, node.var, low, high, change(node.body))
    make = _REBUILD.get(type(node))
    return make(node, tuple(change(part) for part in children(node))) if make else node


def substitute(node: Node, old: Node, new: Node) -> Node:
    """Return the node with every `old` replaced by `new`."""
    return new if node == old else rebuild(node, lambda part: substitute(part, old, new))


def negate(node: Node) -> Node:
    """Return minus the node, a number as a number."""
    if isinstance(node, Num):
        return Num(-node.value, node.digits)
    if isinstance(node, Quantity):
        return Quantity(negate(node.value), node.unit)
    return Mul((Num(Fraction(-1)), node))


def symbols(node: Node) -> frozenset[str]:
    """Return the names of the free letters, words included."""
    found: set[str] = set()
    bound: set[str] = set()
    for part in walk(node):
        if isinstance(part, Sym):
            found.add(part.name)
        elif isinstance(part, Text):
            found.add(part.words)
        elif isinstance(part, Big) and part.kind != "diff":
            bound.add(part.var)
    return frozenset(found - bound)


def has_decimal(node: Node) -> bool:
    """Whether a number in the node was written as a decimal."""
    return any(isinstance(part, Num) and part.digits for part in walk(node))
