"""Writes trees in plain notation, for reasons and details."""

from collections.abc import Callable
from fractions import Fraction

from rewardstack_math.nodes import (
    Add,
    Apply,
    Big,
    Call,
    Const,
    Div,
    Group,
    Mul,
    Node,
    Num,
    Pow,
    Quantity,
    Relation,
    Sym,
    Text,
)

__all__ = ["write"]

_LOOSE = (Add, Relation)


def write(node: Node) -> str:
    """Return a tree in plain notation: `2*x^2 + 1`, `sqrt(3)`."""
    rule = _RULES.get(type(node))
    return rule(node) if rule else type(node).__name__.lower()


def _number(node: Num) -> str:
    return f"{float(node.value):.12g}" if node.digits else str(node.value)


def _sum(node: Add) -> str:
    return " + ".join(map(write, node.args)).replace("+ -", "- ")


def _factor(node: Node) -> str:
    text = write(node)
    return (
        f"({text})"
        if isinstance(node, _LOOSE) or (isinstance(node, Num) and node.value.denominator > 1)
        else text
    )


def _product(node: Mul) -> str:
    if node.args[0] == Num(Fraction(-1)) and len(node.args) > 1:
        return "-" + "*".join(map(_factor, node.args[1:]))
    return "*".join(map(_factor, node.args))


def _power(node: Pow) -> str:
    if isinstance(node.exponent, Num) and node.exponent.value == Fraction(1, 2):
        return f"sqrt({write(node.base)})"
    return f"{_factor(node.base)}^{_factor(node.exponent)}"


def _group(node: Group) -> str:
    inner = ", ".join(map(write, node.items))
    pairs = {"set": "{}", "list": "", "or": "", "ratio": ""}
    brackets = pairs.get(node.kind, node.kind)
    return f"{brackets[0]}{inner}{brackets[1]}" if len(brackets) == 2 else inner


def _relation(node: Relation) -> str:
    text = write(node.members[0])
    for sign, member in zip(node.signs, node.members[1:], strict=True):
        text += f" {sign} {write(member)}"
    return text


def _called(node: Call | Apply) -> str:
    return f"{node.name}({', '.join(map(write, node.args))})"


_RULES: dict[type[Node], Callable[..., str]] = {
    Num: _number,
    Sym: lambda n: n.name,
    Const: lambda n: n.name,
    Text: lambda n: n.words,
    Add: _sum,
    Mul: _product,
    Div: lambda n: f"{_factor(n.top)}/{_factor(n.bottom)}",
    Pow: _power,
    Call: _called,
    Apply: _called,
    Big: lambda n: f"{n.kind}({write(n.body)})",
    Quantity: lambda n: write(n.value),
    Group: _group,
    Relation: _relation,
}
