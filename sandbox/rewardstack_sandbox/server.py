"""A worker: takes jobs, has each program run by a candidate, judges it, answers. Confined like what it runs."""

import _thread
import json
import marshal
import mmap
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
ROOM = 256 << 20  # for what is judged next, a quarter of what this process may take
LONGEST = 2000  # characters of a reason: it may be what a program says of itself
EXHAUSTED = b'{"exhausted": true}'  # ready before there is no memory for it


def serve(channel: Channel, nursery: Nursery, *, restricted: bool) -> None:
    """Serve jobs until the caller closes its end, or memory runs out."""
    threading.excepthook = no_report
    # Else `asyncio.run` would put a handler of its own, and Python 3.12 then asks a program's coroutine whether it is true
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    warnings.simplefilter("ignore", SyntaxWarning)  # of tests: nobody who sees them could mend these
    sent = b""
    with suppress(Gone):
        while sent is not EXHAUSTED:
            nursery.tidy()
            job = marshal.loads(channel.receive())  # noqa: S302 - from the caller
            sent = message(nursery, {**job, "restricted": restricted})
            channel.send(sent)


def message(nursery: Nursery, job: Mapping[str, Any]) -> bytes:
    """Return what came of a job, as bytes; a fixed text where memory runs out, which programs can bring about."""
    try:
        return json.dumps(answer(nursery, job)).encode("ascii")
    except MemoryError:
        return EXHAUSTED


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
    return {
        **result_message(result),
        "wall_time": time.monotonic() - started,
        "last": has_threads() or is_worn(),
    }


def no_report(_: object) -> None:
    """Say nothing of what ends a thread of the tests: what comes of it is theirs to judge."""


def has_threads() -> bool:
    """Whether tests have left threads behind, which may never end: this worker is then not to be used again."""
    return _thread._count() > 0  # noqa: SLF001 - those that `threading` does not know of too


def is_worn() -> bool:
    """Whether what was judged has left too little memory for the next one: what is freed is not always given back."""
    try:
        mmap.mmap(-1, ROOM, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ).close()
    except OSError:
        return True
    return False


def result_message(result: ExecutionResult | TestReport) -> dict[str, Any]:
    """Return a result as plain values."""
    message = {name: getattr(result, name) for name in result.__slots__}
    message |= {"status": str(result.status), "reason": printable(result.reason[:LONGEST])}
    if isinstance(result, TestReport):
        message["tests"] = tuple(
            (printable(one.name), one.passed, str(one.status), printable(one.reason)) for one in result.tests
        )
    return message


def printable(text: str) -> str:
    """Return a text that can be written anywhere: a program's may hold halves of surrogate pairs."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
