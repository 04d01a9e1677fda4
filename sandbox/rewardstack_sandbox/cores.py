"""How many processor cores there are to use, and which one each worker keeps to while a batch gives every core work.

A worker is a row of processes that wait for one another: the server, its forker, a candidate after the other. Alone they are
quickest spread over idle cores; where no core is idle, to wake one another across cores is work without a gain.
"""

import contextlib
import math
import os
from collections.abc import Iterable
from pathlib import Path

__all__ = ["cores_for", "place", "usable_cores"]

QUOTAS = (  # of a container's processor time: "TIME PERIOD" in one file, or in two
    ("/sys/fs/cgroup/cpu.max",),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)


def usable_cores() -> int:
    """Return how many cores this process can keep busy: those it may run on, at most what its container's quota is worth.

    More processes than that wait for one another, and run into time limits that they would keep alone.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, quota() or cores)


def quota() -> int:
    """Return how many cores the quota of this container is worth, rounded up; 0 where there is none."""
    for files in QUOTAS:
        with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
            time, period = (int(text) for file in files for text in Path(file).read_text("ascii").split())
            return max(0, math.ceil(time / period))
    return 0


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
