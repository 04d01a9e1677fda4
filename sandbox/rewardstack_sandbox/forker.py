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
from collections.abc import Callable
from typing import NoReturn

from rewardstack_sandbox.confinement import Confinement
from rewardstack_sandbox.kernel import namespaces, process, seccomp
from rewardstack_sandbox.kernel.calls import checked, libc
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
    child = namespaces.fork_inside() if confinement.process_namespaces else os.fork()
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
    renew = namespaces.renewal() if confinement.process_namespaces else None
    for place in range(len(STREAMS)):
        file = memory_file(STREAMS[place])
        os.dup2(file, place)
        os.close(file)
    open_streams()
    birth = Birth(confinement, memory)
    if confinement.seccomp:
        seccomp.install(seccomp.assemble(seccomp.FORKER, os.getpid()))
    answer(end, birth, renew)


def answer(end: socket.socket, birth: Birth, renew: Callable[[], None] | None) -> None:
    """Fork a candidate with the channel and the files that come along, or bury one, as often as it is asked for.

    One loop over names of its own: this process has to copy a page for each object it touches after a fork. For the
    same reason it forks by the C library: the interpreter's own fork makes each of its locks anew in the child, lest
    threads hold them that the child has not got, and here there is one thread.
    """
    receive, attach, send = end.recvmsg, end.sendmsg, end.sendall
    read, read_handed, write, write_pidfd = REQUEST.unpack, HANDED.unpack, ANSWER.pack, PIDFD.pack
    dup2, close, fork, wait, open_pidfd = (
        os.dup2,
        os.close,
        libc().fork,
        os.wait4,
        getattr(os, "pidfd_open", None),
    )
    parent, size, room = os.getpid(), REQUEST.size, ROOM
    forking, born, buried, unit = FORK, BORN, BURIED, PEAK_UNIT
    level, rights = int(socket.SOL_SOCKET), int(socket.SCM_RIGHTS)
    while True:
        data, attached, _, _ = receive(size, room)
        if not data:
            return
        what, number = read(data)
        try:
            if what != forking:
                if open_pidfd is None:
                    os.kill(number, signal.SIGKILL)
                _, status, usage = wait(number, 0)  # user's and system's time, the most memory
                send(write(buried, number, status, usage[0] + usage[1], usage[2] * unit))
                continue
            channel, stdin, stdout, stderr = read_handed(attached[0][2])
            dup2(stdin, 0)
            dup2(stdout, 1)
            dup2(stderr, 2)
            close(stdin)
            close(stdout)
            close(stderr)
            if renew is not None:
                renew()
            number = fork()
            if number == 0:
                become_candidate(channel, birth, parent)
            if number < 0:
                checked(number, "fork")
            close(channel)
            if open_pidfd is None:
                send(write(born, number, 0, 0.0, 0))
                continue
            pidfd = open_pidfd(number)
            attach([write(born, number, 0, 0.0, 0)], [(level, rights, write_pidfd(pidfd))])
            close(pidfd)
        except OSError as error:  # the server gives this worker up
            send(write(FAILED, number, error.errno or 0, 0.0, 0))


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
