"""The sandbox that a reward names, and what came of its jobs there."""

import atexit
import threading
from collections.abc import Sequence
from typing import Any, cast, get_args

from rewardstack import Score, StackError, extensions
from rewardstack_sandbox import ExecutionResult, Isolation, Job, SandboxError, Status, TestReport
from rewardstack_sandbox.backends import Backend
from rewardstack_sandbox.shared import shared_sandbox

__all__ = ["Result", "check_isolation", "close_made", "find_sandbox", "run_distinct", "show", "trouble"]

SHOWN = 400
Result = ExecutionResult | TestReport
OWN = get_args(Isolation)

_made: dict[str, Backend] = {}
_change = threading.Lock()


def check_isolation(name: str) -> None:
    """Check that there is a sandbox of a name; `ValueError` where there is none."""
    if name not in OWN and name not in (known := registered()):
        raise ValueError(f"isolation must be one of {', '.join([*OWN, *sorted(known)])}, not {name!r}")


def registered() -> dict[str, Any]:
    """Return what makes each sandbox that plugins register under a name of their own."""
    return {one.name: one.make for one in extensions("rewards_sandboxes") if one.name not in OWN}


def find_sandbox(name: str) -> Backend:
    """Return this process's sandbox of a name: one of ours, or one that a plugin registers, made on first use."""
    if name in OWN:
        return shared_sandbox(cast("Isolation", name))
    with _change:
        if name not in _made:
            found = registered()[name]()
            if not isinstance(found, Backend):
                raise StackError(f"the sandbox {name!r} lacks run_many, capabilities or close")
            _made[name] = found
        return _made[name]


@atexit.register
def close_made() -> None:
    """End the sandboxes that plugins have made; the next call starts anew."""
    with _change:
        for sandbox in _made.values():
            sandbox.close()
        _made.clear()


def run_distinct(jobs: Sequence[Job | None], isolation: str) -> list[Result | None]:
    """Return what came of each job, None for none; equal jobs are done once.

    `StackError` where the platform cannot isolate code as asked.
    """
    keys = [None if job is None else repr(job) for job in jobs]  # which holds all that a job holds
    distinct = {key: job for key, job in zip(keys, jobs, strict=True) if job is not None}
    try:
        results = find_sandbox(isolation).run_many(list(distinct.values())) if distinct else []
    except SandboxError as error:
        raise StackError(str(error)) from error
    found = dict(zip(distinct, results, strict=True))
    return [None if key is None else found[key] for key in keys]


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
