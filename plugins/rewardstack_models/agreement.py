"""How far two judgements of the same rows agree, and what a judge's errors hang on: statistics over plain lists."""

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

__all__ = ["Interval", "accuracy", "kappa", "spearman", "wilson", "within"]

Z = 1.959964  # of the normal distribution, for 95 %
RESAMPLES = 2000


class Interval(msgspec.Struct, frozen=True):
    """A measure with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


def wilson(hits: int, size: int) -> Interval | None:
    """Return a share with Wilson's interval, which holds for few rows and for shares near 0 and 1 too."""
    if not size:
        return None
    share, spread = hits / size, Z * Z / size
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / size + spread / (4 * size)) / (1 + spread)
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def accuracy(pairs: Sequence[tuple[bool, bool]]) -> Interval | None:
    """Return the share of pairs that agree."""
    return wilson(sum(one is other for one, other in pairs), len(pairs))


def kappa_of(counts: Counter[tuple[bool, bool]]) -> float | None:
    """Return Cohen's kappa of a table of pairs; `None` where both always say the same one thing."""
    size = counts.total()
    if not size:
        return None
    agreed = (counts[True, True] + counts[False, False]) / size
    first, second = ((counts[True, True] + counts[pair]) / size for pair in ((True, False), (False, True)))
    chance = first * second + (1 - first) * (1 - second)
    return None if math.isclose(chance, 1.0) else (agreed - chance) / (1 - chance)


def kappa(pairs: Sequence[tuple[bool, bool]]) -> Interval | None:
    """Return Cohen's kappa (agreement beyond chance; 1 is perfect, 0 is chance) with a bootstrap interval.

    The bootstrap is seeded: the same rows give the same interval.
    """
    counts = Counter(pairs)
    value = kappa_of(counts)
    if value is None:
        return None
    chance, cells = random.Random(0), list(counts)  # noqa: S311 - no secret
    weights = [counts[cell] for cell in cells]
    drawn = (Counter(chance.choices(cells, weights, k=len(pairs))) for _ in range(RESAMPLES))
    found = sorted(each for each in map(kappa_of, drawn) if each is not None)
    if not found:
        return Interval(value, value, value)
    edge = int(0.025 * len(found))
    return Interval(value, min(value, found[edge]), max(value, found[-1 - edge]))


def ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value, ties at the middle of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in order[start : end + 1]:
            found[place] = (start + end) / 2
        start = end + 1
    return found


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation; `None` where one of the two does not vary."""
    if len(first) < 3:
        return None
    one, other = ranks(first), ranks(second)
    middle = (len(first) - 1) / 2
    shared = math.fsum((a - middle) * (b - middle) for a, b in zip(one, other, strict=True))
    spread = math.fsum((a - middle) ** 2 for a in one) * math.fsum((b - middle) ** 2 for b in other)
    return shared / math.sqrt(spread) if spread else None


def within(
    groups: Sequence[object], measure: Callable[[Sequence[float], Sequence[float]], float | None],
    first: Sequence[float], second: Sequence[float],
) -> float | None:  # fmt: skip
    """Return a measure of two columns within groups, weighted by size, so that what sets the groups apart is left out."""
    found = list[tuple[int, float]]()
    for group in set(groups):
        places = [place for place, each in enumerate(groups) if each == group]
        value = measure([first[place] for place in places], [second[place] for place in places])
        if value is not None:
            found.append((len(places), value))
    return sum(size * value for size, value in found) / sum(size for size, _ in found) if found else None
