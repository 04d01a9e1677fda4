"""The forker: forks candidates ahead of need. It never sees a program, a test or a value, so neither do its children.

It hears requests of one fixed shape over a socket from its server and answers in one fixed shape. See `nursery.py`
for the other side.
"""

import contextlib
import gc
import os
import signal
import socket
import struct
import sys
from typing import NoReturn

from rewardstack_sandbox.confinement import Confinement
from rewardstack_sandbox.kernel import namespaces, process
from rewardstack_sandbox.program.booting import CHANNEL, Birth, open_streams

__all__ = ["ANSWER", "BORN", "BURIED", "BURY", "FAILED", "FORK", "REQUEST", "serve", "start"]

REQUEST = struct.Struct("<cq")  # what to do, a process number
ANSWER = struct.Struct(
    "<cqqdq"
)  # what was done, a process number, wait status or errno, cpu seconds, peak bytes
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
    gc.collect()
    gc.freeze()  # what was loaded by now is shared with every candidate: the collector must not write to it
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
    for descriptor in place_files():
        os.close(descriptor)
    open_streams()
    birth = Birth(confinement, memory)
    while data := end.recv(REQUEST.size, socket.MSG_WAITALL):
        what, number = REQUEST.unpack(data)
        if what == FORK:
            fork(end, own, birth)
        else:
            bury(end, number)


def place_files() -> list[int]:
    """Put new files in the place of the standard streams; return their descriptors."""
    files = [memory_file(name) for name in STREAMS]
    for place, file in enumerate(files):
        os.dup2(file, place)
    return files


def fork(end: socket.socket, own: int, birth: Birth) -> None:
    """Fork a candidate and hand its channel, pidfd and files to the server."""
    descriptors: list[int] = []
    try:
        ours, theirs = (one.detach() for one in socket.socketpair())
        descriptors = [ours, theirs]
        descriptors += place_files()
        if own >= 0:
            namespaces.renew_processes(own)
        parent = os.getpid()
        number = os.fork()
        if number == 0:
            become_candidate(theirs, birth, parent)
        handed = [ours, *descriptors[2:]]
        if hasattr(os, "pidfd_open"):
            descriptors.append(os.pidfd_open(number))
            handed.append(descriptors[-1])
        socket.send_fds(end, [ANSWER.pack(BORN, number, 0, 0.0, 0)], handed)
    except OSError as error:
        end.sendall(ANSWER.pack(FAILED, 0, error.errno or 0, 0.0, 0))
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


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


def bury(end: socket.socket, number: int) -> None:
    """Wait for a killed candidate and tell what it used."""
    try:
        if not hasattr(os, "pidfd_open"):
            os.kill(number, signal.SIGKILL)
        _, status, usage = os.wait4(number, 0)
        cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * PEAK_UNIT
        end.sendall(ANSWER.pack(BURIED, number, status, cpu, peak))
    except OSError as error:
        end.sendall(ANSWER.pack(FAILED, number, error.errno or 0, 0.0, 0))
