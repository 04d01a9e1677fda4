"""Tests that replace streams, functions and seeds: the program meets what they put in their place."""

import pytest

SHOUT = "def shout(text): print(text.upper() + '!')"
WHISPER = "def shout(text): print(text.lower() + '!')"
CAPTURING = {
    "redirected": """
import io
from contextlib import redirect_stdout
out = io.StringIO()
with redirect_stdout(out):
    shout('a')
    shout('b')
assert out.getvalue() == 'A!\\nB!\\n'
""",
    "replaced": """
import io, sys
def printed(*arguments):
    sys.stdout = io.StringIO()
    try:
        shout(*arguments)
        return sys.stdout.getvalue()
    finally:
        sys.stdout = sys.__stdout__
shout('unseen')
assert printed('a') == 'A!\\n'
shout('unseen')
assert printed('b') == 'B!\\n'
""",
    "patched": """
import io, unittest
from unittest.mock import patch
class T(unittest.TestCase):
    @patch('sys.stdout', new_callable=io.StringIO)
    def test_stream(self, out):
        shout('a')
        self.assertEqual(out.getvalue(), 'A!\\n')
    def test_function(self):
        with patch('builtins.print') as printing:
            shout('a')
        printing.assert_called_once_with('A!')
""",
}


@pytest.mark.parametrize("tests", CAPTURING.values(), ids=CAPTURING)
def test_what_a_program_prints_is_where_the_tests_look(sandbox, tests):
    report = sandbox.run_tests(SHOUT, tests)
    assert report.passed, report
    assert not sandbox.run_tests(WHISPER, tests).passed


def test_what_is_printed_before_an_exception_is_seen_too(sandbox):
    tests = """
import io, sys
from contextlib import redirect_stdout, redirect_stderr
out, wrong = io.StringIO(), io.StringIO()
with redirect_stdout(out), redirect_stderr(wrong):
    try:
        solve()
        assert False
    except ValueError:
        pass
assert (out.getvalue(), wrong.getvalue()) == ('so far\\n', 'alas\\n')
"""
    program = "import sys\ndef solve():\n    print('so far')\n    print('alas', file=sys.stderr)\n    raise ValueError"
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_output_that_nobody_looks_at_is_reported(sandbox):
    tests = (
        "import io\nfrom contextlib import redirect_stdout\nwith redirect_stdout(io.StringIO()):\n    shout('a')\n"
        "shout('b')\nassert shout('c') is None"
    )
    assert sandbox.run_tests(SHOUT, tests).stdout == "B!\nC!\n"


ASKING = {
    "input": (
        "def ask(): return int(input()) + int(input('? '))",
        (
            "from unittest.mock import patch\nwith patch('builtins.input', side_effect=['3', '4']) as asked:\n"
            "    assert ask() == 7\n    assert asked.call_count == 2"
        ),
    ),
    "stream": (
        "import sys\ndef ask(): return int(input()) + int(sys.stdin.read())",
        (
            "import io, sys\nfrom unittest.mock import patch\nfor given in '3\\n4\\n', '0\\n7\\n':\n"
            "    with patch('sys.stdin', io.StringIO(given)):\n        assert ask() == 7"
        ),
    ),
    "rest of a stream": (
        "def ask(): return int(input())",
        "import io, sys\nsys.stdin = io.StringIO('1\\n2\\n')\nassert ask() == 1\nassert ask() == 2",
    ),
    "buffer": (
        "import sys\ndef ask(): return sum(map(int, sys.stdin.buffer.read().split()))",
        "import io, sys\nsys.stdin = io.StringIO('3 4')\nassert ask() == 7",
    ),
}


@pytest.mark.parametrize(("program", "tests"), ASKING.values(), ids=ASKING)
def test_questions_are_answered_by_the_tests(sandbox, program, tests):
    report = sandbox.run_tests(program, tests)
    assert report.passed, report
    assert not sandbox.run_tests("def ask(): return 8", tests).passed


def test_clocks_and_dice_are_those_of_the_tests(sandbox):
    program = "import time, random\ndef wait(n):\n    time.sleep(n)\n    return random.randint(1, 6)"
    tests = """
from unittest.mock import patch
with patch('time.sleep') as sleep, patch('random.randint', return_value=9):
    assert wait(1000) == 9
sleep.assert_called_once_with(1000)
assert wait(0) in range(1, 7)
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_a_seed_is_the_programs_too(sandbox):
    program = "import random\ndef draw(n): return [random.randint(0, 9) for _ in range(n)]"
    tests = """
import random
random.seed(42)
first = draw(5)
random.seed(42)
assert draw(5) == first
random.seed(3)
dice = random.Random(3)
assert draw(5) == [dice.randint(0, 9) for _ in range(5)]
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report
    assert not sandbox.run_tests(program.replace("(0, 9)", "(1, 9)"), tests).passed


def test_nothing_is_left_for_the_next_program(sandbox):
    seeding = "import random, sys, io\nsys.stdout = io.StringIO()\nrandom.seed(1)\nassert f() is None"
    for _ in range(4):  # more than there are workers
        assert sandbox.run_tests("def f(): pass", seeding).passed
    program = "import random, sys\ndef f(): return type(sys.stdout).__name__, type(random.seed).__name__"
    report = sandbox.run_tests(
        program, "import random\nassert f() == ('TextIOWrapper', 'method')\nrandom.seed(2)"
    )
    assert report.passed, report


def test_recursion_may_be_as_deep_as_the_tests_allow(sandbox):
    program = "def depth(n): return 0 if n == 0 else 1 + depth(n - 1)"
    deep = "assert depth(3000) == 3000"
    assert sandbox.run_tests(program, f"import sys\nsys.setrecursionlimit(10000)\n{deep}").passed
    assert str(sandbox.run_tests(program, deep).status) == "runtime_error"
