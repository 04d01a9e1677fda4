"""What samples expect of their scores (the column `expected`), and which of them were disappointed."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rewardstack.errors import RecordError, nearest
from rewardstack.report.texts import short_number
from rewardstack.sample import ABSENT, Sample
from rewardstack.score import Score, StackScore

__all__ = [
    "TOLERANCE",
    "TOTAL",
    "Bounds",
    "Expectations",
    "Mismatch",
    "judge",
    "read_expected",
    "reads_like_one",
]

TOLERANCE = 1e-6
TOTAL = "total"
FORMS = 'a number, null, {"min": ..., "max": ...} or {"TERM": any of these}'


class Bounds(msgspec.Struct, frozen=True):
    """What one value must be: from `low` to `high`, both included; no value at all where both are `None`."""

    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.low is None:
            return "none" if self.high is None else f"at most {short_number(self.high, 6)}"
        if self.high is None:
            return f"at least {short_number(self.low, 6)}"
        if self.low == self.high:
            return short_number(self.low, 6)
        return f"{short_number(self.low, 6)} to {short_number(self.high, 6)}"

    def admit(self, value: float | None) -> bool:
        """Whether a value is as expected, within `TOLERANCE`."""
        if value is None or (self.low is None and self.high is None):
            return value is None and self.low is None and self.high is None
        above = self.low is None or value >= self.low - TOLERANCE
        return above and (self.high is None or value <= self.high + TOLERANCE)

    def off(self, value: float | None) -> float | None:
        """Return how far a value lies outside, `None` where there is nothing to compare."""
        if value is None or (self.low is None and self.high is None):
            return None
        below = 0.0 if self.low is None else self.low - value
        above = 0.0 if self.high is None else value - self.high
        return max(0.0, below, above)


class Mismatch(msgspec.Struct, frozen=True):
    """An expectation that was not met: `of` is `total` or a term, `got` its value (`None`: none), `reason` why.

    `off` is how far the value lies outside of what was expected, `None` where there are no two numbers to compare.
    """

    row: int
    place: str
    id: str
    of: str
    expected: str
    got: float | None
    reason: str
    off: float | None = None

    def __str__(self) -> str:
        got = "none" if self.got is None else short_number(self.got, 7)
        because = f": {self.reason}" if self.reason else ""
        return f"{self.of} expected {self.expected}, got {got}{because}"


class Expectations(msgspec.Struct, frozen=True):
    """How a run did by its expectations: `rows` had one, `met` of them were met in full."""

    rows: Sequence[int]
    mismatches: Sequence[Mismatch]

    @property
    def met(self) -> int:
        """The number of rows that were all that was expected."""
        return len(self.rows) - len({mismatch.row for mismatch in self.mismatches})


def read_expected(value: Any, terms: Sequence[str], place: str) -> dict[str, Bounds]:
    """Return what a row expects of its total and its terms; `terms` are the stack's.

    Raises `RecordError` for what is no expectation and for terms the stack does not have.
    """
    bounds = read_bounds(value)
    if bounds is not None:
        return {TOTAL: bounds}
    if not isinstance(value, Mapping) or not value:
        raise RecordError(f"{place}: expected is {value!r}; it must be {FORMS}")
    read = {}
    for name, wanted in value.items():
        if name not in terms and name != TOTAL:
            raise RecordError(
                f"{place}: expected names {name!r}, which is no term of the stack{nearest(name, terms)}. "
                f"It has: {', '.join(terms)}"
            )
        bounds = read_bounds(wanted)
        if bounds is None:
            raise RecordError(
                f"{place}: expected of {name!r} is {wanted!r}; it must be a number, null or bounds"
            )
        read[name] = bounds
    return read


def reads_like_one(value: Any) -> bool:
    """Whether a value was surely meant as an expectation: a number or an object, which no list and no text is."""
    return is_number(value) or isinstance(value, Mapping)


def read_bounds(value: Any) -> Bounds | None:
    """Return a number, null or `min` and `max` as bounds, `None` for what is neither."""
    if value is None:
        return Bounds()
    if is_number(value):
        return Bounds(float(value), float(value))
    if isinstance(value, Mapping) and value and value.keys() <= {"min", "max"}:
        ends = [value.get("min"), value.get("max")]
        if any(map(is_number, ends)) and all(end is None or is_number(end) for end in ends):
            return Bounds(*(None if end is None else float(end) for end in ends))
    return None


def is_number(value: Any) -> bool:
    """Whether a value is a finite number; booleans are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value - value == 0


def judge(
    samples: Sequence[Sample],
    scores: Sequence[StackScore],
    places: Sequence[str],
    terms: Sequence[str],
    *,
    column: str = "expected",
    null_is_absent: bool = False,
) -> Expectations | None:
    """Return how scores meet the samples' expectations, `None` when no sample has any.

    `null_is_absent` is for columnar files (Parquet, data sets), where a row without the column reads null.
    """
    rows, mismatches = [], list[Mismatch]()
    for row, (sample, score) in enumerate(zip(samples, scores, strict=True)):
        value = sample.columns.get(column, ABSENT)
        if value is ABSENT or (value is None and null_is_absent):
            continue
        rows.append(row)
        if null_is_absent and isinstance(value, Mapping) and read_bounds(value) is None:
            value = {name: wanted for name, wanted in value.items() if wanted is not None}
        for of, bounds in read_expected(value, terms, places[row]).items():
            got, reason, erred = observed(score, of)
            if erred or not bounds.admit(got):
                mismatches.append(
                    Mismatch(row, places[row], score.id, of, str(bounds), got, reason, bounds.off(got))
                )
    return Expectations(rows, mismatches) if rows else None


def observed(score: StackScore, of: str) -> tuple[float | None, str, bool]:
    """Return a row's total or a term's value, the reason, and whether an error stands in its place."""
    if of == TOTAL and TOTAL not in score.rewards:
        masked_by_error = score.total is None and bool(score.errors)
        return score.total, score.reason or "; ".join(explain(score)), masked_by_error
    term = score.rewards.get(of)
    if term is None:
        return None, "`when` leaves it out", False
    if term.error is not None:
        return term.value, f"erred: {term.explained_error}", True
    return term.value, term.reason, False


def explain(score: StackScore) -> list[str]:
    """Return every term's value with its reason, for a total that has no reason of its own."""
    return [f"{name} {show(term)}" for name, term in score.rewards.items()]


def show(score: Score) -> str:
    """Return a term's value and reason in a few words."""
    value = (
        "erred"
        if score.error is not None
        else "abstained"
        if score.value is None
        else short_number(score.value, 4)
    )
    reason = score.explained_error or score.reason
    return f"{value} ({reason})" if reason else value
