"""Requests to a program as bytes. The program's side trusts them, so calls with plain arguments need no codec there.

They go in the interpreter's own format, which is read in one step; a program pays for each step of its reader anew, since
it begins as a copy of a process whose pages have to be copied where it writes to them. All else goes by the codec.
"""

import marshal
from collections.abc import Callable
from typing import Any

from rewardstack_sandbox.values import Codec

__all__ = ["FORMAT", "decode_request", "encode_call"]

# without references, so that equal arguments are equal bytes
FORMAT = 2
TUPLE = ord("(")  # how such a message begins, which no message of the codec does
PLAIN = frozenset([int, float, complex, bool, str, bytes, type(None)])
SEQUENCES = frozenset([list, tuple, set, frozenset])
DEEPEST = 20


def encode_call(codec: Codec, target: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bytes:
    """Return a call of a program's function; `target` is a reference with the function's number."""
    if is_plain(arguments) and is_plain(keywords):
        return marshal.dumps((target.number, arguments, keywords), FORMAT)
    return codec.encode(("call", target, arguments, keywords))


def decode_request(codec: Codec, data: bytes, find: Callable[[int], Any]) -> Any:
    """Return a request; `find` returns the program's object of a number."""
    if data[0] != TUPLE:
        return codec.decode(data)
    number, arguments, keywords = marshal.loads(data)  # noqa: S302 - from the server, which a program trusts
    return ("call", find(number), arguments, keywords)


def is_plain(value: Any, depth: int = 0) -> bool:
    """Whether a value is of exact built-in types throughout: the format takes others for what they are not."""
    kind = type(value)
    if kind in PLAIN:
        return True
    if depth == DEEPEST:
        return False
    if kind in SEQUENCES:
        return all([is_plain(item, depth + 1) for item in value])
    return kind is dict and is_plain([*value, *value.values()], depth)
