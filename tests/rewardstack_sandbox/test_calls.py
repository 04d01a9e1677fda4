"""Calls of a program: those that are foreseen, and what becomes of arguments."""

import pytest

from rewardstack_sandbox import Limits


def test_calls_that_are_foreseen_are_made_once_and_in_order(sandbox):
    program = "seen = []\ndef f(x, *, y=0):\n    seen.append((x, y))\n    return list(seen)"
    tests = ["assert f(1) == [(1, 0)]", "assert len(f(2, y=5)) == 2", "assert f(3)[1:] == [(2, 5), (3, 0)]"]
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


@pytest.mark.parametrize(
    "program",
    [
        "import functools\n@functools.lru_cache\ndef f(x):\n    return x + 1",
        "f = lambda x: x + 1",
        "import operator, functools\nf = functools.partial(operator.add, 1)",
        "class F:\n    def __call__(self, x): return x + 1\nf = F()",
        "def g(x): return x + 1\nf = g\ndel g",
        "def f(x):\n    global f\n    f = None\n    return x + 1",  # what was told of it is what is called
    ],
)
def test_whatever_can_be_called_may_be_foreseen(sandbox, program):
    report = sandbox.run_tests(
        program, ["assert f(1) == 2", "assert f(2) == 3", "assert f(x=3) == 4"][: 2 + ("def f(x)" in program)]
    )
    assert report.passed, report


def test_calls_that_are_foreseen_of_a_function_that_is_missing(sandbox):
    report = sandbox.run_tests("def g(x): return x", ["assert f(1) == 1", "assert f(2) == 2"])
    assert [test.passed for test in report.tests] == [False, False]
    assert report.status == "runtime_error"


def test_more_of_the_program_than_was_foreseen(sandbox):
    program = "seen = 0\ndef f(x):\n    global seen\n    seen += 1\n    return x\ndef total(): return seen"
    tests = ["assert f(1) == 1 and total() == 1", "assert f(2) == 2 and total() == 2"]
    for _ in range(6):  # more often than it is tried
        assert sandbox.run_tests(program, tests).passed


def test_a_failing_call_among_those_foreseen(sandbox):
    program = "def f(x):\n    if x == 1: raise ValueError('one')\n    return x"
    report = sandbox.run_tests(program, [f"assert f({x}) == {x}" for x in range(4)])
    assert [test.passed for test in report.tests] == [True, False, True, True]
    assert report.status == "runtime_error"


def test_large_arguments_are_not_sent_ahead(sandbox):
    big = "x" * 30_000
    report = sandbox.run_tests("def f(x): return len(x)", [f"assert f({big!r}) == 30000"] * 20)
    assert report.passed, report


def test_what_is_asked_between_foreseen_calls_is_answered_in_its_place(sandbox):
    program = (
        "seen = []\nclass Seen:\n    def __str__(self): return str(len(seen))\n"
        "def f(x):\n    print(x)\n    seen.append(x)\n    return Seen()"
    )
    report = sandbox.run_tests(program, ["assert str(f(1)) == '1'", "assert str(f(2)) == '2'"])
    assert report.passed, report
    assert report.stdout == "1\n2\n"  # of one run


def test_many_programs_derail_one_after_the_other(sandbox):
    """As they are not foreseen any more; the others of their group are judged all the same."""
    tests = ["assert f(1) == '1'", "assert f(2) == '2'"]
    derailing = "class F:\n    def __call__(self, x): return str(x)\nf = F()"
    for program in [derailing] * 6 + ["f = str", "def f(x): return str(x)"]:
        assert sandbox.run_tests(program, tests).passed
    assert sandbox.run_tests("def f(x): return '1'", tests).share == 0.5


@pytest.mark.parametrize(
    ("program", "before", "after"),
    [
        ("a[0] = 1", "[True]", "type(a[0]) is int"),
        ("a[0] = 1.0", "[1]", "type(a[0]) is float"),
        ("a[0] = -0.0", "[0.0]", "str(a[0]) == '-0.0'"),
        ("a[0] = (1,)", "[[1]]", "a == [(1,)]"),
        ("a['x'] = a.pop('x')", "{'x': 1, 'y': 2}", "list(a) == ['y', 'x']"),
        ("a[0] = bytearray(a[0])", "[b'x']", "type(a[0]) is bytearray"),
        ("a.append(a[0])", "[float('nan')]", "len(a) == 2"),
        ("a.popleft()", "__import__('collections').deque([1, 2])", "[*a] == [2]"),
        ("a[0].add(3)", "[{1, 2}]", "a == [{1, 2, 3}]"),
        ("kept.append(a[0])", "[['long enough to be no constant']]", "a[0] is inner"),
    ],
)
def test_changed_arguments_are_told_exactly(sandbox, program, before, after):
    tests = f"a = {before}\ninner = a[0] if type(a) is list else None\nf(a)\nassert {after}"
    report = sandbox.run_tests(f"kept = []\ndef f(a):\n    {program}", tests)
    assert report.passed, report


@pytest.mark.parametrize(
    "program",
    [
        "for kid in a['kids']: kid['parent'] = a",  # more ways round than can be gone
        "a['self'] = a",
        "class B(bytes): pass\n    a['kids'].append(B(b'x'))",
        "b = a['kids']\n    for _ in range(1000):\n        b.append([])\n        b = b[-1]",
    ],
)
def test_changes_that_cannot_cross_do_not_spoil_the_answer(sandbox, program):
    tests = "a = {'kids': [{'n': 1}, {'n': 2}, {'n': 3}]}\nassert f(a) == 3"
    report = sandbox.run_tests(f"def f(a):\n    n = len(a['kids'])\n    {program}\n    return n", tests)
    assert report.passed, report


def test_sets_come_in_the_order_they_were_made_in(sandbox):
    tests = ["assert f({8, 0}) == list({8, 0})", "assert f({'k': {16, 8, 0}}['k']) == list({16, 8, 0})"]
    assert list({8, 0}) == [8, 0]
    assert sandbox.run_tests("def f(a): return list(a)", tests).passed


def test_a_program_may_change_its_names_while_they_are_looked_at(sandbox):
    program = (
        "class Odd(type):\n    def __getattribute__(cls, name):\n"
        "        globals()[f'n{len(globals())}'] = 1\n        return super().__getattribute__(name)\n"
        "class Thing(metaclass=Odd): pass\ndef f(x): return x"
    )
    assert sandbox.run_tests(program, ["assert f(1) == 1"]).passed


@pytest.mark.slow
def test_iterators_of_the_tests_cannot_be_nested_until_the_stack_ends(sandbox):
    program = "def nest(it, wrap):\n    for _ in range(60_000): it = wrap(it)\n    return it"
    tests = "assert list(nest(iter('1'), lambda it: map(str, it))) == ['1']"
    report = sandbox.run_tests(program, tests, limits=Limits(wall=20.0))
    assert report.status == "unsupported_value", report
    assert sandbox.run_tests(program.replace("60_000", "300"), tests).passed


def test_a_container_stays_the_same_beside_a_key_that_is_asked_for_its_hash(sandbox):
    program = "class Node: pass\ndef find():\n    found = [7]\n    return [found, {Node(): 1}, found]"
    tests = "found = find()\nassert found[2] == [7] and found[0] is found[2]"
    assert sandbox.run_tests(program, tests).passed
