"""Programs run by Monty: the same oracle and statuses, another interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pydantic_monty")

from rewardstack_sandbox import Limits, Run, Sandbox, Tests

ROOT = str(Path(__file__).parents[2] / "sandbox")
LONG = "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"


@pytest.fixture(scope="module")
def monty():
    with Sandbox("monty", workers=1, limits=Limits(wall=1.0, memory=64 << 20, output=1000)) as sandbox:
        yield sandbox


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        ("def f(x):\n    return {'a': [x, (1.5, None)], 'b': {x}}", "assert f(1) == {'a': [1, (1.5, None)], 'b': {1}}"),
        ("def f(*a, **k):\n    return a, k", "assert f(1, x=2) == ((1,), {'x': 2})"),
        ("def f(x):\n    x.append(1)", "x = [0]\nf(x)\nassert x == [0, 1]"),
        ("from collections import Counter\ndef f(s):\n    return Counter(s)", "assert f('aab')['a'] == 2"),
        ("from collections import deque\ndef f():\n    return deque([1])", "assert f().popleft() == 1"),
        ("def f(x):\n    return lambda y: x + y", "assert f(1)(2) == 3"),
        ("def f():\n    return iter([1, 2])", "assert list(f()) == [1, 2]"),
        ("class A:\n    def __init__(self, n):\n        self.n = n\n    def double(self):\n        return 2 * self.n",
         "a = A(4)\nassert a.double() == 8\na.n = 5\nassert a.double() == 10"),
        ("def f(n):\n    if n < 0:\n        raise ValueError('n')\n    return n",
         "try:\n    f(-1)\n    assert False\nexcept ValueError as e:\n    assert str(e) == 'n'\nassert f(1) == 1"),
        ("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\ndef f():\n    return P(1)",
         "assert f() == P(1)\nassert f() != P(2)"),
    ],
)  # fmt: skip
def test_right_programs_pass(monty, program, tests):
    report = monty.run_tests(program, tests)
    assert report.passed, report


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("def f(x): return x", "wrong_answer"),
        ("def f(x): return 1 / 0", "runtime_error"),
        ("def g(x): return 2", "runtime_error"),
        ("def f(x:", "syntax_error"),
        ("class A(dict):\n    pass", "syntax_error"),
        (f"def f(x):\n    {LONG.replace(chr(10), chr(10) + '    ')}", "time_limit_exceeded"),
        ("import time\ndef f(x): time.sleep(60)", "time_limit_exceeded"),
        ("def f(x): return [0] * 10**9", "memory_limit_exceeded"),
        ("def f(x): return range(2)", "unsupported_value"),
        (
            "class E:\n    def __eq__(self, other):\n        return True\ndef f(x): return E()",
            "unsupported_value",
        ),
    ],
)
def test_statuses(monty, program, status):
    report = monty.run_tests(program, ["assert f(1) == 2"])
    assert (report.passed, report.status) == (False, status), report
    assert report.wall_time < 2


def test_scripts(monty):
    result = monty.run("n = int(input('n: '))\nprint(n * 2)", stdin="4\n")
    assert (result.status, result.stdout, result.exit_code) == ("accepted", "n: 8\n", 0)
    assert monty.run("input()").stderr.endswith("EOF when reading a line")
    assert monty.run("print('x' * 5000)").status == "output_limit_exceeded"
    assert monty.run("1 / 0").status == "runtime_error"
    assert monty.run(LONG).status == "time_limit_exceeded"


def test_programs_share_nothing(monty):
    jobs = [Run("x = 1\nprint(x)"), Run("print(x)"), Tests("y = 1", ["assert x == 1"])]
    assert [result.status for result in monty.run_many(jobs)] == [
        "accepted",
        "runtime_error",
        "runtime_error",
    ]


def test_a_program_cannot_choose_to_be_masked(monty):
    """What it gives and cannot be compared is its own doing, never the data set's."""
    report = monty.run_tests("def f(): return lambda: 1", ["assert f() == f()"])
    assert (report.passed, report.status) == (False, "unsupported_value")


def test_functions_of_the_tests_cannot_be_given(monty):
    report = monty.run_tests("def f(g): return g(1)", ["assert f(lambda x: x) == 1"])
    assert report.status == "infrastructure_error"
    assert "cannot reach the program" in report.reason


def test_capabilities_tell_what_differs(monty):
    layers = {layer.name: layer for layer in monty.capabilities()}
    assert layers["interpreter"].state == "active"
    assert layers["seccomp"].state == "degraded"
    assert "Monty's own" in layers["limits"].detail


def test_human_eval(monty, data):
    rows = data("humaneval.jsonl")
    right = [
        Tests(row["prompt"] + row["canonical_solution"], row["test"], row["entry_point"]) for row in rows
    ]
    wrong = [Tests(row["mutant"]["code"], row["test"], row["entry_point"]) for row in rows]
    passed = [report.passed for report in monty.run_many(right)]
    assert sum(passed) >= 0.97 * len(rows)
    assert not any(report.passed for report in monty.run_many(wrong))


def test_without_monty_the_line_to_install_it_is_printed(tmp_path):
    (tmp_path / "pydantic_monty.py").write_text("raise ModuleNotFoundError('No', name='pydantic_monty')")
    script = (
        f"import sys; sys.path.insert(0, {ROOT!r})\n"
        "import rewardstack_sandbox.worker as worker\n"
        f"worker.PROGRAM = worker.PROGRAM.replace('sys\\n', 'sys; sys.path.insert(0, \"{tmp_path}\")\\n', 1)\n"
        "from rewardstack_sandbox import Sandbox, SandboxError\n"
        "try:\n    Sandbox('monty', workers=1).run('pass')\n"
        "except SandboxError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "isolation='monty' needs pydantic_monty: pip install 'rewardstack[monty]'\n"
