"""A worker: takes jobs, has each program run by a candidate, judges it, answers. Confined like what it runs.

Started as a new interpreter (see `worker.py`): `serve(FD, isolation)`.
"""

import importlib
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from rewardstack_sandbox.channel import Channel, Expired, Gone, Oversized
from rewardstack_sandbox.confinement import OPEN, Confinement, confine, missing
from rewardstack_sandbox.judgements import judge_run, judge_tests
from rewardstack_sandbox.kernel import process, seccomp
from rewardstack_sandbox.nursery import Nursery, NurseryFailed
from rewardstack_sandbox.results import ExecutionResult, TestReport
from rewardstack_sandbox.values import Codec

__all__ = ["PRELOADED", "serve"]

# What programs import most; loaded once, shared by all candidates. Not random and threading: the work they do in each
# child after a fork is dearer than what loading them saves the few that use them.
PRELOADED = (
    "abc", "array", "bisect", "cmath", "collections", "copy", "dataclasses", "datetime", "decimal", "enum",
    "fractions", "functools", "heapq", "io", "itertools", "json", "math", "numbers", "operator", "re", "resource", "string", "struct", "textwrap", "time", "traceback", "typing",
)  # fmt: skip
# What an isolation needs beside that, the first being a library, and the extra that brings it
NEEDS = {
    "restricted": ("code", ("RestrictedPython", "rewardstack_sandbox.program.restricting")),
    "monty": ("monty", ("pydantic_monty", "rewardstack_sandbox.monty.enclosure")),
}
# For numpy in tests: a process whose children are in another process namespace may start no threads
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
MEMORY = 1 << 30
GRACE = 2.0


def serve(descriptor: int, isolation: str) -> None:
    """Serve jobs until the caller closes its end."""
    os.chdir("/")
    channel = Channel(socket.socket(fileno=descriptor))
    codec = Codec()
    extra, needed = NEEDS.get(isolation, ("", ()))
    try:
        for name in (*PRELOADED, *needed):
            importlib.import_module(name)
    except ModuleNotFoundError as error:
        text = f"isolation={isolation!r} needs {error.name}: pip install 'rewardstack[{extra}]'"
        channel.send(codec.encode({"missing": text}))
        return
    process.single_arena()
    memory = process.own_address_space()
    try:
        nursery, confinement = enclose(isolation, memory, descriptor)
    except Exception as error:
        channel.send(codec.encode({"failed": f"{type(error).__name__}: {error}"}))
        return
    lacking = missing(confinement)
    if isolation == "strict" and lacking:
        channel.send(codec.encode({"lacking": lacking}))
        return
    layers = [(layer.name, layer.state, layer.detail) for layer in confinement.layers]
    channel.send(codec.encode({"layers": layers, "forker": nursery.forker}))
    with suppress(Gone):
        while True:
            job = codec.decode(channel.receive())
            channel.send(codec.encode(answer(nursery, {**job, "restricted": isolation == "restricted"})))


def enclose(isolation: str, memory: int, descriptor: int) -> tuple[Nursery, Confinement]:
    """Put on the layers, start the forker within them, and put on the filter that forbids forking."""
    if isolation == "monty":  # which has processes of its own to start, not forks of this one
        return importlib.import_module("rewardstack_sandbox.monty.enclosure").enclose(memory + MEMORY)  # type: ignore[no-any-return]
    confinement = OPEN if isolation == "none" else confine()
    nursery = Nursery(confinement, memory, [descriptor])
    os.environ |= ONE_THREAD
    process.limit("CORE", 0)
    if isolation != "none":
        if sys.platform == "linux":
            process.limit("AS", memory + MEMORY)
        if confinement.capabilities:
            process.drop_capabilities()
        if confinement.seccomp:
            seccomp.install(seccomp.assemble(seccomp.SERVER, os.getpid()))
    return nursery, confinement


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
    return {**result_message(result), "wall_time": time.monotonic() - started}


def result_message(result: ExecutionResult | TestReport) -> dict[str, Any]:
    """Return a result as plain values."""
    message = {name: getattr(result, name) for name in result.__slots__}
    message["status"] = str(result.status)
    if isinstance(result, TestReport):
        message["tests"] = tuple((one.name, one.passed, str(one.status), one.reason) for one in result.tests)
    return message
