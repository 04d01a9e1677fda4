"""Calls a test function: at once, in an event loop, or not at all where only pytest could."""

import importlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import product
from typing import Any, NamedTuple

from rewardstack_sandbox.oracle.fixtures import Fixtures, Setting, Unfilled
from rewardstack_sandbox.oracle.test_cases import Skipped

__all__ = ["Call", "NotRunnable", "call_test", "calls_of"]


class NotRunnable(Exception):
    """A test that cannot be run here; its text says why."""


class Call(NamedTuple):
    """One call of a test function: its label, the arguments that its marks list, which choice of each fixture is meant."""

    label: str
    arguments: dict[str, Any]
    choice: dict[str, int]


def calls_of(name: str, function: Any, fixtures: Fixtures) -> Iterator[Call]:
    """Yield each call of a test function, as `pytest.mark.parametrize` and the choices of its fixtures ask."""
    marks = fixtures.marks_of(function, "parametrize")
    rows = [list(row) for row in product(*(mark_rows(mark) for mark in marks))]
    choices = list(fixtures.choices(function))
    for place, (row, choice) in enumerate(product(rows, choices)):
        arguments = {name: value for part in row for name, value in part.items()}
        yield Call(f"{name}[{place}]" if marks or choice else name, arguments, choice)


def mark_rows(mark: Any) -> list[dict[str, Any]]:
    """Return the arguments a mark lists; a row for one name that is a text is the value itself.

    `NotRunnable` where they are meant for fixtures.
    """
    if mark.kwargs.get("indirect"):
        raise NotRunnable("parameters are passed to fixtures of pytest (indirect)")
    given = mark.args[0]
    names = [part.strip() for part in given.split(",")] if isinstance(given, str) else list(given)
    alone = isinstance(given, str) and len(names) == 1
    rows = []
    for row in mark.args[1]:
        # `pytest.param`, told by its type: an object of the program has any attribute
        is_set = type(row).__name__ == "ParameterSet"
        values = row.values if is_set else [row] if alone else row
        rows.append(dict(zip(names, values, strict=True)))
    return rows


def call_test(function: Callable[..., Any], call: Call, fixtures: Fixtures, instance: Any = None) -> None:
    """Make a call: `Skipped` where pytest would not, `NotRunnable` where it needs pytest, or gives back a value."""
    name = getattr(function, "__name__", "the test")
    if any(mark.name == "skip" or any(mark.args) for mark in fixtures.marks_of(function, "skip", "skipif")):
        raise Skipped(name)
    with ExitStack() as stack:
        try:
            arguments = Setting(fixtures, call.choice, stack, instance).fill(function, call.arguments)
        except Unfilled as error:
            raise NotRunnable(f"{name} has a parameter that only pytest could fill: {error}") from None
        found = function(**arguments)
        if inspect.iscoroutine(found):
            found = importlib.import_module("asyncio").run(found)
    if found is not None:
        raise NotRunnable(f"{name} gives back a {type(found).__name__} where it should assert")
