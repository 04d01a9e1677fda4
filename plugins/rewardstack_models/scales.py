"""What a reward model's raw output becomes: every scale is fixed, none depends on the batch or on what came before."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

__all__ = ["Scale", "bounds_of", "check_scale", "rank", "scaled", "sigmoid", "softmax"]

Scale = Literal["sigmoid", "none", "standard", "softmax"]
BOUNDS: dict[Scale, tuple[float, float]] = {
    "sigmoid": (0.0, 1.0),
    "softmax": (0.0, 1.0),
    "none": (-100.0, 100.0),
    "standard": (-5.0, 5.0),
}


def sigmoid(value: float) -> float:
    """Return 1 / (1 + e^-value), without overflow."""
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    grown = math.exp(value)
    return grown / (1.0 + grown)


def softmax(values: Sequence[float]) -> list[float]:
    """Return the share of each value's exponential, without overflow."""
    top = max(values)
    grown = [math.exp(value - top) for value in values]
    whole = math.fsum(grown)
    return [each / whole for each in grown]


def rank(values: Sequence[float | None]) -> list[float | None]:
    """Return for each value the share of the others that it beats, ties half; 0.5 alone, None where there is none."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return [None if value is None else 0.5 for value in values]
    return [
        None
        if value is None
        else (sum(other < value for other in known) + (sum(other == value for other in known) - 1) / 2)
        / (len(known) - 1)
        for value in values
    ]


def bounds_of(options: Mapping[str, Any]) -> tuple[float, float]:
    """Return the range of a reward for its options `scale` and `bounds`."""
    bounds = options["bounds"] or BOUNDS[options["scale"]]
    return float(bounds[0]), float(bounds[1])


def check_scale(options: Mapping[str, Any]) -> None:
    """Raise `ValueError` for options of a scale that do not go together."""
    scale, bounds = options["scale"], options["bounds"]
    measured = options["mean"] is not None and options["deviation"] is not None
    if scale == "standard" and not measured:
        raise ValueError(
            'scale = "standard" needs mean and deviation; `rewards measure` finds them on samples'
        )
    if options["deviation"] is not None and not 0 < options["deviation"] < math.inf:
        raise ValueError(f"deviation must be a number above 0, not {options['deviation']}")
    if options["mean"] is not None and not math.isfinite(options["mean"]):
        raise ValueError(f"mean must be a finite number, not {options['mean']}")
    if bounds is not None and BOUNDS[scale] == (0.0, 1.0):
        raise ValueError(f'scale = "{scale}" lies in 0 to 1; bounds are for "none" and "standard"')
    if bounds is not None and not (bounds[0] < bounds[1] and all(map(math.isfinite, bounds))):
        raise ValueError(f"bounds must be two finite numbers, low < high, not {list(bounds)}")


SCALES: dict[Scale, Callable[[float, float, float], float]] = {
    "sigmoid": lambda raw, _mean, _deviation: sigmoid(raw),
    "none": lambda raw, _mean, _deviation: raw,
    "standard": lambda raw, mean, deviation: (raw - mean) / deviation,
}


def scaled(
    outputs: Sequence[float],
    column: int,
    scale: Scale,
    measured: tuple[float, float],
    bounds: tuple[float, float],
) -> float:
    """Return one output of a model on a scale, kept within its bounds."""
    value = softmax(outputs)[column] if scale == "softmax" else SCALES[scale](outputs[column], *measured)
    return min(max(value, bounds[0]), bounds[1])
