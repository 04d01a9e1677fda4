"""What the rewards have in common: options that say where a program is and how it is run; columns that may be missing."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from rewardstack import Score
from rewardstack_code.extraction import Code, Place, find_code
from rewardstack_code.sandboxes import Result, check_isolation, run_distinct
from rewardstack_sandbox import Job, Limits

__all__ = ["Reading", "Running", "check_running", "read_row", "rows_of"]

MIB = 1 << 20
Given = ParamSpec("Given")
Read = TypeVar("Read")


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


def check_running(options: Mapping[str, Any]) -> None:
    """Check the options that say how a program is run when the stack is loaded; `ValueError` says what is wrong."""
    check_isolation(options["isolation"])
    for name in ("seconds", "memory"):
        if not 0 < options[name] < math.inf:
            raise ValueError(f"{name} must be a number above 0, not {options[name]!r}")
    Limits(wall=options["seconds"], memory=options["memory"] * MIB)


def read_row(read: Callable[Given, Read], *given: Given.args, **named: Given.kwargs) -> Read | Score:
    """Return what a row's columns hold, or that row's error: a batch must not suffer for one malformed row."""
    try:
        return read(*given, **named)
    except (ValueError, TypeError, KeyError, SyntaxError, RecursionError) as error:
        return Score(error=f"the row's columns cannot be read: {type(error).__name__}: {error}")


def rows_of(size: int, *columns: Sequence[Any] | None) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of some columns; a column that the samples lack is None in each."""
    return zip(*([None] * size if column is None else column for column in columns), strict=True)
