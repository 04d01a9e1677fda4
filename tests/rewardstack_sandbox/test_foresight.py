"""Which calls tests are bound to make."""

import ast

import pytest

from rewardstack_sandbox.oracle.foresight import called_name, foresee


def foreseen(source):
    body = ast.parse(source).body
    return [arguments for arguments, _ in foresee(body, called_name(body)).calls]


@pytest.mark.parametrize(
    ("source", "calls"),
    [
        ("assert f(1) == 2\nassert f([1], -2) == 3", [(1,), ([1], -2)]),
        ("assert abs(f(1) - 2) < 0.1\nassert sorted(f(2)) == []", []),  # the first assertion calls abs first
        ("assert f(1)\nassert abs(f(2)[0].real - 1) < 0.1", [(1,), (2,)]),
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
