"""Calls a test function: at once, in an event loop, or not at all where only pytest could."""

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from rewardstack_sandbox.oracle.test_cases import Skipped

__all__ = ["NotRunnable", "call_test"]


class NotRunnable(Exception):
    """A test that cannot be run here; its text says why."""


def call_test(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    """Call a test: `Skipped` where pytest would not, `NotRunnable` where it needs fixtures, or gives back a value."""
    name = getattr(function, "__name__", "the test")
    if any(asks_to_skip(mark) for mark in getattr(function, "pytestmark", ())):
        raise Skipped(name)
    try:
        inspect.signature(function).bind(*arguments, **keywords)
    except TypeError as error:
        raise NotRunnable(f"{name} has parameters that only fixtures of pytest could fill: {error}") from None
    found = function(*arguments, **keywords)
    if inspect.iscoroutine(found):
        found = importlib.import_module("asyncio").run(found)
    if found is not None:
        raise NotRunnable(f"{name} gives back a {type(found).__name__} where it should assert")


def asks_to_skip(mark: Any) -> bool:
    """Whether a mark of pytest leaves its test out."""
    name = getattr(mark, "name", "")
    return name == "skip" or (name == "skipif" and any(mark.args))
