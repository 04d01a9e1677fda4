"""Undoes what tests most often leave changed in the worker, for those of the next program."""

import builtins
import decimal
import sys
import time
from typing import Any

__all__ = ["restore"]

names: dict[str, Any] = builtins.__dict__
NAMES = dict(names)
clocks: dict[str, Any] = time.__dict__
CLOCKS = dict(clocks)
STREAMS = (sys.stdin, sys.stdout, sys.stderr)
RECURSION = sys.getrecursionlimit()


def restore() -> None:
    """Put back built-ins, streams, the recursion limit, clocks, how decimals round, event loops, and what comes next at random.

    Tests undo much of that themselves, but for those of a program that fails. Uses no built-in function before they are
    back.
    """
    names.update(NAMES)
    for name in [name for name in names if name not in NAMES]:
        del names[name]
    sys.stdin, sys.stdout, sys.stderr = STREAMS
    sys.setrecursionlimit(RECURSION)
    decimal.setcontext(decimal.DefaultContext.copy())
    clocks.update(CLOCKS)
    if "asyncio" in sys.modules:  # a loop that is closed, or was taken away, would be the next program's too
        sys.modules["asyncio.events"]._event_loop_policy = None  # type: ignore[attr-defined]  # noqa: SLF001
    if "random" in sys.modules:  # so that a verdict does not depend on what was judged before
        random: Any = sys.modules["random"]
        own = random._inst  # noqa: SLF001 - the generator its functions are of
        random.__dict__.update({name: getattr(own, name) for name in random.__all__ if hasattr(own, name)})
        random.seed(0)
