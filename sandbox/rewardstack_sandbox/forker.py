"""The forker: forks candidates ahead of need. It never sees a program, a test or a value, so neither do its children.

It hears requests of one fixed shape over a socket from its server and answers in one fixed shape. See `nursery.py`
for the other side.
"""

import contextlib
import os
import signal
import socket
import struct
import sys
from collections.abc import Sequence
from typing import NoReturn

from rewardstack_sandbox.confinement import Confinement
from rewardstack_sandbox.kernel import namespaces, process, seccomp
from rewardstack_sandbox.program.booting import CHANNEL, Birth, open_streams

__all__ = [
    "ANSWER",
    "BORN",
    "BURIED",
    "BURY",
    "FAILED",
    "FORK",
    "REQUEST",
    "STREAMS",
    "memory_file",
    "serve",
    "start",
]

REQUEST = struct.Struct("<cq")  # what to do, a process number
ANSWER = struct.Struct(
    "<cqqdq"
)  # what was done, a process number, wait status or errno, cpu seconds, peak bytes
HANDED = struct.Struct("4i")  # descriptors that come with FORK: a candidate's channel and its three files
PIDFD = struct.Struct("i")  # what comes with BORN: process numbers mean nothing on the other side
ROOM = socket.CMSG_SPACE(HANDED.size)
FORK, BURY = b"F", b"B"
BORN, BURIED, FAILED = b"C", b"D", b"E"
LINK = CHANNEL  # where candidates have their channel, so that nothing else can be there
STREAMS = ("stdin", "stdout", "stderr")
PEAK_UNIT = 1024 if sys.platform == "linux" else 1


def start(confinement: Confinement, memory: int, others: list[int]) -> tuple[socket.socket, int]:
    """Fork the forker; return the socket to it and its process number.

    `memory` is the address space this process has mapped, `others` are descriptors the forker must not keep.
    """
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    child = os.fork()
    if child:
        theirs.close()
        return ours, child
    status = 1
    try:
        for descriptor in [*others, ours.fileno()]:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        process.die_with_parent(None if confinement.process_namespaces else parent)
        os.dup2(theirs.fileno(), LINK)
        serve(LINK, confinement, memory)
        status = 0
    finally:
        os._exit(status)


def serve(link: int, confinement: Confinement, memory: int) -> None:
    """Fork and bury until the server closes its end."""
    end = socket.socket(fileno=link)
    own = os.pidfd_open(os.getpid()) if confinement.process_namespaces else -1
    take_places([memory_file(name) for name in STREAMS])
    open_streams()
    birth = Birth(confinement, memory)
    if confinement.seccomp:
        seccomp.install(seccomp.assemble(seccomp.FORKER, os.getpid()))
    while True:
        data, attached, _, _ = end.recvmsg(REQUEST.size, ROOM)
        if not data:
            return
        what, number = REQUEST.unpack(data)
        if what == FORK:
            fork(end, HANDED.unpack(attached[0][2]), own, birth)
        else:
            end.sendall(bury(number))


def take_places(files: Sequence[int]) -> None:
    """Put files in the places of the standard streams."""
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)


def fork(end: socket.socket, handed: Sequence[int], own: int, birth: Birth) -> None:
    """Fork a candidate with the channel and the files that were handed here; hand its pidfd to the server."""
    channel, *files = handed
    pidfd = -1
    try:
        take_places(files)
        if own >= 0:
            namespaces.renew_processes(own)
        parent = os.getpid()
        number = os.fork()
        if number == 0:
            become_candidate(channel, birth, parent)
        attached = []
        if hasattr(os, "pidfd_open"):
            pidfd = os.pidfd_open(number)
            attached.append((socket.SOL_SOCKET, socket.SCM_RIGHTS, PIDFD.pack(pidfd)))
        end.sendmsg([ANSWER.pack(BORN, number, 0, 0.0, 0)], attached)
    except OSError as error:
        end.sendall(ANSWER.pack(FAILED, 0, error.errno or 0, 0.0, 0))
    finally:
        os.close(channel)
        if pidfd >= 0:
            os.close(pidfd)


def become_candidate(channel: int, birth: Birth, parent: int) -> NoReturn:
    """Run the candidate's life; nothing it raises may return to the forker's loop."""
    try:
        birth.begin(channel, parent)
    finally:
        os._exit(1)


def memory_file(name: str) -> int:
    """Return a descriptor of a new file without a name anywhere."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name)
    import tempfile  # noqa: PLC0415 - dear, and needed where there are no memory files alone

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def bury(number: int) -> bytes:
    """Wait for a killed candidate; return the answer, which tells what it used."""
    try:
        if not hasattr(os, "pidfd_open"):
            os.kill(number, signal.SIGKILL)
        _, status, usage = os.wait4(number, 0)
        cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * PEAK_UNIT
        return ANSWER.pack(BURIED, number, status, cpu, peak)
    except OSError as error:
        return ANSWER.pack(FAILED, number, error.errno or 0, 0.0, 0)
