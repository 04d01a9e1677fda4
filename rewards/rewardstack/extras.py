"""Libraries that come with an extra of rewardstack, imported when something first needs them."""

from importlib import import_module
from typing import Any

from rewardstack.errors import MissingExtra

__all__ = ["import_extra"]


def import_extra(module: str, extra: str, needed_by: str) -> Any:
    """Import a library of one of rewardstack's extras: `import_extra("pyarrow.parquet", "data", "reading s.parquet")`.

    `needed_by` begins the message where it is missing. Raises `MissingExtra`, which has the line that installs the
    extra, also where the library is there but one it needs itself is not.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"{needed_by} needs {module.partition('.')[0]} ({error}): pip install 'rewardstack[{extra}]'"
        ) from error
