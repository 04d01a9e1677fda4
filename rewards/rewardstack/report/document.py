"""One scored run as plain data: the shape of `rewards test --json`.

Keys are stable: new ones may come, none goes or changes its meaning within a major version. Numbers that do not exist
(a mean of nothing) are null, seconds are floats, shares lie between 0 and 1.

- `stack`: `name`, `fingerprint` (null for one that cannot be pickled), `step`;
- `samples`: `source`, `rows`, `skipped` (a message a row), `seconds`, `rows_per_second`;
- `terms`: a list of `TermSummary`;
- `total`: `mean`, `deviation`, `masked`, and `histogram`, a list of `Bin`;
- `errors`: a list of `Fault`, the most frequent first;
- `expectations`: null, or `rows`, `met`, `mismatches` (a list of `Mismatch`);
- `labels`: null, or the counts, measures and `disagreements` of `Labels`;
- `contract`: a list of `Check`, each with its `status`;
- `groups`: null, or `count`, `flat`, `flat_share`, `deviation`, `scale`, `normalise_terms`, `advantages` (null unless
  asked for; one number a row);
- `sections`: what plugins add, each `title` and `text`;
- `outcome`: `exit_code` and `reasons`.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from rewardstack.errors import IsolationError
from rewardstack.report.groups import Groups
from rewardstack.report.labels import Labels
from rewardstack.report.outcome import MEASURES, Outcome
from rewardstack.report.run import ScoredRun, faults, summarise
from rewardstack.report.sections import Section
from rewardstack.report.statistics import deviation, histogram, mean

__all__ = ["document"]


def document(
    run: ScoredRun, outcome: Outcome, sections: Sequence[Section] = (), *, advantages: bool = False
) -> dict[str, Any]:
    """Return a run as data that JSON can hold, in the shape this module documents."""
    totals, rows = run.totals, len(run.scores)
    found = {
        "stack": {"name": run.stack.name, "fingerprint": fingerprint(run), "step": run.step},
        "samples": {
            "source": run.source,
            "rows": rows,
            "skipped": list(run.skipped),
            "seconds": run.seconds,
            "rows_per_second": rows / run.seconds if run.seconds else None,
        },
        "terms": summarise(run),
        "total": {
            "mean": mean(totals),
            "deviation": deviation(totals),
            "masked": rows - len(totals),
            "histogram": histogram(totals),
        },
        "errors": faults(run),
        "expectations": expectations(run),
        "labels": None if run.labels is None else labels(run.labels),
        "contract": [{**msgspec.structs.asdict(check), "status": check.status} for check in run.checks],
        "groups": None if run.groups is None else groups(run.groups, advantages=advantages),
        "sections": list(sections),
        "outcome": {"exit_code": outcome.code, "reasons": list(outcome.reasons)},
    }
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return plain


def fingerprint(run: ScoredRun) -> str | None:
    """Return the stack's fingerprint, `None` where its rewards cannot be named."""
    try:
        return run.stack.fingerprint()
    except IsolationError:
        return None


def expectations(run: ScoredRun) -> dict[str, Any] | None:
    """Return how the run did by its expectations."""
    if run.expectations is None:
        return None
    found = run.expectations
    return {"rows": len(found.rows), "met": found.met, "mismatches": found.mismatches}


def labels(found: Labels) -> dict[str, Any]:
    """Return the label comparison: its own fields and its measures."""
    measures = {name: getattr(found, name) for name in ("judged", *MEASURES)}
    return {**msgspec.structs.asdict(found), **measures}


def groups(found: Groups, *, advantages: bool) -> dict[str, Any]:
    """Return the group view, with the advantages if they were asked for."""
    return {
        "count": len(found.rows),
        "flat": found.flat,
        "flat_share": found.flat_share,
        "deviation": found.deviation,
        "scale": found.scale,
        "normalise_terms": found.normalise_terms,
        "advantages": found.advantages if advantages else None,
    }
