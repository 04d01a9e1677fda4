"""Tests that start threads: their calls reach the program one after the other; threads left behind end the worker."""

import pytest

from rewardstack_sandbox import Limits, Tests

PROGRAM = """
import threading

class Counter:
    def __init__(self):
        self.count, self.lock = 0, threading.Lock()
    def add(self, number=1):
        with self.lock:
            self.count += number
        return number

def same(value):
    return value

def for_each(function, values):
    return [function(value) for value in values]

def never():
    while True:
        pass
"""
JUDGING = {
    "threads": """
import threading
counter = Counter()
threads = [threading.Thread(target=lambda: [counter.add() for _ in range(20)]) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert counter.count == 160
""",
    "a pool": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    assert list(pool.map(Counter().add, range(20))) == list(range(20))
""",
    "a loop": """
import asyncio
async def test_it():
    assert await asyncio.to_thread(Counter().add, 3) == 3
""",
    "functions of the tests called back": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    found = pool.map(lambda n: for_each(lambda value: value + Counter().add(n), [1, 2]), [10, 20])
    assert list(found) == [[11, 12], [21, 22]]
""",
}
LEFT = "import threading, time\nthreading.Thread(target=time.sleep, args=[60], daemon=True).start()\nassert same(1) == 1"


@pytest.mark.parametrize("form", JUDGING)
def test_threads_tell_right_from_wrong(sandbox, form):
    right = sandbox.run_tests(PROGRAM, JUDGING[form])
    assert right.passed, right
    wrong = sandbox.run_tests(
        PROGRAM.replace("+= number", "+= 0").replace("return number", "return number + 1"), JUDGING[form]
    )
    assert (wrong.passed, wrong.status) == (False, "wrong_answer")


def test_a_program_that_hangs_in_a_thread_runs_into_the_limit(sandbox):
    tests = "import threading\nthread = threading.Thread(target=never)\nthread.start()\nthread.join(0.1)\nassert same(1) == 1"
    report = sandbox.run_tests(PROGRAM, tests, limits=Limits(wall=1.0))
    assert (report.passed, report.status) == (False, "time_limit_exceeded")


def test_threads_that_are_left_behind_reach_no_other_program(sandbox):
    jobs = [
        Tests(PROGRAM, LEFT),
        Tests(PROGRAM, "import threading\nassert same(threading.active_count()) == 1"),
    ] * 4
    assert all(report.passed for report in sandbox.run_many(jobs))


def test_a_program_cannot_have_the_worker_replaced(sandbox):
    program = "import threading, time\nthreading.Thread(target=time.sleep, args=[60]).start()\ndef same(value): return value"
    assert sandbox.run_tests(program, "assert same(1) == 1").passed
    before = sandbox.pids()
    assert sandbox.run_tests(program, "assert same(1) == 1").passed
    assert sandbox.pids() == before
