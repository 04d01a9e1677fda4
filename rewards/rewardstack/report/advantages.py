"""The advantages GRPO computes from rewards, as TRL 1.16's GRPOTrainer does, in plain Python.

Source: trl/trainer/grpo_trainer.py (`multi_objective_aggregation`, `scale_rewards`) and `nanstd` in
trl/trainer/utils.py. TRL computes in 32-bit floats, this in 64-bit ones.
"""

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

from rewardstack.report.statistics import deviation, mean

__all__ = ["EPSILON", "Scale", "grpo_advantages"]

Scale: TypeAlias = Literal["group", "batch", "none"]
Row: TypeAlias = Sequence[float | None]

EPSILON = 1e-4


def grpo_advantages(
    rows: Sequence[Row],
    weights: Sequence[float],
    groups: Sequence[Sequence[int]],
    *,
    scale: Scale = "group",
    normalise_terms: bool = False,
) -> list[float]:
    """Return one advantage a row.

    Args:
        rows: For every completion the value of each reward function; `None` where it gave none.
        weights: One a reward function.
        groups: The rows of each prompt; every row belongs to one group. TRL's are of equal size, these need not be.
        scale: TRL's `scale_rewards`: divide by the standard deviation of the group, of the batch, or by nothing.
        normalise_terms: TRL's `normalize_then_sum`: every function's values are normalised within their group,
            weighed and summed, and the sums normalised over the batch; `scale` is then not looked at.

    Rows where no function gave a value, groups where fewer than two rows did (under `group`) and batches with fewer
    than two (under `batch`) have the advantage 0, as in TRL.
    """
    unscorable = [all(value is None for value in row) for row in rows]
    if normalise_terms:
        rows = normalise_columns(rows, groups)
    totals = [
        None
        if none
        else math.fsum(
            weight * value for weight, value in zip(weights, row, strict=True) if value is not None
        )
        for row, none in zip(rows, unscorable, strict=True)
    ]
    every = range(len(rows))
    if normalise_terms:
        found = centre(totals, every, spread(totals, every))
        return [found.get(row, 0.0) for row in every]
    found = {}
    for group in groups:
        divisor = 1.0 if scale == "none" else spread(totals, every if scale == "batch" else group)
        found |= centre(totals, group, divisor)
    return [found.get(row, 0.0) for row in every]


def normalise_columns(rows: Sequence[Row], groups: Sequence[Sequence[int]]) -> list[list[float | None]]:
    """Return every function's values less their group's mean, over their group's spread."""
    made: list[list[float | None]] = [[None] * len(row) for row in rows]
    for place, column in enumerate(zip(*rows, strict=True)):
        for group in groups:
            for row, value in centre(column, group, spread(column, group)).items():
                made[row][place] = value
    return made


def centre(values: Row, rows: Sequence[int], divisor: float) -> dict[int, float]:
    """Return `(value - mean) / divisor` for those of `rows` that have a value; nothing for a NaN divisor."""
    present = {row: value for row in rows if (value := values[row]) is not None}
    middle = mean(list(present.values()))
    if middle is None or math.isnan(divisor):
        return {}
    return {row: (value - middle) / divisor for row, value in present.items()}


def spread(values: Row, rows: Sequence[int]) -> float:
    """Return what TRL divides by: the deviation of the rows that have a value, plus `EPSILON`.

    The deviation is 0 for a single row and NaN (so that no advantage follows) where several rows hold one value only.
    """
    present = [value for row in rows if (value := values[row]) is not None]
    found = deviation(present)
    if found is None:
        found = 0.0 if len(rows) == 1 else math.nan
    return found + EPSILON
