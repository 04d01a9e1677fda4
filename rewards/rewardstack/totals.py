"""Makes one total of a row's scores: weights, abstentions, masks."""

import math
from collections.abc import Sequence

from rewardstack.score import Score, StackScore
from rewardstack.term import Term

__all__ = ["total_rows"]


def total_rows(
    terms: Sequence[Term],
    scores: Sequence[Sequence[Score | None]],
    weights: Sequence[float],
    ids: Sequence[str],
) -> list[StackScore]:
    """Return every row's `StackScore`; `scores` holds one column a term, `weights` one number a term."""
    names = [term.name for term in terms]
    weighed = [(term, weight, abs(weight)) for term, weight in zip(terms, weights, strict=True)]
    totals = []
    for id, row in zip(ids, zip(*scores, strict=True), strict=True):
        total, reason = total_row(weighed, row)
        rewards = dict(zip(names, row, strict=True))
        if None in row:
            rewards = {name: score for name, score in rewards.items() if score is not None}
        totals.append(StackScore(id, total, rewards, reason))
    return totals


def total_row(
    weighed: Sequence[tuple[Term, float, float]], row: Sequence[Score | None]
) -> tuple[float | None, str]:
    """Return a row's total and, where it is masked (`None`), why.

    `Σ weight·value` over the terms that scored, scaled up by |weight| for those that abstained. Masked are rows
    where a term erred (unless its weight is 0, or its `on_error` is `low` or `abstain`), where terms with half of the
    row's |weight| or more abstained, where none scored, and where the sum is too large for a float.
    """
    total = scored = abstained = 0.0
    some = False
    for (term, weight, size), score in zip(weighed, row, strict=True):
        if score is None:
            continue
        value = score.value
        if score.error is not None:
            if not size:
                continue  # at a weight of 0 it could not have changed the total
            if term.words.on_error not in ("low", "abstain"):
                return None, f"{term.name} erred: {score.explained_error}"
            value = term.low if term.words.on_error == "low" else None
        if value is None:
            abstained += size
        else:
            total += weight * value
            scored += size
            some = True
    if not some:
        return None, "no term scored"
    if abstained:
        if abstained >= scored:
            return None, "terms with half of the weight or more abstained"
        total *= (scored + abstained) / scored
    return (total, "") if math.isfinite(total) else (None, f"the total is {total}")
