"""Finds the line of a reward's own source that an exception came from."""

import functools
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from rewardstack.errors import RewardstackError

__all__ = ["line_of"]

FRAMEWORK = __name__.partition(".")[0]


def line_of(error: BaseException, function: Callable[..., Any] | None) -> str:
    """Return where in the source of a reward (`function`) an exception arose: `my.py:12`, `package/module.py:12`.

    That is the innermost frame in the package of the reward, or, for one in a file, in that file or one beside it: what
    a library does with wrong arguments is told by the line that called it. Empty where no frame is the reward's, and
    for errors of ours, which say themselves what to do.
    """
    while isinstance(function, functools.partial):
        function = function.func
    module = getattr(function, "__module__", None) or ""
    home = top_name(module)
    if not home or home == FRAMEWORK or isinstance(error, RewardstackError):
        return ""
    file_of_module = getattr(sys.modules.get(module), "__file__", None)
    beside = None if "." in module or file_of_module is None else Path(file_of_module).parent
    found = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        name, file = str(frame.f_globals.get("__name__", "")), frame.f_code.co_filename
        if file.startswith("<"):  # a prompt's or a text's: there is no file to look into
            continue
        if top_name(name) == home or Path(file).parent == beside:
            found = f"{short_file(frame, name)}:{line}"
    return found


def top_name(module: str) -> str:
    """Return the name of the package (or the module) that a module lies in."""
    return module.partition(".")[0]


def short_file(frame: FrameType, module: str) -> str:
    """Return the path of a frame's file from its package on."""
    path = Path(frame.f_code.co_filename)
    depth = module.count(".") + (2 if path.name == "__init__.py" else 1)
    return "/".join(path.parts[-depth:])
