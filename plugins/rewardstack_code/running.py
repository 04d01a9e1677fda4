"""What the rewards have in common: options that say where a program is and how it is run; columns that may be missing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rewardstack_code.extraction import Code, Place, find_code
from rewardstack_code.sandboxes import Result, run_distinct
from rewardstack_sandbox import Job, Limits

__all__ = ["Reading", "Running", "rows_of"]

MIB = 1 << 20


@dataclass(kw_only=True)
class Reading:
    """Options of a reward that finds a program in each completion; its own docstring describes them."""

    where: Place = "any"
    tag: str = "answer"

    def find(self, completion: str) -> Code:
        """Return the program of a completion."""
        return find_code(completion, self.where, tag=self.tag)


@dataclass(kw_only=True)
class Running(Reading):
    """Options of a reward that also runs it."""

    seconds: float = 10.0
    memory: int = 512
    isolation: str = "strict"

    @property
    def limits(self) -> Limits:
        """What one run may take."""
        return Limits(wall=self.seconds, memory=self.memory * MIB)

    def run(self, jobs: Sequence[Job | None]) -> list[Result | None]:
        """Return what came of each job, None for none."""
        return run_distinct(jobs, self.isolation)


def rows_of(size: int, *columns: Sequence[Any] | None) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of some columns; a column that the samples lack is None in each."""
    return zip(*([None] * size if column is None else column for column in columns), strict=True)
