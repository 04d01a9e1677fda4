"""The restricted language: what programs need is there, what leads out of them is not."""

import pytest

pytest.importorskip("RestrictedPython")

from rewardstack_sandbox import Sandbox, Tests

CLASS = """
from collections import deque, defaultdict
class Stack:
    def __init__(self, items=()):
        self._items = list(items)
    def push(self, x):
        self._items.append(x)
        return self
    def __len__(self):
        return len(self._items)
def f():
    s = Stack()
    s.push(1).push(2)
    count: int = 0
    def bump():
        nonlocal count
        count += len(s)
    bump()
    d = defaultdict(list)
    d["a"].append(count)
    return d["a"][0], "{}-{:03d}".format("x", 7), sorted(zip([2, 1], "ab")), type(count) == int
"""


@pytest.fixture(scope="module")
def restricted():
    with Sandbox("restricted", workers=1) as sandbox:
        yield sandbox


def test_programs_run(restricted):
    report = restricted.run_tests(CLASS, ["assert f() == (2, 'x-007', [(1, 'b'), (2, 'a')], True)"])
    assert report.passed, report


def test_scripts_run(restricted):
    result = restricted.run(
        "import sys\nn = int(input())\nsys.stdout.write(str(n + 1))\nprint('', n)", stdin="4\n"
    )
    assert (result.stdout, result.status) == ("5 4\n", "accepted")


@pytest.mark.parametrize(
    "attempt",
    [
        "import os", "from os import path", "import sys\nsys.modules", "import random\nrandom._os", "open('x')",
        "eval('1')", "exec('1')", "().__class__", "(lambda: 1).__globals__", "getattr((), '__class__')",
        "'{0.__class__}'.format(1)", "'{x.__class__}'.format_map({'x': 1})", "str.format('{0.__class__}', 1)",
        "from operator import attrgetter", "import operator\noperator.attrgetter('__class__')",
        "import collections\ncollections.abc.sys.modules", "f = (x for x in [])\nf.gi_frame", "import typing\ntyping.sys.modules",
        "__builtins__", "_getattr_ = None", "print.__self__", "type('X', (), {})", "globals()",
        "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__", "import math\nmath.sqrt = 1", "int.x = 1",
    ],
)  # fmt: skip
def test_ways_out_are_closed(restricted, attempt):
    assert restricted.run(f"{attempt}\nprint('OUT')").stdout == ""


def test_most_human_eval_solutions_are_within_the_language(restricted, data):
    rows = data("humaneval.jsonl")
    jobs = [Tests(row["prompt"] + row["canonical_solution"], row["test"], row["entry_point"]) for row in rows]
    failed = [
        (row["task_id"], report.reason)
        for row, report in zip(rows, restricted.run_many(jobs))
        if not report.passed
    ]
    assert len(failed) <= 0.03 * len(rows), failed
