"""What would crash, vanish or count twice in TRL, refused before training."""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from rewardstack import Stack
from rewardstack.errors import ColumnError, StackError, nearest
from rewardstack.wording import counted

__all__ = ["OF_TRAINER", "check_columns", "check_environments", "check_groups", "check_run", "split_groups"]

RESERVED = {
    "prompts": "TRL passes an argument of that name, so the first batch would crash",
    "completions": "TRL passes an argument of that name, so the first batch would crash",
    "trainer_state": "TRL overwrites it with its own state",
    "log_extra": "TRL overwrites it with a function",
    "log_metric": "TRL overwrites it with a function",
    "environments": "TRL overwrites it with its environments",
    "completion": "TRL drops it: rewards would see the model's completion",
    "completion_ids": "TRL drops it: rewards would see the model's tokens",
    "truncated": "rewards would see whether the completion was cut off",
}
OF_TRAINER = frozenset(
    {"prompt", "completion", "messages", "completion_ids", "prompts", "completions", "truncated"}
)
"""The columns that the trainer makes, whatever the data set holds."""


def check_columns(stack: Stack, columns: Iterable[str]) -> None:
    """Raise `ColumnError` for columns of a data set that TRL takes for itself, and for those that a term misses."""
    present = list(columns)
    for name in present:
        if name in RESERVED:
            raise ColumnError(
                f"the data set has a column {name!r}, but {RESERVED[name]}. Rename it: "
                f"dataset.rename_column({name!r}, 'data_{name}')"
            )
    known = sorted(OF_TRAINER.union(present))
    for term in stack.terms:
        for column, required in term.columns().items():
            if required and column not in known:
                raise ColumnError(
                    f"term {term.name!r}: {term.reward.name} reads the column {column!r}, which the data set does "
                    f"not have{nearest(column, known)}. It has: {', '.join(sorted(present)) or 'none'}"
                )


def check_environments(factory: Any) -> None:
    """Raise `StackError` when an environment has a reward of its own: TRL adds it to the total with weight 1.

    Takes what `GRPOTrainer(environment_factory=...)` does: a factory or a dict of them. A factory that is a class is
    only looked at; the adapter's list of rewards refuses what other factories bring when the trainer is made.
    """
    factories = factory.values() if isinstance(factory, Mapping) else () if factory is None else (factory,)
    for each in factories:
        if inspect.isclass(each) and hasattr(each, "get_reward"):
            raise StackError(environment_message(each.__name__))


def environment_message(name: str) -> str:
    """Return what to say of an environment with a reward of its own."""
    return (
        f"the environment {name} has a get_reward of its own, which TRL adds to the stack's total with weight 1. "
        "Remove it and make it a term: a reward that reads `environments`"
    )


def split_groups(rows: int, generations: int) -> bool:
    """Whether a rank's rows hold parts of groups: its batch is no multiple of the generations of a prompt."""
    return generations > 1 and rows % generations != 0


def check_groups(stack: Stack, args: Any, dead_zone: float = 0.0) -> None:
    """Raise `StackError` when a term needs whole groups and some are split over ranks or batches.

    `args` is a GRPOConfig (or RLOOConfig). A rank scores `per_device_train_batch_size * steps_per_generation` rows.
    """
    needs = [
        f"term {term.name!r} scores whole groups" for term in stack.terms if term.reward.scope == "group"
    ]
    needs += ["a dead zone compares whole groups"] if dead_zone else []
    generations = args.num_generations
    for kind, rows, each in (
        ("training", args.per_device_train_batch_size * (args.steps_per_generation or 1), generations),
        (
            "evaluation",
            args.per_device_eval_batch_size,
            getattr(args, "num_generations_eval", None) or generations,
        ),
    ):
        if kind == "evaluation" and str(getattr(args.eval_strategy, "value", args.eval_strategy)) == "no":
            continue
        if needs and split_groups(rows, each):
            raise StackError(
                f"{needs[0]}, but a rank's {kind} batch of {counted(rows, 'row')} is no multiple of {counted(each, 'generation')}, so groups "
                f"are split. Make per_device_{'train' if kind == 'training' else 'eval'}_batch_size a multiple of {each}"
            )


def check_run(
    stack: Stack, args: Any = None, columns: Iterable[str] | None = None, environment_factory: Any = None,
    *, dead_zone: float = 0.0,
) -> None:  # fmt: skip
    """Raise `StackError` or `ColumnError` for what would go wrong at the first step; what is None is not checked."""
    check_environments(environment_factory)
    if columns is not None:
        check_columns(stack, columns)
    if args is not None:
        check_groups(stack, args, dead_zone)
