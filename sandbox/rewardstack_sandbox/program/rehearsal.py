"""Goes through a candidate's life in the forker, with a program of no meaning.

An interpreter writes to code that is new to it: it fills caches and counts calls until it has found the quickest
instructions. After a fork each page so written to has to be copied, in every candidate anew. Once is enough.
"""

import socket
import sys

from rewardstack_sandbox.channel import Channel
from rewardstack_sandbox.program.serving import MODULE, Server, load
from rewardstack_sandbox.requests import encode_plain_call
from rewardstack_sandbox.values import Codec

__all__ = ["rehearse"]

TIMES = 24  # more than it takes an interpreter to settle on the instructions of a function
PROGRAM = """
from typing import Dict, List, Optional, Tuple
import math

def solve(numbers: List[int], name: str = "a") -> Dict[str, float]:
    '''Do some of what programs do.'''
    found = sorted({number % 7 for number in numbers}, reverse=True)
    return {f"{name}{place}": math.sqrt(number) for place, number in enumerate(found)}

class Thing:
    def __init__(self, value: Optional[Tuple[int, ...]] = None) -> None:
        self.value = value
"""
FAILING = """
def fail(number):
    return nunber

fail(1)
"""
FIRST = ("yours", 1)  # the number of the first object a program tells of
ARGUMENTS = ([3, 1, 4, 1, 5, 9, 2, 6], "text")


def rehearse() -> None:
    """Load and call a program a few times, and one that fails, then forget them.

    To print an error takes modules that Python 3.13 loads only then. A candidate would do so each time, and could not
    once it has used up its files.
    """
    codec = Codec(lambda _: FIRST, lambda packed: packed)
    requests = [
        codec.encode(("call", object(), ARGUMENTS, {})),
        encode_plain_call("solve", ARGUMENTS, {}) or b"",
    ]
    for _ in range(TIMES):
        go_through(PROGRAM, requests, codec)
        go_through(FAILING, [], codec)
    del sys.modules[MODULE]


def go_through(program: str, requests: list[bytes], codec: Codec) -> None:
    """Load a program and answer requests about it, as a candidate does."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        server, other = Server(Channel(theirs)), Channel(ours)
        load(server, {"program": program, "restricted": False})
        codec.decode(other.receive())
        for request in requests:
            other.send(request)
            server.answer(server.hear())
            codec.decode(other.receive())
