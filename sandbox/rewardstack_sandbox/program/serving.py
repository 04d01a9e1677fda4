"""Runs a program's definitions and then answers requests: calls, attributes, the next item of an iterator."""

import functools
import importlib
import operator
import os
import sys
import types
from _pickle import dumps  # alone: every candidate would have the rest of `pickle` mapped
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from rewardstack_sandbox.channel import Channel, Gone
from rewardstack_sandbox.program.compiling import compile_program, prepare_names
from rewardstack_sandbox.program.errors import describe_error, make_error
from rewardstack_sandbox.program.objects import Table, state_of
from rewardstack_sandbox.program.running import print_error
from rewardstack_sandbox.program.surroundings import SURROUNDINGS
from rewardstack_sandbox.refilling import refill
from rewardstack_sandbox.requests import CALLS, PLAIN_CALL, decode_request
from rewardstack_sandbox.values import MUTABLE, PROGRAM_DEPTH, Codec, Unsupported

__all__ = ["MODULE", "OPERATORS", "Server", "load", "serve"]

MODULE = "solution"
OF_SERVER = ("describe", "lend", "reload", "refill")  # requests that it answers itself
MOST_OWN = 20
Own: TypeAlias = dict[str, tuple[Any, ...]]
FIXED = (type(None), bool, int, float, str, bytes, tuple)
PROTOCOL = 4  # tells types apart that `marshal` does not, and comes to an end where a value holds itself

FUNCTIONS = (types.FunctionType, type(functools.lru_cache(len)))
# what may be asked of an object; nothing here compares but by order, so that no object can call itself equal
OPERATORS: dict[str, Callable[..., Any]] = {
    "get": getattr, "set": setattr, "iterate": iter, "next": next, "length": len, "item": operator.getitem,
    "set_item": operator.setitem, "del_item": operator.delitem, "text": str, "shown": repr, "truth": bool,
    "enter": lambda value: type(value).__enter__(value), "exit": lambda value: type(value).__exit__(value, None, None, None),
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow, "matmul": operator.matmul,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "neg": operator.neg, "abs": abs,
    "iadd": operator.iadd, "isub": operator.isub, "imul": operator.imul, "itruediv": operator.itruediv,
    "ifloordiv": operator.ifloordiv, "imod": operator.imod, "ipow": operator.ipow, "imatmul": operator.imatmul,
    "iand": operator.iand, "ior": operator.ior, "ixor": operator.ixor, "round": round,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "int": int, "float": float, "index": operator.index, "complex": complex, "contains": operator.contains,
    "is_instance": isinstance, "is_subclass": issubclass, "class": type, "hash": hash,
    "await": lambda value: awaiting().result_of(value), "async_next": lambda value: awaiting().next_of(value),
    "async_iterate": aiter, "async_enter": lambda value: awaiting().enter(value), "async_exit": lambda value: awaiting().leave(value),
    "always_true": lambda value: not (hasattr(type(value), "__bool__") or hasattr(type(value), "__len__")),
    "content": lambda value: (type(value).__name__, state_of(value) if defines_equality(value) else id(value)),
    "copy": lambda value: importlib.import_module("copy").copy(value),
    "deepcopy": lambda value: importlib.import_module("copy").deepcopy(value),
    **SURROUNDINGS,
}  # fmt: skip


def defines_equality(value: Any) -> bool:
    """Whether an object's class says when two of its instances are equal; otherwise each equals itself alone."""
    return any("__eq__" in vars(kind) for kind in type(value).__mro__[:-1])  # the last one is `object`


def awaiting() -> Any:
    """Return the module that runs coroutines."""
    return importlib.import_module("rewardstack_sandbox.program.awaiting")


def serve(server: "Server", job: dict[str, Any]) -> NoReturn:
    """Run the job's program, tell which names it defines, and answer requests for good."""
    load(server, job)
    try:
        while True:
            server.answer(server.hear())
    except Gone:
        os._exit(0)


def load(server: "Server", job: dict[str, Any]) -> None:
    """Run the job's program as a module, and tell which names it defines."""
    sys.modules[MODULE] = server.module
    code = compile_program(server.end, job)
    try:
        exec(code, prepare_names(server.names, job))  # noqa: S102 - this is the sandbox
        answer: Any = ("loaded", *server.own_names())
    except BaseException as error:
        print_error(error)
        answer = ("failed", *describe_error(error))
    server.say(answer)


class Server:
    """Answers requests about the program's objects, and asks the other side about the tests' own.

    `module` is where the program will run, `names` are its names. `own` is what stands for functions and classes that
    were told of by name.
    """

    def __init__(self, end: Channel) -> None:
        self.end = end
        self.module = types.ModuleType(MODULE)
        self.names: dict[str, Any] = self.module.__dict__
        self.table = Table(self.names, self.ask)
        self.codec = Codec(self.table.pack, self.table.unpack, deepest=PROGRAM_DEPTH)
        self.own: Own = {}

    def say(self, message: Any) -> None:
        """Send a message."""
        self.end.send(self.codec.encode(message))

    def hear(self) -> Any:
        """Return the next message."""
        return decode_request(self.codec, self.end.receive(), self.find)

    def find(self, function: int | str) -> Any:
        """Return what is known by a number, or a function that the program told of by its name."""
        return self.table.objects[self.own[function][1] if isinstance(function, str) else function]

    def own_names(self) -> tuple[Own, list[str], list[str]]:
        """Return what stands for the program's own functions and classes, its modules, and the names of all else."""
        own, modules, others = self.own, [], []
        for name, value in [*self.names.items()]:  # to look at a value may run code of the program
            if type(name) is not str or is_hidden(name):
                continue
            kind = type(value)
            if kind is types.ModuleType:
                modules.append(name)
            elif is_own(kind, value) and len(own) < MOST_OWN:
                own[name] = self.table.stand_in(value)
            else:
                others.append(name)
        return own, modules, others

    def describe(self, names: list[str]) -> dict[str, Any]:
        """Return the values of some names of the program."""
        found = {}
        for name in names:
            if name in self.names:
                value = self.names[name]
                try:
                    self.codec.encode(value)
                except Unsupported:
                    found[name] = ("unsupported", type(value).__name__)
                    continue
                is_module = isinstance(value, types.ModuleType)
                found[name] = ("module", value.__name__) if is_module else ("value", value)
        return found

    def lend(self, target: Any, name: str) -> tuple[int, Any]:
        """Return an attribute, and a number for a container that the tests may change, 0 for all else."""
        value = getattr(target, name)
        return (self.table.add(value) if type(value) in MUTABLE else 0), value

    def reload(self, number: int) -> Any:
        """Return a container that was lent."""
        return self.table.objects[number]

    def refill(self, number: int, content: Any) -> None:
        """Give a container that was lent the content that the tests have given theirs."""
        refill(self.table.objects[number], content)

    def ask(self, request: tuple[Any, ...]) -> Any:
        """Ask the other side, answering what it asks meanwhile."""
        self.say(("ask", *request))
        while True:
            message = self.hear()
            if message[0] == "result":
                return message[1]
            if message[0] == "raise":
                raise make_error(*message[1:])
            self.answer(message)

    def answer(self, message: tuple[Any, ...]) -> None:
        """Do what a message asks and send what came of it."""
        try:
            if message[0] in CALLS:
                value, changes = self.call(*message[1:], plain=message[0] == PLAIN_CALL)
            elif message[0] in OF_SERVER:
                value, changes = getattr(self, message[0])(*message[1:]), ()
            else:
                value, changes = OPERATORS[message[0]](*message[1:]), ()
            reply: Any = self.codec.encode(("return", value, changes))
        except Gone:
            raise
        except Unsupported as error:
            reply = self.codec.encode(("unsupported", str(error)))
        except BaseException as error:
            reply = self.codec.encode(("raise", *describe_error(error)))
        self.end.send(reply)

    def call(
        self, target: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], *, plain: bool
    ) -> tuple[Any, tuple[Any, ...]]:
        """Call a function; return its value, and those arguments that it changed with their place or name.

        `plain` says that all arguments are plain values.
        """
        given = [*enumerate(arguments), *keywords.items()]
        variable = [(place, value) for place, value in given if type(value) not in FIXED]
        before = [dumps(one, PROTOCOL) if plain else self.codec.encode(one) for _, one in variable]
        value = target(*arguments, **keywords)
        changes = []
        for (place, argument), old in zip(variable, before, strict=True):
            if self.is_changed(argument, old, plain):
                changes.append((place, argument))
        return value, tuple(changes)

    def is_changed(self, value: Any, old: bytes, plain: bool) -> bool:
        """Whether a value has other content than before, and such as can cross."""
        if plain and is_written(value, old):
            return False
        try:
            return self.codec.encode(value) != old
        except Unsupported:
            return False


def is_written(value: Any, data: bytes) -> bool:
    """Whether a value is written by `pickle` as some bytes; one that cannot be written is not."""
    try:
        return dumps(value, PROTOCOL) == data
    except Exception:  # the program's own, from what it has put there
        return False


def is_own(kind: type, value: Any) -> bool:
    """Whether a value is a function or class of the program; these always cross."""
    return (kind in FUNCTIONS or issubclass(kind, type)) and value.__module__ == MODULE


def is_hidden(name: str) -> bool:
    """Whether a name is not the program's own: the module's, or a guard's of the restricted language."""
    return name.startswith("__") or (name.startswith("_") and name.endswith("_") and len(name) > 1)
