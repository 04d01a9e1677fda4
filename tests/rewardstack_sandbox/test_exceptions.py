"""Exceptions on their way between the program and the tests: classes, attributes, causes, and those of the tests."""

import pytest

ACCOUNT = """
import json
class AccountError(Exception):
    pass
class Broke(AccountError, ValueError):
    def __init__(self, missing):
        super().__init__(missing)
        self.missing = missing
    def __str__(self): return f'{self.missing} short'
def take(n): raise Broke(n)
def load(text):
    try: return json.loads(text)
    except ValueError as error: raise AccountError('bad') from error
def parse(text): return json.loads(text)
"""


@pytest.mark.parametrize(
    "expected", ["Broke", "AccountError", "ValueError", "Exception", "(KeyError, Broke)"]
)
def test_an_exception_is_caught_by_each_class_it_derives_from(sandbox, expected):
    tests = f"import pytest\ndef test_it():\n    with pytest.raises({expected}):\n        take(2)"
    report = sandbox.run_tests(ACCOUNT, tests)
    assert report.passed, report


def test_and_by_no_other(sandbox):
    for expected in ("KeyError", "Broke"):
        tests = f"try:\n    load('')\n    assert False\nexcept {expected}:\n    pass"
        assert not sandbox.run_tests(ACCOUNT, tests).passed


def test_an_exception_has_its_attributes_text_and_cause(sandbox):
    tests = """
try:
    take(3)
    assert False
except Broke as error:
    assert error.missing == 3 and error.args == (3,) and str(error) == '3 short'
try:
    load('{')
    assert False
except AccountError as error:
    assert str(error) == 'bad' and isinstance(error.__cause__, ValueError)
    assert error.__cause__.__class__.__name__ == 'JSONDecodeError'
"""
    report = sandbox.run_tests(ACCOUNT, tests)
    assert report.passed, report


def test_exceptions_of_the_standard_library_are_known(sandbox):
    tests = """
import json, dataclasses, pytest
def test_json():
    with pytest.raises(json.JSONDecodeError, match='double quotes'):
        parse('{')
def test_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1).x = 2
"""
    frozen = "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Point:\n    x: int"
    report = sandbox.run_tests(f"{ACCOUNT}\n{frozen}", tests)
    assert report.passed, report


@pytest.mark.parametrize("module", ["unittest.case", "unittest"])
def test_a_program_cannot_skip_a_test(sandbox, module):
    program = f"class SkipTest(Exception): pass\nSkipTest.__module__ = '{module}'\ndef solve(): raise SkipTest('no')"
    tests = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(solve(), 1)\n    def test_b(self): pass"
    report = sandbox.run_tests(program, tests)
    assert (str(report.status), report.passed) == ("runtime_error", False)


def test_exceptions_of_the_tests_come_back_as_they_were(sandbox):
    program = """
def attempt(function, times):
    for left in reversed(range(times)):
        try: return function()
        except Exception:
            if not left: raise
"""
    tests = """
class Flaky(Exception):
    def __init__(self, code): self.code = code
calls = []
def fail():
    calls.append(1)
    raise Flaky(len(calls))
try:
    attempt(fail, 3)
    assert False
except Flaky as error:
    assert error.code == 3
assert len(calls) == 3
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_a_function_of_the_tests_has_its_name_where_it_is_wrapped(sandbox):
    program = """
import functools
def logged(function):
    names.append(function.__name__)
    @functools.wraps(function)
    def wrapper(*arguments): return function.__name__, function(*arguments)
    return wrapper
names = []
"""
    tests = """
@logged
def triple(n):
    return 3 * n
class Counter:
    @logged
    def step(self, n): return n + 1
assert triple(2) == ('triple', 6) and triple.__name__ == 'triple'
assert Counter().step(1) == ('step', 2)
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report
    unwrapped = program.replace("    @functools.wraps(function)\n", "")
    assert not sandbox.run_tests(unwrapped, tests).passed


def test_exceptions_are_values_too(sandbox):
    program = f"""{ACCOUNT}
def attempt(text):
    try: return parse(text)
    except ValueError as error: return error
def broke(): return [Broke(4)]
"""
    tests = """
import json
assert attempt('[1]') == [1]
assert isinstance(attempt('{'), json.JSONDecodeError) and not isinstance(attempt('{'), KeyError)
assert 'double quotes' in str(attempt('{'))
assert isinstance(broke()[0], AccountError) and broke()[0].missing == 4
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_an_exception_is_no_other_value(sandbox):
    program = "class Yes(Exception):\n    def __eq__(self, other): return True\n    def __lt__(self, other): return True\ndef solve(): return Yes()"
    for tests in ("assert solve() == 1", "assert solve() < 1", "assert solve() in [1]"):
        assert not sandbox.run_tests(program, tests).passed


@pytest.mark.parametrize("name", ["_rewardstack_from_program", "_rewardstack_text", "args", "__class__"])
def test_an_exception_cannot_pass_for_one_of_the_tests(sandbox, name):
    program = f"def f(x):\n    error = SystemExit(0)\n    vars(error)[{name!r}] = False\n    raise error"
    for tests in (
        "def check(candidate):\n    assert candidate(1) == 1",
        "def check(candidate):\n    for n in range(3):\n        assert candidate(n) == n",
        "def test_a():\n    assert f(1) == 1",
        "assert f(1) == 1\nfor n in range(3):\n    assert f(n) == n",
    ):
        report = sandbox.run_tests(program, tests, entry_point="f")
        assert (report.passed, report.status) == (False, "runtime_error")
