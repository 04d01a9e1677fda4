"""Makes scores of what rewards return and raise."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rewardstack.score import Fault, Score
from rewardstack.tracebacks import line_of
from rewardstack.wording import counted

__all__ = ["failed", "raised", "to_score", "to_scores"]


FIELDS: dict[str, Any] = {
    "reason": str,
    "details": Mapping,
    "error": (str, type(None)),
    "fault": str,
    "where": str,
}


def to_score(raw: Any, range: tuple[float, float] | None, seconds: float = 0.0) -> Score:
    """Return what a reward returned as a score; anything that is none becomes an error that says why.

    NaN, infinities and values outside `range` are errors; a rounding error outside of it is clamped.
    """
    if type(raw) is float and (math.isfinite(raw) if range is None else range[0] <= raw <= range[1]):
        return Score(raw, seconds=seconds)
    score = raw if isinstance(raw, Score) else Score()
    if score is raw and (wrong := wrong_field(score)):
        return failed(f"returned a Score whose {wrong}", seconds, "type")
    if raw is None or (score is raw and (score.error is not None or score.value is None)):
        return msgspec.structs.replace(score, value=None, seconds=seconds)
    returned = score.value if score is raw else raw
    value = number_in(returned)
    if value is None:
        kind = type(returned).__name__
        return failed(
            f"returned {kind} {short(returned)}, expected a number, None or a Score", seconds, "type"
        )
    if not math.isfinite(value):
        return failed(f"returned {value!r}, which is no finite number", seconds, "finite")
    if range is not None and not range[0] <= value <= range[1]:
        slack = 1e-9 * max(1.0, abs(range[0]), abs(range[1]))
        if not range[0] - slack <= value <= range[1] + slack:
            why = (
                f"returned {value!r}, outside its declared range {range[0]:g} to {range[1]:g}; "
                "@reward(range=(low, high)) declares another"
            )
            return failed(why, seconds, "range")
        value = min(max(value, range[0]), range[1])
    return msgspec.structs.replace(score, value=value, seconds=seconds)


def wrong_field(score: Score) -> str:
    """Return which field of a score is not what it should be, and what it is; empty where all are."""
    for name, wanted in FIELDS.items():
        value = getattr(score, name)
        if not isinstance(value, wanted):
            return f"{name} is {short(value)}"
    return "" if all(isinstance(key, str) for key in score.details) else "details have names that are no text"


def number_in(value: Any) -> float | None:
    """Return a number (Python's, NumPy's, a one-element tensor) as a float, None for anything else."""
    if isinstance(value, (str, bytes, bytearray)):
        return None
    try:
        return float(value)
    except Exception:  # whatever a foreign object's __float__ raises, it is no number
        return None


def to_scores(
    returned: Any,
    size: int,
    range: tuple[float, float] | None,
    seconds: float = 0.0,
    function: Callable[..., Any] | None = None,
) -> list[Score]:
    """Return what a batch or group reward returned as the scores of `size` rows."""
    try:
        values = list(returned)
    except TypeError:
        why = f"returned {type(returned).__name__}, expected a list of {counted(size, 'value')}"
        return [failed(why, seconds, "length")] * size
    except Exception as error:  # a generator that raises on the way
        return [raised(error, seconds, function)] * size
    if len(values) != size:
        why = f"returned {counted(len(values), 'value')} for {counted(size, 'completion')}"
        return [failed(why, seconds, "length")] * size
    return [to_score(value, range, seconds / size) for value in values]


def failed(why: str, seconds: float = 0.0, fault: Fault = "") -> Score:
    """Return the score of a call that failed on our side."""
    return Score(error=why, seconds=seconds, fault=fault)


def raised(error: BaseException, seconds: float = 0.0, function: Callable[..., Any] | None = None) -> Score:
    """Return the score of a call of a reward that raised, SystemExit and KeyboardInterrupt of its own included."""
    kind = type(error).__name__
    try:
        text = str(error)
    except Exception:  # an exception that cannot even say what it is
        text = ""
    fault: Fault = "time" if isinstance(error, TimeoutError) else ""
    said = f"raised {kind}: {text}" if text else f"raised {kind}"
    return Score(error=said, seconds=seconds, fault=fault, where=line_of(error, function))


def short(value: Any) -> str:
    """Return a short repr for messages."""
    try:
        text = repr(value)
    except Exception:  # an object that cannot even be shown
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else f"{text[:57]}..."
