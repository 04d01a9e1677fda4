"""Finds the calls that tests are bound to make, so that they can be sent at once instead of one by one.

Most tests are lists of `assert f(1, [2]) == 3`: one call each, literal arguments. Sent with the program, they cost no
change between processes instead of two a call. What a program learns from it is the arguments a little earlier; of what
is expected it learns nothing, as ever.
"""

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rewardstack_sandbox.requests import encode_plain_call

__all__ = ["NOTHING", "Foreseen", "called_name", "foresee"]

MOST_CALLS = 64
ROOM = 16_000  # bytes, well below what a socket holds: sending ahead must never wait
BUILT_IN = frozenset(vars(builtins))
# what may stand around the call: nothing that decides whether, or how often, it is made, and no attribute of what it
# returns, which may be an object that would have to be asked
AROUND = (
    ast.Assert,
    ast.Compare,
    ast.Call,
    ast.BinOp,
    ast.UnaryOp,
    ast.Subscript,
    ast.Tuple,
    ast.List,
)


@dataclass(frozen=True)
class Foreseen:
    """The name that is called, and the arguments of each call in order; no calls where they cannot be foreseen."""

    name: str
    calls: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...]

    @cached_property
    def messages(self) -> tuple[bytes, ...]:
        """The calls as they are sent, from the first to the last there is room for."""
        found: list[bytes] = []
        room = ROOM
        for arguments, keywords in self.calls:
            message = encode_plain_call(self.name, arguments, keywords)
            if message is None or (room := room - len(message)) < 0:
                break
            found.append(message)
        return tuple(found)


NOTHING = Foreseen("", ())


def foresee(body: Sequence[ast.stmt], name: str) -> Foreseen:
    """Return the calls of a name that some statements make, if each stands alone in an assertion of its own."""
    calls = []
    for statement in body:
        uses = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name]
        if not uses:
            continue
        found = list(certain_calls(statement, name)) if isinstance(statement, ast.Assert) else []
        if len(uses) != 1 or len(found) != 1:
            return NOTHING
        try:
            arguments = tuple(ast.literal_eval(one) for one in found[0].args)
            keywords = {one.arg: ast.literal_eval(one.value) for one in found[0].keywords if one.arg}
        except (ValueError, TypeError, MemoryError, RecursionError):
            return NOTHING
        if len(keywords) != len(found[0].keywords):
            return NOTHING
        calls.append((arguments, keywords))
    return Foreseen(name, tuple(calls)) if 0 < len(calls) <= MOST_CALLS else NOTHING


def certain_calls(node: ast.AST, name: str) -> Iterator[ast.Call]:
    """Yield the calls of a name that evaluating a node surely makes."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
        yield node
    if not isinstance(node, AROUND) or (isinstance(node, ast.Compare) and len(node.ops) > 1):
        return
    children = [node.test] if isinstance(node, ast.Assert) else ast.iter_child_nodes(node)
    for child in children:
        yield from certain_calls(child, name)


def called_name(body: Sequence[ast.stmt]) -> str:
    """Return the name that the first assertion calls first, built-in ones left out."""
    for statement in body:
        for node in ast.walk(statement.test) if isinstance(statement, ast.Assert) else ():
            match node:
                case ast.Call(func=ast.Name(id=name)) if name not in BUILT_IN:
                    return name
    return ""
