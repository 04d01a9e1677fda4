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
JOB = {"program": PROGRAM, "restricted": False}
FIRST = ("yours", 1)  # the number of the first object a program tells of
ARGUMENTS = ([3, 1, 4, 1, 5, 9, 2, 6], "text")


def rehearse() -> None:
    """Load and call a program a few times, then forget it."""
    codec = Codec(lambda _: FIRST, lambda packed: packed)
    requests = [
        codec.encode(("call", object(), ARGUMENTS, {})),
        encode_plain_call("solve", ARGUMENTS, {}) or b"",
    ]
    for _ in range(TIMES):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            server, other = Server(Channel(theirs)), Channel(ours)
            load(server, JOB)
            codec.decode(other.receive())
            for request in requests:
                other.send(request)
                server.answer(server.hear())
                codec.decode(other.receive())
    del sys.modules[MODULE]
