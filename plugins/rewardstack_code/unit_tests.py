"""`code.tests`: the completion's code judged by the data set's own tests, which it never sees."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rewardstack import Score, reward
from rewardstack_code.extraction import Code, Place, find_code
from rewardstack_code.sandboxes import Isolation, Result, column, limits_of, run_distinct, show, trouble
from rewardstack_sandbox import Status, TestReport, Tests

__all__ = ["tests"]

Credit = Literal["all", "share"]
VALUES = "inf = float('inf')\nnan = float('nan')\n"
CLOSE = """
def _close(got, want, atol):
    if isinstance(want, float) and type(got) in (int, float):
        return got == want or abs(got - want) <= atol + 1e-7 * abs(want) or (got != got and want != want)
    if type(want) in (list, tuple) and type(got) is type(want):
        return len(got) == len(want) and all(_close(a, b, atol) for a, b in zip(got, want))
    if type(want) is dict and type(got) is dict:
        return got.keys() == want.keys() and all(_close(got[key], want[key], atol) for key in want)
    return got == want
"""


@reward(scope="batch")
@dataclass
class tests:  # noqa: N801 - the name of the reward
    """1 when the code of the completion passes its tests, in a sandbox in which it cannot see them.

    Column `tests`: assertions as one text or a list, HumanEval's `check(candidate)` with the column `entry_point`,
    test functions (pytest) or classes (unittest). Optional columns: `setup` (code the tests need), `prompt_code` (put
    before the completion's code, as HumanEval's prompt), `hidden_tests` (more of the same), `inputs` with `expected`
    (argument lists and values of `entry_point`, as in HumanEval+). Rows without any test abstain.

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
        isolation: "strict", "best_effort" or "restricted"; see `rewards doctor`.

    Range: 0 to 1. Counts tests that ran: none ran is never a pass. Python only.
    """

    credit: Credit = "all"
    hidden: float = 0.5
    where: Place = "any"
    tag: str = "answer"
    seconds: float = 10.0
    memory: int = 512
    tolerance: float = 1e-6
    isolation: Isolation = "strict"

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
        size = len(completion)
        codes = [find_code(text, self.where, tag=self.tag) for text in completion]
        given = (tests, entry_point, setup, prompt_code, hidden_tests, inputs, expected)
        rows = [Row(*values) for values in zip(*(column(one, size) for one in given), strict=True)]
        visible = [self.job(code, row, row.tests, row) for code, row in zip(codes, rows, strict=True)]
        hidden = [self.job(code, row, row.hidden_tests, None) for code, row in zip(codes, rows, strict=True)]
        jobs = [*visible, *hidden]
        keys = [
            None if job is None else (job.program, str(job.tests), job.entry_point, job.setup) for job in jobs
        ]
        results = run_distinct(jobs, keys, self.isolation)
        return [
            self.score(code, results[place], results[size + place], tested=row.tested)
            for place, (code, row) in enumerate(zip(codes, rows, strict=True))
        ]

    def job(self, code: Code, row: "Row", given: Any, cases: "Row | None") -> Tests | None:
        """Return a row's job: its tests, and those made of its inputs; None where it has none or there is no code."""
        texts = test_texts(given)
        made = [] if cases is None else cases.made_tests(self.tolerance)
        if code.text is None or not (texts or made):
            return None
        program = f"{row.prompt_code}\n{code.text}" if row.prompt_code else code.text
        setup = row.setup or ""
        if made:
            texts = [*([texts] if isinstance(texts, str) and texts else texts), *made]
            setup = f"{VALUES}{CLOSE}{setup}"
        limits = limits_of(self.seconds, self.memory)
        return Tests(program, texts, row.entry_point, setup, stop_early=self.credit == "all", limits=limits)

    def score(self, code: Code, visible: Result | None, hidden: Result | None, *, tested: bool) -> Score:
        """Return the score of one row."""
        if not tested:
            return Score(reason="the row has no tests")
        if code.text is None:
            return Score(0.0, code.reason)
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


@dataclass
class Row:
    """A row's columns beside the completion."""

    tests: Any
    entry_point: str | None
    setup: str | None
    prompt_code: str | None
    hidden_tests: Any
    inputs: Any
    expected: Any

    @property
    def tested(self) -> bool:
        """Whether the row has any test."""
        has_cases = bool(self.inputs) and self.expected is not None
        return bool(test_texts(self.tests) or test_texts(self.hidden_tests) or has_cases)

    def made_tests(self, tolerance: float) -> list[str]:
        """Return an assertion for each of the row's inputs."""
        if not self.inputs or self.expected is None or not self.entry_point:
            return []
        return [
            f"assert _close({self.entry_point}(*{list(arguments)!r}), {value!r}, {tolerance!r})"
            for arguments, value in zip(self.inputs, self.expected, strict=True)
        ]


def test_texts(given: Any) -> str | list[str]:
    """Return tests as given: a text, or a list of texts (also as JSON); empty where there are none."""
    if isinstance(given, str):
        stripped = given.strip()
        if stripped.startswith("[") and stripped.endswith("]"):
            try:
                return [str(one) for one in json.loads(stripped)]
            except ValueError:
                return given
        return given if stripped else ""
    return [str(one) for one in given or () if str(one).strip()]


def summary(report: TestReport) -> dict[str, Any]:
    """Return a report's counts and its first failure, as details."""
    failed = next((test for test in report.tests if not test.passed), None)
    found: dict[str, Any] = {"passed": sum(test.passed for test in report.tests), "total": report.total}
    return found if failed is None else {**found, "failed": failed.name, "why": failed.reason}


def reason_of(report: TestReport) -> str:
    """Return a sentence about a report."""
    if report.passed:
        return f"all {report.total} tests passed" if report.total > 1 else "the test passed"
    status = str(report.status).replace("_", " ")
    return f"{status}: {report.reason}" if report.reason and report.status is not Status.accepted else status
