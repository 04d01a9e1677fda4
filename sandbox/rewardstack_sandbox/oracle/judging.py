"""Runs the tests of a plan against a conversation with the program, and says what came of each."""

import contextlib
import functools
import importlib
import inspect
import types
from collections.abc import Callable
from typing import Any

from rewardstack_sandbox.oracle.conversation import (
    TESTS,
    Conversation,
    Stopped,
    UnsupportedValue,
)
from rewardstack_sandbox.oracle.exceptions import raised_by_program, raised_when_called
from rewardstack_sandbox.oracle.fixtures import Fixtures, declare
from rewardstack_sandbox.oracle.plan import SETUP, Plan
from rewardstack_sandbox.oracle.restoring import restore
from rewardstack_sandbox.oracle.rewriting import CLASS_OF, COUNT, FIXTURE, PROGRAM, RECORD
from rewardstack_sandbox.oracle.stand_ins import class_of, types_among
from rewardstack_sandbox.oracle.test_cases import is_skip
from rewardstack_sandbox.oracle.test_classes import count_tests, run_class, test_case_classes
from rewardstack_sandbox.oracle.test_functions import NotRunnable, call_test, calls_of
from rewardstack_sandbox.results import Status, TestResult
from rewardstack_sandbox.values import Unsupported

__all__ = ["Judge", "short"]

SHARED_MODULES = frozenset(
    [
        "bisect", "cmath", "collections", "copy", "datetime", "decimal", "fractions", "functools", "heapq",
        "itertools", "json", "math", "operator", "random", "re", "statistics", "string", "sys", "time",
        "typing",
    ]
)  # fmt: skip
REASON_LIMIT = 500
# What the interpreter says of what tests may not do here, and what is said of it
IMPOSSIBLE = {
    "can't start new thread": "the tests start more threads than there may be here",
    "[Errno 2] No usable temporary directory": "the tests write a file, which they may not here",
}
STOPS = {
    "derailed": Status.infrastructure_error,
    "large": Status.unsupported_value,
    "time": Status.time_limit_exceeded,
    "gone": Status.runtime_error,
    "garbage": Status.runtime_error,
}


class Enough(BaseException):
    """A test failed and the rest is not asked for."""


class Judge:
    """Judges one program by the tests of a plan; `results` fills as they run.

    `skipped` counts the tests that skip themselves, `left_out` those of them that the plan counts among its tests.
    """

    def __init__(self, plan: Plan, talk: Conversation, *, stop_early: bool) -> None:
        self.plan = plan
        self.talk = talk
        self.stop_early = stop_early
        self.results: list[TestResult] = []
        self.asserted = self.skipped = self.left_out = self.expected = 0
        self.used_before = 0  # how often the program had been asked when a method of a test class began
        self.broken = ""
        self.space: dict[str, Any] = {
            "__name__": TESTS,
            "__file__": f"{TESTS}.py",
            CLASS_OF: class_of,
            COUNT: self.count,
            FIXTURE: declare,
            RECORD: self.record,
        }

    def run(self, found: dict[str, Any]) -> None:
        """Run everything, given the names the program defines."""
        try:
            names = names_for_tests(self.plan, found)
            self.talk.types = types_among(names)
            self.space |= {**names, PROGRAM: types.SimpleNamespace(**names)}
            if "seed" in self.plan.names:
                self.talk.surroundings.watch_seed()
            entry = self.plan.entry
            asked = entry is not None and (entry.is_plain or "candidate" in self.plan.names)
            if entry is not None and asked and entry.name in self.space:
                self.space.setdefault("candidate", entry.find(self.space))
            self.run_all()
        except Enough:
            return
        except BaseException as error:  # the tests' own code is foreign; nothing of it may end the worker
            restore()
            with contextlib.suppress(Enough):
                self.fail("tests", error)
        finally:
            restore()

    def run_all(self) -> None:
        """Run the steps, then what they define."""
        for step in self.plan.steps:
            self.attempt(step.name, functools.partial(exec, step.code, self.space), is_test=step.is_test)
        if self.plan.calls_check:
            before = len(self.results)
            check = self.space["check"]
            called = self.attempt("check", lambda: check(self.require_entry()), is_test=False)
            if called and len(self.results) == before and not self.plan.asserts and self.asserted:
                self.add(TestResult("check", passed=True))
        fixtures = Fixtures(self.space, self.space.get("pytestmark", ()))
        calls = [
            (self.space[name], call)
            for name in self.plan.functions
            for call in calls_of(name, self.space[name], fixtures)
        ]
        kinds = [*test_case_classes(self.plan.classes, self.space)]
        if calls or kinds:  # without them the tests may have left no built-in function to count with
            self.expected = (
                len(self.results) + len(calls) + sum(count_tests(kind, fixtures) for kind in kinds)
            )
        with fixtures.stack:
            for name in ("setUpModule", "setup_module"):
                self.around(name, types.SimpleNamespace(__name__=TESTS))
            for function, call in calls:
                self.around("setup_function", function)
                test = functools.partial(call_test, function, call, fixtures)
                self.attempt(call.label, test, is_test=True)
                self.around("teardown_function", function)
            for kind in kinds:
                self.used_before = self.talk.used
                run_class(kind, fixtures, self.add_outcome)

    def around(self, name: str, what: Any) -> None:
        """Call what pytest calls around tests, where the tests define it, with what it is around if it asks for that."""
        function = self.space.get(name)
        if name in self.plan.around and callable(function):
            given = [what] if inspect.signature(function).parameters else []
            self.attempt(name, functools.partial(function, *given), is_test=False)

    @property
    def used(self) -> bool:
        """Whether the tests used the program: asked it, or called a built-in class that it gave a name of its own."""
        given = (self.space.get(name) for name in self.plan.names)
        return bool(self.talk.used) or any(isinstance(one, type) for one in given)

    def require_entry(self) -> Any:
        """Return the stand-in for the entry point; `NameError` where the program does not define it."""
        entry = self.plan.entry
        assert entry is not None
        if entry.name not in self.space:
            raise NameError(f"the program does not define {entry.name}")
        return entry.find(self.space)

    def attempt(self, name: str, action: Callable[[], object], *, is_test: bool) -> bool:
        """Do one thing; return whether it raised nothing. It is a test if it says so, or if it asserted something."""
        asserted, recorded, used = self.asserted, len(self.results), self.talk.used
        try:
            action()
            self.talk.check_time()
        except Enough:
            raise
        except BaseException as error:
            if type(error) is SystemExit and not error.code and not is_programs_doing(error):
                return True  # a script of tests may end itself
            if is_test and is_skip(error) and self.talk.used == used:
                self.skipped += 1
                self.left_out += 1
                return True
            self.fail(name, error)
            return False
        if is_test or (self.asserted > asserted and len(self.results) == recorded and name != "check"):
            self.add(TestResult(name, passed=True))
        return True

    def count(self) -> None:
        """Note that an assertion is about to run."""
        self.asserted += 1

    def record(self, place: int, error: BaseException | None) -> None:
        """Note what came of an assertion directly in `check`."""
        name = self.plan.asserts[place]
        if error is None:
            self.add(TestResult(name, passed=True))
        else:
            self.fail(name, error)

    def add_outcome(self, name: str, error: BaseException | None) -> None:
        """Note what came of a method of a test class; those that the tests themselves skip were not asked for.

        One that skips itself after it asked the program for something does so on the program's word, and has failed.
        """
        used, self.used_before = self.talk.used > self.used_before, self.talk.used
        if error is None:
            self.add(TestResult(name, passed=True))
        elif is_skip(error) and not used:
            self.skipped += 1
        else:
            self.fail(name, error)

    def add(self, result: TestResult) -> None:
        """Note a result; with `stop_early`, or when the program is gone, the first failure ends the run."""
        self.results.append(result)
        if not result.passed and (self.stop_early or self.talk.stopped is not None or self.broken):
            raise Enough

    def fail(self, name: str, error: BaseException) -> None:
        """Note a failure."""
        status, reason = self.judge(error)
        if status is Status.wrong_answer and self.fails_by_itself(name):
            status, reason = Status.infrastructure_error, f"the setup of the tests fails: {reason}"
        if status is Status.infrastructure_error and raised_when_called(error):
            status = Status.runtime_error  # what a function of the tests raised, on what the program gave it
        if status is Status.infrastructure_error:
            self.broken = reason
        self.add(TestResult(name[:REASON_LIMIT], passed=False, status=status, reason=reason[:REASON_LIMIT]))

    def fails_by_itself(self, name: str) -> bool:
        """Whether something is done before the tests and takes nothing of the program."""
        if name in self.plan.around and inspect.isfunction(self.space.get(name)):
            return not self.plan.needed_by([self.space[name].__code__])
        return name == SETUP and not self.plan.setup_needs

    def judge(self, error: BaseException) -> tuple[Status, str]:
        """Return whose fault an exception is, and a sentence about it."""
        text = f"{type(error).__name__}: {short(error)}" if short(error) else type(error).__name__
        if self.talk.stopped is not None:
            return STOPS[self.talk.stopped.kind], str(self.talk.stopped)
        if isinstance(error, UnsupportedValue) or (
            isinstance(error, AssertionError) and self.talk.unsupported and not raised_by_program(error)
        ):
            return (
                Status.unsupported_value,
                f"a value that cannot be judged by content: {self.talk.unsupported}",
            )
        if isinstance(error, MemoryError):  # its own, or for what it gave
            return Status.memory_limit_exceeded, text
        if raised_by_program(error):
            return Status.runtime_error, text
        if isinstance(error, Unsupported):
            # Later on, or in a function that the program called, it may be made of what the program gave, which must
            # not choose to be masked, by its names neither
            first = self.talk.used == 1 and not self.talk.exceptions.thrown and not self.talk.recast
            status = Status.infrastructure_error if first else Status.unsupported_value
            return status, f"the tests pass a value that cannot reach the program: {error}"
        if isinstance(error, NotRunnable):
            return Status.infrastructure_error, str(error)
        if isinstance(error, NameError):
            return Status.runtime_error, f"the program does not define what the tests use: {short(error)}"
        for begins, said in IMPOSSIBLE.items():
            if isinstance(error, (RuntimeError, OSError)) and short(error).startswith(begins):
                return Status.infrastructure_error, said
        if isinstance(error, ImportError):
            return Status.infrastructure_error, f"the tests cannot import: {short(error)}"
        if isinstance(error, AttributeError) and isinstance(error.obj, types.ModuleType):
            return Status.infrastructure_error, f"the tests ask for what is not there: {short(error)}"
        if isinstance(error, Stopped):
            return STOPS[error.kind], str(error)
        got = f"the last call returned {shown(self.talk.last[0])}" if self.talk.last else ""
        if isinstance(error, AssertionError):
            return Status.wrong_answer, "; ".join(part for part in (short(error), got) if part)
        return Status.wrong_answer, f"{text}; {got}" if got else text


def names_for_tests(plan: Plan, found: dict[str, Any]) -> dict[str, Any]:
    """Return what the tests see of the program.

    A program's own `abs` or `all` does not reach the tests, unless they use no other name of it: whether it defines
    that one or not, or `all` alone would pass `all(solve(n) == m for n, m in cases)`.
    """
    space = {}
    for name, (kind, value) in found.items():
        if kind == "value" and not takes_failures(value):
            space[name] = value
    for name in SHARED_MODULES.intersection(plan.names):  # never what a program calls `math`
        space[name] = importlib.import_module(name)
    own = [name for name in plan.names if name in space and not isinstance(space[name], types.ModuleType)]
    if own or plan.needs - SHARED_MODULES:
        return {name: value for name, value in space.items() if name not in plan.built_in}
    return space


def is_programs_doing(error: BaseException) -> bool:
    """Whether the program raised an exception, itself or by calling what the tests gave it."""
    return raised_by_program(error) or raised_when_called(error)


def takes_failures(value: Any) -> bool:
    """Whether a program means every failed assertion by what it calls its exception, or the end of the tests.

    `except` would take the one for raised; tests that raise it would end with the other.
    """
    return any(
        one in (AssertionError, Exception, BaseException, SystemExit)
        for one in (value if type(value) is tuple else [value])
        if type(one) is type
    )


def short(error: BaseException) -> str:
    """Return an exception's text. It may hold objects of the program, and so raise whatever the program likes."""
    try:
        return str(error)[:REASON_LIMIT]
    except BaseException:
        return ""


def shown(value: Any) -> str:
    """Return a value as text, cut."""
    try:
        text = repr(value)
    except BaseException:  # an integer with too many digits, an object of the program that raises
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 200 else f"{text[:200]}…"
