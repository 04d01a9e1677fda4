"""Programs that fill the memory of what judges them: neither masked for it, nor the ruin of the next one."""

import sys

import pytest

from rewardstack_sandbox import Limits, Sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what judges has a limit on Linux")

# An empty queue is five bytes of a message, and some 700 in the memory of whoever reads it
FILL = """
import os, struct, time
def f(x):
    print("\\x01" * {printed})
    queues = b"l" + struct.pack("<I", {queues}) + b"D\\0\\0\\0\\0" * {queues}
    body = b"u\\3\\0\\0\\0" + b"s\\6\\0\\0\\0return" + queues + b"u\\0\\0\\0\\0"
    data = struct.pack("<I", len(body)) + body
    while data:
        data = data[os.write(3, data):]
    time.sleep(60)
"""
MANY = "def f(x): return list(range(1000000))"


@pytest.fixture(scope="module")
def one():
    with Sandbox("best_effort", workers=1, limits=Limits(wall=20.0)) as sandbox:
        yield sandbox


@pytest.mark.parametrize(("queues", "printed"), [(1_500_000, 1_000_000), (3_000_000, 0)])
def test_a_worker_without_memory_blames_the_program(one, queues, printed):
    report = one.run_tests(FILL.format(queues=queues, printed=printed), ["assert f(1) == 2"])
    assert not report.passed
    assert report.status in ("memory_limit_exceeded", "runtime_error"), report.reason


def test_the_next_program_has_memory(one):
    assert not one.run_tests(FILL.format(queues=1_300_000, printed=0), ["assert f(1) == 2"]).passed
    report = one.run_tests(MANY, ["assert f(1) == list(range(1000000))"])
    assert report.passed, report.reason


def test_a_worker_with_memory_goes_on(one):
    assert one.run_tests(MANY, ["assert len(f(1)) == 1000000"]).passed
    before = one.pids()
    assert one.run_tests(MANY, ["assert len(f(1)) == 1000000"]).passed
    assert one.pids() == before
