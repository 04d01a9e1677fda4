"""The few statistics that reports need, over plain lists of finite numbers."""

import math
from collections.abc import Sequence

import msgspec

__all__ = ["Bin", "deviation", "histogram", "mean", "quantile"]

MOST_BINS = 10
FEW = 4


class Bin(msgspec.Struct, frozen=True):
    """One bar of a histogram: `count` values from `low` to `high`, which are equal where a bar is one value."""

    low: float
    high: float
    count: int


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, `None` of nothing."""
    return math.fsum(values) / len(values) if values else None


def deviation(values: Sequence[float]) -> float | None:
    """Return the standard deviation with Bessel's correction, as trainers log it; `None` of fewer than two values."""
    if len(values) < 2:
        return None
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def quantile(values: Sequence[float], share: float) -> float | None:
    """Return the smallest value that at least `share` of the values do not exceed (nearest rank)."""
    if not values:
        return None
    rank = max(1, math.ceil(share * len(values)))
    return sorted(values)[rank - 1]


def histogram(values: Sequence[float], most: int = MOST_BINS) -> list[Bin]:
    """Return a bar for every distinct value while there are few, else up to `most` bars of equal width.

    More than four values of which no two are equal are gathered as well: bars of 1 say nothing.
    """
    rounded = [round(value, 9) + 0.0 for value in values]
    distinct = sorted(set(rounded))
    if FEW < len(distinct) == len(rounded):
        most = min(most, 1 + math.ceil(math.log2(len(rounded))))  # Sturges' rule
    elif len(distinct) <= most:
        return [Bin(value, value, rounded.count(value)) for value in distinct]
    low, width = distinct[0], (distinct[-1] - distinct[0]) / most
    counts = [0] * most
    for value in rounded:
        counts[min(most - 1, int((value - low) / width))] += 1
    return [Bin(low + width * place, low + width * (place + 1), count) for place, count in enumerate(counts)]
