"""Calls of a program's functions as bytes, where all arguments are plain values; the codec has the others.

A program's side trusts what it is asked, so such calls go in the interpreter's own format, which is read in one step. A
program pays for each step of a reader anew: it begins as a copy of a process whose pages have to be copied when written
to.
"""

import marshal
from collections.abc import Callable
from typing import Any

from rewardstack_sandbox.values import Codec

__all__ = ["CALLS", "PLAIN_CALL", "THROWN", "decode_request", "encode_plain_call"]

FORMAT = 2  # without references between values, so that equal arguments are equal bytes
TUPLE = ord("(")  # how such a message begins, which no message of the codec does
PLAIN = frozenset([int, float, complex, bool, str, bytes, type(None)])
SEQUENCES = frozenset([list, tuple])  # no sets: they are written in another order than that they were made in
DEEPEST = 20
PLAIN_CALL = "plain call"
CALLS = ("call", PLAIN_CALL)
# The attribute with the number of an exception that a function of the tests raised
THROWN = "_rewardstack_thrown"


def encode_plain_call(
    function: int | str, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> bytes | None:
    """Return a call of a function, known by number or as the program names it; None where an argument is not plain."""
    if is_plain(arguments) and is_plain(keywords):
        return marshal.dumps((function, arguments, keywords), FORMAT)
    return None


def decode_request(codec: Codec, data: bytes, find: Callable[[int | str], Any]) -> Any:
    """Return a request, the first word of which says what it is; `find` returns the function for a number or name."""
    if data[0] != TUPLE:
        return codec.decode(data)
    function, arguments, keywords = marshal.loads(data)  # noqa: S302 - from the server, which a program trusts
    return (PLAIN_CALL, find(function), arguments, keywords)


def is_plain(value: Any, depth: int = 0) -> bool:
    """Whether a value is of exact built-in types throughout: the format takes others for what they are not."""
    kind = type(value)
    if kind in PLAIN:
        return True
    if depth == DEEPEST:
        return False
    if kind in SEQUENCES:
        return all(is_plain(item, depth + 1) for item in value)
    return kind is dict and is_plain([*value, *value.values()], depth)
