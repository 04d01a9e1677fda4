"""What a row asks of a program: the data set's tests in all their forms, and how they are put to it."""

import json
import math
from dataclasses import dataclass
from typing import Any

from rewardstack_sandbox import Limits, Status, TestReport, Tests

__all__ = ["Task", "is_missing", "reason_of", "summary", "test_texts"]

VALUES = "inf = float('inf')\nnan = float('nan')\n"
CLOSE = """
def _close(got, want, atol):
    if isinstance(want, float) and type(got) in (int, float):
        near = abs(got - want) <= atol + 1e-7 * abs(want) < float('inf')  # to an infinite one nothing is near
        return got == want or near or (got != got and want != want)
    if type(got) is type(want) is tuple or type(want) is list and type(got) in (list, tuple):
        return len(got) == len(want) and all(_close(a, b, atol) for a, b in zip(got, want))
    if type(want) is dict and type(got) is dict:
        return got.keys() == want.keys() and all(_close(got[key], want[key], atol) for key in want)
    return got == want
"""


@dataclass
class Task:
    """A row's columns beside the completion."""

    tests: Any
    entry_point: str | None = None
    setup: str | None = None
    prompt_code: str | None = None
    hidden_tests: Any = None
    inputs: Any = None
    expected: Any = None

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if is_missing(getattr(self, name)):
                setattr(self, name, None)

    def check(self) -> None:
        """Check the columns that must be text where they are there; `TypeError` otherwise."""
        for name in ("entry_point", "setup", "prompt_code"):
            value = getattr(self, name)
            if not isinstance(value, (str, type(None))):
                raise TypeError(f"{name} must be text, is {value!r}")

    @property
    def tested(self) -> bool:
        """Whether the row has any test."""
        has_cases = bool(self.inputs) and self.expected is not None
        return bool(test_texts(self.tests) or test_texts(self.hidden_tests) or has_cases)

    def program(self, code: str) -> str:
        """Return a completion's code with what the prompt gave before it."""
        return f"{self.prompt_code}\n{code}" if self.prompt_code else code

    def job(self, program: str, texts: str | list[str], limits: Limits, *, stop_early: bool = False) -> Tests:
        """Return the job of putting some tests to a program."""
        return Tests(program, texts, self.entry_point, self.setup or "", stop_early, limits)

    def visible_job(
        self, program: str, limits: Limits, tolerance: float, *, stop_early: bool
    ) -> Tests | None:
        """Return the job of the row's tests and of those made of its inputs; None where it has none."""
        texts, made = test_texts(self.tests), self.made_tests(tolerance)
        if not made:
            return self.job(program, texts, limits, stop_early=stop_early) if texts else None
        whole = [*([texts] if isinstance(texts, str) and texts else texts), *made]
        setup = f"{VALUES}{CLOSE}{self.setup or ''}"
        return Tests(program, whole, self.entry_point, setup, stop_early, limits)

    def hidden_job(self, program: str, limits: Limits, *, stop_early: bool) -> Tests | None:
        """Return the job of the row's hidden tests; None where it has none."""
        texts = test_texts(self.hidden_tests)
        return self.job(program, texts, limits, stop_early=stop_early) if texts else None

    def made_tests(self, tolerance: float) -> list[str]:
        """Return an assertion for each of the row's inputs; `ValueError` where it cannot be made."""
        if not self.inputs or self.expected is None:
            return []
        if not self.entry_point:
            raise ValueError("inputs and expected need the column entry_point")
        if len(self.inputs) != len(self.expected):
            raise ValueError(f"{len(self.inputs)} inputs, but {len(self.expected)} expected values")
        return [
            f"assert _close({self.entry_point}(*{list(arguments)!r}), {value!r}, {tolerance!r})"
            for arguments, value in zip(self.inputs, self.expected, strict=True)
        ]


def is_missing(value: Any) -> bool:
    """Whether a value is the NaN that tables put where a row has none."""
    return isinstance(value, float) and math.isnan(value)


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
