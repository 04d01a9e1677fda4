"""The talk with a candidate's process: requests one way, and the tests' own functions called back the other way."""

import builtins
import io
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from threading import RLock
from types import BuiltinFunctionType
from typing import Any, NoReturn

from rewardstack_sandbox.channel import Channel, Expired, Gone, Oversized
from rewardstack_sandbox.oracle.borrowing import Borrowed
from rewardstack_sandbox.oracle.exceptions import Exceptions, mark_foreign
from rewardstack_sandbox.oracle.own_objects import OwnObjects, operators_of
from rewardstack_sandbox.oracle.stand_ins import RemoteItems, stand_in
from rewardstack_sandbox.oracle.surroundings import Surroundings
from rewardstack_sandbox.refilling import refill
from rewardstack_sandbox.requests import encode_plain_call
from rewardstack_sandbox.values import MUTABLE, PROGRAM_DEPTH, Codec, Malformed, Unsupported

__all__ = ["TESTS", "Conversation", "Stopped", "UnsupportedValue"]

BUILT_IN = (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset)
# What ends a loop, and the request that it may answer
READING = ("lend", "content", "hash", "text", "shown", "class")  # what changes nothing
ENDS = {StopIteration: "next", StopAsyncIteration: "async_next"}
MOST_EXPORTED = 20_000  # a program may nest them one in the other: the stack ends at some 50,000 of `map`
TESTS = "tests"  # the module of what the tests define


class Stopped(BaseException):
    """The candidate's process can answer no more: `kind` is "time", "gone", "large", "garbage", or "derailed".

    Not an `Exception`, so that tests that expect one do not take this for it.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class UnsupportedValue(Exception):
    """The program gave a value that cannot be judged by content."""


class Conversation:
    """Requests to one candidate, until `deadline` on the monotonic clock, which is `limit` seconds after the beginning.

    Remembers for good that it was stopped or was given an unsupported value, whatever the tests make of the
    exception. `used` counts what was asked of the program. `ahead` are calls of the function `name` that are sent
    before the first request.
    """

    def __init__(
        self, channel: Channel, deadline: float, limit: float, name: str = "", ahead: Iterable[bytes] = ()
    ) -> None:
        self.channel = channel
        self.deadline = deadline
        self.lock = RLock()  # what the program asks of the tests may ask the program again
        self.limit = limit
        self.ahead = deque(ahead)
        self.name = name
        self.number = 0  # of that function, once it is known
        self.codec = Codec(self.pack, self.unpack, deepest_read=PROGRAM_DEPTH)
        self.stopped: Stopped | None = None
        self.unsupported = ""
        self.used = 0
        self.last: tuple[Any, ...] = ()
        self.exported: dict[int, Any] = {}
        self.numbers: dict[int, int] = {}
        self.remotes: dict[int, Any] = {}
        self.met: set[int] = set()  # those of them that the last message was the first to tell of
        self.types: set[int] = set()
        self.constructed: set[int] = set()
        self.classes: dict[str, type] = {}
        self.own_objects = OwnObjects()
        self.defined: frozenset[str] = frozenset()  # what the program has names for
        self.recast = False  # whether an object crosses by content because of these, where else it would stay
        self.exceptions = Exceptions()
        self.surroundings = Surroundings(lambda *request: self.exchange(request))
        self.borrowed = Borrowed(lambda *request: self.exchange(request), self.codec.encode)
        self.lends = True  # whether the program's side knows how to lend containers
        self.watches = True  # whether tests may replace what the program meets

    def ask(self, *request: Any) -> Any:
        """Return what the program answers to a request; what it raises is raised here, as a built-in exception.

        It is told first what the tests have put in the place of streams and functions.
        """
        with self.lock:
            self.used += 1
            if not self.borrowed.held:
                return self.ask_watched(request)
            self.borrowed.give_back()
            try:
                return self.ask_watched(request)
            finally:
                if request[0] not in READING and self.stopped is None:
                    self.keeping_last(self.borrowed.renew)

    def ask_watched(self, request: tuple[Any, ...]) -> Any:
        """Do what `ask` says, once the program knows of what the tests have changed in its containers."""
        if not self.watches or not self.surroundings.changed:
            return self.exchange(request)
        if self.ahead:
            self.derail()
        self.surroundings.pass_on()
        try:
            return self.exchange(request)
        finally:
            if self.stopped is None:
                self.keeping_last(self.surroundings.collect)

    def keeping_last(self, action: Callable[[], None]) -> None:
        """Do what asks the program for more, of which the last answer is none."""
        last = self.last
        try:
            action()
        finally:
            self.last = last

    def exchange(self, request: tuple[Any, ...]) -> Any:
        """Send a request and return the answer, for one thread of the tests after the other."""
        if self.ahead:
            self.check_off(request)
        else:
            self.say(request)
        while True:
            match self.hear():
                case ("return", value, changes):
                    if request[0] == "call":
                        self.note_made(request[1].number, value)
                        if changes:
                            crossed = [one for one in changes if id(one[1]) not in self.numbers]
                            apply_changes(dict(enumerate(request[2])) | request[3], crossed)
                    self.last = (value,)
                    return value
                case ("raise", str(name), tuple(bases), arguments, str(text), *more):
                    self.last = ()
                    error = self.exceptions.make(name, bases, arguments, text, *more[:1])
                    if any(isinstance(error, end) and request[0] != what for end, what in ENDS.items()):
                        # the real one would end a loop of the tests in silence, whatever it said it was
                        error = mark_foreign(RuntimeError(f"the program raised {name}"))
                    raise error
                case ("unsupported", str(text)):
                    raise self.refuse(text)
                case ("ask", *inner):
                    self.say(self.answer(inner))
                case _:
                    self.spoil()

    def note_made(self, number: int, value: Any) -> None:
        """Note an object that the tests made of a class under test.

        None that was met before: it may have been given back by a function, whose result the tests still hold.
        """
        reference = RemoteItems.of(value)
        if number in self.types and reference is not None:
            self.constructed |= self.met & {reference.number}

    def begin(self, job: bytes) -> None:
        """Send the program, and the calls that are sent with it."""
        self.send(job, *self.ahead)

    def meet(self, target: Any) -> None:
        """Take an object of the program for the function whose calls were sent ahead."""
        reference = RemoteItems.of(target)
        self.number = 0 if reference is None else reference.number

    def check_off(self, request: tuple[Any, ...]) -> None:
        """Take a request as sent; end the talk where another one had been foreseen: the program's state is off."""
        if self.encode(request) != self.ahead.popleft():
            self.derail()

    def derail(self) -> NoReturn:
        """End the talk because the tests do not do what was foreseen."""
        self.stop("derailed", "the tests made another call than was foreseen")

    def call(self, number: int, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Call a function of the program."""
        return self.ask("call", RemoteItems.reference(number), arguments, keywords)

    def attribute(self, number: int, name: str) -> Any:
        """Return an attribute of an object of the program; a container is one that both sides may change."""
        reference = RemoteItems.reference(number)
        if not self.lends:
            return self.ask("get", reference, name)
        answer = self.ask("lend", reference, name)
        if type(answer) is not tuple or len(answer) != 2 or type(answer[0]) is not int:
            self.spoil()
        lent, value = answer
        return self.borrowed.take(lent, value) if lent and type(value) in MUTABLE else value

    def refuse(self, text: str) -> UnsupportedValue:
        """Return the exception for a value that cannot be judged, and remember it."""
        self.unsupported = self.unsupported or text
        return UnsupportedValue(f"a value that cannot be judged by its content: {text}")

    def say(self, message: Any) -> None:
        """Send a message, unless the talk has ended."""
        if self.stopped is not None:
            raise self.stopped
        self.send(self.encode(message))

    def encode(self, message: tuple[Any, ...]) -> bytes:
        """Return a message as bytes."""
        if message[0] == "call":
            _, target, arguments, keywords = message
            function = self.name if target.number == self.number else target.number
            plain = encode_plain_call(function, arguments, keywords)
            if plain is not None:
                return plain
        return self.codec.encode(message)

    def send(self, *messages: bytes) -> None:
        """Send messages, as bytes."""
        try:
            self.channel.send(*messages, deadline=self.deadline)
        except Expired:
            self.stop("time", f"over {self.limit:g} s")
        except Gone:
            self.stop("gone", "the process ended")

    def hear(self) -> Any:
        """Return the next message."""
        try:
            message = self.channel.receive(self.deadline)
            self.met.clear()
            return self.codec.decode(message)
        except Expired:
            self.stop("time", f"over {self.limit:g} s")
        except Gone:
            self.stop("gone", "the process ended")
        except Oversized:
            self.stop("large", self.refuse("more than the channel takes").args[0])
        except Malformed:
            self.spoil()

    def stop(self, kind: str, text: str) -> NoReturn:
        """End the talk for good."""
        self.stopped = Stopped(kind, text)
        raise self.stopped

    def spoil(self) -> NoReturn:
        """End the talk because of a message that no program of ours sends."""
        self.stop("garbage", "the program wrote to the sandbox's own channel")

    def check_time(self) -> None:
        """End the talk if its time is over."""
        if self.stopped is None and time.monotonic() >= self.deadline:
            self.stop("time", f"over {self.limit:g} s")

    def answer(self, request: list[Any]) -> tuple[Any, ...]:
        """Do what the program asks of the tests' own functions; the result is sent back."""
        try:
            match request:
                case ["call", int(number), tuple(arguments), dict(keywords)]:
                    result = self.exported[number](*arguments, **keywords)
                case ["next", int(number)]:
                    result = next(self.exported[number])
                case _:
                    result = self.own_objects.answer(request)
            self.codec.encode(result)
        except (Exception, SystemExit) as error:  # goes to the program, which may handle it
            return ("raise", type(error).__name__, str(error)[:500], self.exceptions.throw(error))
        return ("result", result)

    def pack(self, value: Any) -> Any:
        """Return what stands for an object of the tests or of the program."""
        reference = RemoteItems.of(value)
        if reference is not None:
            return ("yours", reference.number)
        kind: Any = type(value)
        label, name = str(kind.__name__), str(getattr(value, "__name__", ""))
        if kind is BuiltinFunctionType and vars(builtins).get(name) is value:
            return ("builtin", name)  # its own one: the tests' `eval` is not for the program to call
        operators = operators_of(value, TESTS)
        recast = label in self.defined and kind.__module__ == TESTS
        self.recast |= recast and (operators is not None or callable(value))
        if operators is not None and not recast:
            number = self.export(value)
            self.own_objects.values[number] = value
            return ("mine", number, "object", label, operators)
        if callable(value) and not recast:
            return ("mine", self.export(value), "function", *name_and_text(value))
        if isinstance(value, Iterator):
            return ("mine", self.export(value), "iterator")
        if issubclass(kind, BUILT_IN) or kind.__module__ != TESTS:
            raise Unsupported(label)  # without its methods it would not be what the tests mean
        self.classes[label] = kind
        return ("record", label, dict(vars(value)) if hasattr(value, "__dict__") else {})

    def export(self, value: Any) -> int:
        """Return the number by which the program may call an object of the tests."""
        number = self.numbers.get(id(value))
        if number is None:
            if len(self.exported) >= MOST_EXPORTED:
                raise self.refuse("more functions and iterators of the tests than can be kept")
            number = self.numbers[id(value)] = len(self.exported) + 1
            self.exported[number] = value
        return number

    def unpack(self, packed: Any) -> Any:
        """Return the object that something stands for."""
        match packed:
            case ("yours", number) if type(number) is int:
                return self.exported[number]
            case ("mine", number, str(kind), str(name), tuple(bases)) if type(number) is int:  # True is no 1
                if number not in self.remotes:
                    self.remotes[number] = (
                        self.error_class(name, bases, number)
                        if kind == "exception"
                        else stand_in(self, number, kind, name)
                    )
                    self.met.add(number)
                self.constructed.discard(number)  # what a function gives back is no more than its result
                return self.remotes[number]
            case ("error", str(name), tuple(bases), arguments, str(text), more):
                return self.exceptions.make(name, bases, arguments, text, more)
            case ("record", str(name), dict(state)):
                return remake(self.classes[name], state)
        raise Malformed("unknown object")

    def error_class(self, name: str, bases: tuple[Any, ...], number: int) -> type[BaseException]:
        """Return the class that stands for one of the program's exceptions, known by its number too."""
        kind = self.exceptions.class_for(name, bases)
        RemoteItems.attach(kind, number)
        return kind


def remake(kind: type, state: dict[Any, Any]) -> Any:
    """Return an instance of a class of the tests with the given content; its methods are not for the program to set.

    Nor are they by way of `__dict__`, or any other name that means something to the language.
    """
    value: Any = object.__new__(kind)
    for key, item in state.items():
        if not str(key).startswith("__") and not callable(getattr(kind, str(key), None)):
            object.__setattr__(value, str(key), item)
    return value


def name_and_text(value: Any) -> tuple[str, str | None]:
    """Return what a function or class of the tests is called, and its docstring."""
    name, text = getattr(value, "__name__", None), getattr(value, "__doc__", None)
    return name if type(name) is str else type(value).__name__, text if type(text) is str else None


def apply_changes(arguments: dict[int | str, Any], changes: Any) -> None:
    """Give the tests' own arguments, by place or name, the content the program left them with."""
    for place, new in changes:
        old = arguments[place]
        if type(old) is not type(new):
            continue
        if refill(old, new):
            continue
        if isinstance(old, (io.StringIO, io.BytesIO)):
            old.seek(0)
            old.truncate()
            old.write(new.getvalue())
            old.seek(new.tell())
        elif type(old).__module__ == "numpy":
            old[...] = new
        elif type(old).__module__ == TESTS and not callable(old) and not isinstance(old, Iterator):
            # one that crossed by its content; what stayed with the tests is not for the program to change
            vars(old).clear()
            vars(old).update(vars(new))
