"""Binds columns to a reward's parameters, and finds rows that are equal in all it reads."""

import copy
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from rewardstack.sample import ABSENT, IMMUTABLE, Absent, Batch, freeze
from rewardstack.signature import TRAINER_ARGUMENTS
from rewardstack.term import EMPTY, Term

__all__ = ["Arguments", "ChunkArguments", "bind_chunk", "bind_rows", "copy_value", "share"]


class Arguments(msgspec.Struct):
    """Arguments of the sample form: one tuple (and for rewards that take keywords one dict) for each of `rows`.

    `mutable` tells whether values must be copied for every call. `lacking` maps rows that lack a required column to
    its name; they are not in `rows`.
    """

    rows: list[int]
    positional: list[tuple[Any, ...]]
    keywords: list[dict[str, Any]] | None
    mutable: bool
    lacking: dict[int, str]

    def named(self, place: int) -> dict[str, Any]:
        """Return the keyword arguments of the row at a place, its own copy."""
        if self.keywords is None:
            return {}
        return copy_value(self.keywords[place]) if self.mutable else self.keywords[place]

    def only(self, places: Sequence[int]) -> "Arguments":
        """Return the arguments at some places."""
        return Arguments(
            [self.rows[place] for place in places],
            [self.positional[place] for place in places],
            None if self.keywords is None else [self.keywords[place] for place in places],
            self.mutable,
            {},
        )


class ChunkArguments(msgspec.Struct):
    """Arguments of the batch and group forms: each value is a list over `rows`, trainer arguments apart."""

    rows: list[int]
    positional: tuple[Any, ...]
    keywords: dict[str, Any]
    trainer: dict[str, Any]

    def row(self, place: int) -> "ChunkArguments":
        """Return the arguments of one row alone."""
        return ChunkArguments(
            [self.rows[place]],
            tuple([column[place]] for column in self.positional),
            {name: [column[place]] for name, column in self.keywords.items()},
            self.trainer,
        )


def bind_rows(term: Term, batch: Batch, rows: list[int], trainer: Mapping[str, Any]) -> Arguments:
    """Return a sample reward's arguments for some rows; see `Term.inputs` for which columns are read."""
    reward, lacking = term.reward, dict[int, str]()
    read: dict[str, list[Any]] = {}
    for parameter, column in term.inputs.items():
        if parameter not in reward.columns:
            continue
        default = reward.columns[parameter]
        if parameter in TRAINER_ARGUMENTS:
            read[parameter] = [trainer_argument(parameter, trainer)] * len(rows)
        elif column not in batch:
            read[parameter] = [default] * len(rows)
        else:
            values = batch.column(column)
            chosen = list(values) if len(rows) == batch.size else [values[row] for row in rows]
            if default is EMPTY:
                lacking |= lacking_rows(rows, chosen, column)
            else:
                chosen = [default if value is ABSENT or value is None else value for value in chosen]
            read[parameter] = chosen
    positional = [values for name, values in read.items() if name not in reward.keywords]
    named = {name: values for name, values in read.items() if name in reward.keywords}
    named |= other_columns(term, batch, rows) if reward.takes_all else {}
    arguments = Arguments(
        rows,
        list(zip(*positional, strict=True)) if positional else [()] * len(rows),
        [dict(zip(named, values, strict=True)) for values in zip(*named.values(), strict=True)]
        if named
        else None,
        not all(map(is_immutable, (*positional, *named.values()))),
        lacking,
    )
    if (
        reward.takes_all and arguments.keywords is not None
    ):  # rows that lack one of the other columns are not told of it
        arguments.keywords = [
            {name: value for name, value in row.items() if value is not ABSENT} for row in arguments.keywords
        ]
    if not lacking:
        return arguments
    kept = arguments.only([place for place, row in enumerate(rows) if row not in lacking])
    return msgspec.structs.replace(kept, lacking=lacking)


def other_columns(term: Term, batch: Batch, rows: Sequence[int]) -> dict[str, list[Any]]:
    """Return the columns that go to `**kwargs`: those given that no parameter reads, under their mapped names."""
    renamed = {column: name for name, column in term.inputs.items() if name not in term.reward.columns}
    taken = {*term.inputs.values(), *term.inputs, *term.options} - set(renamed)
    names = sorted(batch.given - taken | set(renamed))
    return {
        renamed.get(name, name): [batch.column(name)[row] for row in rows] for name in names if name in batch
    }


def bind_chunk(term: Term, batch: Batch, rows: list[int], trainer: Mapping[str, Any]) -> ChunkArguments:
    """Return a batch or group reward's arguments for some rows, in TRL's convention; absent values are `None`."""
    reward = term.reward
    named: dict[str, list[Any]] = {}
    extras: dict[str, Any] = {}
    for parameter, column in term.inputs.items():
        if parameter in TRAINER_ARGUMENTS:
            if parameter in trainer or reward.columns[parameter] is EMPTY:
                extras[parameter] = trainer_argument(parameter, trainer)
        elif column in batch and parameter in reward.columns:
            values = batch.column(column)
            named[parameter] = [none_if_absent(values[row]) for row in rows]
    if reward.takes_all:
        for name in ("prompts", "completions"):
            values = batch.column(name)
            named.setdefault(name, [values[row] for row in rows])
        others = other_columns(term, batch, rows)
        named |= {name: list(map(none_if_absent, values)) for name, values in others.items()}
        extras |= {name: trainer[name] for name in TRAINER_ARGUMENTS if name in trainer}
    by_place = [name for name in reward.columns if name not in reward.keywords and name in named]
    positional = tuple(copied(named.pop(name)) for name in by_place)
    return ChunkArguments(rows, positional, {name: copied(values) for name, values in named.items()}, extras)


def lacking_rows(rows: Sequence[int], values: Sequence[Any], column: str) -> dict[int, str]:
    """Return the rows that lack a required column, with its name."""
    if Absent not in set(map(type, values)):
        return {}
    return {row: column for row, value in zip(rows, values, strict=True) if value is ABSENT}


def is_immutable(values: Iterable[Any]) -> bool:
    """Whether a column's values are all of types that a reward cannot write to."""
    return set(map(type, values)) <= IMMUTABLE


def none_if_absent(value: Any) -> Any:
    """Return TRL's own stand-in for a missing value."""
    return None if value is ABSENT else value


def copied(values: list[Any]) -> list[Any]:
    """Return a column that a reward may write to."""
    return values if is_immutable(values) else list(map(copy_value, values))


def copy_value(value: Any) -> Any:
    """Return a copy that a reward may write to: quick for data of lists and dicts, such as token ids and messages."""
    try:
        return copy_data(value)
    except RecursionError:  # it holds itself
        return copy.deepcopy(value)


def copy_data(value: Any) -> Any:
    """Return a copy of nested lists, tuples and dicts; `deepcopy` looks at every single token id, this does not."""
    kind = type(value)
    if kind in IMMUTABLE:
        return value
    if kind is list:
        return value.copy() if is_immutable(value) else list(map(copy_data, value))
    if kind is tuple:
        return value if is_immutable(value) else tuple(map(copy_data, value))
    if kind is dict:
        return {key: copy_data(each) for key, each in value.items()}
    return copy.deepcopy(value)


def trainer_argument(name: str, trainer: Mapping[str, Any]) -> Any:
    """Return one of TRL's arguments, or what stands in for it outside of a trainer."""
    if name in trainer:
        return trainer[name]
    if name == "trainer_state":
        return types.SimpleNamespace(global_step=trainer.get("step", 0), epoch=0.0, max_steps=0)
    return None if name == "environments" else ignore


def ignore(*_: Any) -> None:
    """Stand in for `log_extra` and `log_metric` where nobody logs."""


def share(arguments: Arguments) -> list[int]:
    """Return, for each place, the first place whose arguments are equal in value and type."""
    seen: dict[Any, int] = {}
    first = []
    named = arguments.keywords
    for place, values in enumerate(arguments.positional):
        try:
            key: Any = (
                values[0] if len(values) == 1 and type(values[0]) is str else tuple(map(freeze, values))
            )
            if named is not None:
                key = (key, freeze(named[place]))
        except (TypeError, RecursionError):
            first.append(place)
        else:
            first.append(seen.setdefault(key, place))
    return first
