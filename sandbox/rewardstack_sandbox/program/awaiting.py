"""Runs what a program's coroutines do, all in one event loop. Loaded when the first one is met: asyncio is large."""

import asyncio
from typing import Any

__all__ = ["enter", "leave", "next_of", "result_of"]

RUNNER = asyncio.Runner()


def result_of(value: Any) -> Any:
    """Return what comes of a coroutine, or of whatever else can be awaited."""

    async def wait() -> Any:
        return await value

    return RUNNER.run(wait())


def next_of(iterator: Any) -> Any:
    """Return the next item of an asynchronous iterator; `StopAsyncIteration` after the last one."""
    return result_of(anext(iterator))


def enter(manager: Any) -> Any:
    """Enter an asynchronous context manager."""
    return result_of(type(manager).__aenter__(manager))


def leave(manager: Any) -> None:
    """Leave an asynchronous context manager, without an error."""
    result_of(type(manager).__aexit__(manager, None, None, None))
