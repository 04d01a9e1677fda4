"""Verdicts on disk, so that a rerun costs nothing; shared by terms, runs and ranks."""

import logging
import os
import sqlite3
import time
from functools import cache
from pathlib import Path

import msgspec

from rewardstack_models.judging.database import Database
from rewardstack_models.judging.replies import Reply

__all__ = ["Cache", "cache_at", "default_path"]

logger = logging.getLogger("rewardstack")

SCHEMA = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply BLOB NOT NULL, made REAL NOT NULL)"
PATIENCE = 10.0


class Cache:
    """Replies by their request's key. A file that cannot be read or written is told of once, and then done without."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.readable = self.writable = True
        self._database = Database(path, SCHEMA, PATIENCE)

    async def get(self, key: str) -> Reply | None:
        """Return the reply kept under a key, `None` where there is none."""
        if not self.readable:
            return None
        try:
            row = await self._database.run(
                lambda opened: opened.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone(),
                writes=False,
            )
        except (sqlite3.Error, OSError) as error:
            self.readable = False
            self._give_up(error)
            return None
        try:
            return None if row is None else msgspec.json.decode(row[0], type=Reply)
        except (msgspec.MsgspecError, TypeError) as error:  # one entry is spoiled, not the file
            logger.warning("an entry of the cache of verdicts %s cannot be read: %s", self.path, error)
            return None

    async def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; the first one that was kept under a key stays."""
        if not self.writable:
            return
        row = (key, msgspec.json.encode(reply), time.time())
        try:
            await self._database.run(
                lambda opened: opened.execute("INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", row)
            )
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        if self.writable:
            self.writable = False
            logger.warning(
                "the cache of verdicts %s cannot be used (%s: %s); what it lacks is asked anew each time",
                self.path, type(error).__name__, error,
            )  # fmt: skip


def default_path() -> Path:
    """Return where verdicts are kept unless the option `cache` says otherwise: in the user's folder for caches."""
    base = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(base) if base else Path.home() / ".cache") / "rewardstack" / "verdicts.sqlite"


@cache
def cache_at(path: Path) -> Cache:
    """Return the one cache of a file in this process."""
    return Cache(path)
