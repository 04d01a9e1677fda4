"""Calls synchronous rewards in the thread of their term's job."""

import time
from collections.abc import Sequence

from rewardstack.calls.base import Cancelled
from rewardstack.columns import Arguments, ChunkArguments, copy_value
from rewardstack.results import raised, to_score, to_scores
from rewardstack.score import Score
from rewardstack.term import Term

__all__ = ["PlainCaller"]


class PlainCaller:
    """Calls a synchronous reward in the job's own thread."""

    def __init__(self, term: Term) -> None:
        self.term = term
        self.cancelled = False
        self.row, self.since = 0, 0.0

    def call_rows(self, arguments: Arguments) -> list[Score]:
        """Call row after row; whatever a call raises is that row's error."""
        function, bounds = self.term.function, self.term.reward.contract.range
        options, own_options = self.term.call_options(), self.term.mutable_options
        clock, scores, keywords = time.perf_counter, list[Score](), options
        self.since = clock()
        for place, self.row in enumerate(arguments.rows):
            if self.cancelled:
                raise Cancelled
            try:
                values = arguments.positional[place]
                if arguments.mutable:
                    values = copy_value(values)
                if own_options or arguments.keywords is not None:
                    keywords = {**arguments.named(place), **self.term.call_options()}
                returned = function(*values, **keywords)
                now = clock()
                score = to_score(returned, bounds, now - self.since)
            except BaseException as error:  # this thread gets no signals: all of these are the reward's own
                now = clock()
                score = raised(error, now - self.since, function)
            self.since = now
            scores.append(score)
        return scores

    def call_chunks(self, calls: Sequence[ChunkArguments]) -> list[list[Score]]:
        """Call chunk after chunk."""
        return [self.call_chunk(call) for call in calls]

    def call_chunk(self, call: ChunkArguments) -> list[Score]:
        """Call for one chunk; whatever the call raises is the error of all its rows."""
        if self.cancelled:
            raise Cancelled
        bounds, size, function = self.term.reward.contract.range, len(call.rows), self.term.function
        self.row, self.since = call.rows[0], time.perf_counter()
        try:
            returned = function(*call.positional, **call.keywords, **call.trainer, **self.term.call_options())
            return to_scores(returned, size, bounds, time.perf_counter() - self.since, function)
        except BaseException as error:
            return [raised(error, time.perf_counter() - self.since, function)] * size

    def cancel(self) -> None:
        """Stop before the next call; the one running cannot be stopped from outside."""
        self.cancelled = True

    def on_row(self) -> tuple[int, float]:
        """Return the row being called and for how long."""
        return self.row, time.perf_counter() - self.since if self.since else 0.0
