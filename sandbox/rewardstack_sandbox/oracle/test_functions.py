"""Calls a test function: at once, in an event loop, or not at all where only pytest could."""

import importlib
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["NotRunnable", "call_test"]


class NotRunnable(Exception):
    """A test that cannot be run here; its text says why."""


def call_test(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    """Call a test; `NotRunnable` where it needs fixtures, or would pass without having asserted anything."""
    name = getattr(function, "__name__", "the test")
    try:
        inspect.signature(function).bind(*arguments, **keywords)
    except TypeError as error:
        raise NotRunnable(f"{name} has parameters that only fixtures of pytest could fill: {error}") from None
    found = function(*arguments, **keywords)
    if inspect.iscoroutine(found):
        found = importlib.import_module("asyncio").run(found)
    if found is not None:
        raise NotRunnable(f"{name} gives back a {type(found).__name__} where it should assert")
