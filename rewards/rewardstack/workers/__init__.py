"""The pool of worker processes that this process shares among all its stacks."""

import atexit
import os
import threading

from rewardstack.workers.pool import Pool
from rewardstack.workers.process import Outcome, TimedOut

__all__ = ["Outcome", "Pool", "TimedOut", "close_pool", "default_memory", "default_size", "pool"]


def default_size() -> int:
    """Return how many workers this process may have: the machine's cores shared by its ranks."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("REWARDSTACK_WORKERS")
    return int(asked) if asked else max(1, cores // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))


def default_memory() -> int:
    """Return the address space limit of a worker in bytes: `REWARDSTACK_WORKER_MEMORY` in GiB, 8 if unset."""
    return int(float(os.environ.get("REWARDSTACK_WORKER_MEMORY", "8")) * 2**30)


_pools: list[Pool] = []
_lock = threading.Lock()


def pool() -> Pool:
    """Return this process's pool, made on first use (and anew in a forked child)."""
    with _lock:
        if not _pools or _pools[-1].owner != os.getpid() or _pools[-1].closed:
            _pools[:] = [Pool(default_size(), default_memory())]
            atexit.register(_pools[-1].close)
        return _pools[-1]


def close_pool() -> None:
    """End this process's pool, if there is one; the next isolated call starts another."""
    with _lock:
        while _pools:
            _pools.pop().close()
