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
        self.data = b""  # what has arrived, of which all before `place` has been taken
        self.place = 0
        self.poll = select.poll()

    def fileno(self) -> int:
        """Return the descriptor, for selectors."""
        return self.socket.fileno()

    @property
    def holds_more(self) -> bool:
        """Whether something has been read that was not taken yet."""
        return len(self.data) > 0

    def send(self, message: bytes, *more: bytes, deadline: float | None = None) -> None:
        """Send messages; `Expired` when the other side does not take them by `deadline`, `Gone` without one."""
        data = LENGTH.pack(len(message)) + message
        if more:
            data = b"".join([data, *(part for other in more for part in (LENGTH.pack(len(other)), other))])
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
            self.gather(deadline)
        return message

    def take(self) -> bytes | None:
        """Return a message that has already arrived whole, or None."""
        data, begin = self.data, self.place + LENGTH.size
        if begin > len(data):
            return None
        (size,) = LENGTH.unpack_from(data, self.place)
        if size > self.bound:
            raise Oversized
        end = begin + size
        if end > len(data):
            return None
        if end == len(data):
            self.data, self.place = b"", 0
        else:
            self.place = end
        return data[begin:end]

    def gather(self, deadline: float | None) -> None:
        """Read until a message may be whole; what has arrived is kept whatever ends this."""
        parts = [self.data[self.place :]]
        arrived = len(parts[0])
        wanted = LENGTH.size + LENGTH.unpack_from(parts[0])[0] if arrived >= LENGTH.size else arrived + 1
        try:
            while arrived < wanted:
                if deadline is not None:
                    self.wait(select.POLLIN, deadline)
                parts.append(self.read())
                arrived += len(parts[-1])
        finally:
            self.data, self.place = b"".join(parts), 0

    def read(self) -> bytes:
        """Return the bytes that arrive next."""
        try:
            data = self.socket.recv(self.chunk)
        except OSError:
            raise Gone from None
        if not data:
            raise Gone
        return data

    def wait(self, event: int, deadline: float | None) -> None:
        """Wait until the socket can be read or written."""
        self.poll.register(self.socket, event)
        left = None if deadline is None else (deadline - time.monotonic()) * 1000
        if (left is not None and left <= 0) or not self.poll.poll(left):
            raise Expired

    def close(self) -> None:
        """Close this end."""
        self.socket.close()
