"""A stack as TRL's reward functions: `GRPOTrainer(reward_funcs=reward_funcs(stack), ...)`.

Also for RLOOTrainer, AsyncGRPOTrainer (which sends rewards to another process: all of this pickles) and trainers with
TRL's older convention (no `log_extra`, no `log_metric`), as in Unsloth.
"""

import asyncio
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from rewardstack import Stack, StackScore
from rewardstack.errors import StackError
from rewardstack.term import Schedule
from rewardstack_trainers.checks import check_run, environment_message
from rewardstack_trainers.scoring import Observer, Scored, Scorer, read_rollout
from rewardstack_trainers.truncation import end_ids

__all__ = ["AsyncTotal", "Column", "RewardFuncs", "Total", "reward_funcs"]

Values = list[float | None]
Mode = Literal["scalar", "columns"]


class RewardFuncs(list[Any]):
    """The reward functions of a stack, as a list for TRL's `reward_funcs`.

    `weights` is what `reward_weights` of the trainer's config must be: `None` in scalar mode. `scorer` is what they
    share. Environments' own rewards, which TRL appends to this very list, are refused.
    """

    def __init__(self, functions: Iterable[Any], scorer: Scorer, weights: list[float] | None = None) -> None:
        super().__init__(functions)
        self.scorer = scorer
        self.weights = weights

    def append(self, function: Any, /) -> None:
        """Refuse: what counts is the stack's business. TRL appends an environment's get_reward here."""
        defaults = (
            *(getattr(function, "__defaults__", None) or ()),
            *(getattr(function, "__kwdefaults__", None) or {}).values(),
        )
        environment = next((each for each in defaults if hasattr(each, "get_reward")), None)
        if environment is not None:
            raise StackError(environment_message(environment.__name__))
        raise StackError(
            "nothing can be added to a stack's reward functions: TRL would add it to the total behind the stack's back. "
            "Make it a term of the stack"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (RewardFuncs, (list(self), self.scorer, self.weights))


class Total:
    """Scalar mode: one reward function, whose value is the stack's total; gates, masks and schedules are in it."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self.__name__ = scorer.stack.name

    def __call__(self, prompts: Sequence[Any], completions: Sequence[Any], **given: Any) -> Values:
        """Return one total a completion, `None` where the row is masked."""
        return self.scorer.score(read_rollout(prompts, completions, given)).totals


class AsyncTotal(Total):
    """The same as a coroutine: TRL runs it beside other async rewards, and rollouts go on while it scores."""

    async def __call__(self, prompts: Sequence[Any], completions: Sequence[Any], **given: Any) -> Values:  # type: ignore[override]  # noqa: D102
        return await asyncio.to_thread(super().__call__, prompts, completions, **given)


def reward_funcs(
    stack: Stack,
    mode: Mode = "scalar",
    *,
    args: Any = None,
    train_dataset: Any = None,
    processing_class: Any = None,
    model: Any = None,
    environment_factory: Any = None,
    dead_zone: float = 0.0,
    asynchronous: bool = False,
    observers: Sequence[Observer] = (),
) -> RewardFuncs:
    """Return a stack as a list of reward functions for `GRPOTrainer(reward_funcs=...)`.

    `scalar` gives one function, whose value is the stack's total. `columns` gives one for each term, for per-term
    curves and GDPO (`multi_objective_aggregation="normalize_then_sum"`); set `reward_weights` to the list's `weights`.
    The batch is scored once either way. Per-term metrics have the same names on every rank at every step.

    Args:
        stack: The stack.
        mode: `scalar` or `columns`.
        args: The trainer's config; groups split over ranks are then refused where something needs them whole.
        train_dataset: Its columns are then checked: those that TRL takes for itself, those that a term misses.
        processing_class: The tokenizer; rewards can then read `truncated`, told from the token ids.
        model: The model, for the end tokens its generation config has beside the tokenizer's.
        environment_factory: What the trainer gets; environments with a reward of their own are refused.
        dead_zone: A group whose totals lie within less than this counts as tied (see `shaping`).
        asynchronous: Give a coroutine function (scalar mode only), so that scoring does not block the event loop.
        observers: Called with every scored rollout.

    Raises:
        StackError: Or `ColumnError`: what cannot work, before training. In columns mode also a stack that a weighted
            sum cannot carry.
    """
    names = getattr(train_dataset, "column_names", None)
    check_run(stack, args, names, environment_factory, dead_zone=dead_zone)
    ends = end_ids(processing_class, model) if processing_class is not None else frozenset[int]()
    scorer = Scorer(stack, dead_zone=dead_zone, end_ids=ends, observers=observers)
    if mode == "scalar":
        return RewardFuncs([(AsyncTotal if asynchronous else Total)(scorer)], scorer)
    aggregation = getattr(args, "multi_objective_aggregation", "normalize_then_sum")
    check_columns_mode(stack, dead_zone=dead_zone, asynchronous=asynchronous)
    shared = Shared(scorer, rescaled=aggregation == "sum_then_normalize")
    columns = [Column(shared, term.name, stack.name) for term in stack.terms]
    return RewardFuncs(columns, scorer, [term.weight() for term in stack.terms])


class Shared:
    """A batch scored once for all the columns that ask for it, told by the very list of completions."""

    def __init__(self, scorer: Scorer, *, rescaled: bool) -> None:
        self.scorer = scorer
        self.rescaled = rescaled
        self._forget()

    def _forget(self) -> None:
        self.lock = threading.Lock()
        self.completions: Any = None
        self.taken: set[str] = set()
        self.values: dict[str, Values] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"scorer": self.scorer, "rescaled": self.rescaled}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def column(
        self, name: str, prompts: Sequence[Any], completions: Sequence[Any], given: dict[str, Any]
    ) -> Values:
        """Return a term's values; the first column of a batch scores it, and so does one that asks again."""
        with self.lock:
            if self.completions is not completions or name in self.taken:
                scored = self.scorer.score(read_rollout(prompts, completions, given))
                self.values = column_values(self.scorer.stack, scored, rescaled=self.rescaled)
                self.completions, self.taken = completions, set()
            self.taken.add(name)
            return self.values[name]


def check_columns_mode(stack: Stack, *, dead_zone: float, asynchronous: bool) -> None:
    """Raise `StackError` for what a weighted sum of columns cannot carry."""
    for term in stack.terms:
        if isinstance(term.words.weight, Schedule):
            raise StackError(
                f"term {term.name!r} has a scheduled weight, but TRL's reward_weights stay as they are. "
                'Use mode="scalar", or give the term a fixed weight'
            )
    if dead_zone or asynchronous:
        what = "a dead zone compares totals" if dead_zone else "an asynchronous reward is one function"
        raise StackError(f'{what}, so it needs mode="scalar"')


def column_values(stack: Stack, scored: Scored, *, rescaled: bool) -> dict[str, Values]:
    """Return every term's values: `None` in all of them where the stack masks the row.

    When `rescaled`, values are scaled up where other terms abstained, so that their weighted sum is the total. TRL's
    normalize_then_sum needs no such thing: an abstaining term adds nothing to either side of the mean.
    """
    rows: list[dict[str, float | None]] = []
    for total, score in zip(scored.totals, scored.run.scores, strict=True):
        values = {} if total is None else counted_values(stack, score)
        scale = abstention_scale(stack, values, scored.rollout.step) if rescaled else 1.0
        rows.append({name: None if value is None else value * scale for name, value in values.items()})
    return {term.name: [row.get(term.name) for row in rows] for term in stack.terms}


def counted_values(stack: Stack, score: StackScore) -> dict[str, float | None]:
    """Return what each term of a row counts with: `None` where it abstains, the low end where `on_error` says so."""
    return {
        term.name: term.low if each.error is not None and term.words.on_error == "low" else each.value
        for term in stack.terms
        if (each := score.rewards.get(term.name)) is not None
    }


def abstention_scale(stack: Stack, values: Mapping[str, float | None], step: int) -> float:
    """Return by how much the terms that scored stand in for those that abstained."""
    sizes = {term.name: abs(term.weight(step)) for term in stack.terms if term.name in values}
    scored = sum(size for name, size in sizes.items() if values[name] is not None)
    return sum(sizes.values()) / scored if scored else 1.0


class Column:
    """Columns mode: the reward function of one term; its siblings share the scored batch."""

    def __init__(self, shared: Shared, term: str, stack: str) -> None:
        self.shared = shared
        self.term = term
        self.__name__ = f"{stack}/{term}"

    def __call__(self, prompts: Sequence[Any], completions: Sequence[Any], **given: Any) -> Values:
        """Return the term's value for each completion, `None` where it does not count."""
        return self.shared.column(self.term, prompts, completions, given)
