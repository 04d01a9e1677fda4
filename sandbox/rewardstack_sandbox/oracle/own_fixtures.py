"""Those fixtures of pytest's own that need no file: `capsys` and `monkeypatch`."""

import importlib
import io
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["capsys", "monkeypatch"]


class Captured(NamedTuple):
    """What was printed since the last time it was asked for."""

    out: str
    err: str


class Capture:
    """Takes what is printed while it is in the place of both streams."""

    def __init__(self) -> None:
        self.streams = io.StringIO(), io.StringIO()

    def readouterr(self) -> Captured:
        """Return what was printed, and begin anew."""
        found = Captured(*(stream.getvalue() for stream in self.streams))
        for stream in self.streams:
            stream.seek(0)
            stream.truncate()
        return found


def capsys() -> Iterator[Capture]:
    """Yield what tests read the printed text of; the program's comes there too."""
    before, capture = (sys.stdout, sys.stderr), Capture()
    sys.stdout, sys.stderr = capture.streams
    try:
        yield capture
    finally:
        sys.stdout, sys.stderr = before


def monkeypatch() -> Iterator[Any]:
    """Yield pytest's own, which undoes what it changed."""
    patch = importlib.import_module("pytest").MonkeyPatch()
    try:
        yield patch
    finally:
        patch.undo()
