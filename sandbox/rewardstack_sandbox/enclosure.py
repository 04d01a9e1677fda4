"""A worker's beginning: the layers, the forker within them, and then the server.

Started as a new interpreter (see `worker.py`): `begin(FD, isolation)`. Candidates share with their forker what this
process has loaded by then, and pay for each page of it; so it loads little before, and all that judging needs after.
"""

import importlib
import json
import os
import socket
import sys
from typing import Any

from rewardstack_sandbox.channel import Channel
from rewardstack_sandbox.confinement import OPEN, Confinement, confine, missing
from rewardstack_sandbox.forker import start
from rewardstack_sandbox.kernel import process, seccomp

__all__ = ["PRELOADED", "begin"]

# What programs import most; loaded once, shared by all candidates. Not random and threading: the work they do in each
# child after a fork is dearer than what loading them saves the few that use them. Nor dataclasses, for which a sixth
# of all pages would be there (inspect, dis, ast).
PRELOADED = (
    "abc", "bisect", "collections", "copy", "datetime", "decimal", "enum", "fractions", "functools", "heapq", "io",
    "itertools", "json", "math", "operator", "re", "resource", "string", "struct", "time", "traceback", "typing",
)  # fmt: skip
RESTRICTING = ("RestrictedPython", "rewardstack_sandbox.program.restricting")
SERVER = "rewardstack_sandbox.server"
MEMORY = 1 << 30


def begin(descriptor: int, isolation: str) -> None:
    """Enclose this process and serve jobs until the caller closes its end."""
    os.chdir("/")
    channel = Channel(socket.socket(fileno=descriptor))
    try:
        for name in (*PRELOADED, *(RESTRICTING if isolation == "restricted" else ())):
            importlib.import_module(name)
    except ModuleNotFoundError as error:
        text = f"isolation='restricted' needs {error.name}: pip install 'rewardstack[code]'"
        say(channel, failed=text)
        return
    process.single_arena()
    memory = process.own_address_space()
    try:
        confinement = OPEN if isolation == "none" else confine()
        link, forker = start(confinement, memory, [descriptor])
        server = importlib.import_module(SERVER)
        confine_server(confinement, memory)
    except Exception as error:
        say(channel, failed=f"{type(error).__name__}: {error}")
        return
    lacking = missing(confinement)
    if isolation == "strict" and lacking:
        say(channel, lacking=lacking)
        return
    say(channel, layers=confinement.layers, forker=forker)
    server.serve(channel, link, restricted=isolation == "restricted")


def say(channel: Channel, **message: Any) -> None:
    """Tell the caller how the beginning went."""
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
