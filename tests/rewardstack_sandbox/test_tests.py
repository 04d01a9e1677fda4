"""Tests of every kind against programs of every kind; the tests stay on the trusted side."""

import pytest

from rewardstack_sandbox import Limits, Sandbox, Status

ADD = "def add(a, b):\n    return a + b\n"
CHECK = "def check(candidate):\n    assert candidate(1, 2) == 3\n    assert candidate(0, 0) == 0, 'zero'\n"
PYTEST = """
import pytest
from solution import add

@pytest.mark.parametrize("a, b, c", [(1, 2, 3), (4, 5, 9)])
def test_sums(a, b, c):
    assert add(a, b) == c

def test_error():
    with pytest.raises(TypeError):
        add(1, "a")
"""
UNITTEST = """
import unittest
from solution import add

class AddTest(unittest.TestCase):
    def setUp(self):
        self.one = 1

    def test_one(self):
        self.assertEqual(add(self.one, 1), 2)

    def test_text(self):
        self.assertRaises(TypeError, add, 1, "a")

if __name__ == "__main__":
    unittest.main()
"""
SCRIPT = "for a in range(3):\n    assert add(a, a) == 2 * a\nassert add(5, 5) == 10\n"
FORMS = {
    "list": (["assert add(1, 2) == 3", "assert add(2, 2) == 4"], None, 2),
    "check": (CHECK, "add", 2),
    "check, called": (CHECK + "check(add)\n", None, 1),
    "pytest": (PYTEST, None, 3),
    "unittest": (UNITTEST, None, 2),
    "script": (SCRIPT, None, 2),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(sandbox, form):
    tests, entry_point, count = FORMS[form]
    good = sandbox.run_tests(ADD, tests, entry_point=entry_point)
    assert (good.passed, good.status, good.reason) == (True, "accepted", "")
    assert len(good.tests) == good.total == count
    bad = sandbox.run_tests("def add(a, b): return a - b", tests, entry_point=entry_point)
    assert (bad.passed, bad.status) == (False, "wrong_answer")


def test_a_failure_says_what_was_returned(sandbox):
    report = sandbox.run_tests("def add(a, b): return 7", CHECK, entry_point="add")
    assert report.reason == "assert candidate(1, 2) == 3: the last call returned 7"
    assert [test.passed for test in report.tests] == [False, False]
    assert report.share == 0.0


def test_share_counts_tests_that_were_not_reached(sandbox):
    program = "import os\ndef f(x):\n    if x == 2: os._exit(0)\n    return x"
    report = sandbox.run_tests(program, [f"assert f({x}) == {x}" for x in range(5)])
    assert (report.passed, report.status, report.share, report.total) == (False, "runtime_error", 0.4, 5)


@pytest.mark.parametrize(
    "tests",
    [
        "class TestF:\n" + "".join(f"    def test_{n}(self): assert f({n}) == {n}\n" for n in range(10)),
        "import unittest\nclass F(unittest.TestCase):\n"
        + "".join(f"    def test_{n}(self): self.assertEqual(f({n}), {n})\n" for n in range(10)),
        "import pytest\n@pytest.mark.parametrize('n', range(10))\ndef test_f(n):\n    assert f(n) == n",
    ],
)
def test_to_end_early_does_not_raise_the_share(sandbox, tests):
    report = sandbox.run_tests("import os\ndef f(n):\n    if n: os._exit(0)\n    return n", tests)
    assert (report.share, report.total) == (0.1, 10)
    assert sandbox.run_tests("def f(n): return 0", tests).share == 0.1


def test_stop_early(sandbox):
    report = sandbox.run_tests(
        "def f(x): return 0", [f"assert f({x}) == {x}" for x in range(5)], stop_early=True
    )
    assert [test.passed for test in report.tests] == [True, False]


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("def f(x): return x + 1", "wrong_answer"),
        ("def f(x): return [][1]", "runtime_error"),
        ("def g(x): return x", "runtime_error"),
        ("def f(x): return x +", "syntax_error"),
        ("def f(x):\n    while True: pass", "time_limit_exceeded"),
        ("while True: pass", "time_limit_exceeded"),
        ("def f(x): return bytearray(1 << 40)", "memory_limit_exceeded"),
        ("x = bytearray(1 << 40)", "memory_limit_exceeded"),
        ("print('x' * 3_000_000)\ndef f(x): return x", "output_limit_exceeded"),
        ("class I(int):\n    __eq__ = lambda *_: True\ndef f(x): return I(9)", "unsupported_value"),
        ("class I:\n    __eq__ = lambda *_: True\ndef f(x): return I()", "unsupported_value"),
        ("class I:\n    __sub__ = __rsub__ = lambda *_: 0\ndef f(x): return I()", "unsupported_value"),
        ("def f(x):\n    raise SystemExit(0)", "runtime_error"),
        ("import os\nos._exit(0)", "runtime_error"),
        ("raise SystemExit(0)", "runtime_error"),
        ("def f(x):\n    a = []\n    a.append(a)\n    return a", "unsupported_value"),
        ("import os\ndef f(x): os.write(3, b'\\xff' * 99); return x", "unsupported_value"),
    ],
)
def test_status(sandbox, program, status):
    report = sandbox.run_tests(
        program, ["assert f(1) == 1", "assert abs(f(2) - 2) < 0.1"], limits=Limits(wall=1)
    )
    assert (report.status, report.passed) == (status, False)


@pytest.mark.parametrize(
    ("tests", "entry_point"),
    [("", None), ("x = 1", None), ([], None), ("assert f(1) ==", None), ("def check(candidate): pass", "f"),
     ("assert True", None), ("import no_such_module\nassert f(1) == 1", None)],
)  # fmt: skip
def test_tests_that_test_nothing_are_not_the_programs_fault(sandbox, tests, entry_point):
    report = sandbox.run_tests("def f(x): return x", tests, entry_point=entry_point)
    assert (report.passed, report.status) == (False, Status.infrastructure_error)


def test_the_program_never_holds_the_tests(sandbox):
    program = """
import gc, sys
def f(x):
    frame, found = sys._getframe(), []
    while frame:
        found.append(frame.f_code.co_filename)
        frame = frame.f_back
    texts = [o for o in gc.get_objects() if isinstance(o, (str, dict, tuple)) and '{}{}'.format('MARK', 'ER') in repr(o)[:10**6]]
    return ([name for name in found if 'tests' in name], len(texts))
"""
    report = sandbox.run_tests(program, "MARKER = 'MARKER'\nassert f(1) == 0, MARKER")
    assert report.reason.endswith("the last call returned ([], 0)")


def test_the_programs_own_built_ins_do_not_reach_the_tests(sandbox):
    program = "def all(x): return True\ndef abs(x): return 0\ndef f(x): return 0"
    report = sandbox.run_tests(program, ["assert all([f(1) == 1])", "assert abs(f(3) - 3) < 1"])
    assert [test.passed for test in report.tests] == [False, False]


def test_a_program_may_be_about_a_built_in_name(sandbox):
    assert sandbox.run_tests("def sum(a, b): return a + b", ["assert sum(1, 2) == 3"]).passed
    loop = "import math\nfor n in range(3):\n    assert sum(n, 2) == n + math.floor(2.5)"
    assert sandbox.run_tests("def sum(a, b): return a + b", loop).passed


@pytest.mark.parametrize(
    "tests", ["assert all(f(n) == n for n in [1])", "import solution\nassert all(solution.f(n) for n in [1])"]
)
def test_nor_where_it_defines_nothing_else(sandbox, tests):
    report = sandbox.run_tests("def all(x): return True", tests)
    assert (report.passed, report.status) == (
        False,
        "runtime_error" if "import" not in tests else "wrong_answer",
    )


@pytest.mark.parametrize(
    "program",
    [
        "import functools\n@functools.lru_cache\ndef f(n): return n + 1",
        "import functools\n@functools.cache\ndef f(n): return n + 1",
        "import functools, operator\nf = functools.partial(operator.add, 1)",
        "class Add:\n    def __call__(self, n): return n + 1\nf = Add()",
    ],
)
def test_whatever_can_be_called_is_a_function(sandbox, program):
    assert sandbox.run_tests(program, ["assert f(1) == 2", "assert f(2) == 3"]).passed
    assert not sandbox.run_tests(program, ["assert f(1) == 3"]).passed


def test_check_without_an_entry_point_is_the_data_sets_fault(sandbox):
    report = sandbox.run_tests("def f(n): return n", "def check(candidate):\n    assert candidate(1) == 1")
    assert report.status == "infrastructure_error"
    assert "there is no entry_point" in report.reason


def test_changed_arguments_come_back(sandbox):
    program = "def f(a, d, s):\n    a.sort(); d['k'] = 1; s.discard(1)"
    tests = (
        "a, d, s = [2, 1], {}, {1, 2}\nf(a, d, s)\nassert a == [1, 2]\nassert d == {'k': 1}\nassert s == {2}"
    )
    assert sandbox.run_tests(program, tests).passed
    assert sandbox.run_tests(program, tests.replace("f(a, d, s)", "f(s=s, a=a, d=d)")).passed


def test_functions_of_the_tests_can_be_called_back(sandbox):
    program = "def f(g, x): return [g(i) for i in x]\ndef h(it): return sum(it)"
    tests = [
        "assert f(lambda i: i * 2, [1, 2]) == [2, 4]",
        "assert h(iter([1, 2])) == 3",
        "assert f(str, [1]) == ['1']",
    ]
    assert sandbox.run_tests(program, tests).passed


def test_an_error_of_a_function_of_the_tests_reaches_the_program(sandbox):
    program = "def f(g):\n    try: g()\n    except KeyError: return 'seen'"
    assert sandbox.run_tests(program, "def g(): raise KeyError('x')\nassert f(g) == 'seen'").passed


def test_calls_may_cross_again_and_again(sandbox):
    program = "def f(g, n): return n if n == 0 else g(f, n - 1)"
    assert sandbox.run_tests(program, "def g(f, n): return f(g, n) + 1\nassert f(g, 5) == 5").passed


def test_exceptions_of_the_program_can_be_expected(sandbox):
    program = """
class Odd(ValueError): pass
def f(x):
    if x % 2: raise Odd(x)
    raise KeyError('even')
"""
    tests = """
try:
    f(1)
except Odd as error:
    assert error.args == (1,)
else:
    assert False
try:
    f(1)
except ValueError:
    pass
try:
    f(2)
except KeyError as error:
    assert str(error) == "'even'"
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_a_swallowed_refusal_is_no_pass(sandbox):
    program = "class I(int): pass\ndef f(x): return I(x)"
    tests = "try:\n    f(1)\n    raise SystemError\nexcept Exception:\n    pass\nassert True"
    report = sandbox.run_tests(program, tests)
    assert (report.passed, report.status) == (False, "unsupported_value")


def test_a_swallowed_time_out_is_no_pass(sandbox):
    program = "def f(x):\n    while True: pass"
    tests = "for i in range(3):\n    try:\n        f(1)\n    except BaseException:\n        pass\nassert True"
    report = sandbox.run_tests(program, tests, limits=Limits(wall=0.5))
    assert (report.passed, report.status) == (False, "time_limit_exceeded")
    assert report.wall_time < 1.2, "one limit, not one for each call"


def test_membership_and_truth_are_not_the_programs_to_say(sandbox):
    program = """
class Yes:
    def __contains__(self, x): return True
    def __bool__(self): return True
    def __iter__(self): return iter(())
    def __lt__(self, x): return True
def f(x): return Yes()
"""
    report = sandbox.run_tests(
        program, ["assert 5 in f(1)", "assert f(1)", "assert f(1) < 3", "assert f(1) == 5"]
    )
    assert not any(test.passed for test in report.tests)


def test_huge_integers_cannot_hang_the_judge(sandbox):
    program = "def f(x): return 1 << 60_000_000"
    report = sandbox.run_tests(program, "assert f(1) ** f(1) == 3", limits=Limits(wall=1))
    assert (report.passed, report.status) == (False, "time_limit_exceeded")
    assert sandbox.run_tests(ADD, CHECK, entry_point="add").passed


def test_setup_runs_with_the_tests(sandbox):
    assert sandbox.run_tests(ADD, ["assert add(one, 1) == 2"], setup="one = 1").passed


@pytest.mark.parametrize(
    "program",
    [
        "def f(x): raise StopIteration",
        "class f:\n    def __new__(cls, x): raise StopIteration",
        "def f(x): return iter(())",
        "def f(x): return []",
    ],
)
def test_a_loop_that_ends_early_is_no_pass(sandbox, program):
    tests = "def check(candidate):\n    for got, want in zip(map(candidate, [1, 2]), [1, 2]):\n        assert got == want\n"
    report = sandbox.run_tests(program, tests, entry_point="f")
    assert not report.passed
    tests = "def check(candidate):\n    for got in candidate(1):\n        assert got == 1\n"
    report = sandbox.run_tests(program, tests, entry_point="f")
    assert (report.passed, report.status in ("wrong_answer", "runtime_error")) == (False, True)


def test_modules_of_the_tests_are_not_the_programs_to_replace(sandbox):
    program = "class math:\n    isclose = staticmethod(lambda *_, **__: True)\ndef f(x): return 9.0"
    assert not sandbox.run_tests(program, ["assert math.isclose(f(1), 1.0)"]).passed
    assert sandbox.run_tests("def f(x): return 1.0", ["assert math.isclose(f(1), 1.0)"]).passed


def test_built_in_functions_given_to_the_program_are_its_own(sandbox):
    program = "def f(g, x):\n    return g(x)"
    tests = [
        "assert f(eval, '1 + 1') == 2",
        "assert f(len, 'abc') == 3",
        "assert f(eval, '_rewardstack_count') == 1",
    ]
    report = sandbox.run_tests(program, tests)
    assert [test.passed for test in report.tests] == [True, True, False]
    assert report.status == "runtime_error"


def test_a_program_cannot_claim_that_the_sandbox_failed(sandbox):
    claim = """
import os, sys
sys.path.insert(0, "x")
from rewardstack_sandbox.values import Codec
data = Codec().encode(("layer_failed", "seccomp"))
os.write(3, len(data).to_bytes(4, "little") + data)
os._exit(1)
"""
    assert sandbox.run_tests(claim + "def f(): return 1", ["assert f() == 1"]).status == "runtime_error"
    assert sandbox.run(claim).status == "runtime_error"


def test_a_large_value_is_refused(sandbox):
    report = sandbox.run_tests("def f(): return b'x' * (20 << 20)", ["assert f() == 1"])
    assert (report.passed, report.status) == (False, "unsupported_value")


def test_what_tests_change_does_not_outlast_them(sandbox):
    rude = "import builtins, sys\nassert f() == 1\nbuiltins.len = None\nsys.stdout = None\nsys.setrecursionlimit(99)"
    for _ in range(4):
        assert sandbox.run_tests("def f(): return 1", rude).passed
        assert sandbox.run_tests("def f(): return [1]", ["assert len(f()) == 1"]).passed


def test_a_name_for_a_built_in_class_is_a_program(sandbox):
    assert sandbox.run_tests("to_int = int", ["assert to_int('5') == 5"]).passed


def test_tests_that_start_threads_are_told_apart_from_wrong_programs(sandbox):
    tests = "import threading\nthread = threading.Thread(target=f)\nthread.start()\nthread.join()\nassert f() == 1"
    report = sandbox.run_tests("def f(): return 1", tests)
    assert report.passed or report.status == "infrastructure_error", report
    raising = 'def f(): raise RuntimeError("can\'t start new thread")'
    assert sandbox.run_tests(raising, ["assert f() == 1"]).status == "runtime_error"


def test_a_setup_that_fails_by_itself_is_no_fault_of_the_program(sandbox):
    report = sandbox.run_tests("def f(): return 1", "assert f() == 1", setup="limit = 1 / 0")
    assert (report.passed, report.status) == (False, "infrastructure_error")
    assert report.reason == "setup: the setup of the tests fails: ZeroDivisionError: division by zero"


@pytest.mark.parametrize("program", ["def f(): return 0", "f = 5"])
def test_a_program_cannot_choose_to_have_the_setup_fail(sandbox, program):
    report = sandbox.run_tests(program, "assert f() == 1", setup="limit = 1 / f()")
    assert (report.passed, report.status) == (False, "wrong_answer")


@pytest.mark.parametrize(
    ("tests", "total"),
    [
        ("assert_equal(add(1, 2), 3)\nassert_equal(add(1, 1), 2)", 2),
        ("def check(candidate):\n    assert_equal(candidate(1, 2), 3)\n    assert candidate(1, 1) == 2", 2),
        ("def test_sum():\n    assert_equal(add(1, 2), 3)", 1),
        (["assert_equal(add(1, 2), 3)"], 1),
    ],
)
def test_calls_of_assertions_are_tests(sandbox, tests, total):
    setup = (
        "def assert_equal(got, wanted):\n    if got != wanted: raise AssertionError(f'{got} is not {wanted}')"
    )
    report = sandbox.run_tests(ADD, tests, entry_point="add", setup=setup)
    assert (report.passed, report.total) == (True, total), report
    wrong = sandbox.run_tests(ADD.replace("+", "-"), tests, entry_point="add", setup=setup)
    assert (wrong.passed, wrong.status) == (False, "wrong_answer")
    assert "is not" in wrong.reason


@pytest.mark.parametrize("raised", ["ValueError('\\ud800')", "type('\\u0394', (Exception,), {})('\\udfff')"])
@pytest.mark.parametrize("place", ["{}", "def f(x): {}"])
def test_what_a_report_says_can_be_written_anywhere(sandbox, raised, place):
    report = sandbox.run_tests(place.format(f"raise {raised}"), ["assert f(1) == 1"])
    assert "\\ud" in report.reason.encode("utf-8").decode("utf-8")


def test_unittests_old_names_are_known_on_every_version(sandbox):
    tests = "import unittest\nclass F(unittest.TestCase):\n"
    tests += "    def test_a(self):\n        self.assertEquals(f(1), 1)\n"
    tests += "    def test_b(self):\n        self.assertItemsEqual([f(2)], [3])\n"
    report = sandbox.run_tests("def f(x): return x", tests)
    assert [one.passed for one in report.tests] == [True, False]
    assert report.status is Status.wrong_answer


def test_what_a_library_no_longer_has_is_no_fault_of_the_program(sandbox):
    report = sandbox.run_tests(
        "def f(x): return x", "import math\ndef test_a():\n    assert f(1) == math.no_more"
    )
    assert report.status is Status.infrastructure_error
    assert "module 'math' has no attribute 'no_more'" in report.reason


@pytest.mark.parametrize(
    "tests", ["import solution\nassert solution.g(1) == 1", "from solution import g\nassert g(1) == 1"]
)
def test_what_a_program_lacks_is_its_own_fault(sandbox, tests):
    report = sandbox.run_tests("def f(x): return x", tests)
    assert report.status in (Status.runtime_error, Status.wrong_answer)


def test_warnings_of_the_parser_go_unheard(capfd):
    with Sandbox("best_effort", workers=1) as own:
        assert own.run_tests(
            "def f(x): return x", "import re\nassert re.match('\\d', f('1'))\nassert f(3) is 3"
        ).passed
    assert capfd.readouterr().err == ""


def test_a_program_cannot_be_masked_by_what_the_tests_make_of_its_answers(sandbox):
    tests = "import types\nassert f(types.MappingProxyType({f(1): 2})) == 1"
    assert sandbox.run_tests("def f(x): return x", tests).status is Status.unsupported_value
    alone = "import types\nassert f(types.MappingProxyType({1: 2})) == 1"
    assert sandbox.run_tests("def f(x): return x", alone).status is Status.infrastructure_error


def test_rows_that_are_one_row_are_so_for_the_tests(sandbox):
    tests = (
        "def test_it():\n    table = grid(2, 2)\n    table[0][0] = 1\n    assert table == [[1, 0], [0, 0]]"
    )
    assert sandbox.run_tests("def grid(n, m): return [[0] * m for _ in range(n)]", tests).passed
    assert sandbox.run_tests("def grid(n, m): return [[0] * m] * n", tests).status is Status.wrong_answer
