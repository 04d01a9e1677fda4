"""One writer at a time: a lock beside a file, held as long as a command writes it."""

import contextlib
import os
from pathlib import Path
from typing import IO

from rewardstack.errors import ResumeError

__all__ = ["lock"]


def lock(path: str, kept: contextlib.ExitStack) -> None:
    """Hold the lock of a file until `kept` is closed; `ResumeError` where another command holds it.

    The lock ends with the process that holds it, however that ends. Where the platform has no `flock` (Windows)
    nothing is locked.
    """
    try:
        import fcntl
    except ImportError:
        return
    place = Path(path)
    beside = place.with_name(f".{place.name}.lock")
    while True:
        file = kept.enter_context(beside.open("ab"))
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ResumeError(
                f"another `rewards score` is writing {path}; wait for it, or name another file"
            ) from error
        if is_still(file, beside):
            kept.callback(beside.unlink, missing_ok=True)
            return


def is_still(file: IO[bytes], path: Path) -> bool:
    """Whether an open file still stands at its path; the holder before may have removed it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
