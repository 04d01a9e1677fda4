"""sympy as the last resort: asked about our own trees, in a worker process that is killed at its deadline."""

import logging
from functools import cache

from rewardstack import IsolationError, call_isolated
from rewardstack_math.nodes import Node

__all__ = ["decide"]

logger = logging.getLogger("rewardstack")


def decide(left: Node, right: Node, deadline: float = 0.8) -> bool | None:
    """Return whether sympy finds two expressions equal, None when it cannot tell within `deadline` seconds.

    Importing sympy does not count. Safe to call from any thread. Never raises; that there is no sympy, or no worker
    process, is logged once.
    """
    try:
        verdict = call_isolated("rewardstack_math.algebra:judge", left, right, timeout=deadline)
    except TimeoutError:
        return None
    except IsolationError as error:
        if not isinstance(error.__cause__, RecursionError):  # a tree too deep to be sent is just too hard
            tell_once(str(error))
        return None
    return verdict if isinstance(verdict, bool) else None


@cache
def tell_once(message: str) -> None:
    """Log a message the first time it comes."""
    logger.warning("math.equal does without its last stage: %s", message)
