"""Numbers read from environment variables, checked where they are read."""

import os

from rewardstack.errors import StackError

__all__ = ["read_number"]


def read_number(variable: str, default: float, least: float) -> float:
    """Return the number in an environment variable, the default where it is unset or empty.

    Raises `StackError` that names the variable when it holds no number, or one below `least`.
    """
    text = os.environ.get(variable, "").strip()
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not least <= number < float("inf"):
        raise StackError(
            f"the environment variable {variable} must be a number of at least {least:g}, not {text!r}"
        )
    return number
