"""The interpreter's code on huge pages: in its old place, the same, and nothing where there are none to be had."""

import subprocess
import sys

import pytest

from rewardstack_sandbox.kernel import text

MOVE = """
import ctypes
from rewardstack_sandbox.kernel import text

begin, end = text.span_of_code()
first = text.round_up(begin)
before = ctypes.string_at(first, end // text.HUGE * text.HUGE - first)
moved = text.move_to_huge_pages()
assert moved in (0, len(before)), moved
assert ctypes.string_at(first, len(before)) == before
import decimal, json, re
assert json.loads(json.dumps([str(decimal.Decimal(1) / 7), re.findall("a+", "aba")]))[1] == ["a", "a"]
print(moved, begin < text.span_of_code()[1])
"""


def in_a_process(program):
    """Return what a program prints in an interpreter of its own."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(sys.platform != "linux", reason="it is read from /proc")
def test_the_span_holds_the_interpreters_functions():
    import ctypes

    begin, end = text.span_of_code()
    for function in (ctypes.pythonapi.Py_Initialize, ctypes.pythonapi.PyObject_Call):
        assert begin <= ctypes.cast(function, ctypes.c_void_p).value < end


def test_moved_code_is_the_same_and_runs():
    moved, found = in_a_process(MOVE)
    assert int(moved) % text.HUGE == 0
    assert found == "True"


def test_without_huge_pages_nothing_is_moved():
    refused = MOVE.replace("moved = ", "text.COLLAPSE = 12345\nmoved = ")  # advice that no kernel knows
    assert in_a_process(refused) == ["0", "True"]


def test_where_mappings_cannot_be_read_nothing_is_moved(monkeypatch):
    monkeypatch.setattr(text, "mappings", lambda: iter(()))
    assert text.move_to_huge_pages() == 0
