"""`code.robust`: a program that passes still passes after changes that keep its meaning, and with its tests reordered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewardstack import Score, reward
from rewardstack_code.running import Running, check_running, read_row, rows_of
from rewardstack_code.sandboxes import show, trouble
from rewardstack_code.syntax import parse
from rewardstack_code.tasks import Task, reason_of, test_texts
from rewardstack_code.variants import VARIANTS, reorder_tests
from rewardstack_sandbox import TestReport, Tests

__all__ = ["robust"]


@reward(scope="batch", check=check_running)
@dataclass
class robust(Running):  # noqa: N801 - the name of the reward
    """1 when the code passes its tests as it is, with variables renamed, reformatted, and with the tests reordered.

    Columns as in `code.tests`: `tests`, `entry_point`, `setup`, `prompt_code`. The value is the share of the variants
    that pass, 0 where the program itself does not. A gap marks a program that looks at itself, at the order of its
    tests, or keeps state between calls; one that cannot be changed is worth 0. Rows without tests abstain. The
    changes are functions of `rewardstack_code.variants`, for data augmentation too.

    Options:
        seed: Of the new names and orders.
        where: Where the code is: "any", "fence", "tag" or "text".
        tag: The tag that holds answers.
        seconds: Wall time for each variant with all tests.
        memory: MiB a program may take.
        isolation: "strict", "best_effort", "restricted", "monty", or a sandbox of a plugin; see `rewards doctor`.

    Range: 0 to 1. Runs the tests once for each variant: dearer than `code.tests`, best with a small weight or `when`.
    """

    seed: int = 0

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
        tasks = (Task(*row) for row in rows_of(len(completion), tests, entry_point, setup, prompt_code))
        rows = [read_row(self.variants, text, task) for text, task in zip(completion, tasks, strict=True)]
        results = iter(self.run([job for row in rows if isinstance(row, dict) for job in row.values()]))
        return [
            row if isinstance(row, Score) else self.score({name: next(results) for name in row})
            for row in rows
        ]

    def variants(self, completion: str, task: Task) -> dict[str, Tests] | Score:
        """Return a row's jobs by the name of the variant, or its score where there is nothing to run."""
        task.check()
        texts = test_texts(task.tests)
        if not texts:
            return Score(reason="the row has no tests")
        code = self.find(completion)
        if code.text is None:
            return Score(0.0, code.reason)
        program = parse(task.program(code.text))
        if program.tree is None:
            return Score(0.0, program.reason)
        sources = {"as it is": program.source}
        try:
            sources |= {name: change(program.source, self.seed) for name, change in VARIANTS.items()}
        except (
            SyntaxError,
            ValueError,
            RecursionError,
            MemoryError,
        ) as error:  # `nonlocal` out of place, say, deep nesting, or a number too long to write
            return Score(0.0, f"the program cannot be changed: {type(error).__name__}: {error}")
        found = {name: task.job(source, texts, self.limits) for name, source in sources.items()}
        reordered = reorder_tests(texts, self.seed)
        return {**found, "tests reordered": task.job(program.source, reordered, self.limits)}

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
