"""What all rewards of this plugin that run code share: options, the sandbox, verdicts as scores."""

from collections.abc import Sequence
from typing import Any, Literal

from rewardstack import Score, StackError
from rewardstack_sandbox import ExecutionResult, Job, Limits, SandboxError, Status, TestReport
from rewardstack_sandbox.shared import shared_sandbox

__all__ = ["Isolation", "column", "limits_of", "run_distinct", "show", "trouble"]

Isolation = Literal["strict", "best_effort", "restricted"]
MIB = 1 << 20
SHOWN = 400
Result = ExecutionResult | TestReport


def limits_of(seconds: float, memory: int) -> Limits:
    """Return limits from options: seconds of wall time, MiB of memory."""
    return Limits(wall=seconds, memory=memory * MIB)


def run_distinct(
    jobs: Sequence[Job | None], keys: Sequence[Any], isolation: Isolation
) -> list[Result | None]:
    """Return what came of each job, None for none; jobs of equal keys are done once.

    `StackError` where the platform cannot isolate code as asked.
    """
    first = {key: place for place, key in reversed(list(enumerate(keys))) if jobs[place] is not None}
    distinct = [job for place in first.values() if (job := jobs[place]) is not None]
    try:
        results = shared_sandbox(isolation).run_many(distinct) if distinct else []
    except SandboxError as error:
        raise StackError(str(error)) from error
    found = dict(zip(first, results, strict=True))
    return [None if job is None else found[key] for job, key in zip(jobs, keys, strict=True)]


def column(values: Sequence[Any] | None, size: int) -> Sequence[Any]:
    """Return a column's values, `None` for each row where the samples lack it."""
    return [None] * size if values is None else values


def trouble(result: Result) -> Score | None:
    """Return the error for what was not the program's doing, None for what can be judged."""
    if result.status is Status.infrastructure_error:
        return Score(
            error=f"the tests could not be run: {result.reason}", details={"status": str(result.status)}
        )
    return None


def show(result: Result) -> dict[str, Any]:
    """Return what a program printed, as details; empty texts are left out."""
    texts = {"stdout": result.stdout[:SHOWN], "stderr": result.stderr[-SHOWN:]}
    return {"status": str(result.status), **{name: text for name, text in texts.items() if text}}
