"""Test code as people write it for scripts and pytest's modules: guards, constants, what is called around tests."""

import pytest

SQUARE = "LIMIT = 10\nNAMES = ['a', 'b']\ndef square(n): return n * n"
WRONG = "LIMIT = 11\nNAMES = ['a', 'c']\ndef square(n): return 2 * n"
FORMS = {
    "main": "def main():\n    assert square(3) == 9\nif __name__ == '__main__':\n    main()",
    "assertions behind the guard": "if __name__ == '__main__':\n    assert square(3) == 9\n    print('done')",
    "constants beside a call": "assert LIMIT == 10\nassert NAMES == ['a', 'b']\nassert square(3) == 9",
    "path of its own": (
        "import os, sys\nsys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))\n"
        "from solution import square\ndef test_it(): assert square(3) == 9"
    ),
    "one parameter in each way": (
        "import pytest\n@pytest.mark.parametrize('n', [3, pytest.param(-3, id='below')])\n"
        "def test_text(n): assert square(n) == 9\n@pytest.mark.parametrize(['n'], [(3,), pytest.param(-3)])\n"
        "def test_list(n): assert square(n) == 9"
    ),
    "functions as parameters": (
        "import pytest\n@pytest.mark.parametrize('function', [square, pytest.param(square, id='again')])\n"
        "def test_it(function): assert function(3) == 9"
    ),
}


@pytest.mark.parametrize("tests", FORMS.values(), ids=FORMS)
def test_forms(sandbox, tests):
    report = sandbox.run_tests(SQUARE, tests)
    assert report.passed, report
    assert not sandbox.run_tests(WRONG, tests).passed


def test_a_guard_before_test_functions_stays_shut(sandbox):
    tests = "import pytest, sys\ndef test_it(): assert square(3) == 9\nif __name__ == '__main__':\n    sys.exit(pytest.main())"
    report = sandbox.run_tests(SQUARE, tests)
    assert (report.passed, report.total) == (True, 1)


def test_tests_that_use_only_their_own_names_say_nothing(sandbox):
    report = sandbox.run_tests("LIMIT = 10", "LIMIT = 10\nassert LIMIT == 10")
    assert (str(report.status), report.reason) == ("infrastructure_error", "the tests never used the program")


COUNTER = "count = 0\ndef reset():\n    global count\n    count = 0\ndef step():\n    global count\n    count += 1\n    return count"


@pytest.mark.parametrize(
    "tests",
    [
        "def setup_function(): reset()\ndef test_a(): assert step() == 1\ndef test_b(): assert step() == 1",
        "def setup_module(module):\n    global first\n    first = step()\ndef test_a(): assert (first, step()) == (1, 2)",
        "def teardown_function(): reset()\ndef test_a(): assert step() == 1\ndef test_b(): assert step() == 1",
        (
            "class TestStep:\n    @classmethod\n    def setup_class(cls): cls.first = step()\n"
            "    def test_a(self): assert (self.first, step()) == (1, 2)"
        ),
        (
            "class TestStep:\n    def setup_class(self): self.first = step()\n"
            "    def test_a(self): assert (self.first, step()) == (1, 2)"
        ),
        (
            "named = []\ndef setup_function(function): named.append(function.__name__)\n"
            "def test_a(): assert (named, step()) == (['test_a'], 1)"
        ),
        (
            "import unittest\ndef setUpModule():\n    global first\n    first = step()\n"
            "class T(unittest.TestCase):\n    def test_a(self): self.assertEqual((first, step()), (1, 2))"
        ),
    ],
)
def test_what_pytest_calls_around_tests(sandbox, tests):
    report = sandbox.run_tests(COUNTER, tests)
    assert report.passed, report
    assert not sandbox.run_tests(COUNTER.replace("count += 1", "count += 2"), tests).passed


def test_a_setup_that_fails_is_no_pass(sandbox):
    for where in (
        "def setup_function():\n    raise ValueError\ndef test_a(): assert step() == 1",
        "class TestStep:\n    @classmethod\n    def setup_class(cls): raise ValueError\n    def test_a(self): assert step() == 1",
    ):
        assert not sandbox.run_tests(COUNTER, where).passed


def test_docstrings_are_the_programs(sandbox):
    tests = "assert documented.__doc__ == 'Says it.'\nassert bare.__doc__ is None"
    program = "def documented():\n    'Says it.'\ndef bare(): pass"
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_tests_that_write_files_are_not_the_programs_fault(sandbox):
    tests = "import tempfile\nwith tempfile.NamedTemporaryFile('w') as file:\n    assert square(3) == 9"
    report = sandbox.run_tests(SQUARE, tests)
    assert (str(report.status), "write a file" in report.reason) == ("infrastructure_error", True)
    forged = "def square(n): raise FileNotFoundError(2, 'No usable temporary directory')"
    assert str(sandbox.run_tests(forged, "assert square(3) == 9").status) == "runtime_error"
