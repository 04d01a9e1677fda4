"""Calls async rewards together, on one event loop."""

import asyncio
import copy
import os
import threading
import time
from collections.abc import Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from functools import cache
from typing import Any

from rewardstack.calls.base import Cancelled, timed_out
from rewardstack.columns import Arguments, ChunkArguments
from rewardstack.results import raised, to_score, to_scores
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
        self.began = 0.0
        self.future: Future[Any] | None = None

    def call_rows(self, arguments: Arguments) -> list[Score]:
        """Await all rows, `AT_ONCE` at most at one time."""
        function, options, bounds = (
            self.term.function,
            self.term.call_options(),
            self.term.reward.contract.range,
        )

        async def one(place: int) -> Score:
            keywords = {} if arguments.keywords is None else copy.deepcopy(arguments.keywords[place])
            values = (
                copy.deepcopy(arguments.positional[place])
                if arguments.mutable
                else arguments.positional[place]
            )
            result, seconds = await self.bounded(function(*values, **keywords, **options))
            return to_score(result, bounds, seconds)

        return self.gather([one(place) for place in range(len(arguments.rows))])

    def call_chunks(self, calls: Sequence[ChunkArguments]) -> list[list[Score]]:
        """Await all chunks."""
        function, options = self.term.function, self.term.call_options()

        async def one(call: ChunkArguments) -> list[Score]:
            awaitable = function(*call.positional, **call.keywords, **call.trainer, **options)
            result, seconds = await self.bounded(awaitable)
            if isinstance(result, Score):
                return [result] * len(call.rows)
            return to_scores(result, len(call.rows), self.term.reward.contract.range, seconds)

        return self.gather([one(call) for call in calls])

    async def bounded(self, awaitable: Any) -> tuple[Any, float]:
        """Return what an awaitable gives within the timeout, or the score of its failure, and the seconds."""
        timeout, began = self.term.timeout, time.perf_counter()
        task = asyncio.ensure_future(awaitable)
        try:
            finished, _ = await asyncio.wait([task], timeout=timeout)
        except asyncio.CancelledError:
            task.cancel()
            raise
        seconds = time.perf_counter() - began
        if (
            not finished
        ):  # not awaited after cancelling: one that swallows the cancellation must not hold up the rest
            task.cancel()
            return timed_out(timeout or 0.0, seconds), seconds
        try:
            return task.result(), seconds
        except BaseException as error:
            return raised(error, seconds), seconds

    def gather(self, coroutines: list[Coroutine[Any, Any, Any]]) -> list[Any]:
        """Run coroutines on the shared loop and return their results in order."""

        async def limited(gate: asyncio.Semaphore, coroutine: Coroutine[Any, Any, Any]) -> Any:
            async with gate:
                return await coroutine

        async def together() -> list[Any]:
            gate = asyncio.Semaphore(AT_ONCE)
            return await asyncio.gather(*(limited(gate, coroutine) for coroutine in coroutines))

        self.began = time.perf_counter()
        self.future = asyncio.run_coroutine_threadsafe(together(), event_loop(os.getpid()))
        try:
            return list(self.future.result())
        except CancelledError as error:
            raise Cancelled from error

    def cancel(self) -> None:
        """Cancel every call."""
        if self.future is not None:
            self.future.cancel()

    def on_row(self) -> tuple[int, float]:
        """Return the first row (all are under way at one time) and for how long."""
        return 0, time.perf_counter() - self.began if self.began else 0.0
