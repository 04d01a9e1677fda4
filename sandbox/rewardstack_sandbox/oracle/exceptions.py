"""Exceptions of the program as the tests see them: of the same built-in class, or of one made for the program's own."""

import builtins
import sys
from typing import Any

from rewardstack_sandbox.oracle.test_cases import is_skip
from rewardstack_sandbox.requests import THROWN

__all__ = ["Exceptions", "mark_foreign", "raised_by_program", "raised_when_called"]

FOREIGN = "_rewardstack_from_program"
CALLED_BACK = "_rewardstack_called_back"
MOST_BASES = 30
MOST_THROWN = 1000
# Whose exceptions tests expect by name. Those of unittest and pytest would skip a test on the program's word.
LIBRARIES = frozenset(
    [
        "binascii", "configparser", "csv", "_csv", "dataclasses", "decimal", "json.decoder", "queue", "_queue", "re",
        "statistics", "struct", "zlib", "zoneinfo",
    ]
)  # fmt: skip


class Exceptions:
    """The classes made for one program's exceptions, by name, and what the tests' own functions raised when it called them.

    A class is described by the names of all it derives from, itself included, nearest first: built-in ones bare, others
    behind their module's.
    """

    def __init__(self) -> None:
        self.classes: dict[str, type[BaseException]] = {}
        self.thrown: dict[int, BaseException] = {}  # the last ones, by number
        self.count = 0

    def throw(self, error: BaseException) -> int:
        """Return the number by which the program tells of an exception of the tests that it does not handle."""
        self.count += 1
        vars(error)[CALLED_BACK] = True
        self.thrown[self.count] = error.with_traceback(None)
        self.thrown.pop(self.count - MOST_THROWN, None)
        return self.count

    def make(
        self, name: str, bases: tuple[Any, ...], arguments: Any, text: str, more: Any = None
    ) -> BaseException:
        """Return an exception like the program's, or the tests' own that has come back.

        `more` may hold its further attributes as `state`, and the `cause` it was raised from.
        """
        given = more if type(more) is dict else {}
        state = given.get("state")
        state = state if type(state) is dict else {}
        number = state.get(THROWN)
        thrown = self.thrown.get(number) if type(number) is int else None
        if thrown is not None and not is_skip(thrown):
            return thrown
        error = mark_foreign(self.build(name, bases, arguments, text))
        vars(error).update((key, one) for key, one in state.items() if is_attribute(error, key))
        match given.get("cause"):
            case (str(kind), tuple(above), tuple(own), str(words)):
                error.__cause__ = mark_foreign(self.build(kind, above, own or (words,), words))
        return error

    def build(self, name: str, bases: tuple[Any, ...], arguments: Any, text: str) -> BaseException:
        """Return an exception of a class."""
        kind = builtin_error(name) if name in bases else self.class_for(name, bases)
        try:
            error = kind(*arguments) if type(arguments) is tuple else kind(text)
            check_place(error)
        except Exception:  # some built-in exceptions want arguments of their own
            error = self.class_for(name, ("Exception",))(text)
        if type(error) is self.classes.get(name):
            vars(error)[TEXT] = text
        return error

    def class_for(self, name: str, bases: tuple[Any, ...]) -> type[BaseException]:
        """Return the class that stands for the program's exceptions of a name."""
        if name not in self.classes:
            above = [one for one in bases[:MOST_BASES] if type(one) is str and one != f"{PROGRAM}.{name}"]
            parents = [known for one in above if (known := self.parent(one, above)) is not None] or [
                Exception
            ]
            nearest = tuple(
                one
                for one in parents
                if not any(one is not other and issubclass(other, one) for other in parents)
            )
            self.classes[name] = made_class(name, tuple(dict.fromkeys(nearest)))
        return self.classes[name]

    def parent(self, name: str, above: list[str]) -> type[BaseException] | None:
        """Return the class that a name in such a description stands for; None for `object` and what is unknown here."""
        module, _, own = name.rpartition(".")
        if not module:
            kind = getattr(builtins, name, None)
            return kind if isinstance(kind, type) and issubclass(kind, BaseException) else None
        if module == PROGRAM:
            return self.class_for(own, tuple(above[above.index(name) :]))
        kind = getattr(sys.modules.get(module), own, None) if module in LIBRARIES else None
        return kind if isinstance(kind, type) and issubclass(kind, Exception) else None


def check_place(error: BaseException) -> None:
    """Raise `ValueError` for an error in coding text that says it is before the text's beginning.

    Its text is made of what lies there: the interpreter crashes, up to Python 3.12.7.
    """
    if isinstance(error, IN_TEXT) and (type(error.args[-3]) is not int or error.args[-3] < 0):
        raise ValueError("a place before the beginning")


IN_TEXT = (UnicodeDecodeError, UnicodeEncodeError, UnicodeTranslateError)  # start, end and reason come last
PROGRAM = "solution"
TEXT = "_rewardstack_text"


def made_class(name: str, parents: tuple[type[BaseException], ...]) -> type[BaseException]:
    """Return a class of exceptions that takes any arguments."""
    body = {"__init__": keep_arguments, "__str__": own_text}
    try:
        made: Any = type(name, parents, dict(body))
    except TypeError:  # the parents' layouts or orders do not go together
        made = type(name, parents[:1], dict(body))
    return made  # type: ignore[no-any-return]


def keep_arguments(self: BaseException, *arguments: Any) -> None:
    """Take any arguments."""
    self.args = arguments


def own_text(self: BaseException) -> str:
    """Return the text the program's exception has, or what any exception would have."""
    text = vars(self).get(TEXT)
    return text if isinstance(text, str) else BaseException.__str__(self)


def is_attribute(error: BaseException, name: Any) -> bool:
    """Whether a name is that of plain data: no method, and nothing that means something to the language or to us."""
    told = type(name) is str and not name.startswith(("__", "_rewardstack"))
    return told and not callable(getattr(type(error), name, None))


def builtin_error(name: str) -> type[BaseException]:
    """Return a built-in exception by name, `Exception` where there is none."""
    kind = getattr(builtins, name, None)
    return kind if isinstance(kind, type) and issubclass(kind, BaseException) else Exception


def mark_foreign(error: BaseException) -> BaseException:
    """Note on an exception that the program raised it."""
    setattr(error, FOREIGN, True)
    return error


def raised_by_program(error: BaseException) -> bool:
    """Whether the program raised an exception, and not the tests."""
    return bool(getattr(error, FOREIGN, False))


def raised_when_called(error: BaseException) -> bool:
    """Whether a function of the tests raised an exception when the program called it."""
    return CALLED_BACK in vars(error)
