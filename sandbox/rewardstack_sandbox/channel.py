"""Messages over a socket: four bytes of length, then an encoded value. Bounded, with a deadline."""

import select
import socket
import struct
import time

__all__ = ["Channel", "Expired", "Gone", "Oversized"]

LENGTH = struct.Struct("<I")
CHUNK = 1 << 16
DONT_WAIT = socket.MSG_DONTWAIT


class Gone(Exception):
    """The other side closed its end."""


class Expired(Exception):
    """The deadline passed before a message was whole."""


class Oversized(Exception):
    """The other side announced a message beyond the bound."""


class Channel:
    """One end of a stream socket. Not for several threads at once.

    `bound` is the size in bytes of the largest message taken. Memory is taken as bytes arrive, not as announced.
    """

    def __init__(self, end: socket.socket, bound: int = 1 << 31, chunk: int = CHUNK) -> None:
        self.socket = end
        self.bound = bound
        self.chunk = chunk
        self.buffer = bytearray()
        self.poll = select.poll()

    def fileno(self) -> int:
        """Return the descriptor, for selectors."""
        return self.socket.fileno()

    def send(self, *messages: bytes, deadline: float | None = None) -> None:
        """Send messages; `Expired` when the other side does not take them by `deadline`, `Gone` without one."""
        data = b"".join([part for message in messages for part in (LENGTH.pack(len(message)), message)])
        try:
            sent = self.socket.send(data, DONT_WAIT)
        except BlockingIOError:
            sent = 0
        except OSError:
            raise Gone from None
        if sent < len(data):
            self.send_rest(memoryview(data)[sent:], deadline)

    def send_rest(self, data: memoryview, deadline: float | None) -> None:
        """Send what did not fit at once."""
        while data:
            self.wait(select.POLLOUT, deadline)
            try:
                data = data[self.socket.send(data, DONT_WAIT) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Gone from None

    def receive(self, deadline: float | None = None) -> bytes:
        """Return the next message; `deadline` is on the monotonic clock."""
        while (message := self.take()) is None:
            if deadline is not None:
                self.wait(select.POLLIN, deadline)
            try:
                data = self.socket.recv(self.chunk)
            except OSError:
                raise Gone from None
            if not data:
                raise Gone
            if not self.buffer and data[: LENGTH.size] == LENGTH.pack(len(data) - LENGTH.size):
                return data[LENGTH.size :]  # as most messages come: alone and whole
            self.buffer += data
        return message

    def wait(self, event: int, deadline: float | None) -> None:
        """Wait until the socket can be read or written."""
        self.poll.register(self.socket, event)
        left = None if deadline is None else (deadline - time.monotonic()) * 1000
        if (left is not None and left <= 0) or not self.poll.poll(left):
            raise Expired

    def take(self) -> bytes | None:
        """Return a message that has already arrived whole, or None."""
        if len(self.buffer) < LENGTH.size:
            return None
        (size,) = LENGTH.unpack_from(self.buffer)
        if size > self.bound:
            raise Oversized
        end = LENGTH.size + size
        if len(self.buffer) < end:
            return None
        message = bytes(memoryview(self.buffer)[LENGTH.size : end])
        del self.buffer[:end]
        return message

    def close(self) -> None:
        """Close this end."""
        self.socket.close()
