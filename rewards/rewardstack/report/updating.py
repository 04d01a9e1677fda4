"""Observed values as new expectations: what `rewards test --update` writes, and how it edits a line of JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rewardstack.errors import RecordError
from rewardstack.report.expectations import TOTAL, read_bounds
from rewardstack.sample import ABSENT, Sample
from rewardstack.score import StackScore

__all__ = ["Update", "find_updates", "set_member"]

DIGITS = 9  # decimals that are written: finer than the tolerance, coarser than rounding errors
SPACE = " \t\r\n"


class Update(msgspec.Struct, frozen=True):
    """A row's new expectation; `old` is `ABSENT` where it had none."""

    row: int
    place: str
    old: Any
    new: Any


def find_updates(
    samples: Sequence[Sample],
    scores: Sequence[StackScore],
    places: Sequence[str],
    column: str = "expected",
) -> list[Update]:
    """Return the rows whose expectation is missing or not met, with what was observed instead.

    A row without an expectation gets its total (null where it is masked); one with expectations keeps their form
    and what of them is met. Rows that erred are left as they are: nothing was observed.
    """
    updates = []
    for row, (sample, score) in enumerate(zip(samples, scores, strict=True)):
        old = sample.columns.get(column, ABSENT)
        new = observe(old, score)
        if new is not old and not score.errors:
            updates.append(Update(row, places[row], old, new))
    return updates


def observe(old: Any, score: StackScore) -> Any:
    """Return a row's expectation with what is not met replaced by what was observed; itself where all is met."""
    bounds = None if old is ABSENT else read_bounds(old)
    if old is ABSENT or bounds is not None:
        met = bounds is not None and bounds.admit(score.total)
        return old if met else rounded(score.total)
    changed = {
        name: rounded(value) for name, value in terms_of(old, score).items() if not admits(old[name], value)
    }
    return {**old, **changed} if changed else old


def terms_of(names: Mapping[str, Any], score: StackScore) -> dict[str, float | None]:
    """Return the observed values of the terms (and the total) that an expectation names."""
    values: dict[str, float | None] = {TOTAL: score.total}
    values |= {name: term.value for name, term in score.rewards.items()}
    return {name: values.get(name) for name in names}


def admits(wanted: Any, value: float | None) -> bool:
    """Whether a value is as one entry of an expectation says."""
    bounds = read_bounds(wanted)
    return bounds is not None and bounds.admit(value)


def rounded(value: float | None) -> float | int | None:
    """Return a value as it is written."""
    return None if value is None else round(value, DIGITS)


def set_member(line: str, name: str, value: Any) -> str:
    """Return a line that holds a JSON object with one member set, every other character as it was.

    A member that is there keeps its place (the last one counts where it stands twice), a new one comes last.
    """
    decoder = json.JSONDecoder()
    text, span = json.dumps(value), None
    end = line.index("{") + 1
    here = skip(line, end)
    empty = line[here] == "}"
    while line[here] == '"':
        key, here = decoder.raw_decode(line, here)
        start = skip(line, skip(line, here) + 1)
        _, end = decoder.raw_decode(line, start)
        span = (start, end) if key == name else span
        here = skip(line, end)
        if line[here] == ",":
            here = skip(line, here + 1)
    if line[here] != "}":
        raise RecordError(f"the line holds no JSON object: {line[:60]!r}")
    if span is not None:
        return line[: span[0]] + text + line[span[1] :]
    if empty:
        end = here
    return f"{line[:end]}{'' if empty else ', '}{json.dumps(name)}: {text}{line[end:]}"


def skip(line: str, here: int) -> int:
    """Return the next place that is no white space."""
    while here < len(line) and line[here] in SPACE:
        here += 1
    return here
