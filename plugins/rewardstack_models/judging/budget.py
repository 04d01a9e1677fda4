"""A budget of tokens and money that all ranks share and no call can overrun.

Every try reserves the most it could cost before it is sent, in one transaction of a SQLite file, and gives back what
it did not use. What may have been billed without our hearing of it (a time-out, a lost connection) stays spent.
"""

import asyncio
import math
import sqlite3
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from rewardstack_models.errors import BudgetSpent
from rewardstack_models.judging.database import Database

__all__ = ["Budget", "Cost", "Limits", "budget_at"]

Result = TypeVar("Result")

SCHEMA = """
CREATE TABLE IF NOT EXISTS spent (tokens INTEGER NOT NULL, nanos INTEGER NOT NULL, calls INTEGER NOT NULL, under_way INTEGER NOT NULL);
INSERT INTO spent SELECT 0, 0, 0, 0 WHERE NOT EXISTS (SELECT * FROM spent);
"""
PATIENCE = 60.0
POLL_SECONDS = 0.05
NANOS = 10**9


class Cost(msgspec.Struct, frozen=True):
    """Tokens, and billionths of a unit of money: sums of whole numbers are exact."""

    tokens: int
    nanos: int

    @classmethod
    def of(cls, read: int, written: int, price_read: float, price_written: float) -> "Cost":
        """Return what tokens cost at prices for a million of them, rounded up."""
        return cls(read + written, math.ceil(1000 * (read * price_read + written * price_written)))


class Limits(msgspec.Struct, frozen=True):
    """The most that may be spent; `None` for no limit."""

    tokens: int | None = None
    money: float | None = None

    def bounds(self) -> tuple[int, int]:
        """Return the limits as SQLite compares them."""
        most = 2**62
        nanos = most if self.money is None else min(most, math.floor(self.money * NANOS + 1e-6))
        return most if self.tokens is None else self.tokens, nanos


class Budget:
    """What has been spent, in a file that outlives the process; deleting it starts anew."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = Database(path, SCHEMA, PATIENCE)

    async def reserve(self, cost: Cost, limits: Limits, seconds: float) -> None:
        """Set a cost aside, waiting for calls under way where only their reservations stand in the way.

        Raises `BudgetSpent` where the limits do not allow it, or the file cannot be used.
        """
        deadline = time.monotonic() + seconds
        while True:
            reserved, spent = await self._run(lambda opened: take(opened, cost, limits))
            if reserved:
                return
            if not spent.under_way or time.monotonic() > deadline or not fits_alone(cost, limits):
                raise BudgetSpent(
                    f"the judge's budget is spent ({self.path}): {spent.tokens:,} tokens and {spent.nanos / NANOS:.4f} "
                    f"money in {spent.calls:,} call{'s' * (spent.calls != 1)}, and this call could take {cost.tokens:,} tokens and "
                    f"{cost.nanos / NANOS:.4f} more. Raise budget_tokens or budget_money"
                )
            await asyncio.sleep(POLL_SECONDS)

    async def settle(self, reserved: Cost, used: Cost, *, called: bool = True) -> None:
        """Give back what a try did not use of its reservation."""
        change = (reserved.tokens - used.tokens, reserved.nanos - used.nanos, int(called))
        await self._run(
            lambda opened: opened.execute(
                "UPDATE spent SET tokens = tokens - ?, nanos = nanos - ?, calls = calls + ?, "
                "under_way = max(0, under_way - 1)",
                change,
            )
        )

    async def spent(self) -> "Spent":
        """Return what has been spent so far, reservations included."""
        return await self._run(read)

    async def _run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        try:
            return await self._database.run(work)
        except (sqlite3.Error, OSError, TypeError) as error:  # without it nobody could tell what is left
            raise BudgetSpent(
                f"the judge's budget {self.path} cannot be used: {type(error).__name__}: {error}"
            ) from error


class Spent(msgspec.Struct, frozen=True):
    """What a budget has seen: tokens, billionths of money, calls made and tries under way."""

    tokens: int
    nanos: int
    calls: int
    under_way: int


def read(opened: sqlite3.Connection) -> Spent:
    """Return what has been spent."""
    return Spent(*opened.execute("SELECT tokens, nanos, calls, under_way FROM spent").fetchone())


def take(opened: sqlite3.Connection, cost: Cost, limits: Limits) -> tuple[bool, Spent]:
    """Set a cost aside where the limits allow it; return whether they did, and what was spent before."""
    spent, (tokens, nanos) = read(opened), limits.bounds()
    allowed = spent.tokens + cost.tokens <= tokens and spent.nanos + cost.nanos <= nanos
    if allowed:
        opened.execute(
            "UPDATE spent SET tokens = tokens + ?, nanos = nanos + ?, under_way = under_way + 1",
            (cost.tokens, cost.nanos),
        )
    return allowed, spent


def fits_alone(cost: Cost, limits: Limits) -> bool:
    """Whether a cost would be allowed were nothing spent."""
    tokens, nanos = limits.bounds()
    return cost.tokens <= tokens and cost.nanos <= nanos


@cache
def budget_at(path: Path) -> Budget:
    """Return the one budget of a file in this process."""
    return Budget(path)
