"""Containers that are attributes of a program's objects: the tests may change them, and see what the program changes.

Only content crosses, so both sides hold a container of their own. Before the program is asked for something it is told
what the tests have changed in theirs, and afterwards theirs are given the content of the program's.
"""

from collections.abc import Callable
from typing import Any

from rewardstack_sandbox.refilling import refill
from rewardstack_sandbox.values import Unsupported

__all__ = ["Borrowed"]

MOST = 32  # containers at a time, of those that were asked for last


class Borrowed:
    """The containers by the program's numbers; `tell` sends a request and returns the answer, `encode` tells contents apart."""

    def __init__(self, tell: Callable[..., Any], encode: Callable[[Any], bytes]) -> None:
        self.tell = tell
        self.encode = encode
        self.held: dict[int, tuple[Any, bytes]] = {}

    def take(self, number: int, value: Any) -> Any:
        """Return the tests' container for one of the program: the one they have already, with its content of now."""
        known = self.held.pop(number, None)
        if known is not None and refill(known[0], value):
            value = known[0]
        if len(self.held) == MOST:
            del self.held[next(iter(self.held))]
        self.note(number, value)
        return value

    def note(self, number: int, value: Any) -> None:
        """Remember the content that both sides have; what can no more cross is from now on the tests' alone."""
        content = self.content_of(value)
        if content is None:
            self.held.pop(number, None)
        else:
            self.held[number] = value, content

    def content_of(self, value: Any) -> bytes | None:
        """Return a value as bytes, None where it cannot cross."""
        try:
            return self.encode(value)
        except Unsupported:
            return None

    def give_back(self) -> None:
        """Tell the program what the tests have changed."""
        for number, (value, old) in [*self.held.items()]:
            self.note(number, value)
            if number in self.held and self.held[number][1] != old:
                self.tell("refill", number, value)

    def renew(self) -> None:
        """Give the tests what the program has changed, and nothing else: they may be going through a container."""
        for number, (value, old) in [*self.held.items()]:
            new = self.tell("reload", number)
            if self.content_of(new) != old:
                refill(value, new)
                self.note(number, value)
