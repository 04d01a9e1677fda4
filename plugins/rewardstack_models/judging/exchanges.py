"""An exchange with a judge: from the cache, or asked with all care, at most once for what is asked twice at a time."""

import asyncio
import contextlib
import contextvars
import os
import random
import threading
import weakref
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from rewardstack_models.errors import EndpointError
from rewardstack_models.judging.budget import Budget, Cost, Limits, budget_at
from rewardstack_models.judging.cache import Cache, cache_at
from rewardstack_models.judging.calls import Failure, api_key, hide, send
from rewardstack_models.judging.endpoints import Endpoint, endpoint_at
from rewardstack_models.judging.replies import Reply, Request, Unreadable

__all__ = ["Care", "Usage", "exchange", "is_kept", "repeating"]

FIRST_WAIT, LONGEST_WAIT = 0.5, 20.0
MOST_PATIENCE = 300.0  # a server that asks for more is given up
MOST_UNREADABLE = 4

_repeat: contextvars.ContextVar[int] = contextvars.ContextVar("rewardstack_judge_repeat", default=0)
_log_lock = threading.Lock()


class Care(msgspec.Struct, frozen=True):
    """How a judge is asked: tries, time, limits, prices, and the files that remember."""

    key_from: str = ""
    tries: int = 8
    seconds: float = 60.0
    at_once: int = 32
    per_minute: float = 0.0
    price_read: float = 0.0
    price_written: float = 0.0
    cache: Path | None = None
    log: Path | None = None
    budget: Path | None = None
    limits: Limits = Limits()

    def cost(self, read: int, written: int) -> Cost:
        """Return what tokens cost."""
        return Cost.of(read, written, self.price_read, self.price_written)


class Usage(msgspec.Struct, frozen=True):
    """What an exchange came to: the label read, the reply, and what it took (nothing where the cache knew it)."""

    label: str
    reply: Reply
    cached: bool
    tries: int
    cost: Cost


@contextlib.contextmanager
def repeating(number: int) -> Iterator[None]:
    """Let judges be asked as if for the first time: verdicts of another repeat are not taken from the cache."""
    token = _repeat.set(number)
    try:
        yield
    finally:
        _repeat.reset(token)


class Flight:
    """An exchange under way and how many wait for it; it is given up with the last of them."""

    def __init__(self, task: "asyncio.Task[Usage]") -> None:
        self.task = task
        self.waiting = 0

    async def result(self) -> Usage:
        """Wait for the outcome."""
        self.waiting += 1
        try:
            return await asyncio.shield(self.task)
        finally:
            self.waiting -= 1
            if not self.waiting and not self.task.done():
                self.task.cancel()


_flights: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, Flight]]" = (
    weakref.WeakKeyDictionary()
)


async def exchange(request: Request, care: Care, read: Callable[[Reply], str]) -> Usage:
    """Return what a judge says; `read` finds the label in a reply or raises `Unreadable`.

    Requests that are equal and under way at one time are sent once. Raises `EndpointError` when no try gave a
    verdict, `BudgetSpent` when a try is not allowed any more.
    """
    key = request.key(_repeat.get())
    flights = _flights.setdefault(asyncio.get_running_loop(), {})
    flight = flights.get(key)
    if flight is None or flight.task.done():
        flight = flights[key] = Flight(asyncio.ensure_future(Exchange(request, care, read, key).run()))
        flight.task.add_done_callback(lambda task: task.cancelled() or task.exception())
    try:
        return await flight.result()
    finally:
        if flights.get(key) is flight and not flight.waiting:
            del flights[key]


async def is_kept(request: Request, care: Care) -> bool:
    """Return whether the cache knows the answer to a request."""
    return care.cache is not None and await cache_at(care.cache).get(request.key(_repeat.get())) is not None


class Exchange:
    """One question, asked until it is answered or given up."""

    def __init__(self, request: Request, care: Care, read: Callable[[Reply], str], key: str) -> None:
        self.request, self.care, self.read, self.key = request, care, read, key
        self.cache: Cache | None = None if care.cache is None else cache_at(care.cache)
        self.budget: Budget | None = None if care.budget is None else budget_at(care.budget)
        self.spent = Cost(0, 0)
        self.unreadable = 0

    async def run(self) -> Usage:
        """Return the outcome: kept, or asked for."""
        if self.cache is not None and (kept := await self.cache.get(self.key)) is not None:
            with contextlib.suppress(Unreadable):
                return Usage(self.read(kept), kept, True, 0, Cost(0, 0))
        endpoint, secret = endpoint_at(self.request.endpoint), api_key(self.care.key_from)
        number = 0
        while True:
            number += 1
            try:
                reply, label = await self.attempt(endpoint, secret)
            except Failure as failure:
                self.log(number, error=hide(str(failure), secret), reply=hide(failure.reply, secret))
                if failure.refused and "response_format" in self.request.parameters:
                    raise Refused(str(failure)) from None
                if not self.goes_on(number, failure):
                    raise self.given_up(number, hide(str(failure), secret)) from None
                await self.rest(endpoint, number, failure)
            else:
                self.log(number, reply=hide(reply.text, secret), label=label)
                if self.cache is not None:
                    await self.cache.put(self.key, reply)
                return Usage(label, reply, False, number, self.spent)

    def goes_on(self, number: int, failure: Failure) -> bool:
        """Whether another try is allowed and may help."""
        self.unreadable += bool(failure.reply)
        patient = failure.wait is None or failure.wait <= MOST_PATIENCE
        return failure.again and patient and number < self.care.tries and self.unreadable < MOST_UNREADABLE

    async def rest(self, endpoint: Endpoint, number: int, failure: Failure) -> None:
        """Wait before the next try: as the server asked (then all wait), or longer with every failure."""
        if failure.wait is not None:
            endpoint.pause(failure.wait)
        wait = backoff(number) if failure.wait is None else failure.wait
        await asyncio.sleep(jittered(0.0 if failure.reply else wait))

    def given_up(self, number: int, why: str) -> EndpointError:
        """Return the error of a judge that gave no verdict."""
        tries = "1 try" if number == 1 else f"{number} tries"
        return EndpointError(
            f"the judge {self.request.model!r} at {self.request.endpoint} gave no verdict in {tries}; the last one: {why}"
        )

    async def attempt(self, endpoint: Endpoint, secret: str) -> tuple[Reply, str]:
        """Return a reply and its label from one try, within the limits of rate, concurrency and budget."""
        async with endpoint.place(self.care.at_once):
            await endpoint.turn(self.care.per_minute)
            reply = await self.send(endpoint, secret)
        try:
            return reply, self.read(reply)
        except Unreadable as error:
            why = f"a reply without a verdict: {error}"
            raise Failure(why, billed=True, reply=reply.text or " ") from error

    async def send(self, endpoint: Endpoint, secret: str) -> Reply:
        """Send the request once, what it can cost set aside before and settled after."""
        most = self.care.cost(*self.request.most_tokens())
        if self.budget is not None:
            await self.budget.reserve(most, self.care.limits, self.care.seconds)
        used = most
        try:
            reply = await send(endpoint, self.request, secret, self.care.seconds)
            used = self.used(reply, most)
            return reply
        except Failure as error:
            used = most if error.billed else Cost(0, 0)
            raise
        finally:
            self.spent = Cost(self.spent.tokens + used.tokens, self.spent.nanos + used.nanos)
            if self.budget is not None:
                await asyncio.shield(self.budget.settle(most, used))

    def used(self, reply: Reply, most: Cost) -> Cost:
        """Return what a reply cost: by the server's count, or the most it can have cost."""
        if reply.read is None or reply.written is None:
            return most
        return self.care.cost(reply.read, reply.written)

    def log(self, number: int, **outcome: str) -> None:
        """Write one try to the log, a line of JSON that other processes' lines cannot break."""
        if self.care.log is None:
            return
        line = msgspec.json.encode({
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"), "endpoint": self.request.endpoint,
            "model": self.request.model, "try": number, "messages": self.request.messages,
            "parameters": self.request.parameters, **outcome,
        })  # fmt: skip
        with _log_lock:
            append(self.care.log, line + b"\n")


class Refused(Exception):
    """An endpoint that does not take structured output."""


def append(path: Path, line: bytes) -> None:
    """Append a line to a file in one write; raises `EndpointError` where that fails: a log that is asked for is kept."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise EndpointError(f"the log of the judge cannot be written: {error}") from error


def backoff(number: int) -> float:
    """Return the seconds to wait after a number of failures."""
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (number - 1))


def jittered(wait: float) -> float:
    """Return a wait made longer at random, so that what failed together is not tried again together."""
    return wait + float(random.uniform(0.0, 0.5 * wait + 0.05))  # noqa: S311 - no secret
