"""Undoes what tests most often leave changed in the worker, for those of the next program."""

import builtins
import decimal
import sys
from typing import Any

__all__ = ["restore"]

names: dict[str, Any] = builtins.__dict__
NAMES = dict(names)
STREAMS = (sys.stdin, sys.stdout, sys.stderr)
RECURSION = sys.getrecursionlimit()


def restore() -> None:
    """Put back built-ins, streams, the recursion limit, how decimals round, and what comes next at random.

    Uses no built-in function before they are back.
    """
    names.update(NAMES)
    for name in [name for name in names if name not in NAMES]:
        del names[name]
    sys.stdin, sys.stdout, sys.stderr = STREAMS
    sys.setrecursionlimit(RECURSION)
    decimal.setcontext(decimal.DefaultContext.copy())
    if "random" in sys.modules:  # so that a verdict does not depend on what was judged before
        random: Any = sys.modules["random"]
        random.seed = random._inst.seed  # noqa: SLF001 - the generator its functions are of
        random.seed(0)
