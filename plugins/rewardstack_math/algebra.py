"""Makes sympy expressions of our own trees and compares them; imported in worker processes alone.

Expressions are built from nodes, never from a string.
"""

from collections.abc import Callable
from typing import Any

import sympy

from rewardstack_math.nodes import Add, Apply, Big, Call, Const, Div, Mul, Node, Num, Pow, Quantity, Sym

__all__ = ["judge"]

_DIRECT = {
    "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "coth": "coth", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arccot": "acot",
    "arcsec": "asec", "arccsc": "acsc", "ln": "log", "log": "log", "abs": "Abs", "floor": "floor", "ceil": "ceiling",
    "fact": "factorial", "fact2": "factorial2", "binom": "binomial", "conj": "conjugate", "re": "re", "im": "im",
    "max": "Max", "min": "Min", "mod": "Mod", "gcd": "gcd", "lcm": "lcm", "sign": "sign", "cbrt": "cbrt",
}  # fmt: skip


class Unsupported(Exception):
    """A node that has no sympy counterpart here."""


def build(node: Node) -> Any:
    """Return the sympy expression of a tree; letters are real."""
    rule = _RULES.get(type(node))
    if rule is None:
        raise Unsupported(type(node).__name__)
    return rule(node)


def _letter(name: str) -> Any:
    return sympy.Symbol(name, real=True)


def _constant(node: Const) -> Any:
    names = {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "inf": sympy.oo}
    if node.name not in names:
        raise Unsupported(node.name)
    return names[node.name]


def _call(node: Call) -> Any:
    if node.name not in _DIRECT:
        raise Unsupported(node.name)
    return getattr(sympy, _DIRECT[node.name])(*(build(arg) for arg in node.args))


def _big(node: Big) -> Any:
    letter = _letter(node.var)
    body = build(node.body)
    if node.kind == "diff":
        return sympy.diff(body, letter)
    if node.low is None:
        raise Unsupported("no bounds")
    low = build(node.low)
    if node.kind == "lim":
        return sympy.limit(body, letter, low)
    if node.high is None:
        raise Unsupported("no bounds")
    bounds = (letter, low, build(node.high))
    kinds = {"sum": sympy.summation, "prod": sympy.product, "int": sympy.integrate}
    return kinds[node.kind](body, bounds)


_RULES: dict[type[Node], Callable[..., Any]] = {
    Num: lambda n: sympy.Rational(n.value.numerator, n.value.denominator),
    Sym: lambda n: _letter(n.name),
    Const: _constant,
    Add: lambda n: sympy.Add(*(build(arg) for arg in n.args)),
    Mul: lambda n: sympy.Mul(*(build(arg) for arg in n.args)),
    Div: lambda n: build(n.top) / build(n.bottom),
    Pow: lambda n: build(n.base) ** build(n.exponent),
    Call: _call,
    Apply: lambda n: sympy.Function(n.name)(*(build(arg) for arg in n.args)),
    Big: _big,
    Quantity: lambda n: build(n.value),
}


def judge(left: Node, right: Node) -> bool | None:
    """Return whether sympy finds two trees equal, None where it cannot tell."""
    try:
        difference = build(left) - build(right)
        if difference == 0 or sympy.simplify(difference) == 0:
            return True
        equal = difference.equals(0)
    except Exception:  # whatever sympy makes of it: a question it cannot answer
        return None
    return None if equal is None else bool(equal)
