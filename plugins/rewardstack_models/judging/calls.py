"""One try: a request sent, an answer read, or why there is none and whether another try makes sense."""

import asyncio
import os
import time
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from rewardstack import import_extra
from rewardstack_models.errors import EndpointError
from rewardstack_models.judging.endpoints import Endpoint
from rewardstack_models.judging.replies import Reply, Request

__all__ = ["Failure", "api_key", "send"]

MOST_BYTES = 4_000_000
MOST_TOKENS = 10**9  # no call takes more; a server that says so is not believed
SHOWN = 200
ENCODINGS = frozenset(
    {"", "identity", "gzip", "x-gzip", "deflate"}
)  # layers or others could hold gigabytes in a packet
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
REFUSED = frozenset({400, 415, 422, 501})


class Failure(Exception):
    """A try that failed: `again` if another may not, `wait` as the server asked, `billed` if it may cost all the same.

    `refused` tells that the server did not understand the request; `reply` is what it said where that was no verdict.
    """

    def __init__(
        self,
        why: str,
        *,
        again: bool = True,
        wait: float | None = None,
        billed: bool = False,
        refused: bool = False,
        reply: str = "",
    ) -> None:
        super().__init__(why)
        self.again, self.wait, self.billed, self.refused, self.reply = again, wait, billed, refused, reply


def api_key(variable: str) -> str:
    """Return the key in an environment variable, nothing for no variable; `EndpointError` where it is not set."""
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise EndpointError(
            f"the environment variable {variable}, which should hold the judge's key, is not set"
        )
    if not key.isascii() or not key.isprintable():
        raise EndpointError(f"the environment variable {variable} holds characters that no key has")
    return key


async def send(endpoint: Endpoint, request: Request, key: str, seconds: float) -> Reply:
    """Return the reply to a request; raises `Failure`. The key is in no message."""
    httpx = import_extra("httpx", "models", f"the judge at {request.endpoint}")
    headers = {
        "Content-Type": "application/json",
        "Accept-Encoding": "identity",
        **({"Authorization": f"Bearer {key}"} if key else {}),
    }
    url = f"{request.endpoint.rstrip('/')}/chat/completions"
    try:
        with endpoint.client() as client:
            async with (
                asyncio.timeout(seconds),
                client.stream("POST", url, content=request.body(), headers=headers) as response,
            ):
                body = await read_body(response)
    except TimeoutError as error:
        raise Failure(f"no answer within {seconds:g} s", billed=True) from error
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
        raise Failure(hide(f"cannot be reached: {error or type(error).__name__}", key)) from None
    except httpx.TransportError as error:
        why = hide(f"the connection broke: {error or type(error).__name__}", key)
        raise Failure(why, billed=True) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Failure(hide(f"{type(error).__name__}: {error}", key), again=False) from None
    check_status(response, body, key)
    return read_reply(body, key)


async def read_body(response: Any) -> bytes:
    """Return a response's body; `Failure` for one without end."""
    encoding = str(response.headers.get("content-encoding", "")).strip().lower()
    if encoding not in ENCODINGS:
        raise Failure(
            f"the answer has the encoding {encoding[:40]!r}, which was not asked for",
            again=False,
            billed=True,
        )
    parts, size = list[bytes](), 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise Failure(f"the answer is longer than {MOST_BYTES:,} bytes", billed=True)
    return b"".join(parts)


def check_status(response: Any, body: bytes, key: str) -> None:
    """Raise `Failure` for a response that is no success."""
    status = int(response.status_code)
    if status == 200:
        return
    if 300 <= status < 400:
        raise Failure(f"HTTP {status}: it redirects elsewhere, which is not followed", again=False)
    said = shown(body, key)
    raise Failure(
        f"HTTP {status}{f': {said}' if said else ''}",
        again=status in PASSING,
        wait=retry_after(response.headers.get("retry-after")) if status in PASSING else None,
        refused=status in REFUSED,
    )


def retry_after(text: str | None) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, as a number or a date; `None` where it says neither."""
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
        except ValueError:
            return None
        seconds = when.timestamp() - time.time()
    return max(0.0, seconds) if seconds < float("inf") else None


def read_reply(body: bytes, key: str) -> Reply:
    """Return the reply in a response's body; `Failure` for what is not of the protocol."""
    try:
        data = msgspec.json.decode(body)
        choice = data["choices"][0]
        content = choice["message"]["content"]
        if isinstance(content, list):  # parts, as some servers give them
            content = "".join(part["text"] for part in content)
        if not isinstance(content, str):
            raise TypeError("its content is no text")  # noqa: TRY301 - one place tells of all that is no completion
    except (
        msgspec.MsgspecError,
        UnicodeDecodeError,
        KeyError,
        IndexError,
        TypeError,
        RecursionError,
    ) as error:
        said = shown(body, key)
        raise Failure(
            f"an answer that is no chat completion ({type(error).__name__}): {said!r}", billed=True
        ) from None
    usage = data.get("usage")
    counts = [count_in(usage, name) for name in ("prompt_tokens", "completion_tokens")]
    return Reply(hide(content, key), str(choice.get("finish_reason") or ""), *counts)


def shown(body: bytes, key: str) -> str:
    """Return the beginning of a body on one line, the key hidden before it is cut, which would leave a part of it."""
    return hide(" ".join(body.decode("utf-8", "replace").split()), key)[:SHOWN]


def count_in(usage: Any, name: str) -> int | None:
    """Return a count of tokens that a server states, `None` where it states none."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def hide(text: str, key: str) -> str:
    """Return a text without the key, which a server or a library may repeat."""
    return text.replace(key, "***") if key else text
