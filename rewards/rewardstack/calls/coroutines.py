"""Calls async rewards together, on one event loop."""

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import CancelledError, Future
from functools import cache, partial
from typing import Any

from rewardstack.calls.base import Cancelled, timed_out
from rewardstack.columns import Arguments, ChunkArguments, copy_value
from rewardstack.results import failed, raised, to_score, to_scores
from rewardstack.score import Score
from rewardstack.term import Term

__all__ = ["AsyncCaller", "event_loop"]

AT_ONCE = 1024


@cache
def event_loop(process: int) -> asyncio.AbstractEventLoop:  # noqa: ARG001 - the key of the cache
    """Return the loop all async rewards of a process share, in a thread of its own.

    One loop for good, so that clients a reward keeps between batches stay bound to a living loop. `process` is the
    caller's process id: a forked child inherits the loop but not its thread, and needs its own.
    """
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="rewardstack-loop", daemon=True).start()
    return loop


class AsyncCaller:
    """Calls an async reward for all rows together; calls over their timeout are cancelled."""

    def __init__(self, term: Term) -> None:
        self.term = term
        self.future: Future[Any] | None = None
        self.pending: dict[int, float] = {}  # the first row of every call under way, and when it began

    def call_rows(self, arguments: Arguments) -> list[Score]:
        """Await all rows, `AT_ONCE` at most at one time."""
        function, bounds = self.term.function, self.term.reward.contract.range

        async def one(place: int) -> Score:
            values = arguments.positional[place]
            if arguments.mutable:
                values = copy_value(values)
            began = time.perf_counter()
            returned = await function(*values, **arguments.named(place), **self.term.call_options())
            return to_score(returned, bounds, time.perf_counter() - began)

        return self.gather([(row, partial(one, place)) for place, row in enumerate(arguments.rows)])

    def call_chunks(self, calls: Sequence[ChunkArguments]) -> list[list[Score]]:
        """Await all chunks; a chunk that fails is the error of all its rows."""
        function, bounds = self.term.function, self.term.reward.contract.range

        async def one(call: ChunkArguments) -> list[Score]:
            began, options = time.perf_counter(), self.term.call_options()
            returned = await function(*call.positional, **call.keywords, **call.trainer, **options)
            return to_scores(returned, len(call.rows), bounds, time.perf_counter() - began, function)

        scored = self.gather([(call.rows[0], partial(one, call)) for call in calls])
        return [
            [found] * len(call.rows) if isinstance(found, Score) else found
            for call, found in zip(calls, scored, strict=True)
        ]

    def gather(self, calls: Sequence[tuple[int, Callable[[], Awaitable[Any]]]]) -> list[Any]:
        """Run calls, each given with its first row, on the shared loop; their results keep the order."""

        async def together() -> list[Any]:
            gate = asyncio.Semaphore(AT_ONCE)

            async def limited(row: int, call: Callable[[], Awaitable[Any]]) -> Any:
                async with gate:
                    return await self.bounded(row, call)

            return await asyncio.gather(*(limited(row, call) for row, call in calls))

        self.future = asyncio.run_coroutine_threadsafe(together(), event_loop(os.getpid()))
        try:
            return list(self.future.result())
        except CancelledError as error:
            raise Cancelled from error

    async def bounded(self, row: int, call: Callable[[], Awaitable[Any]]) -> Any:
        """Return what a call gives within the timeout, or the score of its failure."""
        timeout, began = self.term.timeout, time.perf_counter()
        self.pending[row] = began
        task = asyncio.ensure_future(guarded(call, self.term.function))
        try:
            finished, _ = await asyncio.wait([task], timeout=timeout)
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            self.pending.pop(row, None)
        ran = time.perf_counter() - began
        if timeout is not None and (
            not finished or ran > timeout
        ):  # it may have held up the loop, and so its deadline
            task.cancel()  # and not awaited: one that swallows the cancellation must not hold up the rest
            return timed_out(timeout, ran)
        if task.cancelled():
            return failed("cancelled itself", ran)
        return task.result()

    def cancel(self) -> None:
        """Cancel every call."""
        if self.future is not None:
            self.future.cancel()

    def on_row(self) -> tuple[int, float]:
        """Return the row that has been under way the longest, and for how long."""
        oldest = next(iter(tuple(self.pending.items())), None)
        return (0, 0.0) if oldest is None else (oldest[0], time.perf_counter() - oldest[1])


async def guarded(call: Callable[[], Awaitable[Any]], function: Callable[..., Any]) -> Any:
    """Return what a call of a reward gives or raises, as a score; a SystemExit let through would end the loop's thread."""
    began = time.perf_counter()
    try:
        return await call()
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        return raised(error, time.perf_counter() - began, function)
