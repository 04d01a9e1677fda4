"""A worker: takes jobs, has each program run by a candidate, judges it, answers. Confined like what it runs."""

import json
import marshal
import signal
import threading
import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from rewardstack_sandbox.channel import Channel, Expired, Gone, Oversized
from rewardstack_sandbox.judgements import judge_run, judge_tests
from rewardstack_sandbox.nursery import Nursery, NurseryFailed
from rewardstack_sandbox.results import ExecutionResult, TestReport

__all__ = ["serve"]

GRACE = 2.0


def serve(channel: Channel, nursery: Nursery, *, restricted: bool) -> None:
    """Serve jobs until the caller closes its end."""
    threading.excepthook = no_report
    # Else `asyncio.run` would put a handler of its own, and Python 3.12 then asks a program's coroutine whether it is true
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    warnings.simplefilter("ignore", SyntaxWarning)  # of tests: nobody who sees them could mend these
    with suppress(Gone):
        while True:
            job = marshal.loads(channel.receive())  # noqa: S302 - from the caller
            channel.send(json.dumps(answer(nursery, {**job, "restricted": restricted})).encode("ascii"))
            nursery.tidy()


def answer(nursery: Nursery, job: Mapping[str, Any]) -> dict[str, Any]:
    """Return what came of a job, as plain values. A worker that hangs in foreign tests ends by itself."""
    started = time.monotonic()
    deadline = started + job["limits"]["wall"]
    signal.setitimer(signal.ITIMER_REAL, job["limits"]["wall"] + GRACE)  # whose default action is to kill
    try:
        candidate = nursery.take()
    except NurseryFailed as error:
        return {"fatal": str(error)}
    try:
        judge = judge_tests if job["mode"] == "serve" else getattr(nursery, "judge_run", judge_run)
        result = judge(nursery, candidate, job, deadline)
    except (NurseryFailed, Expired, Gone, Oversized, OSError) as error:
        return {"fatal": f"{type(error).__name__}: {error}"}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return {**result_message(result), "wall_time": time.monotonic() - started, "last": has_threads()}


def no_report(_: object) -> None:
    """Say nothing of what ends a thread of the tests: what comes of it is theirs to judge."""


def has_threads() -> bool:
    """Whether tests have left threads behind, which may never end: this worker is then not to be used again."""
    return threading.active_count() > 1


def result_message(result: ExecutionResult | TestReport) -> dict[str, Any]:
    """Return a result as plain values."""
    message = {name: getattr(result, name) for name in result.__slots__}
    message["status"] = str(result.status)
    if isinstance(result, TestReport):
        message["tests"] = tuple((one.name, one.passed, str(one.status), one.reason) for one in result.tests)
    return message
