"""Asynchronous programs: their coroutines run on their own side, and the tests wait for them in any of the usual ways."""

import pytest

PROGRAM = """
import asyncio

async def after(number):
    await asyncio.sleep(0)
    if number < 0:
        raise ValueError("below zero")
    return number + 1

async def count(end):
    for number in range(end):
        yield number

class Store:
    def __init__(self):
        self.lock, self.held, self.open = asyncio.Lock(), [], False
    async def put(self, item):
        async with self.lock:
            await asyncio.sleep(0)
            self.held.append(item)
        return len(self.held)
    async def __aenter__(self):
        self.open = True
        return self
    async def __aexit__(self, *error):
        self.open = False
    def __aiter__(self):
        return count(len(self.held))
"""
PASSING = {
    "run": "import asyncio\nassert asyncio.run(after(1)) == 2\nassert asyncio.run(after(2)) == 3",
    "loop": "import asyncio\nassert asyncio.new_event_loop().run_until_complete(after(1)) == 2",
    "test function": "async def test_it():\n    assert await after(1) == 2",
    "check": "def check(candidate):\n    import asyncio\n    assert asyncio.run(candidate(1)) == 2\n",
    "gather": "import asyncio\nasync def main():\n    return await asyncio.gather(*map(after, range(3)))\n"
    "assert asyncio.run(main()) == [1, 2, 3]",
    "time limit": "import asyncio\nassert asyncio.run(asyncio.wait_for(after(4), 1)) == 5",
    "exception": "import pytest\nasync def test_it():\n    with pytest.raises(ValueError, match='below'):\n        await after(-1)",
    "iterator": "async def test_it():\n    assert [n async for n in count(3)] == [0, 1, 2]",
    "objects": "async def test_it():\n    async with Store() as store:\n        assert store.open\n"
    "        assert await store.put('a') == 1\n        assert await store.put('b') == 2\n"
    "        assert [n async for n in store] == [0, 1]\n    assert not store.open",
    "test case": "import unittest\nclass TestIt(unittest.IsolatedAsyncioTestCase):\n    async def test_it(self):\n"
    "        self.assertEqual(await after(1), 2)\n        with self.assertRaises(ValueError):\n            await after(-1)",
}


@pytest.mark.parametrize("form", PASSING)
def test_a_right_program_passes(sandbox, form):
    report = sandbox.run_tests(PROGRAM, PASSING[form], entry_point="after")
    assert report.passed, report


@pytest.mark.parametrize("form", [form for form in PASSING if form not in ("iterator", "objects")])
def test_a_wrong_program_does_not(sandbox, form):
    wrong = PROGRAM.replace("number + 1", "number").replace("number < 0", "number < -9")
    report = sandbox.run_tests(wrong, PASSING[form], entry_point="after")
    assert (report.passed, report.status) == (False, "wrong_answer")


def test_an_iterator_that_ends_early_is_wrong(sandbox):
    tests = "async def test_it():\n    assert [n async for n in count(3)] == [0, 1, 2]"
    report = sandbox.run_tests(PROGRAM.replace("range(end)", "range(end - 1)"), tests)
    assert report.status == "wrong_answer"


def test_the_end_of_an_iteration_ends_no_other_loop(sandbox):
    program = "class Never:\n    def __eq__(self, other): return True\ndef value(): raise StopAsyncIteration"
    tests = """
async def numbers():
    for number in range(3):
        assert value() == number
        yield number

async def test_it():
    assert [number async for number in numbers()] == [0, 1, 2]
"""
    assert sandbox.run_tests(program, tests).status == "runtime_error"


def test_a_coroutine_is_no_value(sandbox):
    report = sandbox.run_tests(PROGRAM, "assert after(1) == 2")
    assert report.status == "unsupported_value"


def test_a_coroutine_that_never_ends_runs_into_the_limit(sandbox):
    from rewardstack_sandbox import Limits

    program = "import asyncio\nasync def after(number):\n    await asyncio.Event().wait()"
    report = sandbox.run_tests(program, PASSING["run"], limits=Limits(wall=1.0))
    assert report.status == "time_limit_exceeded"
