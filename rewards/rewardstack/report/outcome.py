"""What a run comes to: an exit code, and the sentences that say why."""

from collections.abc import Mapping

import msgspec

from rewardstack.exit_codes import CANNOT_JUDGE, FINDINGS, GOOD
from rewardstack.report.run import ScoredRun, faults
from rewardstack.stack import counts_as_error
from rewardstack.wording import counted

__all__ = ["MEASURES", "Outcome", "decide"]

MEASURES = ("accuracy", "precision", "recall")


class Outcome(msgspec.Struct, frozen=True):
    """An exit code with its reasons; none when all is good."""

    code: int
    reasons: tuple[str, ...] = ()


def decide(run: ScoredRun, least: Mapping[str, float] | None = None) -> Outcome:
    """Return the outcome of a run; `least` holds the lowest acceptable measures of the label comparison.

    A run that cannot be judged (3) is that whatever else failed: its numbers mean nothing.
    """
    doubts = tuple(unjudgeable(run))
    failures = tuple(failed(run, least or {}))
    if doubts:
        return Outcome(CANNOT_JUDGE, doubts + failures)
    return Outcome(FINDINGS, failures) if failures else Outcome(GOOD)


def unjudgeable(run: ScoredRun) -> list[str]:
    """Return why nothing can be said of a run."""
    doubts = []
    erred = sum(map(counts_as_error, run.scores))
    allowed = run.stack.settings.max_error_share
    if erred > allowed * len(run.scores):
        first = faults(run)[0]
        line = f" ({first.where})" if first.where else ""
        doubts.append(
            f"{erred} of {counted(len(run.scores), 'row')} erred, more than max_error_share = {allowed:g} allows "
            f"({first.term}, {first.place}: {first.error}{line})"
        )
    if run.labels is not None and not run.labels.judged:
        doubts.append(f"no row has both a label {run.labels.column!r} and a value of {run.labels.term!r}")
    if not run.totals and run.expectations is None and not doubts:
        doubts.append(f"no row could be scored: every total is masked{first_abstention(run)}")
    return doubts


def first_abstention(run: ScoredRun) -> str:
    """Return the first reason that a term gave for abstaining, in brackets; empty where none gave one."""
    for place, score in zip(run.places, run.scores, strict=True):
        for term, each in score.rewards.items():
            if each.abstained and each.reason:
                return f" ({term}, {place}: {each.reason})"
    return ""


def failed(run: ScoredRun, least: Mapping[str, float]) -> list[str]:
    """Return what was expected of a run and is not so."""
    failures = []
    if run.expectations is not None and run.expectations.mismatches:
        rows = counted(len(run.expectations.rows), "row")
        failures.append(
            f"{len(run.expectations.rows) - run.expectations.met} of {rows} with expectations missed them"
        )
    broken = [check for check in run.checks if check.status == "failed"]
    if broken:
        names = ", ".join(f"{check.term} ({check.name})" for check in broken)
        failures.append(f"{counted(len(broken), 'contract check')} violated: {names}")
    for measure, bound in least.items():
        value = getattr(run.labels, measure)
        if value is None or value < bound:
            shown = "undefined" if value is None else f"{value:.4f}"
            failures.append(f"{measure} is {shown}, at least {bound:g} is asked for")
    return failures
