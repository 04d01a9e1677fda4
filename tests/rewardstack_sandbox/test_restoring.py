"""What tests leave changed, for instance because the program failed before they could undo it, is put back for the next."""

import pytest

from rewardstack_sandbox import Limits, Sandbox

WRONG, RIGHT = "def f(): return 0", "def f(): return 1"


@pytest.fixture(scope="module")
def one():
    with Sandbox(workers=1, limits=Limits(wall=5.0)) as sandbox:
        yield sandbox


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        (
            "import random\nrandom.randint = lambda a, b: 4",
            "len({random.randint(1, 10**9) for _ in range(9)}) == 9",
        ),
        ("import random\nrandom.sample = None", "random.sample([1], 1) == [1]"),
        ("import time\ntime.time = time.monotonic = lambda: 1.0", "min(time.time(), time.monotonic()) > 1.0"),
        ("import sys\nsys.setrecursionlimit(10**9)", "sys.getrecursionlimit() < 10**4"),
    ],
)
def test_functions(one, change, asked):
    tests = f"{change}\nassert f() == 1\nraise SystemExit"
    report = one.run_tests(WRONG, tests, stop_early=True)
    assert report.status == "wrong_answer", report
    report = one.run_tests(RIGHT, f"import random, sys, time\nassert {asked}\nassert f() == 1")
    assert report.passed, report


def test_event_loops(one):
    program = "async def f(): return 1"
    closed = "import asyncio\nloop = asyncio.new_event_loop()\nasyncio.set_event_loop(loop)\nassert loop.run_until_complete(f()) == 1\nloop.close()"
    run = "import asyncio\nassert asyncio.run(f()) == 1"
    got = (
        "import asyncio\nassert asyncio.get_event_loop_policy().get_event_loop().run_until_complete(f()) == 1"
    )
    for before in (closed, run):
        for tests in (before, got):
            report = one.run_tests(program, tests)
            assert report.passed, report
