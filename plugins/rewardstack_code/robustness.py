"""`code.robust`: a program that passes still passes after changes that keep its meaning, and with its tests reordered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewardstack import Score, reward
from rewardstack_code.extraction import Place, find_code
from rewardstack_code.sandboxes import Isolation, column, limits_of, run_distinct, show, trouble
from rewardstack_code.syntax import parse
from rewardstack_code.unit_tests import reason_of, test_texts
from rewardstack_code.variants import VARIANTS, reorder_tests
from rewardstack_sandbox import TestReport, Tests

__all__ = ["robust"]


@reward(scope="batch")
@dataclass
class robust:  # noqa: N801 - the name of the reward
    """1 when the code passes its tests as it is, with variables renamed, reformatted, and with the tests reordered.

    Columns as in `code.tests`: `tests`, `entry_point`, `setup`, `prompt_code`. The value is the share of the variants
    that pass, 0 where the program itself does not. A gap marks a program that looks at itself, at the order of its
    tests, or keeps state between calls. Rows without tests abstain.

    Options:
        seed: Of the new names and orders.
        where: Where the code is: "any", "fence", "tag" or "text".
        tag: The tag that holds answers.
        seconds: Wall time for each variant with all tests.
        memory: MiB a program may take.
        isolation: "strict", "best_effort" or "restricted"; see `rewards doctor`.

    Range: 0 to 1. Runs the tests once for each variant: dearer than `code.tests`, best with a small weight or `when`.
    """

    seed: int = 0
    where: Place = "any"
    tag: str = "answer"
    seconds: float = 10.0
    memory: int = 512
    isolation: Isolation = "strict"

    def __call__(
        self,
        completion: Sequence[str],
        tests: Sequence[Any] | None = None,
        *,
        entry_point: Sequence[str | None] | None = None,
        setup: Sequence[str | None] | None = None,
        prompt_code: Sequence[str | None] | None = None,
    ) -> list[Score]:
        """Score a batch of completions."""
        size = len(completion)
        given = (column(one, size) for one in (tests, entry_point, setup, prompt_code))
        rows = [self.variants(*values) for values in zip(completion, *given, strict=True)]
        jobs = [job for row in rows if isinstance(row, dict) for job in row.values()]
        keys = [(job.program, str(job.tests), job.entry_point, job.setup) for job in jobs]
        reports = iter(run_distinct(jobs, keys, self.isolation))
        return [
            row if isinstance(row, Score) else self.score({name: next(reports) for name in row})
            for row in rows
        ]

    def variants(
        self, completion: str, tests: Any, entry_point: str | None, setup: str | None, prompt_code: str | None
    ) -> dict[str, Tests] | Score:
        """Return a row's jobs by the name of the variant, or its score where there is nothing to run."""
        texts = test_texts(tests)
        if not texts:
            return Score(reason="the row has no tests")
        code = find_code(completion, self.where, tag=self.tag)
        if code.text is None:
            return Score(0.0, code.reason)
        program = parse(f"{prompt_code}\n{code.text}" if prompt_code else code.text)
        if program.tree is None:
            return Score(0.0, program.reason)
        limits = limits_of(self.seconds, self.memory)
        sources = {"as it is": program.source}
        sources |= {name: change(program.source, self.seed) for name, change in VARIANTS.items()}
        found = {
            name: Tests(source, texts, entry_point, setup or "", limits=limits)
            for name, source in sources.items()
        }
        reordered = reorder_tests(texts, self.seed)
        found["tests reordered"] = Tests(program.source, reordered, entry_point, setup or "", limits=limits)
        return found

    def score(self, reports: dict[str, Any]) -> Score:
        """Return the score of a row's reports."""
        known = {name: report for name, report in reports.items() if isinstance(report, TestReport)}
        for report in known.values():
            if (error := trouble(report)) is not None:
                return error
        own = known.pop("as it is")
        if not own.passed:
            return Score(0.0, f"the program itself does not pass: {reason_of(own)}", show(own))
        failed = [name for name, report in known.items() if not report.passed]
        reason = f"fails {', '.join(failed)}" if failed else f"passes in all {len(known)} variants"
        return Score(1 - len(failed) / len(known), reason, {"failed": failed})
