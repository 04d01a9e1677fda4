"""What can be asked of a sandbox, as data; `run_many` takes a mixed batch of these."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewardstack_sandbox.limits import Limits

__all__ = ["Job", "Run", "Tests"]


@dataclass(frozen=True, slots=True)
class Run:
    """Run a program as a script, with standard input and arguments."""

    program: str
    stdin: str = ""
    args: Sequence[str] = ()
    limits: Limits | None = None

    def message(self, limits: Limits) -> dict[str, Any]:
        """Return what a worker is told."""
        return {
            "mode": "run",
            "program": self.program,
            "stdin": self.stdin,
            "args": [str(one) for one in self.args],
            "limits": limit_message(self.limits or limits),
        }


@dataclass(frozen=True, slots=True)
class Tests:
    """Judge a program's definitions by tests that never enter its process.

    `tests` is test code (assertions, HumanEval's `check` with `entry_point`, test functions, test classes) or a list
    of assertions, each a test of its own. `entry_point` is a function's name, or a method's (`Solution().twoSum`).
    `setup` is code that the tests need, run on their side. With `stop_early` the first failure ends the run.
    """

    __test__ = False  # not a test class, whatever pytest thinks of its name

    program: str
    tests: str | Sequence[str]
    entry_point: str | None = None
    setup: str = ""
    stop_early: bool = False
    limits: Limits | None = None

    def message(self, limits: Limits) -> dict[str, Any]:
        """Return what a worker is told."""
        return {
            "mode": "serve",
            "program": self.program,
            "tests": self.tests if isinstance(self.tests, str) else [str(one) for one in self.tests],
            "entry_point": self.entry_point,
            "setup": self.setup,
            "stop_early": self.stop_early,
            "limits": limit_message(self.limits or limits),
        }


Job = Run | Tests


def limit_message(limits: Limits) -> dict[str, Any]:
    """Return limits as plain values."""
    return {
        "wall": float(limits.wall),
        "cpu": limits.cpu_seconds,
        "memory": int(limits.memory),
        "output": int(limits.output),
        "processes": int(limits.processes),
    }
