"""Sets of real numbers: intervals, unions, and the solutions of inequalities in one letter."""

import itertools
import math
from collections.abc import Callable, Iterable
from fractions import Fraction

import msgspec

from rewardstack_math.evaluation import NeedsMore, Numbers, evaluate
from rewardstack_math.leaves import same_value
from rewardstack_math.nodes import (
    Add,
    Const,
    Group,
    Mul,
    Node,
    Num,
    Quantity,
    Relation,
    SetOp,
    Sym,
    negate,
    substitute,
    symbols,
)
from rewardstack_math.number import TooLarge, Undefined, rational

__all__ = ["INEQUALITIES", "Piece", "difference", "read_set", "same_sets"]

INEQUALITIES = frozenset(("<", ">", "<=", ">=", "!="))
_INFINITY = Const("inf")
_MINUS_INFINITY = Mul((Num(Fraction(-1)), _INFINITY))
_GRID = sorted({k / 2 for k in range(-100, 101)} | {s * 10.0**k for s in (-1, 1) for k in range(2, 7)} | {
    s * v for s in (-1, 1) for v in (75.0, 144.0, 250.0, 0.1, 0.25, 1 / 3)})  # fmt: skip


class Piece(msgspec.Struct, frozen=True, gc=False):
    """One interval, a point when both ends are one; `start` and `end` are the ends as floats, for the order."""

    low: Node
    high: Node
    start: float
    end: float
    low_closed: bool
    high_closed: bool


Pieces = tuple[Piece, ...]
_ALL: Pieces = (Piece(_MINUS_INFINITY, _INFINITY, -math.inf, math.inf, False, False),)
_NAMED: dict[str, Pieces] = {
    "R": _ALL,
    "empty": (),
    "R+": (Piece(Num(Fraction(0)), _INFINITY, 0.0, math.inf, False, False),),
    "R-": (Piece(_MINUS_INFINITY, Num(Fraction(0)), -math.inf, 0.0, False, False),),
}


class _NoSet(Exception):
    """The node is no set of real numbers that can be written as intervals."""


def difference(left: Node, right: Node) -> Node:
    """Return left - right."""
    return Add((left, negate(right)))


def read_set(node: Node) -> Pieces | None:
    """Return the intervals of a set, an inequality or a list of either; None for anything else."""
    try:
        return _pieces(node)
    except (_NoSet, Undefined, TooLarge, NeedsMore, OverflowError):
        return None


def same_sets(left: Pieces, right: Pieces, tolerance: float) -> bool:
    """Return whether two sets have the same intervals with the same ends."""
    if len(left) != len(right):
        return False
    for mine, theirs in zip(left, right, strict=True):
        if (mine.low_closed, mine.high_closed) != (theirs.low_closed, theirs.high_closed):
            return False
        for one, other in ((mine.low, theirs.low), (mine.high, theirs.high)):
            if not same_value(one, other, tolerance)[0]:
                return False
    return True


def _key(node: Node) -> float:
    """Return an end as a float; raises for one that has letters."""
    if node == _INFINITY:
        return math.inf
    if isinstance(node, Mul) and node.args[-1] == _INFINITY and isinstance(node.args[0], Num):
        return math.copysign(math.inf, node.args[0].value)
    if symbols(node):
        raise _NoSet
    value = evaluate(node, {}, Numbers())
    return float(value)


def _interval(low: Node, high: Node, low_closed: bool, high_closed: bool) -> Pieces:
    start, end = _key(low), _key(high)
    if start > end or (start == end and not (low_closed and high_closed)):
        raise _NoSet
    return (Piece(low, high, start, end, low_closed and start > -math.inf, high_closed and end < math.inf),)


def _point(node: Node) -> Pieces:
    value = _key(node)
    return (Piece(node, node, value, value, True, True),)


def _pieces(node: Node) -> Pieces:
    if isinstance(node, Const) and node.name in _NAMED:
        return _NAMED[node.name]
    if isinstance(node, SetOp):
        left, right = _pieces(node.left), _pieces(node.right)
        return _OPERATIONS[node.kind](left, right)
    if isinstance(node, Relation):
        return _relation(node)
    if isinstance(node, Group):
        return _group(node)
    if isinstance(node, Add) and len(node.args) == 2 and isinstance(node.args[0], Const):
        taken = node.args[1]  # R - {0}
        if isinstance(taken, Mul) and isinstance(taken.args[-1], Group):
            return _minus(_pieces(node.args[0]), _pieces(taken.args[-1]))
    if isinstance(node, Quantity):
        return _point(node.value)
    return _point(node)


def _group(node: Group) -> Pieces:
    if node.kind in ("()", "[]", "[)", "(]"):
        if len(node.items) != 2:
            raise _NoSet
        return _interval(node.items[0], node.items[1], node.kind[0] == "[", node.kind[1] == "]")
    parts = [_pieces(item) for item in node.items]
    if node.kind == "list" and any(isinstance(item, Relation) for item in node.items):
        common = _ALL
        for part in parts:
            common = _meet(common, part)
        if common:
            return common
    return _union(*parts)


def _union(*sets: Pieces) -> Pieces:
    """Return the union, in order, with touching and overlapping intervals made one."""
    merged: list[Piece] = []
    for piece in sorted((p for pieces in sets for p in pieces), key=lambda p: (p.start, not p.low_closed)):
        last = merged[-1] if merged else None
        if (
            last is None
            or piece.start > last.end
            or (piece.start == last.end and not (last.high_closed or piece.low_closed))
        ):
            merged.append(piece)
            continue
        if piece.end > last.end:
            high, end, closed = piece.high, piece.end, piece.high_closed
        else:
            closed = last.high_closed or (piece.high_closed and piece.end == last.end)
            high, end = last.high, last.end
        merged[-1] = Piece(last.low, high, last.start, end, last.low_closed, closed)
    return tuple(merged)


def _complement(pieces: Pieces) -> Pieces:
    out: list[Piece] = []
    low, start, closed = _ALL[0].low, -math.inf, False
    for piece in _union(pieces):
        if piece.start > start or (piece.start == start and closed and not piece.low_closed):
            out.append(
                Piece(
                    low,
                    piece.low,
                    start,
                    piece.start,
                    closed,
                    not piece.low_closed and piece.start > -math.inf,
                )
            )
        low, start, closed = piece.high, piece.end, not piece.high_closed
    if start < math.inf:
        out.append(Piece(low, _INFINITY, start, math.inf, closed, False))
    return tuple(out)


def _meet(left: Pieces, right: Pieces) -> Pieces:
    return _complement(_union(_complement(left), _complement(right)))


def _minus(left: Pieces, right: Pieces) -> Pieces:
    return _meet(left, _complement(right))


_OPERATIONS: dict[str, Callable[[Pieces, Pieces], Pieces]] = {"cup": _union, "cap": _meet, "minus": _minus}


# inequalities


def _relation(node: Relation) -> Pieces:
    if node.signs == ("in",):
        return _pieces(node.members[1])
    if node.signs == ("notin",):
        return _complement(_pieces(node.members[1]))
    letters = {name for member in node.members for name in symbols(member)}
    if len(letters) != 1 or not set(node.signs) <= INEQUALITIES | {"="}:
        raise _NoSet
    letter = letters.pop()
    common = _ALL
    for at, sign in enumerate(node.signs):
        common = _meet(common, _solve(node.members[at], sign, node.members[at + 1], letter))
    return common


_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!=", "=": "="}


def _solve(left: Node, sign: str, right: Node, letter: str) -> Pieces:
    if left == Sym(letter) and not symbols(right):
        return _ray(sign, right)
    if right == Sym(letter) and not symbols(left):
        return _ray(_FLIPPED[sign], left)
    f = difference(left, right)
    values = [_probe(f, letter, at) for at in (0, 1, -3, 7)]
    zero, one, minus_three, seven = values
    if zero is not None and one is not None and minus_three is not None and seven is not None:
        slope = one - zero
        if slope and minus_three == zero - 3 * slope and seven == zero + 7 * slope:
            return _ray(sign if slope > 0 else _FLIPPED[sign], Num(-zero / slope))
    return _by_signs(f, sign, letter)


def _probe(f: Node, letter: str, at: int) -> Fraction | None:
    try:
        return rational(substitute(f, Sym(letter), Num(Fraction(at))))
    except Undefined:
        return None


def _ray(sign: str, end: Node) -> Pieces:
    value = _key(end)
    if sign == "=":
        return _point(end)
    if sign == "!=":
        return _complement(_point(end))
    if sign in ("<", "<="):
        return (Piece(_MINUS_INFINITY, end, -math.inf, value, False, sign == "<=" and value < math.inf),)
    return (Piece(end, _INFINITY, value, math.inf, sign == ">=" and value > -math.inf, False),)


def _by_signs(f: Node, sign: str, letter: str) -> Pieces:
    """Solve `f sign 0` by the sign of f between its roots and poles, which are looked for on a grid."""

    def at(value: float) -> float | None:
        try:
            return float(evaluate(f, {letter: value}, Numbers()))
        except (Undefined, NeedsMore, TypeError):
            return None

    critical = list(_critical(at))
    if len(critical) > 40:
        raise _NoSet
    ends = [-1e7, *critical, 1e7]
    pieces: list[Pieces] = []
    for low, high in itertools.pairwise(ends):
        if _holds(at(low + (high - low) * 0.618), sign, exact=False):
            pieces.append((_open_piece(low, high),))
    pieces += [_point(_end(root)) for root in critical if _holds(at(_near(root)), sign, exact=True)]
    return _union(*pieces)


def _holds(value: float | None, sign: str, *, exact: bool) -> bool:
    if value is None:
        return False
    if exact and abs(value) < 1e-9:
        return sign in ("<=", ">=", "=")
    return {"<": value < 0, "<=": value < 0, ">": value > 0, ">=": value > 0, "!=": value != 0, "=": False}[
        sign
    ]


def _near(root: float) -> float:
    fraction = Fraction(root).limit_denominator(1000)
    return float(fraction) if abs(float(fraction) - root) < 1e-9 * max(1.0, abs(root)) else root


def _end(root: float) -> Node:
    fraction = Fraction(root).limit_denominator(1000)
    if abs(float(fraction) - root) < 1e-9 * max(1.0, abs(root)):
        return Num(fraction)
    return Num(Fraction(root), 15)  # a decimal: six digits decide against the exact end


def _open_piece(low: float, high: float) -> Piece:
    start, end = (-math.inf if low == -1e7 else _near(low)), (math.inf if high == 1e7 else _near(high))
    return Piece(_end(low) if start > -math.inf else _MINUS_INFINITY, _end(high) if end < math.inf else _INFINITY,
                 start, end, False, False)  # fmt: skip


def _critical(at: Callable[[float], float | None]) -> Iterable[float]:
    """Yield roots, poles and ends of the domain, in order."""
    before: float | None = None
    last = _GRID[0]
    for value in _GRID:
        here = at(value)
        if here == 0:
            yield value
        elif value > last and before != 0 and _turns(before, here):
            yield _bisect(at, last, value)
        elif here is None and before is None:
            pass
        before, last = here, value


def _turns(before: float | None, here: float | None) -> bool:
    if before is None or here is None:
        return (before is None) != (here is None)
    return (before < 0) != (here < 0)


def _bisect(at: Callable[[float], float | None], low: float, high: float) -> float:
    start = at(low)
    for _ in range(70):
        middle = (low + high) / 2
        value = at(middle)
        if value == 0:
            return middle
        if _turns(start, value):
            high = middle
        else:
            low = middle
    return (low + high) / 2
