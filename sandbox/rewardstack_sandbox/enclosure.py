"""A worker's beginning: the layers, the forker within them, and then the server.

Started as a new interpreter (see `worker.py`): `begin(FD, isolation)`. Candidates share with their forker what this
process has loaded by then, and pay for each page of it; so it loads little before, and all that judging needs after.
"""

import importlib
import os
import socket
import sys
from typing import Any

from rewardstack_sandbox.channel import Channel
from rewardstack_sandbox.confinement import OPEN, Confinement, confine, missing
from rewardstack_sandbox.forker import start
from rewardstack_sandbox.kernel import process, seccomp, text

__all__ = ["PRELOADED", "begin"]

# What programs import most; loaded once, shared by all candidates. Each shared library costs every candidate about as
# much as one in fifty would save that imports it. So neither json, datetime, decimal and fractions, which next to none
# does, nor dataclasses (inspect, dis, ast), nor random and threading, which have work to do in each child.
PRELOADED = (
    "abc", "bisect", "collections", "copy", "enum", "functools", "heapq", "io", "itertools", "math", "operator", "re",
    "resource", "string", "struct", "time", "traceback", "typing",
)  # fmt: skip
# What an isolation needs beside that, the first being a library, and the extra that brings it
NEEDS = {
    "restricted": ("code", ("RestrictedPython", "rewardstack_sandbox.program.restricting")),
    "monty": ("monty", ("pydantic_monty", "rewardstack_sandbox.monty.enclosure")),
}
# For numpy in tests: workers share the cores among themselves
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
SERVER = "rewardstack_sandbox.server"
MEMORY = 1 << 30


def begin(descriptor: int, isolation: str) -> None:
    """Enclose this process and serve jobs until the caller closes its end."""
    os.chdir("/")
    channel = Channel(socket.socket(fileno=descriptor))
    extra, needed = NEEDS.get(isolation, ("", ()))
    try:
        for name in (*PRELOADED, *needed):
            importlib.import_module(name)
    except ModuleNotFoundError as error:
        say(
            channel, missing=f"isolation={isolation!r} needs {error.name}: pip install 'rewardstack[{extra}]'"
        )
        return
    process.single_arena()
    memory = process.own_address_space()
    try:
        if isolation == "monty":  # which has processes of its own to start, not forks of this one
            monty = importlib.import_module("rewardstack_sandbox.monty.enclosure")
            nursery, confinement = monty.enclose(memory + MEMORY)
        else:
            nursery, confinement = enclose(isolation, memory, descriptor)
    except Exception as error:
        say(channel, failed=f"{type(error).__name__}: {error}")
        return
    lacking = missing(confinement)
    if isolation == "strict" and lacking:
        say(channel, lacking=lacking)
        return
    say(channel, layers=confinement.layers, forker=nursery.forker)
    importlib.import_module(SERVER).serve(channel, nursery, restricted=isolation == "restricted")


def enclose(isolation: str, memory: int, descriptor: int) -> tuple[Any, Confinement]:
    """Put on the layers, start the forker within them, and then load and confine the server; return its nursery."""
    text.move_to_huge_pages()
    confinement = OPEN if isolation == "none" else confine()
    link, forker = start(confinement, memory, [descriptor])
    os.environ |= ONE_THREAD
    nursery = importlib.import_module(SERVER).Nursery
    confine_server(confinement, memory)
    return nursery(link, forker), confinement


def say(channel: Channel, **message: Any) -> None:
    """Tell the caller how the beginning went."""
    import json  # noqa: PLC0415 - not for what is forked before the good news

    channel.send(json.dumps(message).encode("ascii"))


def confine_server(confinement: Confinement, memory: int) -> None:
    """Put on the layers of the server alone: its limits, and the filter that forbids forking."""
    process.limit("CORE", 0)
    if confinement is OPEN:
        return
    if sys.platform == "linux":
        process.limit("AS", memory + MEMORY)
    if confinement.capabilities:
        process.drop_capabilities()
    if confinement.seccomp:
        seccomp.install(seccomp.assemble(seccomp.SERVER, os.getpid()))
