"""Scores a batch: every term in a thread of its own, in the order its gates ask for, with a watchdog over all.

A term's job finds the rows that concern it (`when`), waits for its gates (`requires`), scores rows that are equal in
the columns it reads once, and calls the reward in one of three ways: plainly in its thread, on the event loop for
async rewards, or in worker processes for isolated ones.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from rewardstack.calls import Caller, caller_for
from rewardstack.columns import ChunkArguments, bind_chunk, bind_rows, share
from rewardstack.errors import ColumnError, RewardError, nearest
from rewardstack.results import raised
from rewardstack.sample import Batch, prompt_key
from rewardstack.score import Score
from rewardstack.term import Term
from rewardstack.threads import run_in_thread

__all__ = ["Cancellation", "Scored", "TermRun", "check_columns", "run_terms"]

logger = logging.getLogger("rewardstack")

WATCHDOG_SECONDS = 30.0


class TermRun(msgspec.Struct, frozen=True):
    """What one term did in a batch.

    `scores` has one entry a row, `None` where `when` left the term out. `calls` counts rows that were called,
    `shared` rows that took an equal row's score, `closed` rows a gate gave the low end; `seconds` is the wall time.
    """

    scores: list[Score | None]
    calls: int
    shared: int
    closed: int
    seconds: float


Scored = Mapping[str, TermRun]


class Job:
    """One term at work on one batch."""

    def __init__(
        self, term: Term, batch: Batch, trainer: Mapping[str, Any], gates: Mapping[str, "Job"]
    ) -> None:
        self.term = term
        self.batch = batch
        self.trainer = trainer
        self.gates = {gates[name]: least for name, least in term.words.requires.items()}
        self.scores: list[Score | None] = [None] * batch.size
        self.caller: Caller = caller_for(term)
        self.calls = self.shared = self.closed = 0
        self.seconds = 0.0
        self.failure: BaseException | None = None
        self.done = threading.Event()

    def work(self) -> None:
        """Score the batch; what fails here and not in the reward is kept for the caller."""
        began = time.perf_counter()
        try:
            rows = self.routed_rows()
            if self.term.reward.scope == "sample":
                self.score_rows(self.open_rows(rows))
            else:
                self.score_chunks(rows)
                self.open_rows(rows)
        except BaseException as error:
            self.failure = error
        finally:
            self.seconds = time.perf_counter() - began
            self.done.set()

    def routed_rows(self) -> list[int]:
        """Return the rows that `when` keeps."""
        rows = list(range(self.batch.size))
        for column, allowed in self.term.routes().items():
            values = self.batch.column(column)
            rows = [row for row in rows if is_among(values[row], allowed)]
        return rows

    def open_rows(self, rows: list[int]) -> list[int]:
        """Wait for the gates, settle the rows they close, and return the others."""
        for gate, least in self.gates.items():
            gate.done.wait()
            still_open = []
            for row in rows:
                closed = gate_score(self.term, gate.term.name, gate.scores[row], least)
                if closed is None:
                    still_open.append(row)
                    continue
                self.scores[row] = score = self.finish(closed)
                self.closed += score.error is None  # the row of a gate that erred counts as an error
            rows = still_open
        return rows

    def score_rows(self, rows: list[int]) -> None:
        """Score samples one by one, equal ones once."""
        arguments = bind_rows(self.term, self.batch, rows, self.trainer)
        for row in arguments.lacking:
            self.scores[row] = Score(error=f"the row has no column {arguments.lacking[row]!r}")
        first = share(arguments) if self.term.reward.shareable else None
        unique = arguments if first is None else arguments.only(sorted(set(first)))
        scores = dict(zip(unique.rows, map(self.finish, self.caller.call_rows(unique)), strict=True))
        self.calls = len(unique.rows)
        self.shared = len(arguments.rows) - self.calls
        for place, row in enumerate(arguments.rows):
            self.scores[row] = scores[row if first is None else arguments.rows[first[place]]]

    def score_chunks(self, rows: list[int]) -> None:
        """Score a batch whole (rows that `when` leaves out included), or one prompt's group at a time."""
        is_batch = self.term.reward.scope == "batch"
        chunks = [list(range(self.batch.size))] if is_batch else group_rows(self.batch, rows)
        kept, calls = set(rows), list[ChunkArguments]()
        for chunk in filter(None, chunks):
            try:
                calls.append(bind_chunk(self.term, self.batch, chunk, self.trainer))
            except Exception as error:  # a value that cannot be copied
                why = f"a column cannot be copied for it: {raised(error).error}"
                for row in kept.intersection(chunk):
                    self.scores[row] = Score(error=why)
        for call, scores in zip(calls, self.caller.call_chunks(calls), strict=True):
            for row, score in zip(call.rows, scores, strict=True):
                self.scores[row] = self.finish(score) if row in kept else None
        self.calls = sum(len(call.rows) for call in calls)

    def finish(self, score: Score) -> Score:
        """Apply `clip`, and `on_timeout` where a call was stopped."""
        words = self.term.words
        if words.clip is not None and score.value is not None:
            return msgspec.structs.replace(score, value=min(max(score.value, words.clip[0]), words.clip[1]))
        if words.on_timeout == "low" and score.error is not None and score.fault == "time":
            return msgspec.structs.replace(
                score, value=self.term.low, reason=score.error, error=None, fault=""
            )
        return score

    def result(self) -> TermRun:
        """Return what was done."""
        return TermRun(self.scores, self.calls, self.shared, self.closed, self.seconds)


def is_among(value: Any, allowed: Sequence[Any]) -> bool:
    """Whether a value is one of those `when` allows; true is not 1, and what cannot be compared is none of them."""
    try:
        return any(
            bool(value == each) and isinstance(value, bool) is isinstance(each, bool) for each in allowed
        )
    except Exception:  # an array compared with a text, say
        return False


def gate_score(term: Term, gate: str, score: Score | None, least: float) -> Score | None:
    """Return what a gate makes of a row: `None` when it is open, else the score it forces on the term."""
    if score is not None and score.error is not None:
        why = f"{gate}, which it requires, erred: {score.error}"
        return Score(error=why, fault=score.fault, where=score.where)
    if score is not None and score.value is not None and score.value >= least:
        return None
    if score is None or score.value is None:
        what = "was left out" if score is None else "abstained"
        return Score(term.low, f"closed: {gate} {what}, {least:g} is required")
    return Score(term.low, f"closed: {gate} gave {score.value:g}, {least:g} is required")


def group_rows(batch: Batch, rows: Sequence[int]) -> list[list[int]]:
    """Return the rows in groups of one prompt, in order of first appearance."""
    groups: dict[Any, list[int]] = {}
    prompts = batch.column("prompts")
    for row in rows:
        groups.setdefault(prompt_key(prompts[row]), []).append(row)
    return list(groups.values())


def check_columns(terms: Sequence[Term], batch: Batch) -> None:
    """Raise `ColumnError` when a term reads a column that no sample has; where there are no samples, none lacks."""
    for term in terms if batch.size else ():
        for column, required in term.columns().items():
            if required and column not in batch:
                known = [*held_columns(batch), "messages"]
                reader, mend = reader_of(term, column)
                raise ColumnError(
                    f"term {term.name!r}: {reader} the column {column!r}, which the samples do not have"
                    f"{nearest(column, known)}. They have: {', '.join(held_columns(batch))}{mend}"
                )


def held_columns(batch: Batch) -> list[str]:
    """Return the columns that samples brought themselves; a prompt that none has reads as empty text all the same."""
    prompted = any(prompt not in (None, "", []) for prompt in batch.column("prompts"))
    return sorted(batch.given | {"completion"} | ({"prompt"} if prompted else set()))


def reader_of(term: Term, column: str) -> tuple[str, str]:
    """Return what of a term reads a column, and how it could read another."""
    parameters = [name for name, read in term.inputs.items() if read == column]
    if not parameters:
        return "`when` goes by", ""
    mapped = f'columns = {{ {parameters[0]} = "..." }}'
    return f"{term.reward.name} reads", f". Another name can be mapped: {mapped}"


class Cancellation:
    """Lets another thread give a batch up."""

    def __init__(self) -> None:
        self._cancels: list[Callable[[], None]] = []
        self._cancelled = False
        self._lock = threading.Lock()

    def add(self, cancel: Callable[[], None]) -> None:
        """Register what is to be called, at once where the batch has been given up already."""
        with self._lock:
            self._cancels.append(cancel)
            cancelled = self._cancelled
        if cancelled:
            cancel()

    def cancel(self) -> None:
        """Give the batch up."""
        with self._lock:
            self._cancelled = True
            cancels = list(self._cancels)
        for cancel in cancels:
            cancel()


def run_terms(
    terms: Sequence[Term],
    batch: Batch,
    trainer: Mapping[str, Any],
    cancellation: Cancellation | None = None,
) -> Scored:
    """Score a batch by every term and return the runs by name.

    Raises `ColumnError` when columns are missing, `RewardError` for terms whose `on_error` is `raise`. When the
    caller is interrupted, running calls are cancelled or killed; a plain call that hangs is left to its daemon thread.
    """
    check_columns(terms, batch)
    for term in terms:
        for column in term.columns():
            if column in batch:
                batch.column(column)  # normalised once, before threads could race to do it
    jobs: dict[str, Job] = {}
    for term in terms:  # sorted by the stack: gates come before the terms that require them
        job = jobs[term.name] = Job(term, batch, trainer, jobs)
        if cancellation is not None:
            cancellation.add(job.caller.cancel)
    try:
        for name, job in jobs.items():
            run_in_thread(job.work, f"rewardstack-{name}")
        for job in jobs.values():
            wait(job, jobs)
            if job.failure is not None:
                raise job.failure  # noqa: TRY301 - the others are cancelled below
    except BaseException:
        for job in jobs.values():
            job.caller.cancel()
        raise
    for job in jobs.values():
        raise_errors(job)
    return {name: job.result() for name, job in jobs.items()}


def wait(job: Job, jobs: Mapping[str, Job]) -> None:
    """Wait for a job; every so often the watchdog names calls that have not returned."""
    warned: set[tuple[str, int]] = set()
    while not job.done.wait(WATCHDOG_SECONDS):
        for name, other in jobs.items():
            row, seconds = other.caller.on_row()
            if not other.done.is_set() and seconds >= WATCHDOG_SECONDS and (name, row) not in warned:
                warned.add((name, row))
                logger.warning(
                    "term %r has been on row %d (id %r) for %.0f s; give the term a timeout to have such rows stopped",
                    name, row, other.batch.ids[row], seconds,
                )  # fmt: skip


def raise_errors(job: Job) -> None:
    """Raise the first error of a term whose `on_error` is `raise`."""
    if job.term.words.on_error != "raise":
        return
    for row, score in enumerate(job.scores):
        if score is not None and score.error is not None:
            place = f"term {job.term.name!r}, row {row} (id {job.batch.ids[row]!r})"
            raise RewardError(f"{place}: {score.explained_error}")
