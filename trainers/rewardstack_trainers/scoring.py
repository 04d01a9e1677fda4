"""Scores a trainer's batches by a stack, on every rank alike: one rank never stops, or logs, without the others."""

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from rewardstack import Batch, Stack, StackScore
from rewardstack.errors import RewardstackError, TooManyErrors
from rewardstack.runner import group_rows
from rewardstack.stack import ERROR_WINDOW, Run, counts_as_error
from rewardstack.wording import counted
from rewardstack_trainers.measures import TERM_SUMS, batch_sums, metrics_of, term_sums
from rewardstack_trainers.ranks import gather, sum_over_ranks, world_size
from rewardstack_trainers.shaping import NEAR, flatten_near_ties, spread
from rewardstack_trainers.truncation import cut_off

__all__ = ["Observer", "Rollout", "Scored", "Scorer"]

TRAINER_ARGUMENTS = ("trainer_state", "log_extra", "log_metric", "environments")
SHOWN_CAUSES = 3


class Rollout(msgspec.Struct, frozen=True):
    """What a trainer hands to a reward function: prompts, completions, columns, and its own arguments."""

    prompts: Sequence[Any]
    completions: Sequence[Any]
    columns: Mapping[str, Sequence[Any]]
    trainer: Mapping[str, Any]

    @property
    def step(self) -> int:
        """The training step."""
        return int(getattr(self.trainer.get("trainer_state"), "global_step", 0) or 0)


class Scored(msgspec.Struct, frozen=True):
    """A scored rollout: the run of the stack, and the totals as the trainer gets them, after the dead zone."""

    rollout: Rollout
    batch: Batch
    run: Run
    totals: list[float | None]


class Observer(Protocol):
    """Sees every scored rollout of this rank; what it raises stops the run on all ranks."""

    def __call__(self, scored: Scored, /) -> None:
        """Look at a scored rollout."""


def read_rollout(prompts: Sequence[Any], completions: Sequence[Any], given: Mapping[str, Any]) -> Rollout:
    """Return a trainer's call as a rollout; keywords that hold no value for each completion are no columns."""
    trainer = {name: given[name] for name in TRAINER_ARGUMENTS if given.get(name) is not None}
    columns = {
        name: values
        for name, values in given.items()
        if name not in TRAINER_ARGUMENTS
        and isinstance(values, Sequence)
        and not isinstance(values, (str, bytes))
        and len(values) == len(completions)
    }
    return Rollout(prompts, completions, columns, trainer)


class Scorer:
    """A stack at work in a trainer.

    `end_ids` are the token ids that end a completion; where they are known, rewards can read the column `truncated`.
    `dead_zone` is how close a group's totals may lie to count as equal. Pickles with its stack, as a recipe.
    """

    def __init__(
        self,
        stack: Stack,
        *,
        dead_zone: float = 0.0,
        end_ids: frozenset[int] = frozenset(),
        observers: Sequence[Observer] = (),
    ) -> None:
        self.stack = stack
        self.dead_zone = dead_zone
        self.end_ids = end_ids
        self.observers = list(observers)
        self._forget()

    def _forget(self) -> None:
        self.recent: deque[bool] = deque(maxlen=ERROR_WINDOW)
        self.causes: dict[str, str] = {}
        self.lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "stack": self.stack,
            "dead_zone": self.dead_zone,
            "end_ids": self.end_ids,
            "observers": self.observers,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def score(self, rollout: Rollout) -> Scored:
        """Score a rollout and log its metrics; a collective, all ranks must call it.

        Raises `TooManyErrors` on every rank at the same step when the errors of all ranks pass the stack's
        `max_error_share`, and, on every rank, what made one of them fail.
        """
        with self.lock:  # two batches at once would mix up which sums belong together
            failure, scored = None, None
            try:
                scored = self._score(rollout)
            except BaseException as error:
                failure = error
            self._stop_together(failure)
            assert scored is not None  # else `_stop_together` has raised
            self._log(scored)
            self._check_errors(scored.run.scores)
            return scored

    def _score(self, rollout: Rollout) -> Scored:
        columns = dict(rollout.columns)
        if self.end_ids and "completion_ids" in columns:
            columns.setdefault("truncated", cut_off(columns["completion_ids"], self.end_ids))
        batch = Batch(rollout.prompts, rollout.completions, columns, prefill=self.stack.settings.prefill)
        run = self.stack.run(batch, rollout.step, rollout.trainer)
        totals = [score.total for score in run.scores]
        if self.dead_zone:
            totals = flatten_near_ties(totals, groups_of(batch), self.dead_zone)
        scored = Scored(rollout, batch, run, totals)
        for observer in self.observers:
            observer(scored)
        return scored

    def _stop_together(self, failure: BaseException | None) -> None:
        """Raise on all ranks what one of them failed with, its own error where it is this one."""
        if sum_over_ranks([float(failure is not None)])[0]:
            faults = gather(None if failure is None else f"{type(failure).__name__}: {failure}")
            if failure is not None:
                raise failure
            rank, fault = next((rank, fault) for rank, fault in enumerate(faults) if fault is not None)
            raise RewardstackError(f"rank {rank} could not score its batch, so all ranks stop: {fault}")

    def _log(self, scored: Scored) -> None:
        name, terms = self.stack.name, scored.run.terms
        own = self._own_sums(scored)
        sums = sum_over_ranks([value for part in [*map(term_sums, terms.values()), own] for value in part])
        parts = {term: sums[place * TERM_SUMS :][:TERM_SUMS] for place, term in enumerate(terms)}
        log_metric = scored.rollout.trainer.get("log_metric", ignore)
        for metric, value in metrics_of(name, parts, sums[len(terms) * TERM_SUMS :], world_size()).items():
            log_metric(metric, value)
        log_extra = scored.rollout.trainer.get("log_extra", ignore)
        for term, ran in terms.items():
            log_extra(f"{name}/{term}", [None if score is None else score.value for score in ran.scores])
        log_extra(f"{name}/reason", [reasons_of(score) for score in scored.run.scores])

    def _own_sums(self, scored: Scored) -> list[float]:
        ids = scored.rollout.columns.get("completion_ids")
        totals = [score.total for score in scored.run.scores]
        return batch_sums(
            totals,
            None if ids is None else [len(each) for each in ids],
            scored.batch.column("truncated") if "truncated" in scored.batch else None,
            [spread([totals[row] for row in rows]) for rows in groups_of(scored.batch)],
            self.dead_zone or NEAR,
        )

    def _check_errors(self, scores: Sequence[StackScore]) -> None:
        """Raise `TooManyErrors` when all ranks together passed the share; each keeps its part of the window."""
        ranks = world_size()
        if ranks * (self.recent.maxlen or 1) > ERROR_WINDOW + ranks:
            self.recent = deque(self.recent, maxlen=-(-ERROR_WINDOW // ranks))
        self.recent.extend(counts_as_error(score) for score in scores)
        if len(self.causes) < SHOWN_CAUSES and any(self.recent):
            for score in scores:
                for term, each in score.rewards.items():
                    if each.error is not None:
                        self.causes.setdefault(term, each.explained_error)
        errors, rows = map(int, sum_over_ranks([float(sum(self.recent)), float(len(self.recent))]))
        share = self.stack.settings.max_error_share
        if errors > share * ERROR_WINDOW:
            causes = {term: cause for known in gather(self.causes) for term, cause in known.items()}
            told = "; ".join(f"{term}: {cause}" for term, cause in sorted(causes.items())[:SHOWN_CAUSES])
            raise TooManyErrors(
                f"stack {self.stack.name!r}: {errors} of the last {counted(rows, 'row')} erred on "
                f"{counted(ranks, 'rank')}, more than max_error_share = {share:g} of {ERROR_WINDOW} rows allows. First causes: {told}"
            )


def ignore(*_: Any) -> None:
    """Stand in for `log_metric` and `log_extra`, which older trainers do not hand in."""


def groups_of(batch: Batch) -> list[list[int]]:
    """Return the rows of each prompt."""
    return group_rows(batch, range(batch.size))


def reasons_of(score: StackScore) -> str:
    """Return why a row scored as it did, in one line for a table of completions."""
    told = [
        f"{name}: {each.explained_error or each.reason}"
        for name, each in score.rewards.items()
        if each.error or each.reason
    ]
    return "; ".join([*([score.reason] if score.reason else []), *told])
