"""The server's side of the forker: takes ready candidates, kills and buries them."""

import contextlib
import os
import signal
import socket
from collections import deque
from dataclasses import dataclass

from rewardstack_sandbox.channel import Channel
from rewardstack_sandbox.forker import ANSWER, BORN, BURIED, BURY, FORK, REQUEST, STREAMS, memory_file

__all__ = ["Candidate", "Ended", "Nursery", "NurseryFailed"]

AHEAD = 1
LARGEST_MESSAGE = 16 << 20
PATIENCE = 20.0


class NurseryFailed(Exception):
    """The forker cannot fork; its text says why."""


@dataclass(frozen=True)
class Ended:
    """How a candidate's process ended: exit code (negative for a signal), processor seconds, peak bytes."""

    exit_code: int
    cpu_time: float
    peak_memory: int


class Candidate:
    """A process that waits for a program. `files` are standard input, output and error."""

    hears_ahead = True  # it takes requests that are sent with the program

    def __init__(self, number: int, end: socket.socket, files: list[int], pidfd: int | None = None) -> None:
        self.number = number
        self.channel = Channel(end, LARGEST_MESSAGE)
        self.files = files
        self.pidfd = pidfd

    def kill(self) -> None:
        """End it and everything it started."""
        if self.pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def write_input(self, data: bytes) -> None:
        """Fill its standard input; the offset stays at the beginning."""
        done = 0
        while done < len(data):
            done += os.pwrite(self.files[0], data[done:], done)

    def read_output(self, limit: int) -> tuple[str, str, bool]:
        """Return what it wrote, and whether it reached the limit."""
        texts, over = [], False
        for file in self.files[1:]:
            size = os.fstat(file).st_size
            over = over or size > limit
            data = os.pread(file, min(size, limit), 0) if size else b""
            texts.append(data.decode("utf-8", "replace"))
        return texts[0], texts[1], over

    def close(self) -> None:
        """Close this side's descriptors."""
        self.channel.close()
        for descriptor in (*self.files, self.pidfd):
            if descriptor is not None:
                os.close(descriptor)


class Nursery:
    """A forker and the candidates it has ready: `end` is the socket to it, `forker` its process number."""

    def __init__(self, end: socket.socket, forker: int) -> None:
        self.end = end
        self.forker = forker
        self.end.settimeout(PATIENCE)
        self.expected: deque[tuple[socket.socket, list[int]]] = deque()
        self.ready: list[Candidate] = []
        self.retired: list[Candidate] = []
        self.awaited: dict[int, Ended | None] = {}

    def ask(self) -> None:
        """Ask for a candidate. Its channel and files are made here: the forker pays for all it does after a fork."""
        ours, theirs = socket.socketpair()
        files = [memory_file(name) for name in STREAMS]
        self.expected.append((ours, files))
        with theirs:
            try:
                socket.send_fds(self.end, [REQUEST.pack(FORK, 0)], [theirs.fileno(), *files])
            except OSError as error:
                raise NurseryFailed(f"the forker is gone: {error.strerror}") from None

    def take(self) -> Candidate:
        """Return a ready candidate; `NurseryFailed` where there can be none."""
        if not self.ready and not self.expected:
            self.ask()
        while not self.ready:
            self.hear()
        return self.ready.pop()

    def prepare(self) -> None:
        """Have candidates forked ahead of need, once the one that was taken is at work."""
        while len(self.expected) + len(self.ready) < AHEAD:
            self.ask()

    def retire(self, candidate: Candidate) -> None:
        """Be done with a candidate: it is killed when there is time."""
        self.retired.append(candidate)

    def tidy(self) -> None:
        """Kill those that are done with, and have them reaped."""
        while self.retired:
            candidate = self.retired.pop()
            candidate.kill()
            candidate.close()
            self.end.sendall(REQUEST.pack(BURY, candidate.number))

    def bury(self, candidate: Candidate) -> Ended:
        """Kill a candidate, have it reaped, and return how it ended."""
        self.awaited[candidate.number] = None
        self.retire(candidate)
        self.tidy()
        while (ended := self.awaited[candidate.number]) is None:
            self.hear()
        del self.awaited[candidate.number]
        return ended

    def hear(self) -> None:
        """Take one answer of the forker."""
        try:
            data, pidfds, _, _ = socket.recv_fds(self.end, ANSWER.size, 1)
        except TimeoutError:
            raise NurseryFailed("the forker does not answer") from None
        if len(data) != ANSWER.size:
            raise NurseryFailed("the forker is gone")
        what, number, status, cpu, peak = ANSWER.unpack(data)
        if what == BORN:
            if not pidfds and hasattr(os, "pidfd_open"):
                raise NurseryFailed("there are too many open descriptors for another candidate")
            self.ready.append(Candidate(number, *self.expected.popleft(), *pidfds))
        elif what == BURIED:
            if number in self.awaited:
                self.awaited[number] = Ended(os.waitstatus_to_exitcode(status), cpu, peak)
        else:
            raise NurseryFailed(f"the forker failed: {os.strerror(status)}")
