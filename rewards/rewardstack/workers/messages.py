"""What a worker pool and its worker processes say to each other: length-prefixed pickles on a socket."""

import pickle
import socket
import struct
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rewardstack.files import Source
from rewardstack.score import Score

__all__ = [
    "HEADER", "Call", "Fault", "Load", "Recipe", "Recorded", "frame", "frame_reply", "is_fault", "read_reply", "receive", "send",
]  # fmt: skip

HEADER = struct.Struct(">Q")
RESULT, FAULT = b"+", b"-"


class Recipe(msgspec.Struct, frozen=True):
    """How to rebuild a configured reward anywhere: its source, its factory's arguments, its options."""

    source: Source
    make: Mapping[str, Any] | None
    options: Mapping[str, Any]
    is_class: bool

    def build(self, target: Any) -> Callable[..., Any]:
        """Return the callable: a factory is called, a dataclass made, options of a function are left to the call."""
        if self.make is not None:
            target = target(**self.make)
        return target(**self.options) if self.is_class else target  # type: ignore[no-any-return]


class Load(msgspec.Struct, frozen=True):
    """Asks a worker to rebuild a reward under a key."""

    key: str
    recipe: Recipe


class Call(msgspec.Struct, frozen=True):
    """Asks a worker to call a loaded reward, named by its `key`.

    `many` is the number of values expected, `None` for the sample form; of a `plain` call the value comes back as it
    is, not as a score. `trainer` names the logging arguments the function asks for; the worker stands in for them
    and sends back what was logged.
    """

    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any] = {}
    many: int | None = None
    range: tuple[float, float] | None = None
    trainer: frozenset[str] = frozenset()
    plain: bool = False
    key: str = ""


class Recorded(msgspec.Struct):
    """What a call returned, as scores (or as the plain value), and what it logged on the way."""

    scores: list[Score] = []
    value: Any = None
    extra: list[tuple[str, list[Any]]] = []
    metrics: list[tuple[str, float]] = []


class Fault(msgspec.Struct, frozen=True):
    """Why a message could not be answered; `late` where the reward itself ran out of time.

    `where` is the line of the reward's source that raised (`my.py:12`), empty where none did.
    """

    text: str
    late: bool = False
    where: str = ""


def frame(message: Any) -> bytes:
    """Return a message as bytes for the wire."""
    data = pickle.dumps(message, protocol=5)
    return HEADER.pack(len(data)) + data


def send(channel: socket.socket, message: Any) -> None:
    """Send one message."""
    channel.sendall(frame(message))


def is_fault(reply: bytes) -> bool:
    """Whether a reply's bytes hold a `Fault`; nothing else of them is read."""
    return reply[:1] == FAULT


def frame_reply(result: Any) -> bytes:
    """Return a worker's reply as bytes for the wire: its kind, then its pickle."""
    data = (FAULT if isinstance(result, Fault) else RESULT) + pickle.dumps(result, protocol=5)
    return HEADER.pack(len(data)) + data


def read_reply(reply: bytes) -> Any:
    """Return what a reply holds; a `Fault` where what a reward returned cannot be rebuilt.

    To be called by who waits for it, never by the pool's own thread: rebuilding runs code of the reward's choosing.
    """
    try:
        return pickle.loads(memoryview(reply)[1:])
    except BaseException as error:  # classes may do anything when they are rebuilt, even exit
        return Fault(f"its result cannot be read: {type(error).__name__}")


def receive(channel: socket.socket) -> bytes:
    """Return the next message's bytes; `EOFError` when the other end has closed."""
    (size,) = HEADER.unpack(receive_exactly(channel, HEADER.size))
    return receive_exactly(channel, size)


def receive_exactly(channel: socket.socket, size: int) -> bytes:
    """Return exactly that many bytes from a blocking socket."""
    data = bytearray(size)
    view, got = memoryview(data), 0
    while got < size:
        count = channel.recv_into(view[got:])
        if not count:
            raise EOFError
        got += count
    return bytes(data)
