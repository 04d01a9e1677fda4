"""Whole programs run by Monty: what they print, with lines of input."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from rewardstack_sandbox.channel import Expired, Gone
from rewardstack_sandbox.monty.candidate import MontyCandidate, describe_raised
from rewardstack_sandbox.monty.session import Raised
from rewardstack_sandbox.results import ExecutionResult, Status
from rewardstack_sandbox.values import Unsupported

__all__ = ["judge_run"]


def judge_run(
    nursery: Any, candidate: MontyCandidate, job: Mapping[str, Any], deadline: float
) -> ExecutionResult:
    """Run a program to its end or to its deadline. It has `input`, but no `sys.stdin` and no arguments."""
    began = time.monotonic()
    status, reason, traceback = run(candidate, job, deadline)
    stdout, stderr, over = candidate.read_output(job["limits"]["output"])
    if over and status in (Status.accepted, Status.runtime_error):
        status, reason = Status.output_limit_exceeded, f"more than {job['limits']['output']} bytes of output"
    ended = nursery.bury(candidate)
    code = None if status is Status.time_limit_exceeded else ended.exit_code or int(bool(traceback))
    wall = time.monotonic() - began
    return ExecutionResult(status, stdout, stderr + traceback, code, wall, truncated=over, reason=reason)


def run(candidate: MontyCandidate, job: Mapping[str, Any], deadline: float) -> tuple[Status, str, str]:
    """Run a program; return its status, a sentence, and its traceback."""
    try:
        session = candidate.open(job["limits"], deadline)
    except Unsupported as error:
        return Status.infrastructure_error, str(error), ""
    try:
        session.run(job["program"], external_lookup={"input": reader(job["stdin"], session.note)})
    except Expired:
        return Status.time_limit_exceeded, f"over {job['limits']['wall']:g} s", ""
    except Gone:
        return Status.runtime_error, "the interpreter crashed", ""
    except Raised as raised:
        kind = describe_raised(raised)
        if kind[0] == "syntax":
            return Status.syntax_error, kind[1], raised.shown
        if isinstance(raised.error, MemoryError):
            return Status.memory_limit_exceeded, str(raised.error), raised.shown
        return Status.runtime_error, "ended with exit code 1", raised.shown
    except Exception:  # the value of its last line cannot be converted, and nobody asked for it
        return Status.accepted, "", ""
    return Status.accepted, "", ""


def reader(stdin: str, show: Callable[[str, str], None]) -> Callable[..., str]:
    """Return what stands for `input`."""
    lines = iter(stdin.splitlines())

    def read_line(prompt: object = "") -> str:
        show("stdout", str(prompt))
        try:
            return next(lines)
        except StopIteration:
            raise EOFError("EOF when reading a line") from None

    return read_line
