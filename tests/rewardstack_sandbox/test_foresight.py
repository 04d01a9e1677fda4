"""Which calls tests are bound to make."""

import ast

import pytest

from rewardstack_sandbox.oracle.foresight import called_name, foresee
from rewardstack_sandbox.oracle.plan import make_plan


def foreseen(source):
    body = ast.parse(source).body
    return [arguments for arguments, _ in foresee(body, called_name(body)).calls]


@pytest.mark.parametrize(
    ("source", "calls"),
    [
        ("assert f(1) == 2\nassert f([1], -2) == 3", [(1,), ([1], -2)]),
        ("assert abs(f(1) - 2) < 0.1\nassert sorted(f(2)) == []", [(1,), (2,)]),
        ("assert g(0)\nassert f(1) == 2", [(0,)]),  # of the first one only
        ("assert f(1)\nassert abs(f(2)[0] - 1) < 0.1", [(1,), (2,)]),
        (
            "assert Solution().f(1) == 2\nassert Solution().f(2) == 3",
            [],
        ),  # an object is asked between the calls
        ("assert f(1) == 2", [(1,)]),
        ("assert f(1) == f(2)\nassert f(3)", []),
        ("assert f(1) and f(2)\nassert f(3)", []),
        ("assert f(x) == 2\nassert f(2)", []),
        ("assert 1 < f(1) < 2\nassert f(2)", []),
        ("assert f(1)\nassert [f(2) for _ in '12']", []),
        ("assert f(1)\nx = f(2)\nassert f(3)", []),
        ("assert f(1)\nfor i in 'ab':\n    assert f(2)", []),
        ("assert f(1)\nassert (lambda: f(2))", []),
        ("assert f(1)\nassert f(2) if x else 3", []),
        ("assert f(1)\nassert True, f(2)", []),
        ("assert f(*[1])\nassert f(**{})", []),
        ("assert f(1)\nf = 3\nassert f(2)", []),
    ],
)
def test_foreseen(source, calls):
    assert foreseen(source) == calls


@pytest.mark.parametrize(
    ("tests", "setup", "name"),
    [
        (["assert f(1) == 2"], "", "f"),
        ("assert f(1) == 2", "", "f"),
        ("def check(candidate):\n    assert candidate(1) == 2", "", "f"),
        (["assert candidate(1) == 2"], "", "f"),  # as the tests see the entry point
        (["assert f(1) == 2", "assert candidate(2) == 3"], "", ""),
        (["assert abs(f(1)) == limit.f"], "", ""),
        (["assert f(1) == math.pi"], "import math", "f"),
        (["assert f(1) == limit"], "", ""),
        (["assert f(1) == limit"], "limit = 2", "f"),
        (["assert f(1) == 2", "assert other(1) == 2"], "", ""),
        (["assert twice(1) == 2"], "def twice(x): return f(x) * 2", ""),
        (["assert f(1) == 2"], "start = f(0)", "f"),  # which is seen when the tests run
        (["from solution import f as g", "assert g(1) == 2"], "", ""),
        ("import solution\nassert f(1) == solution.limit", "", ""),
        (["assert sorted([2]) == [2]"], "", ""),
    ],
)
def test_calls_are_foreseen_where_the_tests_take_nothing_else_of_the_program(tests, setup, name):
    foreseen = make_plan(tests, setup, "f").foreseen
    assert (foreseen.name, bool(foreseen.calls)) == (name, bool(name))
