"""An endpoint as a process uses it: its clients, so many calls at once, so many a minute, one pause for all."""

import asyncio
import contextlib
import os
import threading
import time
import weakref
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

from rewardstack import import_extra

__all__ = ["Endpoint", "Gate", "check_endpoint", "check_variable", "endpoint_at"]


class Endpoint:
    """What all terms of a process that ask one endpoint share; bound to an event loop, as its clients are."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.plain_text = False  # whether it has refused structured output
        self._clients: list[Any] = []
        self._certificates: Any = None
        self._gate = Gate()
        self._next = self._paused = 0.0

    @contextlib.contextmanager
    def client(self) -> Iterator[Any]:
        """Lend an HTTP client with one connection: the last one given back, or a new one.

        One client for all would look through all of its connections at every call, which at 32 calls at once takes half
        of the time. Clients follow no redirect, which would carry the key elsewhere.
        """
        client = self._clients.pop() if self._clients else self._new_client()
        try:
            yield client
        finally:
            self._clients.append(client)

    def _new_client(self) -> Any:
        httpx = import_extra("httpx", "models", f"the judge at {self.url}")
        if self._certificates is None:
            self._certificates = httpx.create_ssl_context() if self.url.startswith("https") else False
        limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
        return httpx.AsyncClient(
            verify=self._certificates, limits=limits, timeout=None, follow_redirects=False
        )

    def place(self, at_once: int) -> contextlib.AbstractAsyncContextManager[None]:
        """Return a place among this rank's share of so many calls at a time, to be waited for and held."""
        return self._gate.place(max(1, at_once // ranks()))

    async def turn(self, per_minute: float) -> None:
        """Wait until a further call keeps to the rate and no pause that the server asked for is on."""
        now = time.monotonic()
        begin = max(now, self._next, self._paused)
        if per_minute:
            self._next = begin + 60.0 * ranks() / per_minute
        await asyncio.sleep(begin - now)
        while (left := self._paused - time.monotonic()) > 0:  # noqa: ASYNC110 - asked for meanwhile
            await asyncio.sleep(left)

    def pause(self, seconds: float) -> None:
        """Let nobody call for some seconds."""
        self._paused = max(self._paused, time.monotonic() + seconds)


class Gate:
    """Lets so many calls through at a time: the smallest number that any call waiting or under way has named.

    So terms that name different numbers keep to the smallest together, and only while they are there.
    """

    def __init__(self) -> None:
        self._present: Counter[int] = Counter()
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @contextlib.asynccontextmanager
    async def place(self, most: int) -> AsyncIterator[None]:
        """Wait for a place among `most`, and hold it."""
        self._present[most] += 1
        try:
            await self._enter()
            try:
                yield
            finally:
                self._running -= 1
        finally:
            self._present -= Counter([most])  # which drops what has come to nothing
            self._let_in()

    async def _enter(self) -> None:
        if not self._waiting and self._running < min(self._present):
            self._running += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it had just been let in
                self._running -= 1
            elif turn in self._waiting:
                self._waiting.remove(turn)
            raise

    def _let_in(self) -> None:
        """Give the places that are free to those who wait, the first to come first."""
        while self._waiting and self._running < min(self._present):
            turn = self._waiting.popleft()
            if not turn.cancelled():
                turn.set_result(None)
                self._running += 1


_endpoints: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Endpoint]]" = (
    weakref.WeakKeyDictionary()
)
_lock = threading.Lock()


def endpoint_at(url: str) -> Endpoint:
    """Return the one endpoint of an address in the running event loop."""
    loop = asyncio.get_running_loop()
    with _lock:
        return _endpoints.setdefault(loop, {}).setdefault(url, Endpoint(url))


def ranks() -> int:
    """Return how many processes share the limits: the ranks of a training run."""
    text = os.environ.get("WORLD_SIZE", "1")
    return max(1, int(text)) if text.strip().isdigit() else 1


def check_endpoint(url: str) -> None:
    """Raise `ValueError` for an address that is none, or that holds a secret."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("endpoint must be the address of an API, such as http://localhost:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(
            "endpoint must hold no user, password or parameters: they would be seen in logs. Name the environment "
            "variable that holds the key in key_from"
        )


def check_variable(name: str) -> None:
    """Raise `ValueError` for what is no name of an environment variable; it is not shown, since it may be the key."""
    if name and not (name.isascii() and name.isidentifier() and name == name.upper()):
        raise ValueError(
            "key_from is the name of the environment variable that holds the key, such as JUDGE_API_KEY; what is given "
            "is no such name (and not shown here, in case it is the key itself)"
        )
