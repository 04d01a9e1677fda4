"""Libraries of the `format` extra, imported when a reward first needs them."""

from importlib import import_module
from typing import Any

from rewardstack import StackError

__all__ = ["load_extra"]


def load_extra(module: str, use: str) -> Any:
    """Import a library of the extra; where it is missing, `StackError` says which reward needs it and how to get it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise StackError(
            f"{use} needs {error.name}, which is not installed: pip install 'rewardstack[format]'"
        ) from error
