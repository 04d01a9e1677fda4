"""Test functions with parameters and test classes, as pytest and unittest write them."""

import inspect
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rewardstack_sandbox.oracle.test_cases import run_test_case
from rewardstack_sandbox.oracle.test_functions import call_test

__all__ = ["count_tests", "parametrized", "run_class", "test_case_classes"]

Note = Callable[[str, BaseException | None], None]


def parametrized(name: str, function: Any) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """Yield a label and arguments for each call of a test function, as `pytest.mark.parametrize` asks."""
    marks = [
        mark for mark in getattr(function, "pytestmark", []) if getattr(mark, "name", "") == "parametrize"
    ]
    if not marks:
        yield name, (), {}
        return
    for place, rows in enumerate(itertools.product(*(mark_rows(mark) for mark in marks))):
        keywords: dict[str, Any] = {}
        for row in rows:
            keywords |= row
        yield f"{name}[{place}]", (), keywords


def mark_rows(mark: Any) -> list[dict[str, Any]]:
    """Return the arguments a mark lists."""
    names = mark.args[0]
    names = [part.strip() for part in names.split(",")] if isinstance(names, str) else list(names)
    rows = []
    for row in mark.args[1]:
        values: Any = getattr(row, "values", row)
        values = values() if callable(values) else values
        rows.append(dict(zip(names, [values] if len(names) == 1 else values, strict=True)))
    return rows


def test_case_classes(names: Iterable[str], space: dict[str, Any]) -> Iterator[type]:
    """Yield the test classes among some names."""
    for name in names:
        kind = space.get(name)
        if isinstance(kind, type) and (is_test_case(kind) or name.startswith("Test")):
            yield kind


def is_test_case(kind: type) -> bool:
    """Whether a class is one of unittest's; it cannot be if nothing has imported unittest."""
    return "unittest" in sys.modules and issubclass(kind, sys.modules["unittest"].TestCase)


def count_tests(kind: type) -> int:
    """Return how many tests a class holds."""
    return sum(1 if is_test_case(kind) else len(list(parametrized(*method))) for method in test_methods(kind))


def test_methods(kind: type) -> list[tuple[str, Any]]:
    """Return the names and functions of a class's test methods."""
    return [one for one in inspect.getmembers(kind, inspect.isfunction) if one[0].startswith("test")]


def run_class(kind: type, note: Note) -> None:
    """Run each test method of a class."""
    if is_test_case(kind):
        run_test_case(kind, note)
        return
    for name, method in test_methods(kind):
        for label, arguments, keywords in parametrized(name, method):
            run_method(kind, name, (f"{kind.__name__}.{label}", arguments, keywords), note)


def run_method(kind: type, name: str, call: tuple[str, tuple[Any, ...], dict[str, Any]], note: Note) -> None:
    """Run one method of a plain test class on an instance of its own."""
    label, arguments, keywords = call
    try:
        instance = kind()
        method = getattr(instance, name)
        around(instance, "setup_method", method)
        call_test(method, *arguments, **keywords)
        around(instance, "teardown_method", method)
    except BaseException as error:
        note(label, error)
    else:
        note(label, None)


def around(instance: Any, name: str, method: Any) -> None:
    """Call what pytest calls before or after each method, where the class has it; it may take the method."""
    function = getattr(instance, name, None)
    if function is not None:
        call_test(function, *([method] if inspect.signature(function).parameters else []))
