"""`code.io`: the completion's code run as a program on inputs, and what it prints compared."""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rewardstack import Score, reward
from rewardstack_code.extraction import Code
from rewardstack_code.running import Running, check_running, read_row, rows_of
from rewardstack_code.sandboxes import Result, show, trouble
from rewardstack_code.tasks import is_missing
from rewardstack_sandbox import ExecutionResult, Limits, Run, Status
from rewardstack_sandbox.comparison import COMPARERS, compare_numbers

__all__ = ["io"]

Comparison = Literal["tokens", "lines", "exact", "numbers"]
CHECKING = """
import json, sys
case = json.load(sys.stdin)
if check(case["input"], case["output"], case["expected"]) == True:
    sys.stdout.write(case["word"])
"""
# A checker may print what it likes, the output it checks included: that holds no word of this process
WORD = f"\nright {secrets.token_hex(16)}"


class Case(NamedTuple):
    """An input and what should be printed for it."""

    input: str
    expected: str


@reward(scope="batch", check=check_running)
@dataclass
class io(Running):  # noqa: N801 - the name of the reward
    """1 when the code of the completion, run as a program, prints what is expected for every input.

    Column `cases`: a list of `{"input": ..., "output": ...}`, or `{"inputs": [...], "outputs": [...]}` (APPS, TACO;
    CodeContests has `input` and `output`), either also as JSON. Cases that call a function (`fn_name`, or `functional`)
    are an error: `code.tests` judges those. Optional column `checker`: source that defines
    `check(input, output, expected)`, for tasks with several right answers, and returns True for one; it runs in the
    sandbox too. Rows without cases abstain.

    Standard input is a file of known size, as many contest solutions expect. One run for each case.

    Options:
        compare: "tokens" (white space does not count), "lines" (at the ends of lines), "exact", or "numbers" (tokens,
            numbers within `tolerance`).
        tolerance: Absolute, or relative to expected numbers above 1.
        credit: "all" pays for all cases passed, "share" for the share of them.
        stop_early: With "all", do not run the cases after the first that fails.
        where: Where the code is: "any", "fence", "tag" or "text".
        tag: The tag that holds answers.
        seconds: Wall time for each run.
        memory: MiB a program may take.
        isolation: "strict", "best_effort", "restricted", "monty", or a sandbox of a plugin; see `rewards doctor`.

    Range: 0 to 1. Python only.
    """

    compare: Comparison = "tokens"
    tolerance: float = 1e-6
    credit: Literal["all", "share"] = "all"
    stop_early: bool = True

    def __call__(
        self,
        completion: Sequence[str],
        cases: Sequence[Any] | None = None,
        *,
        checker: Sequence[str | None] | None = None,
    ) -> list[Score]:
        """Score a batch of completions."""
        columns = rows_of(len(completion), completion, cases, checker)
        rows = [read_row(self.read, *row) for row in columns]
        runs = [row for row in rows if isinstance(row, Runs)]
        for place in range(max((len(row.cases) for row in runs), default=0)):
            self.run_round(runs, place)
        return [self.score(row) if isinstance(row, Runs) else row for row in rows]

    def read(self, completion: str, cases: Any, checker: str | None) -> "Runs":
        """Return a row's code and cases."""
        return Runs(self.find(completion), read_cases(cases), checker)

    def run_round(self, rows: list["Runs"], place: int) -> None:
        """Run the case at a place of every row that needs it, and compare."""
        early = self.stop_early and self.credit == "all"
        active = [row for row in rows if row.wants(place, early=early)]
        limits = self.limits
        results = self.run(
            [Run(row.code.text or "", row.cases[place].input, limits=limits) for row in active]
        )
        found = list(zip(active, results, strict=True))
        verdicts = self.run([row.checking(place, result, limits) for row, result in found])
        # a checker that reaches a limit on what was printed, and not on what is expected, was led there
        controls = self.run(
            [
                row.checking(place, result, limits, control=True) if reached_limit(verdict) else None
                for (row, result), verdict in zip(found, verdicts, strict=True)
            ]
        )
        for (row, result), verdict, control in zip(found, verdicts, controls, strict=True):
            assert isinstance(result, ExecutionResult)
            broken = broken_checker(control or verdict)
            row.results.append((broken or result, self.judge(row, place, result, verdict)))

    def judge(self, row: "Runs", place: int, result: ExecutionResult, verdict: Result | None) -> str:
        """Return why a run did not do, an empty text where it did."""
        if result.status is not Status.accepted:
            return f"{str(result.status).replace('_', ' ')}: {result.reason}"
        if row.checker:
            return (
                ""
                if verdict is not None and verdict.stdout.endswith(WORD)
                else "the checker does not take the output"
            )
        expected = row.cases[place].expected
        if self.compare == "numbers":
            return compare_numbers(result.stdout, expected, tolerance=self.tolerance)
        return COMPARERS[self.compare](result.stdout, expected)

    def score(self, row: "Runs") -> Score:
        """Return the score of one row."""
        if not row.cases:
            return Score(reason="the row has no cases")
        if row.code.text is None:
            return Score(0.0, row.code.reason)
        for result, _ in row.results:
            if (error := trouble(result)) is not None:
                return error
        passed = sum(not why for _, why in row.results)
        total = len(row.cases)
        value = float(passed == total) if self.credit == "all" else passed / total
        failed = next(((place, *one) for place, one in enumerate(row.results, 1) if one[1]), None)
        details = {"place": row.code.place, "passed": passed, "total": total}
        if failed is None:
            return Score(value, f"all {total} cases passed", details)
        place, result, why = failed
        return Score(value, f"case {place}: {why}", {**details, "failed": place, **show(result)})


@dataclass
class Runs:
    """A row's code and cases, and what came of those that were run: a result and why it did not do."""

    code: Code
    cases: list[Case]
    checker: str | None

    def __post_init__(self) -> None:
        self.results: list[tuple[ExecutionResult, str]] = []

    def wants(self, place: int, *, early: bool) -> bool:
        """Whether the case at a place should be run."""
        if self.code.text is None or place >= len(self.cases):
            return False
        return not (early and any(why for _, why in self.results))

    def checking(
        self, place: int, result: Result | None, limits: Limits, *, control: bool = False
    ) -> Run | None:
        """Return the run of the row's checker on an output, None where there is nothing to check.

        With `control` it is what is expected that is checked.
        """
        if not self.checker or result is None or result.status is not Status.accepted:
            return None
        case = self.cases[place]
        output = case.expected if control else result.stdout
        given = {"input": case.input, "output": output, "expected": case.expected, "word": WORD}
        return Run(f"{self.checker}\n{CHECKING}", json.dumps(given), limits=limits)


def reached_limit(verdict: Result | None) -> bool:
    """Whether a checker took more than it may."""
    return verdict is not None and verdict.status in (
        Status.time_limit_exceeded,
        Status.memory_limit_exceeded,
        Status.output_limit_exceeded,
    )


def broken_checker(verdict: Result | None) -> ExecutionResult | None:
    """Return an infrastructure error for a checker that cannot work at all; one that fails on an output can.

    The verdict is that on the expected output where the program's own made the checker reach a limit.
    """
    if verdict is None or verdict.status in (Status.accepted, Status.runtime_error):
        return None
    return ExecutionResult(
        Status.infrastructure_error, reason=f"the checker: {verdict.status}: {verdict.reason}"
    )


def read_cases(given: Any) -> list[Case]:
    """Return a row's cases; `ValueError`, `TypeError` or `KeyError` where they are in no known form."""
    if isinstance(given, str):
        given = json.loads(given) if given.strip() else None
    if not given or is_missing(given):
        return []
    refuse_calls(given)
    if isinstance(given, dict):
        left, right = ("inputs", "outputs") if "inputs" in given else ("input", "output")
        pairs = list(zip(given[left], given[right], strict=True))
    else:
        pairs = [(one["input"], one["output"]) for one in given]
    return [Case(as_text(left), as_text(right)) for left, right in pairs]


def refuse_calls(given: Any) -> None:
    """Raise `ValueError` for cases that hold the arguments of a function: no program could print their results."""
    ones = [given] if isinstance(given, dict) else given
    if any(
        one.get("fn_name") or one.get("testtype") == "functional" for one in ones if isinstance(one, dict)
    ):
        raise ValueError(
            "the cases call a function; code.tests judges these, by the columns entry_point, inputs and expected"
        )


def as_text(value: Any) -> str:
    """Return an input or output as text: some data sets hold lists of lines."""
    return "\n".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
