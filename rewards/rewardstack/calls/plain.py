"""Calls synchronous rewards in the thread of their term's job."""

import copy
import time
from collections.abc import Sequence

from rewardstack.calls.base import Cancelled
from rewardstack.columns import Arguments, ChunkArguments
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
        function, options, bounds = (
            self.term.function,
            self.term.call_options(),
            self.term.reward.contract.range,
        )
        clock, scores = time.perf_counter, list[Score]()
        keywords, values = options, arguments.positional
        self.since = clock()
        for place, (self.row, row_values) in enumerate(zip(arguments.rows, values, strict=True)):
            if self.cancelled:
                raise Cancelled
            try:
                if arguments.keywords is not None:
                    keywords = {**copy.deepcopy(arguments.keywords[place]), **options}
                returned = function(
                    *copy.deepcopy(row_values) if arguments.mutable else row_values, **keywords
                )
                now = clock()
                score = to_score(returned, bounds, now - self.since)
            except BaseException as error:  # this thread gets no signals: all of these are the reward's own
                now = clock()
                score = raised(error, now - self.since)
            self.since = now
            scores.append(score)
        return scores

    def call_chunks(self, calls: Sequence[ChunkArguments]) -> list[list[Score]]:
        """Call chunk after chunk."""
        scores = []
        function, options = self.term.function, self.term.call_options()
        for call in calls:
            if self.cancelled:
                raise Cancelled
            self.row, self.since = call.rows[0], time.perf_counter()
            try:
                returned = function(*call.positional, **call.keywords, **call.trainer, **options)
                scored = to_scores(
                    returned,
                    len(call.rows),
                    self.term.reward.contract.range,
                    time.perf_counter() - self.since,
                )
            except BaseException as error:
                scored = [raised(error, time.perf_counter() - self.since)] * len(call.rows)
            scores.append(scored)
        return scores

    def cancel(self) -> None:
        """Stop before the next call; the one running cannot be stopped from outside."""
        self.cancelled = True

    def on_row(self) -> tuple[int, float]:
        """Return the row being called and for how long."""
        return self.row, time.perf_counter() - self.since if self.since else 0.0
