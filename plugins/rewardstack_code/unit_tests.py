"""`code.tests`: the completion's code judged by the data set's own tests, which it never sees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rewardstack import Score, reward
from rewardstack_code.extraction import Code
from rewardstack_code.running import Running, check_running, read_row, rows_of
from rewardstack_code.sandboxes import Result, show, trouble
from rewardstack_code.tasks import Task, reason_of, summary
from rewardstack_sandbox import TestReport, Tests

__all__ = ["tests"]


def check_options(options: Mapping[str, Any]) -> None:
    """Check options when the stack is loaded; `ValueError` says what is wrong."""
    check_running(options)
    if not 0 <= options["hidden"] <= 1:
        raise ValueError(f"hidden must be a share, 0 to 1, not {options['hidden']!r}")


@reward(scope="batch", check=check_options)
@dataclass
class tests(Running):  # noqa: N801 - the name of the reward
    """1 when the code of the completion passes its tests, in a sandbox in which it cannot see them.

    Column `tests`: assertions as one text or a list, HumanEval's `check(candidate)` with the column `entry_point` (a
    function's name, or a method like LeetCode's `Solution().twoSum`), test functions (pytest) or classes (unittest).
    Optional columns: `setup` (code for the tests alone), `prompt_code` (put before the completion's code: HumanEval's
    prompt, or the imports that LeetCode's solutions take for granted), `hidden_tests` (more of the same), `inputs` with
    `expected` (argument lists and values of `entry_point`, as in HumanEval+; a tuple does for a list, since files of data
    know no tuples). Rows without any test abstain: where the
    data call the tests `test`, as HumanEval does, the term needs `columns = { tests = "test" }`.

    The code is the last fenced block after closed thinking, or the last `<answer>` tag, or the whole text. No code, a
    crash or a time-out is the low end; what was not the program's doing (tests that do not compile) is an error.

    Options:
        credit: "all" pays for all tests passed, "share" for the share of them.
        hidden: The weight of `hidden_tests` beside the visible ones, where a row has both.
        where: Where the code is: "any", "fence", "tag" or "text".
        tag: The tag that holds answers.
        seconds: Wall time for a program with all its tests.
        memory: MiB a program may take.
        tolerance: Absolute difference allowed to numbers in `expected`.
        isolation: "strict", "best_effort", "restricted", "monty", or a sandbox of a plugin; see `rewards doctor`.

    Range: 0 to 1. Counts tests that ran: none ran is never a pass. Python only.
    """

    credit: Literal["all", "share"] = "all"
    hidden: float = 0.5
    tolerance: float = 1e-6

    def __call__(
        self,
        completion: Sequence[str],
        tests: Sequence[Any] | None = None,
        *,
        entry_point: Sequence[str | None] | None = None,
        setup: Sequence[str | None] | None = None,
        prompt_code: Sequence[str | None] | None = None,
        hidden_tests: Sequence[Any] | None = None,
        inputs: Sequence[Any] | None = None,
        expected: Sequence[Any] | None = None,
    ) -> list[Score]:
        """Score a batch of completions."""
        columns = (tests, entry_point, setup, prompt_code, hidden_tests, inputs, expected)
        codes = [self.find(text) for text in completion]
        tasks = [Task(*row) for row in rows_of(len(completion), *columns)]
        rows = [read_row(self.jobs, code, task) for code, task in zip(codes, tasks, strict=True)]
        results = iter(self.run([job for row in rows if not isinstance(row, Score) for job in row]))
        return [
            row if isinstance(row, Score) else self.score(code, next(results), next(results))
            for code, row in zip(codes, rows, strict=True)
        ]

    def jobs(self, code: Code, task: Task) -> tuple[Tests | None, Tests | None] | Score:
        """Return the jobs of a row's visible and hidden tests, or its score where there is nothing to run."""
        task.check()
        if not task.tested:
            return Score(reason="the row has no tests")
        if code.text is None:
            return Score(0.0, code.reason)
        program, early = task.program(code.text), self.credit == "all"
        return (
            task.visible_job(program, self.limits, self.tolerance, stop_early=early),
            task.hidden_job(program, self.limits, stop_early=early),
        )

    def score(self, code: Code, visible: Result | None, hidden: Result | None) -> Score:
        """Return the score of one row."""
        reports = [one for one in (visible, hidden) if isinstance(one, TestReport)]
        for report in reports:
            if (error := trouble(report)) is not None:
                return error
        values = [self.value(report) for report in reports]
        value = values[0] if len(values) == 1 else values[0] * (1 - self.hidden) + values[1] * self.hidden
        failed = next((report for report in reports if not report.passed), reports[0])
        details = {"place": code.place, **show(failed), "tests": [summary(report) for report in reports]}
        return Score(value, reason_of(failed), details)

    def value(self, report: TestReport) -> float:
        """Return what a report is worth."""
        return report.share if self.credit == "share" and not report.passed else float(report.passed)
