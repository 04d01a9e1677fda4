"""Requests to a chat endpoint and what comes back, as data."""

import hashlib
from typing import Any

import msgspec

__all__ = ["Reply", "Request", "Unreadable"]

VERSION = 1  # of what is asked and how it is read: a change must not find verdicts of before


class Unreadable(Exception):
    """A reply without a verdict, and why."""


class Request(msgspec.Struct, frozen=True):
    """One question: where it goes, the messages, and the parameters that decide the answer."""

    endpoint: str
    model: str
    messages: tuple[dict[str, str], ...]
    parameters: dict[str, Any]

    def body(self) -> bytes:
        """Return the JSON to send."""
        return msgspec.json.encode({"model": self.model, "messages": self.messages, **self.parameters})

    def key(self, repeat: int) -> str:
        """Return what the answer is kept under: a digest of all that decides it."""
        parts = [VERSION, self.endpoint, self.model, self.messages, self.parameters, repeat]
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()

    def most_tokens(self) -> tuple[int, int]:
        """Return bounds of the tokens read and written: no token is shorter than a byte, templates and schemas add some."""
        read = sum(len(message["content"].encode()) + 64 for message in self.messages) + 512
        written = (self.parameters.get(name, 0) for name in ("max_tokens", "max_completion_tokens"))
        return read + len(msgspec.json.encode(self.parameters)), max(map(int, written))


class Reply(msgspec.Struct, frozen=True):
    """A judge's reply: its text, why it ended, and the tokens it took (`None` where the server does not say)."""

    text: str
    finish: str = ""
    read: int | None = None
    written: int | None = None
