"""Tests in the forms that data sets bring: each judges a right and a wrong program, or says that it cannot be run."""

import pytest

RIGHT, WRONG = "def f(x):\n    return x", "def f(x):\n    return 0"
CASE = "import unittest\nclass T(unittest.{base}):\n    {body}"
JUDGING = {
    "async function": "async def test_a():\n    assert f(1) == 1",
    "async method": "class TestA:\n    async def test_a(self):\n        assert f(1) == 1",
    "async case": CASE.format(
        base="IsolatedAsyncioTestCase", body="async def test_a(self):\n        self.assertEqual(f(1), 1)"
    ),
    "setUp": CASE.format(
        base="TestCase",
        body="def setUp(self):\n        self.x = f(1)\n    def test_a(self):\n        self.assertEqual(self.x, 1)",
    ),
    "one skipped": CASE.format(
        base="TestCase",
        body="@unittest.skip('x')\n    def test_a(self):\n        1 / 0\n    def test_b(self):\n        self.assertEqual(f(1), 1)",
    ),
    "one skips itself": "import pytest\ndef test_a():\n    pytest.skip('x')\ndef test_b():\n    assert f(1) == 1",
    "one marked": "import pytest\n@pytest.mark.skip\ndef test_a():\n    1 / 0\ndef test_b():\n    assert f(1) == 1",
    "one method marked": "import pytest\nclass TestA:\n    @pytest.mark.skipif(True, reason='x')\n    def test_a(self):\n        1 / 0\n    def test_b(self):\n        assert f(1) == 1",
    "one marked in vain": "import pytest\n@pytest.mark.skipif(False, reason='x')\ndef test_a():\n    assert f(1) == 1",
    "one raises SkipTest": "import unittest\ndef test_a():\n    raise unittest.SkipTest\ndef test_b():\n    assert f(1) == 1",
    "setup_method": "class TestA:\n    def setup_method(self, method):\n        self.x = f(1)\n    def test_a(self):\n        assert self.x == 1",
    "teardown_method": "class TestA:\n    def test_a(self):\n        pass\n    def teardown_method(self):\n        assert f(1) == 1",
    "script that ends itself": "import sys\nassert f(1) == 1\nsys.exit(0)",
    "from the program": "from solution import f as g\nassert g(1) == 1",
    "the program as a module": "import math, solution\nassert solution.f(math.floor(1.5)) == 1",
    "the program by another name": "import main as m\nassert m.f(1) == 1",
}
NOT_RUNNABLE = {
    "fixtures": ("def test_a(tmp_path):\n    assert f(1) == 1", "only pytest could fill"),
    "a generator": ("def test_a():\n    yield\n    assert f(1) == 1", "gives back a generator where it should assert"),
    "a comparison": ("def test_a():\n    return f(1) == 1", "gives back a bool where it should assert"),
    "all skipped": (
        CASE.format(base="TestCase", body="@unittest.skip('x')\n    def test_a(self):\n        self.assertEqual(f(1), 1)"),
        "the tests skip themselves",
    ),
    "all skip": ("import pytest\ndef test_a():\n    pytest.skip('x')", "the tests skip themselves"),
}  # fmt: skip


@pytest.mark.parametrize("form", JUDGING)
def test_a_form_tells_right_from_wrong(sandbox, form):
    right, wrong = (sandbox.run_tests(program, JUDGING[form]) for program in (RIGHT, WRONG))
    assert right.passed, right
    assert (wrong.passed, wrong.status) == (False, "wrong_answer"), wrong


@pytest.mark.parametrize("form", NOT_RUNNABLE)
@pytest.mark.parametrize("program", [RIGHT, WRONG])
def test_what_cannot_be_run_is_nobodys_pass_and_nobodys_fault(sandbox, form, program):
    tests, reason = NOT_RUNNABLE[form]
    report = sandbox.run_tests(program, tests)
    assert (report.passed, report.status) == (False, "infrastructure_error")
    assert reason in report.reason


def test_a_program_cannot_end_the_script_of_tests(sandbox):
    leaving = "def f(x):\n    raise SystemExit(0)"
    assert sandbox.run_tests(leaving, JUDGING["script that ends itself"]).status == "runtime_error"
    assert sandbox.run_tests(leaving, "f(1)\nassert f(1) == 1").status == "runtime_error"


@pytest.mark.parametrize("error", ["unittest.SkipTest", "pytest.skip.Exception"])
def test_a_program_cannot_skip_its_tests(sandbox, error):
    program = f"import unittest\ntry:\n    import pytest\nexcept BaseException:\n    pass\ndef f(x):\n    raise {error}"
    tests = "import unittest\ndef test_a():\n    assert f(1) == 1\ndef test_b():\n    assert True"
    report = sandbox.run_tests(program, tests)
    assert (report.passed, report.status, report.total) == (False, "runtime_error", 2)


@pytest.mark.parametrize(
    "test",
    ["def test_a():\n    if f(1) == 0: {skip}\n    assert f(1) == 1",
     "class TestA:\n    def test_a(self):\n        if f(1) == 0: {skip}\n        assert f(1) == 1",
     CASE.format(base="TestCase", body="def test_a(self):\n        if f(1) == 0: {skip}\n        self.assertEqual(f(1), 1)")],
)  # fmt: skip
@pytest.mark.parametrize("skip", ["pytest.skip('x')", "raise unittest.SkipTest"])
def test_no_test_skips_itself_on_the_programs_word(sandbox, test, skip):
    tests = f"import pytest, unittest\n{test.format(skip=skip)}\ndef test_b():\n    assert f(0) == 0\n"
    assert sandbox.run_tests(RIGHT, tests).passed
    assert sandbox.run_tests(WRONG, tests).status == "wrong_answer"


@pytest.mark.parametrize("name", ["setup_module", "setUpModule", "setup_function"])
def test_what_fails_before_the_tests_by_itself_is_nobodys_fault(sandbox, name):
    tests = "def test_a():\n    assert f(1) == 1\n"
    alone = f"def {name}():\n    open('/nowhere')\n{tests}"
    assert sandbox.run_tests(RIGHT, alone).status == "infrastructure_error"
    with_program = f"def {name}():\n    assert f(1) == 1\n{tests}"
    assert sandbox.run_tests(WRONG, with_program).status == "wrong_answer"


def test_arguments_that_patches_fill(sandbox):
    tests = "from unittest.mock import patch\n@patch('time.time', return_value=5)\n@patch('builtins.input', return_value='x')\n"
    tests += "def test_a(question, clock, n):\n    assert f(n) == 1\n"
    tests = "import pytest\n@pytest.fixture\ndef n():\n    return 1\n" + tests
    assert sandbox.run_tests(RIGHT, tests).passed
    assert sandbox.run_tests(WRONG, tests).status == "wrong_answer"


def test_a_test_that_the_programs_decorator_has_made(sandbox):
    program = "import functools\ndef twice(test):\n    @functools.wraps(test)\n    def both():\n        test()\n        test()\n    return both\n"
    tests = "seen = []\n@twice\ndef test_a():\n    seen.append(1)\ndef test_b():\n    assert len(seen) == 2"
    assert sandbox.run_tests(program, tests).passed
    assert (
        sandbox.run_tests(program.replace("        test()\n    return", "    return"), tests).status
        == "wrong_answer"
    )


def test_what_the_tests_functions_raise_masks_nobody(sandbox):
    tests = "import importlib\ndef test_a():\n    assert f(lambda name: importlib.import_module(name)) == 1"
    program = "def f(load):\n    load('nowhere')"
    assert sandbox.run_tests(program, tests).status == "runtime_error"
