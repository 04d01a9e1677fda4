"""One worker process, as its pool sees it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec

from rewardstack.workers.messages import HEADER, Fault, Recipe, Recorded, frame

__all__ = ["LOAD_SECONDS", "Outcome", "Settled", "Task", "TimedOut", "Worker"]

START_SECONDS = 60.0
LOAD_SECONDS = 120.0
CHUNK = 1 << 20
OVERDUE_SHARE = 0.2


class TimedOut(msgspec.Struct, frozen=True):
    """A call was killed at its deadline, after so many seconds."""

    seconds: float


Outcome = Recorded | Fault | TimedOut
Settled = tuple[bytes | Fault | TimedOut, float]
"""How a call ended (a reply's bytes, to be read by who waits for them), and the seconds it ran."""


class Task(msgspec.Struct):
    """A call waiting for a worker: `limit` seconds to run once it has started, `None` for no limit."""

    key: str
    recipe: Recipe
    payload: bytes
    limit: float | None
    future: "Future[Settled]"


class Worker:
    """One worker process, as its pool sees it."""

    def __init__(self, memory: int) -> None:
        self.channel, theirs = socket.socketpair()
        self.process = start_process(theirs, memory)
        theirs.close()
        self.channel.settimeout(START_SECONDS)
        self.buffer = bytearray()
        self.loaded: set[str] = set()
        self.ready = False
        self.loading: str | None = None
        self.task: Task | None = None
        self.ended = False
        self.started = time.monotonic()
        self.send(sys.path)

    def send(self, message: Any) -> None:
        """Send one message, or its bytes."""
        self.channel.sendall(message if isinstance(message, bytes) else frame(message))

    def read(self) -> list[bytes]:
        """Return the replies that have arrived whole, unread; `EOFError` when the worker is gone."""
        try:
            data = self.channel.recv(CHUNK)
        except OSError:
            data = b""
        if not data:
            raise EOFError
        self.buffer += data
        replies = []
        while len(self.buffer) >= HEADER.size:
            (size,) = HEADER.unpack_from(self.buffer)
            if len(self.buffer) < HEADER.size + size:
                break
            replies.append(bytes(self.buffer[HEADER.size : HEADER.size + size]))
            del self.buffer[: HEADER.size + size]
        return replies

    @property
    def deadline(self) -> float | None:
        """When to kill it, on the monotonic clock; None while nothing limits it."""
        if not self.ready:
            return self.started + START_SECONDS
        if self.loading is not None:
            return self.started + LOAD_SECONDS
        if self.task is not None and self.task.limit is not None:
            return self.started + self.task.limit
        return None

    @property
    def overdue_at(self) -> float | None:
        """When its call becomes likely to be killed, so that a spare should be warming up; None without a limit."""
        if self.task is None or self.task.limit is None:
            return None
        return self.started + OVERDUE_SHARE * self.task.limit

    @property
    def idle(self) -> bool:
        """Whether it can take a task."""
        return self.ready and self.task is None and self.loading is None

    @property
    def gone(self) -> bool:
        """Whether the process has ended, though something it started may still hold the channel open.

        True from the second look on: what it sent last is read before.
        """
        ended = self.has_ended()
        gone, self.ended = ended and self.ended, ended
        return gone

    def has_ended(self) -> bool:
        """Whether the process has ended; it is not reaped, so that its number stays its group's."""
        if self.process.returncode is not None or sys.platform == "win32":
            return self.process.poll() is not None
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def kill(self) -> str:
        """Kill it with everything below it and in its group, and say how it ended."""
        if self.process.returncode is None and sys.platform != "win32":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                self.signal(signal.SIGSTOP)  # so that it starts nothing while its children are counted
                for child in descendants(self.process.pid):
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(child, signal.SIGKILL)
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        code = self.process.wait()
        self.channel.close()
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def signal(self, number: int) -> None:
        """Send it a signal without reaping it, as `Popen.send_signal` would."""
        os.kill(self.process.pid, number)


def descendants(process: int) -> list[int]:
    """Return the processes below one, nearest first, as far as `/proc` shows them (Linux)."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it may end while it is looked at
            fields = entry.read_text(errors="replace").rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    found = list(children.get(process, []))
    for child in found:  # grows while it is walked
        found.extend(children.get(child, []))
    return found


def start_process(channel: socket.socket, memory: int) -> "subprocess.Popen[bytes]":
    """Start a worker process that inherits the channel."""
    windows = sys.platform == "win32"
    descriptor = -1 if windows else channel.fileno()
    process = subprocess.Popen(
        # -P: a random.py in the working folder is no business of ours; the real path is sent later
        [
            sys.executable,
            "-P",
            "-m",
            "rewardstack.workers.main",
            str(descriptor),
            str(os.getpid()),
            str(memory),
        ],
        pass_fds=() if windows else (descriptor,),
        stdin=subprocess.PIPE if windows else subprocess.DEVNULL,
        stdout=2,  # what a reward prints must not mix with the caller's output
        env=worker_environment(),
        start_new_session=True,  # so that what it starts dies with it
    )
    if sys.platform == "win32" and process.stdin is not None:  # sockets are not inherited there but shared
        process.stdin.write(channel.share(process.pid))
        process.stdin.close()
    return process


def worker_environment() -> dict[str, str]:
    """Return the environment of workers: this process's own, but for GPUs (none) and threads (one a library)."""
    quiet = {
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "PASSIVE",
        "TOKENIZERS_PARALLELISM": "false",
        "REWARDSTACK_WORKERS": "1",  # for what a reward itself isolates
    }
    return {**os.environ, **quiet}
