"""Numeric values of trees: floats first, then mpmath with as many digits as a decision needs."""

import cmath
import math
import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rewardstack import import_extra
from rewardstack_math.nodes import (
    Add,
    Apply,
    Big,
    Call,
    Const,
    Div,
    Matrix,
    Mul,
    Node,
    Num,
    Pow,
    Quantity,
    Sym,
    Text,
)
from rewardstack_math.number import METER, Exhausted, TooLarge, Undefined, rational

__all__ = ["NeedsMore", "Numbers", "evaluate", "log2"]

Value = Any  # float, complex, mpf or mpc
Env = Mapping[str, Value]

MAX_TERMS = 400
HUGE = 1e15  # log2 of the largest size that is still computed; beyond it only the size is known


class NeedsMore(Exception):
    """These numbers cannot do it: floats overflowed or have no such function; mpmath may."""


def _contexts() -> Any:
    """Return this thread's own mpmath context; the global one is not safe to set a precision on."""
    context = getattr(_LOCAL, "context", None)
    if context is None:
        mpmath = import_extra(
            "mpmath", "math", "comparing numbers closely"
        )  # a tenth of a second that most do without

        context = _LOCAL.context = mpmath.mp.clone()
    return context


_LOCAL = threading.local()


class Numbers:
    """One kind of numbers to evaluate with: floats or mpmath, real or complex.

    `lost` is the largest number of bits that a sum has cancelled since it was last set to zero.
    """

    def __init__(self, *, precise: int = 0, complex_plane: bool = False) -> None:
        self.precise = precise  # binary digits, 0 for floats
        self.complex_plane = complex_plane
        self.lost = 0.0
        self.cost = 40 if precise else 1
        self.context = None if not precise else _contexts()
        if self.context is not None:
            self.context.prec = precise

    def number(self, value: Fraction) -> Value:
        """Return a rational as one of these numbers."""
        if self.context is not None:
            return self.context.mpf(value.numerator) / value.denominator
        try:
            return value.numerator / value.denominator
        except OverflowError:
            raise NeedsMore from None

    def constant(self, name: str) -> Value:
        """Return pi, e, or i where numbers are complex."""
        if name in ("pi", "e"):
            return getattr(self.context or math, name) * 1
        if name == "i":
            if not self.complex_plane:
                raise Undefined("i is not real")
            return self.context.mpc(0, 1) if self.context is not None else 1j
        raise Undefined(f"{name} is not a number")

    def function(self, name: str) -> Callable[..., Value]:
        """Return an elementary function for these numbers."""
        if self.context is not None:
            return getattr(self.context, name)  # type: ignore[no-any-return]
        found = getattr(cmath if self.complex_plane else math, name, None)
        if found is None:
            raise NeedsMore
        return found  # type: ignore[no-any-return]

    def real(self, value: Value) -> Value:
        """Refuse a value off the real line, unless complex numbers were asked for."""
        if self.complex_plane or not hasattr(value, "imag") or isinstance(value, float | int):
            return value
        imaginary = value.imag
        if imaginary:
            raise Undefined("not real")
        return value.real if self.context is not None else value


def evaluate(node: Node, env: Env, numbers: Numbers) -> Value:
    """Return the value of a tree where its letters have the values of `env`.

    Raises `Undefined` where it has none, `TooLarge` where only the size is known, `NeedsMore` for other numbers.
    """
    METER.spend(numbers.cost)
    rule = _RULES.get(type(node))
    if rule is None:
        raise Undefined("no value")
    return rule(node, env, numbers)


def _symbol(node: Sym, env: Env, _numbers: Numbers) -> Value:
    value = env.get(node.name)
    if value is None:
        raise Undefined(f"{node.name} has no value")
    return value


def _text(node: Text, env: Env, numbers: Numbers) -> Value:
    return _symbol(Sym(node.words), env, numbers)


def _add(node: Add, env: Env, numbers: Numbers) -> Value:
    values = [evaluate(arg, env, numbers) for arg in node.args]
    total: Value = sum(values)
    largest = max(map(abs, values))
    size = abs(total)
    if size * 16 < largest and not all(map(_is_whole, values)):  # whole numbers cancel exactly
        numbers.lost = max(numbers.lost, float(log2(largest) - log2(size)) if size else 1e6)
    return total


def log2(value: Value) -> float:
    """Return about the binary logarithm of a positive number of any kind and size."""
    if isinstance(value, float | int):
        return math.log2(value)
    if 0.5 < value < 2:
        return float(value - 1) * 1.4427
    return float(value.man.bit_length() + value.exp) if hasattr(value, "man") else math.log2(float(value))


def _mul(node: Mul, env: Env, numbers: Numbers) -> Value:
    product: Value = 1
    for arg in node.args:
        product = product * evaluate(arg, env, numbers)
    return _finite(product)


def _finite(value: Value) -> Value:
    if isinstance(value, float) and (not math.isfinite(value)):
        raise NeedsMore
    return value


def _div(node: Div, env: Env, numbers: Numbers) -> Value:
    bottom = evaluate(node.bottom, env, numbers)
    if not bottom:
        raise Undefined("division by zero")
    return _finite(evaluate(node.top, env, numbers) / bottom)


def _pow(node: Pow, env: Env, numbers: Numbers) -> Value:
    exact: Fraction | None = None
    if isinstance(node.exponent, Num):
        exact = node.exponent.value
    elif not (isinstance(node.exponent, Sym)):
        exact = rational(node.exponent)
    base = evaluate(node.base, env, numbers)
    if exact is not None:
        return _rational_power(base, exact, numbers)
    exponent = evaluate(node.exponent, env, numbers)
    if _is_whole(exponent):
        return _rational_power(base, Fraction(int(exponent)), numbers)
    return _general_power(base, exponent, numbers)


def _is_whole(value: Value) -> bool:
    if isinstance(value, complex) or (hasattr(value, "imag") and value.imag):
        return False
    return bool(abs(value) < 1e9 and value == int(value.real if hasattr(value, "real") else value))


def _guard(base: Value, exponent: Value) -> None:
    """Refuse powers whose size is all that can be known of them."""
    size = abs(base)
    if not size or abs(exponent) < 64:
        return
    grade = abs(log2(size)) * float(min(abs(exponent), 1e300))
    if grade > HUGE and size != 1:
        raise TooLarge


def _rational_power(base: Value, exponent: Fraction, numbers: Numbers) -> Value:
    top, bottom = exponent.numerator, exponent.denominator
    if not base:
        if top <= 0:
            raise Undefined("zero to a power that is not positive")
        return base
    if bottom == 1:
        if abs(top) > 64:
            _guard(base, top)
        if abs(top) > 1_000_000:
            return _general_power(base, numbers.number(exponent), numbers)
        try:
            return _finite(base**top)
        except (OverflowError, ZeroDivisionError):
            raise NeedsMore from None
    if not numbers.complex_plane:
        if base < 0:
            if bottom % 2 == 0:
                raise Undefined("an even root of a negative number")
            value = _rational_power(-base, exponent, numbers)
            return -value if top % 2 else value
        if bottom == 2 and top == 1:
            return numbers.function("sqrt")(base)
    elif bottom % 2 and not (hasattr(base, "imag") and base.imag) and base.real < 0:
        value = _rational_power(-base, exponent, numbers)
        return -value if top % 2 else value
    return _general_power(base, numbers.number(exponent), numbers)


def _general_power(base: Value, exponent: Value, numbers: Numbers) -> Value:
    if not base:
        raise Undefined("a power of zero")
    if not numbers.complex_plane and base < 0:
        raise Undefined("a real power of a negative number")
    _guard(base, exponent)
    try:
        return _finite(base**exponent)
    except (OverflowError, ZeroDivisionError):
        raise NeedsMore from None


def _apply(node: Apply, env: Env, numbers: Numbers) -> Value:
    """Give an unknown function values of its own: the same for the same argument, else unrelated."""
    key = node.name
    for arg in node.args:
        value = evaluate(arg, env, numbers)
        key += f"|{complex(value):.9g}"
    state = 7
    for char in key:
        state = (state * 1_000_003 + ord(char)) % 2_147_483_647
    return numbers.number(Fraction(state % 100_003 + 20_011, 60_013))


def _call(node: Call, env: Env, numbers: Numbers) -> Value:
    rule = _CALLS.get(node.name)
    if rule is None:
        raise Undefined(f"{node.name} has no value")
    if node.name == "det":
        return _determinant(node.args[0], env, numbers)
    args = [evaluate(arg, env, numbers) for arg in node.args]
    try:
        return numbers.real(rule(numbers, *args))
    except (ValueError, ZeroDivisionError, TypeError) as fault:
        raise Undefined(str(fault)) from None
    except OverflowError:
        raise NeedsMore from None


def _determinant(node: Node, env: Env, numbers: Numbers) -> Value:
    if not isinstance(node, Matrix) or len(node.rows) != len(node.rows[0]) or len(node.rows) > 6:
        raise Undefined("no determinant")

    def expand(rows: list[list[Value]]) -> Value:
        if len(rows) == 1:
            return rows[0][0]
        total: Value = 0
        for column, entry in enumerate(rows[0]):
            minor = [row[:column] + row[column + 1 :] for row in rows[1:]]
            total = total + (-1) ** column * entry * expand(minor)
        return total

    return expand([[evaluate(entry, env, numbers) for entry in row] for row in node.rows])


def _plain(name: str) -> Callable[..., Value]:
    return lambda numbers, x: numbers.function(name)(x)


def _reciprocal(name: str) -> Callable[..., Value]:
    return lambda numbers, x: 1 / numbers.function(name)(x)


def _inverse_of_reciprocal(name: str) -> Callable[..., Value]:
    return lambda numbers, x: numbers.function(name)(1 / x)


def _logarithm(numbers: Numbers, value: Value, base: Value = None) -> Value:
    if not numbers.complex_plane and (value <= 0 or (base is not None and base <= 0)):
        raise Undefined("the logarithm of a number that is not positive")
    log = numbers.function("log")
    return log(value) if base is None else log(value) / log(base)


def _whole(value: Value) -> int:
    number = round(float(value.real if hasattr(value, "real") else value))
    if abs(value - number) > 1e-9:
        raise Undefined("not a whole number")
    return number


def _factorial(numbers: Numbers, value: Value) -> Value:
    real = value.real if hasattr(value, "real") else value
    if real > 1e12:
        raise TooLarge
    if numbers.context is None:
        return math.gamma(real + 1)
    return numbers.context.gamma(value + 1)


def _binomial(numbers: Numbers, top: Value, bottom: Value) -> Value:
    if numbers.context is not None:
        return numbers.context.binomial(top, bottom)
    sides = _factorial(numbers, bottom) * _factorial(numbers, top - bottom)
    return _factorial(numbers, top) / sides if sides else 0.0


def _rounded(name: str) -> Callable[..., Value]:
    """Round up or down; a value a hair from a whole number is that number, its error is ours."""

    def rule(numbers: Numbers, value: Value) -> Value:
        if hasattr(value, "imag") and value.imag:
            raise Undefined("rounding a complex number")
        value = value.real if hasattr(value, "real") else value
        if abs(value) > 1e15 and numbers.context is None:
            raise NeedsMore
        near = round(float(value)) if abs(value) < 1e15 else int(value)
        if abs(value - near) < 1e-9:
            return numbers.number(Fraction(near))
        whole = math.floor(value) if numbers.context is None else int(numbers.context.floor(value))
        return numbers.number(Fraction(whole if name == "floor" else whole + 1))

    return rule


_CALLS: dict[str, Callable[..., Value]] = {
    **{name: _plain(name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp")},
    **{f"arc{name}": _plain(f"a{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{
        new: _reciprocal(old)
        for new, old in (("sec", "cos"), ("csc", "sin"), ("cot", "tan"), ("coth", "tanh"))
    },
    **{
        f"arc{new}": _inverse_of_reciprocal(f"a{old}")
        for new, old in (("sec", "cos"), ("csc", "sin"), ("cot", "tan"))
    },
    "ln": _logarithm,
    "log": _logarithm,
    "abs": lambda _, x: abs(x),
    "floor": _rounded("floor"),
    "ceil": _rounded("ceil"),
    "fact": _factorial,
    "binom": _binomial,
    "perm": lambda numbers, n, k: _factorial(numbers, n) / _factorial(numbers, n - k),
    "conj": lambda _, x: x.conjugate() if hasattr(x, "conjugate") else x,
    "re": lambda _, x: x.real,
    "im": lambda _, x: x.imag,
    "mod": lambda numbers, a, b: a - b * numbers.number(Fraction(math.floor(a / b))),
    "gcd": lambda _, *xs: math.gcd(*map(_whole, xs)),
    "lcm": lambda _, *xs: math.lcm(*map(_whole, xs)),
    "max": lambda _, *xs: max(xs),
    "min": lambda _, *xs: min(xs),
    "sign": lambda _, x: (x > 0) - (x < 0),
    "cbrt": lambda numbers, x: _rational_power(x, Fraction(1, 3), numbers),
    "det": lambda _, x: x,
}


def _big(node: Big, env: Env, numbers: Numbers) -> Value:
    return _BIGS[node.kind](node, env, numbers)


def _body(node: Big, env: Env, numbers: Numbers) -> Callable[[Value], Value]:
    return lambda value: evaluate(node.body, {**env, node.var: value}, numbers)


def _series(node: Big, env: Env, numbers: Numbers) -> Value:
    if node.low is None or node.high is None:
        raise Undefined("a sum without bounds")
    low = _whole(evaluate(node.low, env, numbers))
    body = _body(node, env, numbers)
    if node.high == Const("inf"):
        if numbers.context is None:
            raise NeedsMore
        method = numbers.context.nsum if node.kind == "sum" else numbers.context.nprod
        with numbers.context.workprec(120):
            return method(body, [low, numbers.context.inf])
    high = _whole(evaluate(node.high, env, numbers))
    if high - low > MAX_TERMS:
        raise TooLarge
    total: Value = 0 if node.kind == "sum" else 1
    for index in range(low, high + 1):
        term = body(numbers.number(Fraction(index)))
        total = total + term if node.kind == "sum" else total * term
    return _finite(total)


def _bound(node: Node | None, env: Env, numbers: Numbers) -> Value:
    if node is None:
        raise Undefined("an integral without bounds")
    if node == Const("inf"):
        return numbers.context.inf if numbers.context is not None else math.inf
    if isinstance(node, Mul) and node.args[-1] == Const("inf"):
        return -numbers.context.inf if numbers.context is not None else -math.inf
    return evaluate(node, env, numbers)


def _integral(node: Big, env: Env, numbers: Numbers) -> Value:
    if numbers.context is None:
        raise NeedsMore
    ends = [_bound(node.low, env, numbers), _bound(node.high, env, numbers)]
    body = _body(node, env, numbers)

    def vanishing(value: Value) -> Value:
        try:
            return body(value)
        except Exhausted:
            raise
        except TooLarge:  # far out, where e^(-x^2) is too small to write
            return 0

    with numbers.context.workprec(120):
        value, error = numbers.context.quad(vanishing, ends, error=True, maxdegree=6)
    if abs(error) > abs(value) * 1e-10 + 1e-15:
        raise TooLarge
    return value


def _limit(node: Big, env: Env, numbers: Numbers) -> Value:
    if numbers.context is None or numbers.precise < 300:
        raise NeedsMore
    body = _body(node, env, numbers)
    point = _bound(node.low, env, numbers)
    step = numbers.context.mpf(10) ** -25
    infinity = numbers.context.inf
    if abs(point) == infinity:
        sign = 1 if point == infinity else -1
        first, second = body(sign / step), body(1000 * sign / step)
    else:
        first, second = body(point + step), body(point + step / 1000)
    if abs(first - second) > (abs(first) + 1) * 1e-18:
        raise Undefined("no limit found")
    return second


def _derivative(node: Big, env: Env, numbers: Numbers) -> Value:
    if numbers.context is None or numbers.precise < 300:
        raise NeedsMore
    body = _body(node, env, numbers)
    at = env.get(node.var)
    if at is None:
        raise Undefined("a derivative without its letter")
    step = numbers.context.mpf(10) ** -30
    return (body(at + step) - body(at - step)) / (2 * step)


_BIGS: dict[str, Callable[[Big, Env, Numbers], Value]] = {
    "sum": _series,
    "prod": _series,
    "int": _integral,
    "lim": _limit,
    "diff": _derivative,
}

_RULES: dict[type[Node], Callable[..., Value]] = {
    Num: lambda n, _, numbers: numbers.number(n.value),
    Sym: _symbol,
    Text: _text,
    Const: lambda n, _, numbers: numbers.constant(n.name),
    Add: _add,
    Mul: _mul,
    Div: _div,
    Pow: _pow,
    Call: _call,
    Apply: _apply,
    Big: _big,
    Quantity: lambda n, env, numbers: evaluate(n.value, env, numbers),
}
