"""Test classes, as pytest and unittest write them."""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from types import MethodType
from typing import Any

from rewardstack_sandbox.oracle.fixtures import Fixtures, parameters
from rewardstack_sandbox.oracle.test_cases import run_test_case
from rewardstack_sandbox.oracle.test_functions import Call, call_test, calls_of

__all__ = ["count_tests", "run_class", "test_case_classes"]

Note = Callable[[str, BaseException | None], None]


def test_case_classes(names: Iterable[str], space: dict[str, Any]) -> Iterator[type]:
    """Yield the test classes among some names."""
    for name in names:
        kind = space.get(name)
        if isinstance(kind, type) and (is_test_case(kind) or name.startswith("Test")):
            yield kind


def is_test_case(kind: type) -> bool:
    """Whether a class is one of unittest's; it cannot be if nothing has imported unittest."""
    return "unittest" in sys.modules and issubclass(kind, sys.modules["unittest"].TestCase)


def count_tests(kind: type, fixtures: Fixtures) -> int:
    """Return how many tests a class holds."""
    if is_test_case(kind):
        return len(test_methods(kind))
    inner = fixtures.within(kind)
    return sum(1 for method in test_methods(kind) for _ in calls_of(*method, inner))


def test_methods(kind: type) -> list[tuple[str, Any]]:
    """Return the names and functions of a class's test methods, in the order pytest runs them: as they are defined."""
    names = dict.fromkeys(
        name for one in reversed(kind.__mro__) for name in vars(one) if name.startswith("test")
    )
    found = [(name, getattr(kind, name)) for name in names]
    return [one for one in found if inspect.isfunction(one[1])]


def run_class(kind: type, fixtures: Fixtures, note: Note) -> None:
    """Run each test method of a class."""
    if is_test_case(kind):
        run_test_case(kind, note)
        return
    inner = fixtures.within(kind)
    try:
        around(kind, "setup_class", kind)  # pytest gives it the class, a class method or not
    except BaseException as error:
        note(f"{kind.__name__}.setup_class", error)
        return
    for name, method in test_methods(kind):
        for call in calls_of(name, method, inner):
            label = f"{kind.__name__}.{call.label}"
            try:
                run_method(kind, name, call, inner)
            except BaseException as error:
                note(label, error)
            else:
                note(label, None)


def run_method(kind: type, name: str, call: Call, fixtures: Fixtures) -> None:
    """Run one method of a plain test class on an instance of its own."""
    instance = kind()
    method = getattr(instance, name)
    around(instance, "setup_method", method)
    call_test(method, call, fixtures, instance)
    around(instance, "teardown_method", method)


def around(instance: Any, name: str, method: Any) -> None:
    """Call what pytest calls before or after methods, where the class has it; it may take the method."""
    function = getattr(instance, name, None)
    if function is not None:
        if (
            inspect.isclass(instance)
            and inspect.isfunction(function)
            and inspect.signature(function).parameters
        ):
            function = MethodType(function, instance)
        given = dict.fromkeys(parameters(function), method)
        call_test(function, Call(name, given, {}), Fixtures({}))
