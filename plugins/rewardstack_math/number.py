"""Exact rational values of trees, refused by size before anything large is computed."""

import math
import threading
from collections.abc import Callable
from fractions import Fraction

from rewardstack_math.nodes import Add, Big, Call, Div, Mul, Node, Num, Pow, Quantity, Sym, substitute

__all__ = ["METER", "Exhausted", "TooLarge", "Undefined", "finite_decimal", "rational"]

MAX_BITS = 140_000  # of any intermediate value; 2^65536 passes
MAX_FACTORIAL = 3_000
MAX_TERMS = 2_000


class Undefined(Exception):
    """The value does not exist: a division by zero, the logarithm of zero."""


class TooLarge(Exception):
    """The value exists and is too large to compute."""


class Meter(threading.local):
    """The work a verdict may still cost, in steps of evaluating with floats; each thread has its own."""

    left = 300_000

    def refill(self) -> None:
        """Start a new verdict."""
        self.left = type(self).left

    def spend(self, steps: int) -> None:
        """Take steps off, or refuse."""
        self.left -= steps
        if self.left < 0:
            raise Exhausted


class Exhausted(TooLarge):
    """The verdict has cost all the work it may."""


METER = Meter()


class _NotRational(Exception):
    """The tree has letters or irrational parts."""


def finite_decimal(value: Fraction) -> bool:
    """Whether the value has a decimal expansion that ends."""
    bottom = value.denominator
    for prime in (2, 5):
        while bottom % prime == 0:
            bottom //= prime
    return bottom == 1


def rational(node: Node) -> Fraction | None:
    """Return the exact value, or None when the tree is not plainly rational.

    Raises `Undefined` for 1/0 and its kin, `TooLarge` where a result would pass the limits.
    """
    if type(node) is Num:
        return node.value
    try:
        return _exact(node)
    except _NotRational:
        return None


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _checked(value: Fraction) -> Fraction:
    if _bits(value) > MAX_BITS:
        raise TooLarge
    return value


def _exact(node: Node) -> Fraction:
    rule = _RULES.get(type(node))
    if rule is None:
        raise _NotRational
    METER.spend(1)
    return rule(node)


def _add(node: Add) -> Fraction:
    total = Fraction(0)
    for arg in node.args:
        total += _exact(arg)
    return _checked(total)


def _mul(node: Mul) -> Fraction:
    product = Fraction(1)
    for arg in node.args:
        product = _checked(product * _exact(arg))
    return product


def _div(node: Div) -> Fraction:
    bottom = _exact(node.bottom)
    top = _exact(node.top)
    if not bottom:
        raise Undefined("division by zero")
    return _checked(top / bottom)


def _root(value: int, degree: int) -> int:
    """Return the exact integer root of a whole number that is not negative."""
    if value < 2:
        return value
    if degree == 2:
        root = math.isqrt(value)
    else:
        if degree > value.bit_length():
            raise _NotRational
        root = round(value ** (1 / degree)) if value.bit_length() < 900 else 0
    if root**degree != value:
        raise _NotRational
    return root


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """Return base**exponent where it is rational; raises for the rest."""
    top, bottom = exponent.numerator, exponent.denominator
    if bottom > 1:
        if base < 0 and bottom % 2 == 0:
            raise _NotRational
        sign = -1 if base < 0 else 1
        if bottom > 64:
            raise _NotRational
        base = sign * Fraction(_root(abs(base.numerator), bottom), _root(base.denominator, bottom))
    if not base:
        if top <= 0:
            raise Undefined("zero to a power that is not positive") if top else _NotRational
        return base
    if abs(base) != 1 and _bits(base) * abs(top) > MAX_BITS:
        raise TooLarge
    if abs(base) == 1:
        top = top % 2
    return base**top


def _pow(node: Pow) -> Fraction:
    return power(_exact(node.base), _exact(node.exponent))


def _whole(value: Fraction, limit: int = 10**9) -> int:
    if value.denominator != 1:
        raise _NotRational
    if abs(value) > limit:
        raise TooLarge
    return value.numerator


def _factorial(value: Fraction) -> Fraction:
    number = _whole(value)
    if number < 0:
        raise Undefined("factorial of a negative number")
    if number > MAX_FACTORIAL:
        raise TooLarge
    return Fraction(math.factorial(number))


def _double_factorial(value: Fraction) -> Fraction:
    number = _whole(value, MAX_FACTORIAL)
    return Fraction(math.prod(range(number, 0, -2)))


def _binomial(top: Fraction, bottom: Fraction) -> Fraction:
    n, k = _whole(top, 20_000), _whole(bottom)
    if k < 0 or n < 0:
        raise _NotRational
    return _checked(Fraction(math.comb(n, k)))


def _modulo(left: Fraction, right: Fraction) -> Fraction:
    if not right:
        raise Undefined("remainder by zero")
    return left % right


def _logarithm(value: Fraction, base: Fraction) -> Fraction:
    """Return the logarithm where both are powers of one number."""
    if value <= 0 or base <= 0 or base == 1 or _bits(value) > 2_000 or _bits(base) > 2_000:
        raise _NotRational
    guess = Fraction(math.log(value) / math.log(base)).limit_denominator(24)
    if base**guess.numerator != value**guess.denominator:
        raise _NotRational
    return guess


_CALLS: dict[str, Callable[..., Fraction]] = {
    "abs": lambda x: abs(x),  # noqa: PLW0108 - typed alike
    "floor": lambda x: Fraction(math.floor(x)),
    "ceil": lambda x: Fraction(math.ceil(x)),
    "fact": _factorial,
    "fact2": _double_factorial,
    "binom": _binomial,
    "perm": lambda n, k: Fraction(math.perm(_whole(n, 3_000), _whole(k, 3_000))),
    "mod": _modulo,
    "log": _logarithm,
    "conj": lambda x: x,
    "gcd": lambda *xs: Fraction(math.gcd(*map(_whole, xs))),
    "lcm": lambda *xs: Fraction(math.lcm(*map(_whole, xs))),
    "max": lambda *xs: max(xs),
    "min": lambda *xs: min(xs),
    "sign": lambda x: Fraction((x > 0) - (x < 0)),
    "re": lambda x: x,
}


def _call(node: Call) -> Fraction:
    rule = _CALLS.get(node.name)
    if rule is None:
        raise _NotRational
    args = [_exact(arg) for arg in node.args]
    try:
        return _checked(rule(*args))
    except (TypeError, ValueError):
        raise _NotRational from None


def _big(node: Big) -> Fraction:
    if node.kind not in ("sum", "prod") or node.low is None or node.high is None:
        raise _NotRational
    low, high = _whole(_exact(node.low)), _whole(_exact(node.high))
    if high - low > MAX_TERMS:
        raise TooLarge
    total = Fraction(int(node.kind == "prod"))
    for index in range(low, high + 1):
        term = _exact(substitute(node.body, Sym(node.var), Num(Fraction(index))))
        total = _checked(total * term if node.kind == "prod" else total + term)
    return total


_RULES: dict[type[Node], Callable[..., Fraction]] = {
    Num: lambda n: n.value,
    Add: _add,
    Mul: _mul,
    Div: _div,
    Pow: _pow,
    Call: _call,
    Big: _big,
    Quantity: lambda n: _exact(n.value),
}
