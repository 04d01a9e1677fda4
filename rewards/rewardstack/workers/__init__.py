"""The pool of worker processes that this process shares among all its stacks."""

import atexit
import os
import threading
from typing import Any

from rewardstack.environment import read_number
from rewardstack.errors import IsolationError
from rewardstack.files import Source
from rewardstack.workers.messages import Call, Fault, Recipe, Recorded, read_reply
from rewardstack.workers.pool import Pool
from rewardstack.workers.process import Outcome, Settled, TimedOut
from rewardstack_sandbox.cores import usable_cores

__all__ = [
    "Outcome",
    "Pool",
    "Settled",
    "TimedOut",
    "call_isolated",
    "close_pool",
    "default_memory",
    "default_size",
    "pool",
]


def default_size() -> int:
    """Return how many workers this process may have: the machine's cores shared by its ranks."""
    ranks = int(read_number("LOCAL_WORLD_SIZE", 1, least=1))
    return int(read_number("REWARDSTACK_WORKERS", max(1, usable_cores() // ranks), least=1))


def default_memory() -> int:
    """Return the address space limit of a worker in bytes: `REWARDSTACK_WORKER_MEMORY` in GiB, 8 if unset, 0 for none."""
    return int(read_number("REWARDSTACK_WORKER_MEMORY", 8, least=0) * 2**30)


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


def call_isolated(use: str, *arguments: Any, timeout: float) -> Any:
    """Call a function in a worker process and return what it returns.

    For the risky step of a reward that otherwise runs in its own process: a computer algebra system, a parser in C.
    Safe to call from any thread; blocks.

    Args:
        use: The function's importable name, `package.module:function`.
        arguments: What it is called with; they and the result must pickle.
        timeout: Seconds it may run; importing its module does not count.

    Raises:
        TimeoutError: It was killed at the deadline.
        IsolationError: It raised, its process died, or it cannot be imported there.
    """
    recipe = Recipe(Source(use), None, {}, is_class=False)
    future = pool().submit(recipe, Call(arguments, plain=True), timeout)
    try:
        outcome, _ = future.result()
    except BaseException:  # interrupted: what runs for nobody is killed
        future.cancel()
        raise
    if isinstance(outcome, bytes):
        outcome = read_reply(outcome)
    if isinstance(outcome, TimedOut):
        raise TimeoutError(f"{use} was stopped after {timeout:g} s")
    if isinstance(outcome, Fault):
        raise IsolationError(f"{use}: {outcome.text}")
    return outcome.value if isinstance(outcome, Recorded) else None
