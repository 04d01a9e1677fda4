"""Which processor core each worker keeps to while a batch gives every core work.

A worker is a row of processes that wait for one another: the server, its forker, a candidate after the other. Alone they are
quickest spread over idle cores; where no core is idle, to wake one another across cores is work without a gain.
"""

import contextlib
import os
from collections.abc import Iterable

__all__ = ["cores_for", "place"]


def cores_for(workers: int) -> list[int | None]:
    """Return a core for each of so many workers; only None where they would leave a core idle.

    Ranks of one machine (`LOCAL_WORLD_SIZE`, `LOCAL_RANK`), which have their batches at the same time, take cores next to
    one another.
    """
    if not hasattr(os, "sched_setaffinity"):
        return [None] * workers
    cores = sorted(os.sched_getaffinity(0))
    ranks, rank = whole_number("LOCAL_WORLD_SIZE", 1), whole_number("LOCAL_RANK", 0)
    if workers * ranks < len(cores):
        return [None] * workers
    return [cores[(rank * workers + number) % len(cores)] for number in range(workers)]


def place(processes: Iterable[int], core: int | None) -> None:
    """Keep processes, and what they start from now on, to a core; for None, to those that this process may use.

    Speed alone depends on it: a kernel that refuses, and a process that is gone, change no result.
    """
    wanted = os.sched_getaffinity(0) if core is None else {core}
    for process in processes:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(process, wanted)


def whole_number(name: str, default: int) -> int:
    """Return a number of the environment; the default where it is none, or is not set."""
    told = os.environ.get(name, "")
    return int(told) if told.isdecimal() else default
