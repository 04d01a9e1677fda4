"""One worker process, as the caller sees it: started by exec, given jobs, killed at a deadline, started anew."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

from rewardstack_sandbox.channel import Channel, Expired, Gone, Oversized
from rewardstack_sandbox.cores import place
from rewardstack_sandbox.errors import IsolationUnavailable, SandboxError
from rewardstack_sandbox.layers import Layer

__all__ = ["DEAD", "LATE", "Worker"]

START_SECONDS = 60.0
SLACK = 0.15  # after its own deadline a worker that has not answered is stuck in the tests
GLANCE = 0.01
PACKAGE_ROOT = str(Path(__file__).parents[1])
PROGRAM = """
import os, sys
os.environ.clear()
sys.path.insert(0, {root!r})
from rewardstack_sandbox.enclosure import begin
sys.path.remove({root!r})
begin({descriptor}, {isolation!r})
"""
# Signals that end an interpreter by a fault of its own, those of them that the platform has
CRASHES = [getattr(signal, name, None) for name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL")]
LATE, DEAD = {"late": True}, {"dead": True}


class Worker:
    """A worker process and the jobs it has been given. Not for several threads at once.

    `pending` are the jobs it has not answered, each with the wall time it may take; the first is being run.
    """

    def __init__(self, isolation: str) -> None:
        self.isolation = isolation
        self.process: subprocess.Popen[bytes] | None = None
        self.channel: Channel | None = None
        self.layers: tuple[Layer, ...] = ()
        self.forker = 0  # its number, 0 where it has none
        self.core: int | None = None
        self.ready = False
        self.pending: deque[tuple[int, float]] = deque()
        self.began = 0.0
        self.crashed = False  # the last process, by a fault of its interpreter
        self.closed = False

    def start(self) -> None:
        """Start the process, without waiting for it; `SandboxError` where the system has none to give."""
        try:
            self.process, self.channel = launch(self.isolation)
        except OSError as error:
            raise SandboxError(f"a sandbox worker could not be started: {error.strerror}") from error
        self.ready = False

    def ensure(self) -> None:
        """Have it running and ready; `SandboxError` where it does not start, or has been closed."""
        if self.closed:
            raise SandboxError("this sandbox is closed")
        if self.process is not None and self.process.poll() is not None:
            self.kill()
        if self.process is None:
            self.start()
        if self.ready or self.channel is None:
            return
        try:
            hello = json.loads(self.channel.receive(time.monotonic() + START_SECONDS))
        except (Gone, Expired) as error:
            self.kill()
            how = "took too long to start" if isinstance(error, Expired) else "ended while starting"
            raise SandboxError(f"a sandbox worker {how}; see standard error") from None
        self.read_hello(hello)

    def read_hello(self, hello: dict[str, Any]) -> None:
        """Take a worker's first message."""
        if "layers" not in hello:
            self.kill()
        if "lacking" in hello:
            raise IsolationUnavailable(
                f"isolation='strict' needs what is missing here ({'; '.join(hello['lacking'])}). "
                f"isolation='best_effort' runs with what there is, 'restricted' also limits the language"
            )
        if "missing" in hello:
            raise SandboxError(hello["missing"])
        if "failed" in hello:
            raise SandboxError(f"a sandbox worker could not confine itself: {hello['failed']}")
        self.layers = tuple(Layer(*layer) for layer in hello["layers"])
        self.forker = hello["forker"]
        self.ready = True
        self.keep_to(self.core)

    def keep_to(self, core: int | None) -> None:
        """Have it run on one core alone, started anew too, until it is told None: on any."""
        changes = self.core is not None or core is not None
        self.core = core
        if changes and self.ready and self.forker and self.process is not None:
            place([self.process.pid, self.forker], core)

    def submit(self, index: int, data: bytes, wall: float) -> None:
        """Send a job, which may take `wall` seconds."""
        assert self.channel is not None
        if not self.pending:
            self.began = time.monotonic()
        self.pending.append((index, wall))
        with contextlib.suppress(Gone, Expired):  # its answer will not come, which is seen then
            self.channel.send(data, deadline=time.monotonic() + START_SECONDS)

    @property
    def deadline(self) -> float:
        """When the job being run is overdue."""
        return self.began + self.pending[0][1] + SLACK

    def take(self) -> dict[str, Any]:
        """Return the answer to the oldest job: what came of it, or `LATE` or `DEAD`; the worker is then killed.

        So is one that says that it cannot go on, or that it should not.

        An answer that is there counts, however late the caller comes to look.
        """
        assert self.channel is not None
        try:
            deadline = max(self.deadline, time.monotonic() + GLANCE)
            result: dict[str, Any] = json.loads(self.channel.receive(deadline))
        except Expired:
            self.kill()
            return LATE
        except (Gone, Oversized, ValueError, RecursionError):
            self.kill()
            return DEAD
        self.pending.popleft()
        self.began = time.monotonic()
        if "fatal" in result or "exhausted" in result or result.pop("last"):
            self.kill()
        return result

    @property
    def answered(self) -> bool:
        """Whether an answer has already been read off the socket."""
        return self.channel is not None and self.channel.holds_more

    def close(self) -> None:
        """End the process for good, from any thread: whoever waits for it sees it gone."""
        self.closed = True
        self.strike()

    def strike(self) -> None:
        """Send the kill."""
        process = self.process
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()

    def kill(self) -> None:
        """End the process and all it started; `start` or `ensure` begins anew."""
        self.strike()
        if self.process is not None:
            self.crashed = -self.process.wait() in CRASHES
        if self.channel is not None:
            self.channel.close()
        self.process = self.channel = None
        self.ready = False


def launch(isolation: str) -> tuple[subprocess.Popen[bytes], Channel]:
    """Start a worker process; return it and the channel to it."""
    ours, theirs = socket.socketpair()
    text = PROGRAM.format(root=PACKAGE_ROOT, descriptor=theirs.fileno(), isolation=isolation)
    with theirs:
        try:
            process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-B", "-c", text],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment(),
                start_new_session=True,
            )
        except OSError:
            ours.close()
            raise
    return process, Channel(ours)


def environment() -> dict[str, str]:
    """Return a worker's environment: nothing of the caller's but what its interpreter may need to start.

    The hash seed is fixed, so that the order of a set cannot change a verdict from one run to the next.
    """
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
    return {**kept, "PYTHONHASHSEED": "0"}
