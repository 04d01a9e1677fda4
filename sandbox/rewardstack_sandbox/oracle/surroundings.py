"""What tests put in the place of the interpreter's own streams and functions, passed on to the program.

Tests that look at what a program prints replace `sys.stdout`; those that answer its questions replace `sys.stdin` or
`input`; others replace a clock or a die, seed one, or allow deeper recursion. In one process the program would meet all
that, so it is told before it is asked for anything, and what it printed is written where the tests look for it. Nothing
of the tests goes with it but the text of their input, the numbers of their functions and of their seeds.
"""

import builtins
import random
import sys
import time
import types
from collections.abc import Callable
from typing import Any

from rewardstack_sandbox.oracle.restoring import RECURSION, STREAMS

__all__ = ["Surroundings", "may_replace"]

# Tests without any of these words replace nothing, and need not be watched.
WORDS = (
    "stdout", "stderr", "stdin", "capsys", "capfd", "patch", "builtins", "input", "recursion", "seed", "setattr", "sleep",
)  # fmt: skip

# Functions that tests replace, by module. What the tests' own give must be values that can cross.
REPLACED = {
    builtins: ("input", "print"),
    time: ("sleep", "time"),
    random: ("random", "randint", "uniform", "choice"),
}
PRINTED = ("stdout", "stderr")
DEEPEST = 10_000  # calls of the tests' own; 20,000 with the talk between them fit on the stack


def may_replace(tests: str) -> bool:
    """Whether test code may replace streams or functions."""
    return any(word in tests for word in WORDS)


class Surroundings:
    """The streams and functions one program has been told of; `tell` sends a request and returns the answer."""

    def __init__(self, tell: Callable[..., Any]) -> None:
        self.tell = tell
        self.captured: list[str] = []
        self.input: Any = STREAMS[0]
        self.functions: dict[tuple[str, str], Any] = {}
        self.seeds: list[tuple[Any, ...]] = []
        self.recursion = RECURSION

    def watch_seed(self) -> None:
        """Note with what the tests seed `random`, until all is restored: so must the program's be."""
        original = random.seed

        def seed(*arguments: Any, **keywords: Any) -> None:
            original(*arguments, **keywords)
            self.seeds.append((*arguments, *(keywords[name] for name in ("a",) if name in keywords)))

        random.seed = seed

    @property
    def changed(self) -> bool:
        """Whether there is anything that differs from what the program knows, or that it prints for the tests."""
        return bool(
            (sys.stdin, sys.stdout, sys.stderr) != STREAMS
            or self.captured
            or self.functions
            or self.seeds
            or sys.getrecursionlimit() != self.recursion
            or replaced_functions()
        )

    def pass_on(self) -> None:
        """Tell the program of what has changed."""
        for stream, own in zip(PRINTED, STREAMS[1:], strict=True):
            if (getattr(sys, stream) is not own) != (stream in self.captured):
                self.capture(stream)
        if sys.stdin is not STREAMS[0]:
            self.send_input()
        self.replace_functions()
        if sys.getrecursionlimit() != self.recursion:
            asked = sys.getrecursionlimit()
            self.recursion = min(asked, DEEPEST)  # or a program could lead the tests to where the stack ends
            sys.setrecursionlimit(self.recursion)
            self.tell("recursion", asked)
        while self.seeds:
            self.tell("seed", *self.seeds.pop(0)[:1])

    def capture(self, stream: str) -> None:
        """Begin or end keeping what the program prints."""
        if stream in self.captured:
            self.captured.remove(stream)
            self.tell("release", stream)
        else:
            self.captured.append(stream)
            self.tell("capture", stream)

    def send_input(self) -> None:
        """Send what the tests' input holds; the program reads what it wants of it."""
        text = sys.stdin.read() if hasattr(sys.stdin, "read") else ""
        if type(text) is str and (text or sys.stdin is not self.input):
            self.tell("input", text)
        self.input = sys.stdin

    def replace_functions(self) -> None:
        """Send the functions that have been replaced, and take back those that have not been any more."""
        now = replaced_functions()
        for place in [one for one in self.functions if one not in now]:
            del self.functions[place]
            self.tell("restore", *place)
        for place, function in now.items():
            if self.functions.get(place) is not function:
                self.functions[place] = function
                self.tell("replace", *place, function)

    def collect(self) -> None:
        """Write what the program has printed to where the tests look for it."""
        for stream in self.captured:
            text = self.tell("printed", stream)
            if type(text) is str and text:
                getattr(sys, stream).write(text)


def replaced_functions() -> dict[tuple[str, str], Any]:
    """Return the functions of `REPLACED` that are not the interpreter's own."""
    found = {}
    for module, names in REPLACED.items():
        for name in names:
            function = getattr(module, name, None)
            if not is_own(function):
                found[module.__name__, name] = function
    return found


def is_own(function: Any) -> bool:
    """Whether a function is one of a module written in C, or of `random`'s generator."""
    kind = type(function)
    if kind is types.BuiltinFunctionType:
        return isinstance(function.__self__, (types.ModuleType, random.Random))
    return kind is types.MethodType and isinstance(function.__self__, random.Random)
