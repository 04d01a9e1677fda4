"""Equations and inequalities as they are written: up to a factor, and with their signs turned one way."""

from collections.abc import Callable
from fractions import Fraction

from rewardstack_math.evaluation import NeedsMore, Numbers, evaluate
from rewardstack_math.nodes import Mul, Node, Num, Relation, Sym, substitute, symbols
from rewardstack_math.number import TooLarge, Undefined, rational
from rewardstack_math.sets import difference

__all__ = ["ascending", "letters", "one_sided", "proportion"]

_TURNED = {">": "<", ">=": "<="}
_PROBES = (Fraction(29, 16), Fraction(-37, 8), Fraction(53, 32), Fraction(11, 4), Fraction(-71, 64))
_SMALL = 1e-30  # a probe that gives less than this is taken for zero


def letters(node: Relation) -> frozenset[str]:
    """Return the letters of all members of a relation."""
    return frozenset(name for member in node.members for name in symbols(member))


def one_sided(node: Relation) -> tuple[str, Node]:
    """Return `<`, `<=` or another sign and the difference that is compared with zero by it."""
    sign = node.signs[0]
    left, right = node.members
    return (_TURNED[sign], difference(right, left)) if sign in _TURNED else (sign, difference(left, right))


def ascending(node: Relation) -> Relation:
    """Return a chain of > and >= as one of < and <=."""
    if all(sign in _TURNED for sign in node.signs):
        return Relation(tuple(_TURNED[sign] for sign in reversed(node.signs)), node.members[::-1])
    return node


def proportion(first: Node, second: Node, same: Callable[[Node, Node], bool]) -> int | None:
    """Return the sign of c where first = c * second for a number c, or None where there is none.

    At one point the two give numbers a and b; then first = (a/b) second means first * b = second * a everywhere.
    """
    names = sorted(symbols(first) | symbols(second))
    for shift in range(3):
        mine, theirs = first, second
        for at, name in enumerate(names):
            number = Num(_PROBES[(at * 2 + shift) % len(_PROBES)] + Fraction(at, 3))
            mine, theirs = (substitute(side, Sym(name), number) for side in (mine, theirs))
        sign = _sign(mine) * _sign(theirs)
        if sign:
            return sign if same(Mul((first, theirs)), Mul((second, mine))) else None
    return None


def _sign(node: Node) -> int:
    """Return the sign of a number's tree, 0 where it is zero or unknown."""
    try:
        exact = rational(node)
        value = exact if exact is not None else evaluate(node, {}, Numbers(precise=160))
    except (Undefined, TooLarge, NeedsMore, TypeError, ValueError):
        return 0
    if hasattr(value, "imag") and value.imag:
        return 0
    return 0 if abs(value) < _SMALL else 1 if value > 0 else -1
