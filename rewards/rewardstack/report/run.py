"""One scored run: everything reports are drawn from."""

from collections.abc import Mapping, Sequence

import msgspec

from rewardstack.finding import Check
from rewardstack.report.expectations import Expectations
from rewardstack.report.groups import Groups
from rewardstack.report.labels import Labels
from rewardstack.report.statistics import deviation, mean, quantile
from rewardstack.runner import TermRun
from rewardstack.sample import Sample
from rewardstack.score import StackScore
from rewardstack.stack import Stack

__all__ = ["Fault", "ScoredRun", "TermSummary", "faults", "summarise"]


class ScoredRun(msgspec.Struct, frozen=True):
    """A stack scored on samples: what reports draw, and what the hook `rewards_report_sections` gets as `run`.

    `samples`, `places` (`file.jsonl:17`) and `scores` have one entry a row, in the samples' order; `terms` is what
    each term did over all rows, by name. `source` is where the samples came from, `skipped` says which rows could
    not be read. `seconds` is the wall time of scoring alone. `expectations`, `labels` and `groups` are `None` where
    the samples have none; `checks` are the contract checks, empty where they were turned off.
    """

    stack: Stack
    source: str
    samples: Sequence[Sample]
    places: Sequence[str]
    scores: Sequence[StackScore]
    terms: Mapping[str, TermRun]
    step: int = 0
    seconds: float = 0.0
    skipped: Sequence[str] = ()
    expectations: Expectations | None = None
    labels: Labels | None = None
    checks: Sequence[Check] = ()
    groups: Groups | None = None

    @property
    def totals(self) -> list[float]:
        """The totals of the rows that are not masked."""
        return [score.total for score in self.scores if score.total is not None]


class TermSummary(msgspec.Struct, frozen=True):
    """What one term did, in numbers.

    `mean` and `deviation` are of the rows it scored (`None` without any). `scored`, `abstained`, `errors` (time-outs
    among them, counted again in `timed_out`) and `left_out` (by `when`) add up to the rows; `closed` of the scored
    were decided by a gate. `shared` rows took an equal row's score. `p50` and `p95` are seconds of one call.
    """

    name: str
    use: str
    weight: float
    mean: float | None
    deviation: float | None
    scored: int
    abstained: int
    errors: int
    timed_out: int
    left_out: int
    closed: int
    calls: int
    shared: int
    p50: float | None
    p95: float | None


def summarise(run: ScoredRun) -> list[TermSummary]:
    """Return every term's summary, in the stack's order."""
    summaries = []
    for term in run.stack.terms:
        ran = run.terms[term.name]
        scores = [score for score in ran.scores if score is not None]
        values = [score.value for score in scores if score.value is not None]
        errors = [score for score in scores if score.error is not None]
        seconds = [score.seconds for score in scores if score.seconds > 0]  # shared and closed rows took none
        summary = TermSummary(
            name=term.name, use=term.source.use if term.source else term.reward.name, weight=term.weight(run.step),
            mean=mean(values), deviation=deviation(values), scored=len(values), abstained=sum(score.abstained for score in scores),
            errors=len(errors), timed_out=sum(score.timed_out for score in errors), left_out=len(ran.scores) - len(scores),
            closed=ran.closed, calls=ran.calls, shared=ran.shared, p50=quantile(seconds, 0.5), p95=quantile(seconds, 0.95),
        )  # fmt: skip
        summaries.append(summary)
    return summaries


class Fault(msgspec.Struct, frozen=True):
    """An error and the rows that show it: `place` is the first of `rows`, `where` the line of the reward's source."""

    term: str
    error: str
    place: str
    rows: int
    where: str


def faults(run: ScoredRun) -> list[Fault]:
    """Return the errors of all terms, equal ones together, the most frequent first."""
    found: dict[tuple[str, str, str], list[int]] = {}
    for row, score in enumerate(run.scores):
        for term, each in score.rewards.items():
            if each.error is not None:
                found.setdefault((term, each.error, each.where), []).append(row)
    made = [
        Fault(term, error, run.places[rows[0]], len(rows), where)
        for (term, error, where), rows in found.items()
    ]
    return sorted(made, key=lambda fault: -fault.rows)
