"""SQLite files that several processes write to, used from an event loop without blocking it."""

import asyncio
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

__all__ = ["Database"]

Result = TypeVar("Result")


class Database:
    """One file, opened on first use by a thread of its own; a forked child opens it anew.

    It is closed with the process, or once nobody has this object any more.
    """

    def __init__(self, path: Path, schema: str, patience: float) -> None:
        self.path = path
        self.schema = schema
        self.patience = patience  # seconds to wait for another process's lock
        self._lock = threading.Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    async def run(self, work: Callable[[sqlite3.Connection], Result], *, writes: bool = True) -> Result:
        """Return what `work` gives, run within one transaction; raises `sqlite3.Error` and `OSError`.

        A transaction that the caller gives up is carried through all the same.
        """
        with self._lock:
            if self._thread is None or self._process != os.getpid():
                self._thread = ThreadPoolExecutor(1, thread_name_prefix="rewardstack-sqlite")
                self._connection, self._process = None, os.getpid()
            future = self._thread.submit(self._transact, work, writes)
        return await asyncio.shield(asyncio.wrap_future(future))

    def _transact(self, work: Callable[[sqlite3.Connection], Result], writes: bool) -> Result:
        if self._connection is None:
            self._connection = self._open()
        self._connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
        try:
            found = work(self._connection)
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()
        return found

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        opened = sqlite3.connect(
            self.path, timeout=self.patience, isolation_level=None, check_same_thread=False
        )
        try:
            opened.execute("PRAGMA synchronous = OFF")  # a crash of the machine may cost the last entries
            opened.executescript(self.schema)
        except BaseException:  # whatever it was, the caller hears of it
            opened.close()
            raise
        weakref.finalize(self, opened.close)
        return opened
