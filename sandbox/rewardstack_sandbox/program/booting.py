"""A candidate's first moments: the last layers, then its job, then its limits, then the program.

After a fork every page that is touched has to be copied, which is what a candidate's time goes to. So whatever can be
made ready in the forker is.
"""

import ctypes
import gc
import marshal
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from rewardstack_sandbox.channel import Channel
from rewardstack_sandbox.confinement import Confinement
from rewardstack_sandbox.kernel import process, seccomp
from rewardstack_sandbox.program.rehearsal import rehearse
from rewardstack_sandbox.program.running import run
from rewardstack_sandbox.program.serving import Server, serve
from rewardstack_sandbox.values import Codec

__all__ = ["CHANNEL", "LAYER_FAILED", "READY", "Birth", "open_streams"]

CHANNEL = 3
OPEN_FILES = 64
LIMITS = ("AS", "CPU", "FSIZE", "NPROC")
LAYER_FAILED, READY = "layer_failed", ("ready", "")  # the first thing a candidate says, one or the other
SMALL_CHUNK = 4096  # most jobs fit, and a larger buffer is pages to copy
SIBLINGS = 4  # the worker, its forker and the next candidates count in the same namespace
Step = tuple[str, Callable[[], int]]


class Birth:
    """What each candidate begins with, made ready once in the forker.

    `memory` is the address space that is mapped already.
    """

    def __init__(self, confinement: Confinement, memory: int) -> None:
        self.confinement = confinement
        self.memory = memory
        for kind, value in (("CORE", 0), ("NOFILE", OPEN_FILES)):
            process.limit(kind, value)
        self.steps = make_steps(confinement)
        self.lower = {kind: process.limiter(kind) for kind in LIMITS}
        self.ready = Codec().encode(READY)
        self.end = Channel(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, CHANNEL), chunk=SMALL_CHUNK)
        rehearse()
        self.server = Server(self.end)
        gc.collect()
        process.return_free_memory()
        gc.freeze()  # what is here by now is shared with every candidate: the collector must not write to it

    def begin(self, channel: int, parent: int) -> NoReturn:
        """Become a candidate. A layer that does not hold ends it before it has seen any program."""
        os.dup2(channel, CHANNEL)
        end = self.end
        for name, step in self.steps:
            if step() != 0:
                self.fail(end, f"{name}: {os.strerror(ctypes.get_errno())}")
        if not self.confinement.process_namespaces and os.getppid() != parent:
            os._exit(1)  # the forker died before the kernel knew that this one dies with it
        end.send(self.ready)
        job = marshal.loads(end.receive())  # noqa: S302 - from the server, before any program has begun
        self.limit(job["limits"])
        if job["mode"] == "run":
            run(end, job)
        serve(self.server, job)

    def fail(self, end: Channel, text: str) -> NoReturn:
        """Report a layer that does not hold, and end."""
        end.send(Codec().encode((LAYER_FAILED, text)))
        os._exit(1)

    def limit(self, limits: dict[str, Any]) -> None:
        """Put on the limits of a job. They only lower what there is, so the kernel has no reason to refuse."""
        lower = self.lower
        if sys.platform == "linux":
            lower["AS"](self.memory + limits["memory"])
        lower["CPU"](limits["cpu"])
        lower["FSIZE"](limits["output"] + 1)  # one byte more tells "full" from "too much"
        if self.confinement.count_threads:
            lower["NPROC"](limits["processes"] + SIBLINGS)


def make_steps(confinement: Confinement) -> list[Step]:
    """Return the layers that each process needs for itself, as calls that return 0."""
    steps: list[Step] = []
    if sys.platform == "linux":
        death = process.prepared("prctl", process.PR_SET_PDEATHSIG, int(signal.SIGKILL))
        steps.append(("death with the parent", death))
    steps.append(("descriptors", process.closing_step(CHANNEL + 1)))
    if confinement.capabilities:
        steps.append(("capabilities", process.capability_step()))
    if confinement.process_namespaces:  # where every candidate is number 1, so that one filter serves all
        steps.append(("seccomp", seccomp.install_step(seccomp.narrow(1))))
    elif confinement.seccomp:
        steps.append(("seccomp", install_own_filter))
    return steps if confinement.seccomp else [step for step in steps if step[0] != "seccomp"]


def install_own_filter() -> int:
    """Install a filter that allows signals to this process alone; return 0."""
    seccomp.install(seccomp.narrow(os.getpid()))
    return 0


def open_streams() -> None:
    """Open the standard streams for programs, on descriptors 0 to 2 as they are at each time.

    Output is written at every line's end, so that what was printed before a crash is there.
    """
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.__stdin__ = sys.stdin  # type: ignore[misc]
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = open(descriptor, "w", 8192, "utf-8", "backslashreplace", "\n", closefd=False)  # noqa: SIM115
        stream.reconfigure(line_buffering=True)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
