"""Calls synchronous rewards in worker processes."""

import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from typing import Any

import msgspec

from rewardstack.calls.base import Cancelled, timed_out
from rewardstack.columns import Arguments, ChunkArguments
from rewardstack.errors import IsolationError
from rewardstack.results import failed
from rewardstack.score import Score
from rewardstack.term import Term
from rewardstack.workers import Outcome, Pool, Settled, TimedOut, pool
from rewardstack.workers.messages import Call, Fault, Recorded, read_reply

__all__ = ["IsolatedCaller"]

RETRY_SHARE = 0.25


class IsolatedCaller:
    """Calls a synchronous reward in worker processes; calls over their timeout are killed."""

    def __init__(self, term: Term) -> None:
        self.term = term
        self.recipe = term.recipe()
        self.bounds = term.reward.contract.range
        self.began = 0.0
        self.cancelled = False
        self.futures: list[Future[Settled]] = []
        self.rows: list[int] = []  # the (first) row of each of them

    def call_rows(self, arguments: Arguments) -> list[Score]:
        """Queue every row and wait for all."""
        self.rows += arguments.rows
        options = self.term.call_options()
        futures = [
            self.submit(
                pool(), values, {**(arguments.keywords[place] if arguments.keywords else {}), **options}
            )
            for place, values in enumerate(arguments.positional)
        ]
        return [self.scores(*self.wait(future), size=1)[0] for future in futures]

    def call_chunks(self, calls: Sequence[ChunkArguments]) -> list[list[Score]]:
        """Queue every chunk; a batch that was killed is tried again row by row within one further deadline."""
        workers = pool()
        self.rows += [call.rows[0] for call in calls]
        waiting = [(call, self.submit_chunk(workers, call, self.term.timeout)) for call in calls]
        scored = []
        for call, future in waiting:
            outcome, seconds = self.wait(future)
            if isinstance(outcome, TimedOut) and self.retries and len(call.rows) > 1:
                scored.append(self.retry(workers, call))
                continue
            self.log([outcome], call)
            scored.append(self.scores(outcome, seconds, size=len(call.rows)))
        return scored

    @property
    def retries(self) -> bool:
        """Whether a killed batch is called again row by row.

        Not where the contract says `scope="batch"`: such a reward looks at the batch as a whole, and means something
        else for a row alone.
        """
        return self.term.reward.scope == "batch" and self.term.reward.contract.scope is None

    def retry(self, workers: Pool, call: ChunkArguments) -> list[Score]:
        """Call the rows of a killed batch one by one within one further deadline.

        Rows that are stopped after a fair part of the timeout have timed out; those that could not be given that
        much are not tried, which is nobody's fault.
        """
        timeout = self.term.timeout or 0.0
        deadline, size, fair = time.monotonic() + timeout, len(call.rows), timeout * RETRY_SHARE
        outcomes: list[tuple[Outcome | None, float]] = []
        for start in range(0, size, workers.size):
            left = deadline - time.monotonic()
            turns = -(-(size - start) // workers.size)
            # what quick rows leave over goes to those that come later
            limit = max(left / turns, min(fair, left))
            if left <= 0:
                outcomes += [(None, 0.0)] * (size - start)
                break
            places = range(start, min(size, start + workers.size))
            futures = [self.submit_chunk(workers, call.row(place), limit) for place in places]
            waited = [self.wait(future) for future in futures]
            outcomes += [
                (None, ran) if stopped(done) and limit < fair else (done, ran) for done, ran in waited
            ]
        self.log([Fault("not tried") if done is None else done for done, _ in outcomes], call)
        return [self.scores(done, ran, size=1)[0] for done, ran in outcomes]

    def submit(self, workers: Pool, values: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Queue one row."""
        return self._queue(workers, Call(values, keywords, range=self.bounds), self.term.timeout)

    def submit_chunk(self, workers: Pool, chunk: ChunkArguments, limit: float | None) -> Any:
        """Queue one chunk; logging arguments are stood in for in the worker."""
        logs = frozenset(chunk.trainer) & {"log_extra", "log_metric"}
        sent = {name: value for name, value in chunk.trainer.items() if name not in logs}
        keywords = {**chunk.keywords, **sent, **self.term.call_options()}
        call = Call(chunk.positional, keywords, many=len(chunk.rows), range=self.bounds, trainer=logs)
        return self._queue(workers, call, limit)

    def _queue(self, workers: Pool, call: Call, limit: float | None) -> "Future[Settled]":
        if self.cancelled:
            raise Cancelled
        try:
            future = workers.submit(self.recipe, call, limit)
        except IsolationError as error:
            future = Future()
            future.set_result((Fault(str(error)), 0.0))
        self.began = self.began or time.perf_counter()
        self.futures.append(future)
        return future

    def wait(self, future: "Future[Settled]") -> tuple[Outcome, float]:
        """Return a call's outcome and seconds."""
        try:
            outcome, seconds = future.result()
            return (read_reply(outcome) if isinstance(outcome, bytes) else outcome), seconds
        except CancelledError as error:
            raise Cancelled from error

    def scores(self, outcome: Outcome | None, seconds: float, size: int) -> list[Score]:
        """Return an outcome (`None`: not tried) as the scores of that many rows."""
        if outcome is None:
            why = "not tried: the time for calling a killed batch row by row was used up"
            return [failed(why, seconds, "untried")] * size
        if isinstance(outcome, Fault):
            score = failed(outcome.text, seconds, "time" if outcome.late else "")
            return [msgspec.structs.replace(score, where=outcome.where)] * size
        if isinstance(outcome, TimedOut):
            return [timed_out(outcome.seconds, seconds)] * size
        return [msgspec.structs.replace(score, seconds=seconds / size) for score in outcome.scores]

    def log(self, outcomes: Sequence[Outcome], call: ChunkArguments) -> None:
        """Log what workers recorded, columns at full length: calls that failed give `None` for their rows."""
        log_extra, log_metric = call.trainer.get("log_extra"), call.trainer.get("log_metric")
        size = len(call.rows) // len(outcomes)
        names = dict.fromkeys(
            name for done in outcomes if isinstance(done, Recorded) for name, _ in done.extra
        )
        for name in names if log_extra is not None else ():
            column: list[Any] = []
            for done in outcomes:
                logged = dict(done.extra) if isinstance(done, Recorded) else {}
                column += logged.get(name, [None] * size)
            log_extra(name, column)  # type: ignore[misc]  # pyright: ignore[reportOptionalCall]
        for done in outcomes if log_metric is not None else ():
            for name, value in done.metrics if isinstance(done, Recorded) else ():
                log_metric(name, value)  # type: ignore[misc]  # pyright: ignore[reportOptionalCall]

    def cancel(self) -> None:
        """Drop what waits and kill what runs."""
        self.cancelled = True
        for future in self.futures:
            future.cancel()

    def on_row(self) -> tuple[int, float]:
        """Return the first row that is not done, and for how long the batch has been under way.

        Only where no timeout limits calls: else the pool watches their deadlines.
        """
        if self.term.timeout is not None or not self.began:
            return 0, 0.0
        first = next(
            (row for row, future in zip(self.rows, self.futures, strict=False) if not future.done()), 0
        )
        return first, time.perf_counter() - self.began


def stopped(outcome: Outcome) -> bool:
    """Whether a call was killed at its limit."""
    return isinstance(outcome, TimedOut)
