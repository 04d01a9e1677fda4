"""Fixtures of pytest's kind: what the parameters of test functions are filled with."""

import inspect
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from rewardstack_sandbox.oracle.own_fixtures import capsys, monkeypatch

__all__ = ["Fixtures", "Setting", "Unfilled", "declare", "parameters"]

MARK = "_rewardstack_fixture"


class Unfilled(Exception):
    """A parameter that no fixture fills; its text is the parameter's name."""


class Fixture(NamedTuple):
    """A function that makes a value for tests: one for each of `choices`, kept from test to test if it `lasts`."""

    make: Any
    name: str
    choices: tuple[Any, ...] = ()
    always: bool = False
    lasts: bool = False


OWN = {one.__name__: Fixture(one, one.__name__) for one in (capsys, monkeypatch)}


def declare(make: Any = None, /, **options: Any) -> Any:
    """Mark a function as a fixture: what stands for `pytest.fixture` in tests, with or without options."""
    if make is None:
        return lambda function: declare(function, **options)
    name, choices = options.get("name") or make.__name__, tuple(options.get("params") or ())
    lasts = options.get("scope", "function") != "function"
    setattr(make, MARK, Fixture(make, name, choices, bool(options.get("autouse")), lasts))
    return make


class Fixtures:
    """The fixtures among some values, by the names that ask for them, and the marks that hold for all tests there.

    `kept` are the values of those that last; `stack` ends them, the last one first.
    """

    def __init__(self, values: Mapping[str, Any], marks: Any = ()) -> None:
        self.marks = own_marks(marks)
        marked = [
            vars(value)[MARK]
            for value in values.values()
            if inspect.isfunction(value) and MARK in vars(value)
        ]
        self.known: dict[str, Fixture] = OWN | {fixture.name: fixture for fixture in marked}
        self.kept: dict[tuple[str, int], Any] = {}
        self.stack = ExitStack()

    def within(self, kind: type) -> "Fixtures":
        """Return these together with those of a test class."""
        marks = [*self.marks, *own_marks(getattr(kind, "pytestmark", ()))]
        both = Fixtures({name: getattr(kind, name) for name in dir(kind)}, marks)
        both.known = self.known | {name: one for name, one in both.known.items() if name not in OWN}
        both.kept, both.stack = self.kept, self.stack
        return both

    def choices(self, function: Any) -> Iterator[dict[str, int]]:
        """Yield, for each call of a test function, which choice of each fixture is meant. Most have none, and one call."""
        waiting, reached = self.needs(function), {}
        while waiting:
            name = waiting.pop()
            if name in self.known and name not in reached:
                reached[name] = range(len(self.known[name].choices))
                waiting += parameters(self.known[name].make)
        chosen = {name: places for name, places in reached.items() if places}
        for places in itertools.product(*chosen.values()):
            yield dict(zip(chosen, places, strict=True))

    def needs(self, function: Any) -> list[str]:
        """Return the fixtures that always apply, those that marks ask for, and what a function has parameters for."""
        always = [name for name, fixture in self.known.items() if fixture.always]
        marked = [str(name) for mark in self.marks_of(function, "usefixtures") for name in mark.args]
        return [*always, *marked, *parameters(function)]

    def marks_of(self, function: Any, *names: str) -> list[Any]:
        """Return the marks of some names that hold for a function."""
        marks = [*self.marks, *own_marks(getattr(function, "pytestmark", ()))]
        return [mark for mark in marks if mark.name in names]


def own_marks(given: Any) -> list[Any]:
    """Return the marks of pytest that a `pytestmark` holds, one or several; an object of the program is none."""
    marks = given if isinstance(given, (list, tuple)) else [given]
    return [mark for mark in marks if type(mark).__module__.startswith("_pytest.")]


class Setting:
    """What one call of a test is given. Fixtures with an end are ended by the stack, the last one first."""

    def __init__(
        self, fixtures: Fixtures, choice: Mapping[str, int], stack: ExitStack, instance: Any = None
    ) -> None:
        self.fixtures = fixtures
        self.choice = choice
        self.stack = stack
        self.instance = instance
        self.made: dict[str, Any] = {}
        self.begun: set[str] = set()

    def fill(self, function: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return a value for each parameter of a function; `Unfilled` where there is none."""
        self.made |= given
        values = {name: self.value(name) for name in self.fixtures.needs(function)}
        return {name: values[name] for name in parameters(function)} | dict(given)

    def value(self, name: str) -> Any:
        """Return a fixture's value, which is the same for all that ask for it in one test."""
        if name not in self.made:
            fixture = self.fixtures.known.get(name)
            if (
                fixture is None
                or name in self.begun  # it asks for itself
                or inspect.iscoroutinefunction(fixture.make)
                or inspect.isasyncgenfunction(fixture.make)
            ):
                raise Unfilled(name)
            self.begun.add(name)
            place = self.choice.get(name, 0)
            kept = self.fixtures.kept
            if (name, place) not in kept:
                made = self.make(fixture, place)
                if not fixture.lasts:
                    self.made[name] = made
                    return made
                kept[name, place] = made
            self.made[name] = kept[name, place]
        return self.made[name]

    def make(self, fixture: Fixture, place: int) -> Any:
        """Call a fixture, which may ask for others; what stands behind its `yield` is its end."""
        asked = parameters(fixture.make)
        arguments = {name: self.value(name) for name in asked if name != "request"}
        if "request" in asked:
            arguments["request"] = Request(self.value, fixture.choices[place : place + 1])
        make = fixture.make if takes_no_instance(fixture.make) else fixture.make.__get__(self.instance)
        value = make(**arguments)
        if inspect.isgeneratorfunction(fixture.make):
            steps, value = value, next(value)
            (self.fixtures.stack if fixture.lasts else self.stack).callback(next, steps, None)
        return value


class Request:
    """What a fixture may ask of pytest: the choice that is meant, and other fixtures."""

    def __init__(self, getfixturevalue: Callable[[str], Any], choice: Sequence[Any]) -> None:
        self.getfixturevalue = getfixturevalue
        if choice:
            self.param = choice[0]

    def __getattr__(self, name: str) -> Any:
        raise Unfilled(f"request.{name}")


def takes_no_instance(function: Any) -> bool:
    """Whether a function is none of a class."""
    return "self" not in inspect.signature(function).parameters


def parameters(function: Any) -> list[str]:
    """Return the names of the parameters that have to be filled; none of what is no function of the tests' own.

    Those that `unittest.mock.patch` fills are the first ones.
    """
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        return []  # a program's decorator has made it
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [
        one.name
        for one in inspect.signature(function).parameters.values()
        if one.default is one.empty and one.kind in kinds and one.name != "self"
    ]
    default = getattr(sys.modules.get("unittest.mock"), "DEFAULT", None)
    patches = [
        one for one in getattr(function, "patchings", ()) if one.new is default and not one.attribute_name
    ]
    return names[len(patches) :]
