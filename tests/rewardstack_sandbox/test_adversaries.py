"""Programs that cheat by what they return, send, or leave behind: none is paid, none hangs, none breaks its worker."""

import tomllib
from pathlib import Path

import pytest

from rewardstack_sandbox import Limits, Sandbox

SUMS = "assert solve(10) == 55\nassert solve(3) == 6"
CHEATS = tomllib.loads((Path(__file__).parent / "hostile/adversaries.toml").read_text("utf-8"))
NEEDED = {"restricted": "RestrictedPython", "monty": "pydantic_monty"}
WALL = 0.6


@pytest.fixture(
    scope="module",
    params=["strict", *(pytest.param(name, marks=pytest.mark.slow) for name in ("restricted", "monty"))],
)
def one(request):
    """A sandbox of one worker, so that what a cheat leaves behind meets the next."""
    if request.param in NEEDED:
        pytest.importorskip(NEEDED[request.param])
    with Sandbox(request.param, workers=1, limits=Limits(wall=WALL)) as sandbox:
        yield sandbox


@pytest.mark.parametrize("name", CHEATS)
def test_no_cheat_is_paid(one, name):
    report = one.run_tests(CHEATS[name]["program"], CHEATS[name].get("tests", SUMS), entry_point="solve")
    assert not report.passed
    assert report.wall_time < WALL + 2
    if one.isolation != "monty":  # which cannot be given functions of the tests
        assert report.status != "infrastructure_error", report.reason
    assert one.run_tests("def f(): return 1", ["assert f() == 1"]).passed, "the worker is broken"


def test_what_is_right_passes_the_same_tests(one):
    assert one.run_tests("def solve(n):\n    return n * (n + 1) // 2", SUMS).passed
