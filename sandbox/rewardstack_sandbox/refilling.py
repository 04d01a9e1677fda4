"""Containers of built-in types given another content in place, so that whoever holds them sees it."""

from collections import deque
from typing import Any

from rewardstack_sandbox.values import MUTABLE

__all__ = ["refill"]


def refill(old: Any, new: Any) -> bool:
    """Give a container the content of another one of exactly its type; return whether it is such a container."""
    kind = type(old)
    if kind is not type(new) or kind not in MUTABLE:
        return False
    if kind in (list, bytearray):
        old[:] = new
    elif kind is deque:
        old.clear()
        old.extend(new)
    else:
        old.clear()
        old.update(new)
    return True
