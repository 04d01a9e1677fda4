"""What the ways of calling a reward have in common."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from rewardstack.columns import Arguments, ChunkArguments
from rewardstack.score import Score

__all__ = ["Caller", "Cancelled", "timed_out"]


class Caller(Protocol):
    """Calls one term's reward for rows or chunks; results keep their order."""

    def call_rows(self, arguments: Arguments) -> Iterable[Score]:
        """Return a score for every row."""
        ...

    def call_chunks(self, calls: Sequence[ChunkArguments]) -> Iterable[list[Score]]:
        """Return the scores of every chunk, one a row."""
        ...

    def cancel(self) -> None:
        """Give up: start nothing more and stop what can be stopped."""

    def on_row(self) -> tuple[int, float]:
        """Return the row being called and for how many seconds, for the watchdog."""
        ...


class Cancelled(Exception):
    """The batch was given up while it ran."""


def timed_out(limit: float, ran: float) -> Score:
    """Return the error of a call that was stopped at its deadline."""
    return Score(error=f"timed out after {limit:.3g} s", seconds=ran, fault="time")
