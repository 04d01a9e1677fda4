"""What a run of a program comes to."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["ExecutionResult", "Status", "TestReport", "TestResult"]


class Status(StrEnum):
    """How a run ended, in the words of online judges.

    All but the last are the program's own doing. `infrastructure_error` is ours or the data set's (a worker that
    could not start, tests that do not compile): no judgement of the program can be based on it.
    """

    accepted = "accepted"
    wrong_answer = "wrong_answer"
    runtime_error = "runtime_error"
    syntax_error = "syntax_error"
    time_limit_exceeded = "time_limit_exceeded"
    memory_limit_exceeded = "memory_limit_exceeded"
    output_limit_exceeded = "output_limit_exceeded"
    unsupported_value = "unsupported_value"
    infrastructure_error = "infrastructure_error"


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """One program run to its end.

    `status` is `accepted` where it ended by itself with exit code 0. `exit_code` is negative for the signal that
    ended it, None where there was no process. Times are seconds, `peak_memory` is bytes (that of the bare
    interpreter, some 20 MiB, included). `truncated` says that output beyond the limit is missing.
    """

    status: Status
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    wall_time: float = 0.0
    cpu_time: float = 0.0
    peak_memory: int = 0
    truncated: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test: its source line or name, whether it passed, and why not."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    name: str
    passed: bool
    status: Status = Status.accepted
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TestReport:
    """What came of a program's tests.

    `passed` is true only when at least one test ran, all that were asked for passed, and the tests used the program.
    `tests` holds the tests that were reached, `total` counts all that there are (at least).
    """

    __test__ = False

    passed: bool
    status: Status
    tests: tuple[TestResult, ...] = ()
    total: int = 0
    reason: str = ""
    stdout: str = ""
    stderr: str = ""
    wall_time: float = 0.0
    truncated: bool = False

    @property
    def share(self) -> float:
        """The share of the tests that passed, 0.0 where there are none."""
        return sum(test.passed for test in self.tests) / self.total if self.total else 0.0
