"""The number an answer states, for rewards that grade by distance."""

from fractions import Fraction

from rewardstack_math.comparison import read
from rewardstack_math.evaluation import NeedsMore, Numbers, evaluate
from rewardstack_math.names import Named
from rewardstack_math.nodes import Node, Quantity, symbols
from rewardstack_math.number import METER, TooLarge, Undefined, rational

__all__ = ["numeric_value"]


def numeric_value(text: str, like: str = "") -> Fraction | None:
    """Return the real number an answer states, None when it states none.

    A unit is converted to that of `like` where the two measure the same thing. Values too large for a float are None.
    """
    METER.refill()
    node = _bare(read(text).node)
    if node is None or symbols(node):
        return None
    factor = Fraction(1)
    if isinstance(node, Quantity):
        other = _bare(read(like).node) if like else None
        if isinstance(other, Quantity):
            if other.unit.dimensions != node.unit.dimensions:
                return None
            factor = node.unit.factor / other.unit.factor
        elif node.unit.dimensions == "percent" and like:
            factor = _percent_factor(node, other)
        node = node.value
    try:
        exact = rational(node)
        value = exact if exact is not None else Fraction(float(evaluate(node, {}, Numbers())))
        float(value)
    except (Undefined, TooLarge, NeedsMore, TypeError, OverflowError, ValueError):
        return None
    return value * factor


def _bare(node: Node | None) -> Node | None:
    return node.value if isinstance(node, Named) else node


def _percent_factor(node: Quantity, other: Node | None) -> Fraction:
    """Return 1 when 25% is meant as gold's 25, 1/100 when it is meant as 0.25: whichever is nearer."""
    try:
        gold = rational(other) if other is not None else None
        value = rational(node.value)
    except (Undefined, TooLarge):
        return Fraction(1)
    if gold is None or value is None:
        return Fraction(1)
    return Fraction(1) if abs(value - gold) <= abs(value / 100 - gold) else Fraction(1, 100)
