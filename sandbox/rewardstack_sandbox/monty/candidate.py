"""A program run by Monty, spoken to as any candidate is: the oracle's requests become snippets of Python.

Monty gives values that it cannot convert as text. So every snippet also says what kind of value it has, and values of
other kinds stay in the program's own process, known by number.
"""

import collections
import marshal
from collections import deque
from collections.abc import Callable
from typing import Any

import pydantic_monty

from rewardstack_sandbox.channel import Gone
from rewardstack_sandbox.monty import snippets
from rewardstack_sandbox.monty.session import Raised, Session
from rewardstack_sandbox.monty.snippets import Foreign, Kept, Snippet
from rewardstack_sandbox.program.booting import READY
from rewardstack_sandbox.program.errors import class_names
from rewardstack_sandbox.requests import CALLS, decode_request
from rewardstack_sandbox.values import Codec, Unsupported

__all__ = ["MontyCandidate", "describe_raised"]

KINDS = {"function": "function", "builtin_function_or_method": "function", "type": "class"}
BY_CONTENT: dict[str, Callable[[Any], Any]] = {"Counter": collections.Counter, "deque": deque}
PROXIES = (pydantic_monty.MontyClassProxy, pydantic_monty.MontyStdTypeProxy)
FIXED = (type(None), bool, int, float, str, bytes, tuple)
NOT_SPOKEN = "The monty syntax parser does not yet support"


class MontyCandidate:
    """A program and the oracle's requests to it; takes and gives messages as a `Channel` to a process does."""

    hears_ahead = False  # it has to be asked for what it defines first

    def __init__(self, pool: Any) -> None:
        self.pool = pool
        self.session: Session | None = None
        self.codec = Codec(pack, unpack)
        self.requests: deque[bytes] = deque()
        self.replies: deque[Any] = deque()
        self.count = 0

    @property
    def channel(self) -> "MontyCandidate":
        """What the oracle speaks through."""
        return self

    @property
    def exit_code(self) -> int:
        """The exit code of its process, 0 while it runs."""
        return 0 if self.session is None else self.session.exit_code

    def open(self, limits: dict[str, Any], deadline: float) -> Session:
        """Begin its process; `Unsupported` where that does not start, which is not the program's doing."""
        try:
            self.session = Session(self.pool, limits, deadline)
        except (pydantic_monty.MontyError, OSError, RuntimeError) as error:
            raise Unsupported(f"Monty does not start: {error}") from error
        return self.session

    def send(self, *messages: bytes, deadline: float | None = None) -> None:  # noqa: ARG002 - taking needs no time
        """Take messages."""
        self.requests.extend(messages)

    def receive(self, deadline: float | None = None) -> bytes:
        """Return the answer to the oldest message that has none yet."""
        while not self.replies:
            if not self.requests:
                raise Gone
            message = self.requests.popleft()
            if self.session is None:  # the first one is the job
                assert deadline is not None
                job = marshal.loads(message)  # noqa: S302 - from the worker itself
                self.replies += [READY, self.load(self.open(job["limits"], deadline), job["program"])]
            else:
                self.replies.append(self.answer(decode_request(self.codec, message, kept)))
        reply = self.replies.popleft()
        try:
            return self.codec.encode(reply)
        except Unsupported as error:
            return self.codec.encode(("unsupported", str(error)))

    def load(self, session: Session, program: str) -> tuple[Any, ...]:
        """Run the program's definitions; tell which names it defines."""
        try:
            session.run(program)
            names = session.run(snippets.NAMES)
            session.run(snippets.BEGIN)
        except Raised as raised:
            return describe_raised(raised)
        return ("loaded", {}, [], [name for name in names if name.isidentifier()])

    def answer(self, message: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what comes of a request."""
        try:
            match message:
                case ("describe", list(names)):
                    return ("return", self.describe(names), ())
                case (str(what), Kept() as target, tuple(arguments), dict(keywords)) if what in CALLS:
                    return ("return", *self.call(target, arguments, keywords))
                case (str(name), *values) if name in snippets.EXPRESSIONS or name in snippets.STATEMENTS:
                    value = self.ask(snippets.operation(name, values))
                    return content_of(*value) if name == "content" else ("return", self.keep(*value), ())
            raise Unsupported(f"{message[0]}, which Monty cannot be asked for")
        except Raised as raised:
            return ("raise", *describe_raised(raised)[1:])

    def ask(self, snippet: Snippet) -> Any:
        """Return a snippet's value: `Unsupported` where it is asked to use what Monty cannot be given."""
        if any(isinstance(value, Foreign) for value in snippet.inputs.values()):
            raise Unsupported("a function or an object of the tests")
        assert self.session is not None
        return self.session.run(snippet.code, inputs=snippet.inputs)

    def call(self, target: Kept, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, Any]:
        """Call a function; return its value, and those arguments that it changed with their place."""
        kind, value, after = self.ask(snippets.call(target, arguments, keywords))
        changes = [
            (place, after[place])
            for place, before in enumerate(arguments)
            if not isinstance(before, (*FIXED, Kept)) and self.differs(before, after[place])
        ]
        return self.keep(kind, value), tuple(changes)

    def differs(self, before: Any, after: Any) -> bool:
        """Whether an argument has other content than before, as far as that can be told."""
        try:
            return self.codec.encode(before) != self.codec.encode(after)
        except Unsupported:
            return False

    def describe(self, names: list[str]) -> dict[str, Any]:
        """Return the values of some names of the program."""
        found: dict[str, Any] = {}
        for name in names:
            kind, value = self.ask(snippets.reading(name))
            if kind == "module":
                found[name] = ("module", name)
                continue
            value = self.keep(kind, value, name)
            try:
                self.codec.encode(value)
            except Unsupported as error:
                found[name] = ("unsupported", str(error))
            else:
                found[name] = ("value", value)
        return found

    def keep(self, kind: str, value: Any, name: str = "") -> Any:
        """Return a value, or what stands for it where it has to stay."""
        if kind in BY_CONTENT and type(value) in (dict, list):
            return BY_CONTENT[kind](value)
        if not isinstance(value, PROXIES) and (type(value) is str) == (kind == "str"):
            return value
        self.count += 1
        assert self.session is not None
        self.session.run(snippets.KEEP.format(number=self.count))
        shown = "iterator" if kind.endswith("iterator") else KINDS.get(kind, "object")
        return Kept(self.count, shown, name or kind)

    def read_output(self, limit: int) -> tuple[str, str, bool]:
        """Return what it printed, and whether that was more than the limit."""
        return ("", "", False) if self.session is None else self.session.read_output(limit)

    def close(self) -> None:
        """End its process."""
        if self.session is not None:
            self.session.close()


def pack(value: Any) -> Any:
    """Return what stands for a value that stays."""
    if isinstance(value, Kept):
        return ("mine", value.number, value.kind, value.name, ())
    raise Unsupported(value.name if isinstance(value, PROXIES) else type(value).__name__)


def unpack(packed: Any) -> Any:
    """Return the value that the oracle means."""
    return Kept(packed[1]) if packed[0] == "yours" else Foreign()


def kept(function: int | str) -> Kept:
    """Return what stands for a function that is called."""
    return Kept(int(function))


def content_of(kind: str, value: Any) -> tuple[Any, ...]:
    """Return an instance's class name and attributes, as an answer; other values of the program have no content."""
    if not isinstance(value, pydantic_monty.MontyClassProxy):
        return ("unsupported", kind)
    return ("return", (value.name, value.attributes), ())


def describe_raised(raised: Raised) -> tuple[Any, ...]:
    """Return an exception as the oracle takes it; what Monty does not speak is an error of syntax."""
    error, kind = raised.error, type(raised.error)
    if isinstance(error, SyntaxError) or (
        isinstance(error, NotImplementedError) and NOT_SPOKEN in str(error)
    ):
        return ("syntax", f"{kind.__name__}: {error}")
    return ("failed", kind.__name__, class_names(kind), (str(error),), str(error), {})
