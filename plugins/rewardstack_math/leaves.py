"""Whether two expressions have the same value: exact rationals, arithmetic modulo a prime, then sampling."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import msgspec

from rewardstack_math.evaluation import NeedsMore, Numbers, evaluate, log2
from rewardstack_math.nodes import (
    Add,
    Apply,
    Big,
    Call,
    Const,
    Div,
    Mul,
    Node,
    Num,
    Pow,
    Quantity,
    Sym,
    Text,
    walk,
)
from rewardstack_math.number import Exhausted, TooLarge, Undefined, finite_decimal, rational

__all__ = ["DECIMAL_TOLERANCE", "Verdict", "describe", "same_value"]

DECIMAL_TOLERANCE = 5e-7  # relative; a decimal that stands for an exact value is right to six digits

Verdict = tuple[bool | None, str]  # the answer, and the stage that found it

_PRIME = (1 << 61) - 1
_CLOSE = 1e-7  # floats further apart than this, relative, are different
ROUGHLY = 1e-14  # relative; what integrals, limits and derivatives are right to
_ENOUGH = 5  # points at which both sides have a value
_STEPPED = frozenset(("floor", "ceil", "mod", "gcd", "lcm", "sign", "max", "min"))
_DISCRETE = frozenset(("fact", "binom", "perm", "mod", "gcd", "lcm", "fact2"))


class Features(msgspec.Struct, frozen=True, gc=False):
    """What a tree holds, as far as it decides how to sample it."""

    letters: frozenset[str]
    imaginary: bool
    discrete: bool
    rough: bool  # integrals, limits, derivatives: their values are right to about 18 digits
    decimal: bool
    bits: int
    infinite: bool
    plain_log: bool  # a logarithm without a base: natural or decadic
    stepped: bool  # rounded somewhere: equal at many points by chance


def _features(node: Node) -> Features:
    letters: set[str] = set()
    bound: set[str] = set()
    imaginary = discrete = rough = decimal = stepped = plain_log = False
    bits = infinite = 0
    for part in walk(node):
        kind = type(part)
        if kind is Num:
            decimal = decimal or part.digits > 0  # type: ignore[attr-defined]
            bits = max(bits, part.value.numerator.bit_length())  # type: ignore[attr-defined]
        elif kind is Sym:
            letters.add(part.name)  # type: ignore[attr-defined]
        elif kind is Text:
            letters.add(part.words)  # type: ignore[attr-defined]
        elif isinstance(part, Const):
            imaginary = imaginary or part.name == "i"
            infinite += part.name not in ("i", "e", "pi")
        elif isinstance(part, Call):
            discrete = discrete or part.name in _DISCRETE
            stepped = stepped or part.name in _STEPPED
            plain_log = plain_log or (part.name == "log" and len(part.args) == 1)
        elif isinstance(part, Big):
            rough = rough or part.kind not in ("sum", "prod")
            discrete = discrete or part.kind in ("sum", "prod")
            endless = sum(Const("inf") in walk(end) for end in (part.low, part.high) if end is not None)
            infinite -= endless
            rough = rough or endless > 0
            if part.kind != "diff":
                bound.add(part.var)
            else:
                letters.add(part.var)
        elif isinstance(part, Apply):
            discrete = discrete or part.name.endswith("_")
    return Features(
        frozenset(letters - bound),
        imaginary,
        discrete,
        rough,
        decimal,
        bits,
        infinite > 0,
        plain_log,
        stepped,
    )


@lru_cache(maxsize=1024)
def describe(node: Node) -> Features:
    """Return what a tree holds: letters, the imaginary unit, decimals, ..."""
    return _features(node)


def same_value(left: Node, right: Node, tolerance: float = DECIMAL_TOLERANCE, depth: int = 0) -> Verdict:
    """Return whether two expressions are equal wherever both are defined; None when sampling cannot tell.

    `tolerance` holds only where one side was written as a decimal and the other has no finite decimal.
    """
    large = False
    exact: list[Fraction | None] = [None, None]
    for side, node in enumerate((left, right)):
        try:
            exact[side] = rational(node)
        except Undefined:
            return False, "undefined"
        except TooLarge:
            large = True
    first, second = exact
    if first is not None and second is not None:
        return _same_rational(left, right, first, second, tolerance), "exact"
    if left == right:
        return True, "shape"
    if large:
        return _same_large(left, right, depth)
    mine, theirs = describe(left), describe(right)
    if mine.infinite or theirs.infinite:
        return _same_infinite(left, right), "shape"
    if not (mine.decimal or theirs.decimal) and (mine.letters or theirs.letters):
        verdict = _same_modulo(left, right)
        if verdict is not None:
            return verdict, "exact"
    return _sampled(left, right, mine, theirs, tolerance), "sampling"


def _same_rational(left: Node, right: Node, first: Fraction, second: Fraction, tolerance: float) -> bool:
    if first == second:
        return True
    if not (describe(left).decimal or describe(right).decimal):
        return False
    if finite_decimal(first) and finite_decimal(second):
        return False
    return abs(first - second) <= Fraction(tolerance) * max(abs(first), abs(second))


def _same_infinite(left: Node, right: Node) -> bool:
    return _infinity(left) is not None and _infinity(left) == _infinity(right)


def _infinity(node: Node) -> int | None:
    """Return the sign of plus or minus infinity, None for all else (0 times infinity has no value)."""
    if node == Const("inf"):
        return 1
    if (
        isinstance(node, Mul)
        and node.args[-1] == Const("inf")
        and all(isinstance(a, Num) for a in node.args[:-1])
    ):
        sign = 1
        for arg in node.args[:-1]:
            value = arg.value if isinstance(arg, Num) else Fraction(0)
            sign *= (value > 0) - (value < 0)
        return sign or None
    return None


def _same_large(left: Node, right: Node, depth: int) -> Verdict:
    """Compare values too large to write down: by their logarithms, or a finite one against a huge one."""
    if depth > 4:
        return None, "size"
    mine, theirs = _parts_of_power(left), _parts_of_power(right)
    if mine is not None and theirs is not None:
        if mine[0] == theirs[0]:
            return same_value(mine[1], theirs[1], depth=depth + 1)[0], "logarithm"
        logs = [Mul((exponent, Call("ln", (base,)))) for base, exponent in (mine, theirs)]
        return same_value(logs[0], logs[1], depth=depth + 1)[0], "logarithm"
    if isinstance(left, Call) and isinstance(right, Call) and left.name == right.name == "fact":
        return same_value(left.args[0], right.args[0], depth=depth + 1)[0], "size"
    return _sampled(left, right, describe(left), describe(right), 0.0), "size"


def _parts_of_power(node: Node) -> tuple[Node, Node] | None:
    return (node.base, node.exponent) if isinstance(node, Pow) else None


# arithmetic modulo a prime: rational functions are equal when they agree at random points


class _NotModular(Exception):
    pass


def _modular(node: Node, env: dict[str, int]) -> int:
    rule = _MODULAR.get(type(node))
    if rule is None:
        raise _NotModular
    return rule(node, env)


def _modular_letter(node: Sym, env: dict[str, int]) -> int:
    return env[node.name]


def _modular_product(node: Mul, env: dict[str, int]) -> int:
    product = 1
    for arg in node.args:
        product = product * _modular(arg, env) % _PRIME
    return product


def _inverse(value: int) -> int:
    if not value % _PRIME:
        raise _NotModular
    return pow(value, -1, _PRIME)


def _modular_power(node: Pow, env: dict[str, int]) -> int:
    exponent = rational(node.exponent)
    if exponent is None or exponent.denominator != 1 or abs(exponent) > 10_000:
        raise _NotModular
    base = _modular(node.base, env)
    return pow(base if exponent >= 0 else _inverse(base), abs(int(exponent)), _PRIME)


_MODULAR: dict[type[Node], Callable[..., int]] = {
    Num: lambda n, _: n.value.numerator * (1 if n.value.denominator == 1 else _inverse(n.value.denominator)),
    Sym: _modular_letter,
    Add: lambda n, env: sum(_modular(arg, env) for arg in n.args) % _PRIME,
    Mul: _modular_product,
    Div: lambda n, env: _modular(n.top, env) * _inverse(_modular(n.bottom, env)) % _PRIME,
    Pow: _modular_power,
    Quantity: lambda n, env: _modular(n.value, env),
}


def _same_modulo(left: Node, right: Node) -> bool | None:
    letters = sorted(describe(left).letters | describe(right).letters)
    try:
        for seed in (1, 2):
            env = {name: pow(48_271, seed * 977 + at * 31 + 17, _PRIME) for at, name in enumerate(letters)}
            if (_modular(left, env) - _modular(right, env)) % _PRIME:
                return False
    except (_NotModular, TooLarge, Undefined):
        return None
    return True


# sampling


_SPANS = (1, 6, 2, 25, 4, 12, 1, 60, 3, 9, 18, 40) * 4
_POINTS = 12
_MANY = 48


def _real(point: int, draw: random.Random) -> Fraction:
    """Spread points over both signs and several sizes; odd 64ths are exact as floats and hit no usual edge."""
    value = Fraction(draw.randrange(9, 64 * _SPANS[point] + 20) * 2 + 1, 128)
    positive = point % 2 == 0 if point < 4 else draw.random() < 0.5
    return value if positive else -value


def _positive(point: int, draw: random.Random) -> Fraction:
    return Fraction(draw.randrange(5, 128 * _SPANS[point]) * 2 + 1, 256)


def _natural(point: int, draw: random.Random) -> Fraction:
    return Fraction(draw.randint(1, 4 + 2 * point))


def _large_natural(point: int, draw: random.Random) -> Fraction:
    return Fraction(draw.randint(4, 10 + 4 * point))


def _counted(point: int, draw: random.Random) -> Fraction:
    """1, 2, 3, ...: steps of whole numbers are seen only where they happen; a second letter is drawn."""
    return Fraction(point + 1) if draw.random() < 0.6 else Fraction(draw.randint(1, 30))


_Phase = Callable[[int, random.Random], Fraction]
_PHASES: tuple[_Phase, ...] = (_real, _positive, _natural, _large_natural)
_WHOLE = frozenset("nmkjlpqNMK")  # letters that stand for whole numbers where something is rounded


@lru_cache(maxsize=256)
def _points(letters: tuple[str, ...], phase: _Phase, count: int = _POINTS) -> tuple[dict[str, Fraction], ...]:
    """Return the sample points: always the same for the same letters, so that verdicts repeat."""
    draw = random.Random(len(letters))  # noqa: S311 - spread, not secrecy
    if phase is _counted and len(letters) == 1:
        return tuple({letters[0]: Fraction(point)} for point in range(1, count + 1))
    return tuple({name: phase(point, draw) for name in letters} for point in range(count))


def _sampled(left: Node, right: Node, mine: Features, theirs: Features, tolerance: float) -> bool | None:
    letters = tuple(sorted(mine.letters | theirs.letters))
    decimal = mine.decimal or theirs.decimal
    tolerance = tolerance if decimal else 0.0
    rough = mine.rough or theirs.rough
    stepped = mine.stepped or theirs.stepped
    bits = 160 + 6 * max(mine.bits, theirs.bits, 16) if not rough else 400
    test = _Test(
        left,
        right,
        tolerance,
        rough,
        min(bits, 6_000),
        _MANY if stepped else _ENOUGH,
    )
    imaginary = mine.imaginary or theirs.imaginary
    try:
        if not letters:
            return _constant(test, imaginary)
        phases = _PHASES if not (mine.discrete or theirs.discrete) else (*_PHASES[2:], *_PHASES[:2])
        if stepped and _WHOLE.issuperset(letters):
            phases = (_counted, *phases)
        for phase in phases:
            verdict = test.over(
                _points(letters, phase, _MANY if stepped else _POINTS), complex_plane=imaginary
            )
            if verdict is not None:
                return verdict
        return None if imaginary else test.over(_points(letters, _real), complex_plane=True)
    except TooLarge:
        return None


def _constant(test: "_Test", imaginary: bool) -> bool | None:
    verdict = None if imaginary else test.over(({},), complex_plane=False)
    return test.over(({},), complex_plane=True) if verdict is None else verdict


class _Test(msgspec.Struct, gc=False):
    """One comparison by sampling."""

    left: Node
    right: Node
    tolerance: float
    rough: bool
    bits: int
    enough: int

    def over(self, points: tuple[dict[str, Fraction], ...], *, complex_plane: bool) -> bool | None:
        """Return whether the sides agree at the points where both have a value; None when those are too few."""
        enough = self.enough if len(points) > 1 else 1
        agreed = 0
        close: list[dict[str, Fraction]] = []
        for point in points:
            verdict = self._with_floats(point, complex_plane)
            if verdict is False:
                return False
            if verdict is None:
                close.append(point)
            else:
                continue
            if len(close) >= enough:
                break
        for at, point in enumerate(close):
            verdict = self._precisely(point, complex_plane)
            if verdict is False:
                return False
            agreed += verdict is True
            if agreed >= min(2, enough) and at >= min(1, enough - 1):
                break
        return True if agreed >= min(2, enough) else None

    def _env(self, point: dict[str, Fraction], numbers: Numbers) -> dict[str, Any]:
        env = {name: numbers.number(value) for name, value in point.items()}
        if numbers.complex_plane:
            for name in ("z", "w"):
                if name in env:
                    env[name] = env[name] + numbers.constant("i") * numbers.number(Fraction(5, 8))
        return env

    def _with_floats(self, point: dict[str, Fraction], complex_plane: bool) -> bool | None:
        """Return False for a clear difference, True for a point where a side has no value, else None."""
        numbers = Numbers(complex_plane=complex_plane)
        try:
            env = self._env(point, numbers)
            first = evaluate(self.left, env, numbers)
            second = evaluate(self.right, env, numbers)
        except Undefined:
            return True
        except Exhausted:
            raise
        except (NeedsMore, TooLarge, OverflowError):
            return None
        size = max(abs(first), abs(second))
        gap = abs(first - second)
        if self.tolerance and gap <= self.tolerance * size:
            return None
        return False if gap > _CLOSE * size and size > 1e-9 and numbers.lost < 20 else None

    def _precisely(self, point: dict[str, Fraction], complex_plane: bool) -> bool | None:
        """Return whether the sides agree with many digits, None where a side has no value or is beyond all size.

        Noise shrinks with more digits and a difference does not: the gap is measured with more and more digits until
        it is below them all, or stays where it was.
        """
        before: tuple[float, float] | None = None
        for bits in (self.bits, 4 * self.bits, 16 * self.bits):
            sides = self._sides(point, bits, complex_plane)
            if sides is None:
                return None
            if None in sides:
                return False if sides.count(None) == 1 else None
            first, second = sides
            size, gap = max(abs(first), abs(second)), abs(first - second)
            if self.tolerance and gap <= self.tolerance * size and size < 2.0 ** (bits // 4):
                return True
            if self.rough:
                return bool(gap <= ROUGHLY * max(size, 1e-3))
            scale = log2(size) if size else -math.inf
            depth = log2(gap) - scale if gap else -math.inf
            if before is not None and scale - before[1] > bits / 8:
                return False  # it grows with the digits: one over zero
            if depth < 60 - bits and (scale < bits / 2 or before is not None):
                return True
            if before is not None and not (before[0] - depth > bits / 8 or before[1] - scale > bits / 8):
                return False
            before = depth, scale
        return True

    def _sides(self, point: dict[str, Fraction], bits: int, complex_plane: bool) -> list[Any] | None:
        """Evaluate both sides; None for a side that is too large, None for both where one has no value."""
        numbers = Numbers(precise=bits, complex_plane=complex_plane)
        sides: list[Any] = []
        for node in (self.left, self.right):
            try:
                sides.append(evaluate(node, self._env(point, numbers), numbers))
            except Exhausted:
                raise
            except TooLarge:
                sides.append(None)
            except (Undefined, NeedsMore, OverflowError, ValueError, ZeroDivisionError, TypeError):
                return None
        return sides
