"""Compiles a candidate's source in the candidate's own process: parsing hostile text is itself a risk."""

import importlib
import os
import traceback
from types import CodeType
from typing import Any, NoReturn

from rewardstack_sandbox.channel import Channel
from rewardstack_sandbox.values import Codec

__all__ = ["compile_program", "prepare_names"]


def compile_program(end: Channel, job: dict[str, Any]) -> CodeType:
    """Return the program's code; where it does not compile, tell the server and end this process."""
    try:
        if job["restricted"]:
            return restricting().compile_restricted(job["program"], "solution.py")  # type: ignore[no-any-return]
        return compile(job["program"], "solution.py", "exec", dont_inherit=True)
    except MemoryError as error:
        give_up(end, "memory", error)
    except (
        SyntaxError,
        ValueError,
        RecursionError,
        OverflowError,
    ) as error:  # null bytes, lone surrogates, nesting
        give_up(end, "syntax", error)


def prepare_names(names: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Return a module's names as its program should find them."""
    if job["restricted"]:
        names.update(restricting().restricted_names())
    return names


def restricting() -> Any:
    """Return the policy of restricted programs, loaded by the worker where it is asked for."""
    return importlib.import_module("rewardstack_sandbox.program.restricting")


def give_up(end: Channel, kind: str, error: BaseException) -> NoReturn:
    """Tell the server why there is nothing to run, and end."""
    traceback.print_exception(type(error), error, None)
    end.send(Codec().encode((kind, f"{type(error).__name__}: {error}")))
    os._exit(1)
