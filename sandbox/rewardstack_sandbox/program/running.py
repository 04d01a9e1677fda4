"""Runs a whole program as a script: standard input and arguments in, standard output and an exit code out."""

import atexit
import gc
import os
import sys
import traceback
import types
from typing import Any, NoReturn

from rewardstack_sandbox.channel import Channel
from rewardstack_sandbox.program.compiling import compile_program, prepare_names
from rewardstack_sandbox.values import Codec

__all__ = ["FILE", "print_error", "run"]

FILE = "solution.py"


def run(end: Channel, job: dict[str, Any]) -> NoReturn:
    """Run the job's program as `python solution.py ARGS` would, and end with its exit code."""
    sys.argv = [FILE, *job["args"]]
    sys.modules["__main__"] = types.ModuleType("__main__")
    status = execute(end, job)
    del sys.modules["__main__"]  # so that `finish` finds the program's objects without a name
    finish(status)


def execute(end: Channel, job: dict[str, Any]) -> int:
    """Run the program in `__main__` and return its exit code."""
    names = sys.modules["__main__"].__dict__
    names["__file__"] = FILE
    code = compile_program(end, job)
    try:
        exec(code, prepare_names(names, job))  # noqa: S102 - this is the sandbox
    except SystemExit as error:
        return exit_status(error.code)
    except BaseException as error:
        note_memory(end, error)
        print_error(error)
        return 1
    return 0


def note_memory(end: Channel, error: BaseException) -> None:
    """Tell the server that memory ran out."""
    if isinstance(error, MemoryError):
        end.send(Codec().encode(("memory", "")))


def finish(status: int) -> NoReturn:
    """End as an interpreter does: threads, exit functions, destructors (some programs write in one), buffers."""
    for step in (wait_for_threads, atexit._run_exitfuncs, gc.collect):  # noqa: SLF001 - it has no other name
        try:
            step()
        except BaseException as error:
            print_error(error)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # a full file, or a stream the program replaced
            status = status or 120
    os._exit(status)


def wait_for_threads() -> None:
    """Wait for threads that are no daemons, if the program has any."""
    wait = getattr(sys.modules.get("threading"), "_shutdown", None)
    if wait is not None:
        wait()


def exit_status(code: Any) -> int:
    """Return the exit code for what `sys.exit` was given."""
    if code is None:
        return 0
    if type(code) is int:
        return code & 0xFF
    try:
        print(code, file=sys.stderr)  # noqa: T201 - the program's own last words
    except BaseException:
        return 1
    return 1


def print_error(error: BaseException) -> None:
    """Print an exception as the interpreter would, without this package's own frames."""
    try:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != FILE:
            trace = trace.tb_next
        traceback.print_exception(type(error), error, trace or error.__traceback__)
    except BaseException:  # an exception whose text raises again
        os.write(2, f"{type(error).__name__}\n".encode("utf-8", "replace"))
