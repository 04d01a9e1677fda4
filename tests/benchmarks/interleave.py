"""Measures two ways of doing one thing in turns, so that a slow moment of the machine hits both alike."""

import gc
import statistics
import time
from collections.abc import Callable

__all__ = ["ratio"]


def ratio(ours: Callable[[], object], other: Callable[[], object], rounds: int = 7) -> float:
    """Return the median of ours/other over interleaved rounds; below 1 means ours is faster."""
    ours(), other()
    ratios = []
    for turn in range(rounds):
        pair = [ours, other] if turn % 2 else [other, ours]
        times = {}
        for call in pair:
            gc.collect()
            began = time.perf_counter()
            call()
            times[call] = time.perf_counter() - began
        ratios.append(times[ours] / times[other])
    return statistics.median(ratios)
