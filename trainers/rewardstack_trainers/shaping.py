"""What GRPO makes of totals that hardly differ, and the dead zone that keeps it from training on noise.

Advantages are divided by their group's standard deviation, so a difference of 0.001 counts as much as one of 1 when
all else ties. A dead zone gives a group the same total throughout when its totals lie closer together than that.
"""

import math
from collections.abc import Sequence

__all__ = ["NEAR", "flatten_near_ties", "is_near_tie", "spread"]

NEAR = 0.01
"""Groups whose totals differ, but by less than this, count as near ties in the metric where no dead zone is set."""


def spread(totals: Sequence[float | None]) -> float:
    """Return the distance between a group's highest and lowest total; masked ones do not count."""
    known = [total for total in totals if total is not None]
    return max(known) - min(known) if known else 0.0


def is_near_tie(totals: Sequence[float | None], width: float) -> bool:
    """Whether a group's totals differ, but by less than `width`."""
    return 0.0 < spread(totals) < width


def flatten_near_ties(
    totals: Sequence[float | None], groups: Sequence[Sequence[int]], width: float
) -> list[float | None]:
    """Return totals in which groups with near ties have their mean throughout; the others are as they were.

    `groups` lists the rows of each group. A width of 0 changes nothing.
    """
    shaped = list(totals)
    for rows in groups:
        group = [totals[row] for row in rows]
        if is_near_tie(group, width):
            known = [total for total in group if total is not None]
            mean = math.fsum(known) / len(known)
            for row in rows:
                shaped[row] = None if totals[row] is None else mean
    return shaped
