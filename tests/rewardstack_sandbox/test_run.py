"""A program run as a script: what comes back, and under which status."""

import pytest

from rewardstack_sandbox import Limits, Status

SHORT = Limits(wall=0.5, memory=64 << 20)


def test_output_and_exit_code_come_back(sandbox):
    result = sandbox.run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert (result.stdout, result.stderr, result.exit_code) == ("out\n", "err\n", 3)
    assert result.status is Status.runtime_error


def test_input_and_arguments_go_in(sandbox):
    result = sandbox.run("import sys; print(input(), sys.argv)", stdin="grüße\n", args=["a", "b c"])
    assert result.stdout == "grüße ['solution.py', 'a', 'b c']\n"


def test_input_is_a_file_whose_size_is_known(sandbox):
    result = sandbox.run("import os; print(os.fstat(0).st_size, len(os.read(0, 100)))", stdin="12345")
    assert result.stdout == "5 5\n"


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("pass", "accepted"),
        ("raise SystemExit", "accepted"),
        ("raise SystemExit('no')", "runtime_error"),
        ("1 / 0", "runtime_error"),
        ("import os; os._exit(9)", "runtime_error"),
        ("import ctypes; ctypes.string_at(0)", "runtime_error"),
        ("def f(:", "syntax_error"),
        ("x = '\0'", "syntax_error"),
        ("x = '\ud800'", "syntax_error"),
        ("while True: pass", "time_limit_exceeded"),
        ("import time; time.sleep(60)", "time_limit_exceeded"),
        ("x = 7 ** (10 ** 8)", "time_limit_exceeded"),
        ("x = bytearray(1 << 40)", "memory_limit_exceeded"),
        ("x = []\nwhile True: x.append('y' * 10_000_000)", "memory_limit_exceeded"),
        ("while True: print('x' * 1000)", "output_limit_exceeded"),
    ],
)
def test_status(sandbox, program, status):
    assert sandbox.run(program, limits=SHORT).status == status


def test_processor_time_has_a_limit_of_its_own(sandbox):
    result = sandbox.run("while True: pass", limits=Limits(wall=8.0, cpu=1.0))
    assert result.status is Status.time_limit_exceeded
    assert 0.5 < result.cpu_time < 1.5  # counted in ticks, by which kernels run ahead
    assert result.wall_time < 8.0


def test_text_before_a_crash_is_there(sandbox):
    for crash in ("os._exit(1)", "os.abort()", "time.sleep(9)"):
        assert sandbox.run(f"import os, time; print('before'); {crash}", limits=SHORT).stdout == "before\n"


def test_output_is_cut_at_the_limit(sandbox):
    exact = sandbox.run("print('x' * 99)", limits=Limits(output=100))
    assert (exact.status, len(exact.stdout), exact.truncated) == ("accepted", 100, False)
    over = sandbox.run("print('x' * 100)", limits=Limits(output=100))
    assert (over.status, len(over.stdout), over.truncated) == ("output_limit_exceeded", 100, True)


def test_a_traceback_shows_the_program_alone(sandbox):
    shown = sandbox.run("def f():\n    return 1 / 0\nf()").stderr
    assert shown.count("File") == 2
    assert "solution.py" in shown
    assert shown.endswith("ZeroDivisionError: division by zero\n")


def test_threads_and_event_loops_work(sandbox):
    threads = "import threading\nfor n in range(4): threading.Thread(target=print, args=(n,)).start()"
    assert sorted(sandbox.run(threads).stdout.split()) == ["0", "1", "2", "3"]
    loop = "import asyncio\nasync def f(): await asyncio.sleep(0); print('ran')\nasyncio.run(f())"
    assert sandbox.run(loop).stdout == "ran\n"


def test_output_written_by_destructors_and_exit_functions_is_there(sandbox):
    program = """
import atexit, sys
class Late:
    def __init__(self): self.me = self
    def __del__(self): write('late')
def write(text): sys.stdout.write(text + ' ')
late = Late()
atexit.register(write, 'exit')
"""
    assert sandbox.run(program).stdout == "exit late "


def test_runs_share_nothing(sandbox):
    sandbox.run("import builtins, json; builtins.print = None; json.dumps = None")
    assert sandbox.run("import json; print(json.dumps(1))").stdout == "1\n"


def test_sets_have_the_same_order_in_every_run(sandbox):
    program = "print(list({'a', 'b', 'c', 'd', 'e', 'f'}))"
    assert len({sandbox.run(program).stdout for _ in range(4)}) == 1


def test_what_was_used_is_told(sandbox):
    result = sandbox.run("x = bytearray(100 << 20); x[::4096] = x[::4096]\nfor i in range(10**6): pass")
    assert result.peak_memory > 100 << 20
    assert result.cpu_time > 0
    assert 0 < result.wall_time < 5


@pytest.mark.parametrize("limits", [{"wall": 0}, {"memory": -1}, {"output": "1"}, {"cpu": float("nan")}])
def test_senseless_limits_are_refused(limits):
    with pytest.raises(ValueError, match=next(iter(limits))):
        Limits(**limits)
