"""Scores many samples in chunks, so that somebody can be told how far it is."""

import time
from collections.abc import Callable, Iterator, Sequence

from rewardstack.runner import TermRun, group_rows
from rewardstack.sample import Batch, Sample
from rewardstack.score import Score, StackScore
from rewardstack.stack import Run, Stack

__all__ = ["score_in_chunks"]

FIRST_CHUNK = 64
LARGEST_CHUNK = 8192
CHUNK_SECONDS = 0.5


def score_in_chunks(
    stack: Stack,
    samples: Sequence[Sample],
    step: int = 0,
    *,
    size: int | None = None,
    tell: Callable[[int], None] = lambda _: None,
) -> Run:
    """Score samples like `Stack.run`, calling `tell` with the number of rows done after every chunk.

    A stack with a batch reward gets all rows at once, for such a reward may look at all it is given, unless `size`
    says how many rows a batch holds. Other stacks are cut so that a chunk takes about half a second; no score
    depends on where, since chunks do not cut the groups that a group reward sees.
    """
    whole = any(term.reward.scope == "batch" for term in stack.terms)
    fixed = len(samples) if whole and size is None else size
    scores: list[StackScore | None] = [None] * len(samples)
    parts: list[tuple[list[int], Run]] = []
    batch, pace = stack.batch(samples), Pace(fixed)
    for rows in chunks(stack, batch, pace):
        part = batch.take(rows)
        run = pace.time(lambda part=part: stack.run(part, step))  # type: ignore[misc]
        for row, score in zip(rows, run.scores, strict=True):
            scores[row] = score
        parts.append((rows, run))
        tell(len(rows))
    done = [score for score in scores if score is not None]
    return Run(done, {term.name: merge(term.name, parts, len(samples)) for term in stack.terms})


class Pace:
    """How many rows the next chunk takes: a fixed number, or what about `CHUNK_SECONDS` allow."""

    def __init__(self, fixed: int | None) -> None:
        self.fixed = fixed
        self.rows = fixed or FIRST_CHUNK

    def time(self, work: Callable[[], Run]) -> Run:
        """Do the work of a chunk and learn from how long it took."""
        began = time.perf_counter()
        run = work()
        if self.fixed is None:
            factor = CHUNK_SECONDS / max(time.perf_counter() - began, 1e-6)
            self.rows = max(1, min(LARGEST_CHUNK, int(self.rows * min(4.0, max(0.25, factor)))))
        return run


def chunks(stack: Stack, batch: Batch, pace: Pace) -> Iterator[list[int]]:
    """Yield rows chunk by chunk; for a stack with group rewards whole groups, in order of first appearance."""
    rows = list(range(batch.size))
    grouped = any(term.reward.scope == "group" for term in stack.terms)
    groups = group_rows(batch, rows) if grouped else [[row] for row in rows]
    waiting: list[int] = []
    for group in groups:
        if waiting and len(waiting) + len(group) > pace.rows:
            yield waiting
            waiting = []
        waiting.extend(group)
    if waiting:
        yield waiting


def merge(term: str, parts: Sequence[tuple[list[int], Run]], size: int) -> TermRun:
    """Return one term's runs over chunks as one run over all rows."""
    scores: list[Score | None] = [None] * size
    for rows, run in parts:
        for row, score in zip(rows, run.terms[term].scores, strict=True):
            scores[row] = score
    ran = [run.terms[term] for _, run in parts]
    return TermRun(
        scores,
        calls=sum(each.calls for each in ran),
        shared=sum(each.shared for each in ran),
        closed=sum(each.closed for each in ran),
        seconds=sum(each.seconds for each in ran),
    )
