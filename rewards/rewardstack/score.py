"""What a reward says of one completion, and what a stack makes of it."""

import math
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

__all__ = ["Fault", "Score", "StackScore"]

Fault: TypeAlias = Literal["", "time", "untried", "type", "length", "finite", "range"]
"""Kinds of failures: the call ran out of time; it was never given the time it may take; what it returned is of the
wrong type, of the wrong length, no finite number, or outside of the declared range."""


class Score(msgspec.Struct, frozen=True, gc=False):
    """One reward's result for one completion: a value, an abstention, or an error.

    Three states, told apart by `value` and `error`:

    - `value` is a finite float: the completion was scored;
    - `value` is `None` and `error` is `None`: the reward does not apply here, it abstains;
    - `error` is a sentence: the grader failed. That is never the policy's fault, and never silently a number.

    `reason` is one sentence for a person. `details` is data (extracted answer, failed test, ...) and must be
    JSON-like; treat it as read-only, rows that are equal share it. `seconds` is filled in by the runner: the
    wall time of the call, 0.0 for a row that shared another row's score. `fault` says what kind of failure an
    error is, where it is one of the kinds in `Fault`, and `where` the line of the reward's source that raised it
    (`my.py:12`).
    """

    value: float | None = None
    reason: str = ""
    details: Mapping[str, Any] = {}
    error: str | None = None
    seconds: float = 0.0
    fault: Fault = ""
    where: str = ""

    @property
    def abstained(self) -> bool:
        """Whether the reward said that it does not apply."""
        return self.value is None and self.error is None

    @property
    def timed_out(self) -> bool:
        """Whether time ran out, for the call or before it; such errors do not count toward the error share."""
        return self.error is not None and self.fault in ("time", "untried")

    @property
    def explained_error(self) -> str:
        """The error for a person: with the line that raised it, where that is known; empty where there is none."""
        return f"{self.error} ({self.where})" if self.error and self.where else self.error or ""

    def __float__(self) -> float:
        """Return the value, NaN where there is none."""
        return math.nan if self.value is None else self.value


class StackScore(msgspec.Struct, frozen=True, gc=False):
    """A stack's result for one sample: the total and every term's own score.

    `total` is `None` where the row is masked: a term erred, or too much of the row's weight abstained; `reason`
    then says why. Terms that `when` left out of the row are not in `rewards`.
    """

    id: str
    total: float | None
    rewards: dict[str, Score]
    reason: str = ""

    @property
    def errors(self) -> dict[str, str]:
        """Return the error of every term that failed."""
        return {name: score.error for name, score in self.rewards.items() if score.error is not None}

    def __float__(self) -> float:
        """Return the total, NaN where the row is masked."""
        return math.nan if self.total is None else self.total
