"""Exceptions on the candidate's side: those of the program as plain values, and those that the tests' functions raised."""

import builtins
from typing import Any

from rewardstack_sandbox.requests import THROWN
from rewardstack_sandbox.values import Codec, is_built_in

__all__ = ["class_names", "describe_error", "make_error"]

TEXT_LIMIT = 2000


def describe_error(error: BaseException) -> tuple[Any, ...]:
    """Return an exception as plain values: its class's name and bases, its arguments, its text, and what else it has."""
    kind, text, cause = type(error), text_of(error), error.__cause__
    arguments = error.args if is_plain(error.args) else (text,)
    more: dict[str, Any] = {"state": {name: one for name, one in vars(error).items() if is_plain(one)}}
    if cause is not None:
        more["cause"] = (str(type(cause).__name__), class_names(type(cause)), (), text_of(cause))
    return str(kind.__name__), class_names(kind), arguments, text, more


def text_of(error: BaseException) -> str:
    """Return an exception's text, none where the program's own way of making it raises."""
    try:
        return str(str(error)[:TEXT_LIMIT])
    except BaseException:
        return ""


def is_plain(value: Any) -> bool:
    """Whether a value can cross by itself."""
    try:
        Codec().encode(value)
    except BaseException:
        return False
    return True


def make_error(name: str, text: str, number: int) -> Exception:
    """Return an exception for one that a function of the tests raised, which they get back where it is not handled."""
    kind = getattr(builtins, name, None)
    if not isinstance(kind, type) or not issubclass(kind, Exception):
        kind = type(name, (RuntimeError,), {})
    try:
        error: Exception = kind(text)
    except Exception:
        error = RuntimeError(text)
    setattr(error, THROWN, number)
    return error


def class_names(kind: type) -> tuple[str, ...]:
    """Return the names of the classes that a class of exceptions is and derives from, nearest first.

    Those that are not built in stand behind their module's.
    """
    return tuple(
        one.__name__ if is_built_in(one) else f"{one.__module__}.{one.__name__}" for one in kind.__mro__
    )
