"""The candidate's side of streams and functions that tests replace: puts theirs in the place of its own."""

import importlib
import io
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["SURROUNDINGS"]

own: dict[tuple[str, str], Any] = {}  # what was in a place before


def replace(module: str, name: str, value: Any) -> None:
    """Put something in the place of an attribute of a module."""
    found = importlib.import_module(module)
    own.setdefault((module, name), getattr(found, name))
    setattr(found, name, value)


def restore(module: str, name: str) -> None:
    """Put back what was there."""
    setattr(importlib.import_module(module), name, own.pop((module, name)))


def printed(stream: str) -> str:
    """Return what was printed since the last time, if it still goes to where it was captured."""
    found = getattr(sys, stream)
    if not isinstance(found, io.StringIO):
        return ""
    text = found.getvalue()
    found.seek(0)
    found.truncate()
    return text


def give_input(text: str) -> None:
    """Let standard input hold a text, behind what has not been read of another."""
    left = sys.stdin.read() if isinstance(sys.stdin, Given) else ""
    replace("sys", "stdin", Given(io.BytesIO((left + text).encode("utf-8", "surrogatepass")), "utf-8"))


class Given(io.TextIOWrapper):
    """Standard input that the tests gave; it has a `buffer`, as programs expect."""


SURROUNDINGS: dict[str, Callable[..., Any]] = {
    "capture": lambda stream: replace("sys", stream, io.StringIO()),
    "release": lambda stream: restore("sys", stream),
    "printed": printed,
    "input": give_input,
    "replace": replace,
    "restore": restore,
    "recursion": sys.setrecursionlimit,
    "seed": lambda *seed: importlib.import_module("random").seed(*seed),
}
