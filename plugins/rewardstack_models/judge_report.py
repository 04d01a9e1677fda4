"""A judge measured against labels: agreement, leanings, steadiness, cost."""

from collections.abc import Sequence
from typing import Any

import msgspec

from rewardstack import Score
from rewardstack_models.agreement import Interval, accuracy, kappa, spearman, wilson, within

__all__ = ["JudgeReport", "report_on"]

SWAPPED = {"A": "B", "B": "A", "TIE": "TIE"}


class JudgeReport(msgspec.Struct, frozen=True):
    """What was measured of one term.

    `judged` rows have a verdict; those with a label too are in `accuracy` and `kappa`. `first_picked` is the share of
    the verdicts on pairs that name the reply shown first (0.5 where the order means nothing), `turned` the share of
    pairs whose verdict changes with the order. `length` correlates value and length among rows of one label;
    `paid_short` and `paid_long` are the shares of wrong replies that are paid, in the shorter and the longer half.
    `steady` is the share of rows on which all repeats agree. `first_error` is what the first of the `errors` says.
    """

    term: str
    rows: int
    judged: int
    refused: int
    errors: int
    labelled: int
    accuracy: Interval | None
    kappa: Interval | None
    paid_wrong: Interval | None
    unpaid_right: Interval | None
    first_picked: Interval | None
    turned: Interval | None
    length: float | None
    paid_short: Interval | None
    paid_long: Interval | None
    repeats: int
    steady: Interval | None
    calls: int
    cached: int
    tokens: int
    cost: float
    first_error: str = ""


def report_on(
    term: str,
    runs: Sequence[Sequence[Score | None]],
    labels: Sequence[bool | None],
    lengths: Sequence[int],
    threshold: float,
) -> JudgeReport:
    """Return what repeated runs of one term say of it; a value of at least `threshold` pays."""
    scores = runs[0]
    judged = [place for place, score in enumerate(scores) if score is not None and score.value is not None]
    values = {place: value_at(scores, place) for place in judged}
    known = {place: label for place in judged if (label := labels[place]) is not None}
    pairs = [(values[place] >= threshold, label) for place, label in known.items()]
    wrong = sorted((place for place, label in known.items() if not label), key=lengths.__getitem__)
    halves = wrong[: len(wrong) // 2], wrong[len(wrong) // 2 :]
    paid = [wilson(sum(values[place] >= threshold for place in half), len(half)) for half in (wrong, *halves)]
    right = [values[place] >= threshold for place, label in known.items() if label]
    exchanges = [one for run in runs for score in run if score is not None for one in exchanges_of(score)]
    return JudgeReport(
        term, len(scores), len(judged), sum(refused(score) for score in scores), sum(bool(score and score.error) for score in scores),
        len(pairs), accuracy(pairs), kappa(pairs), paid[0], wilson(right.count(False), len(right)), *order_bias(scores),
        within([labels[place] for place in judged], spearman, [lengths[place] for place in judged], list(values.values())),
        paid[1], paid[2], len(runs), steadiness(runs),
        sum(int(one["tries"]) for one in exchanges), sum(bool(one["cached"]) for one in exchanges),
        sum(int(one["tokens"]) for one in exchanges), sum(float(one["cost"]) for one in exchanges),
        next((score.error for score in scores if score is not None and score.error), ""),
    )  # fmt: skip


def value_at(scores: Sequence[Score | None], place: int) -> float:
    """Return the value at a place that has one."""
    return float(scores[place] or 0.0)


def refused(score: Score | None) -> bool:
    """Whether a reply was turned down without asking."""
    return score is not None and score.details.get("asked") is False


def exchanges_of(score: Score) -> list[Any]:
    """Return the exchanges with judges behind a score."""
    return [*score.details.get("judges", ()), *score.details.get("control", ())]


def order_bias(scores: Sequence[Score | None]) -> tuple[Interval | None, Interval | None]:
    """Return how often the reply shown first is named, and how often the verdict changes with the order."""
    orders = [pair for score in scores if score is not None for pair in score.details.get("orders", ())]
    named = [each for one, two in orders for each in (one, SWAPPED[two]) if each != "TIE"]
    return wilson(named.count("A"), len(named)), wilson(sum(one != two for one, two in orders), len(orders))


def steadiness(runs: Sequence[Sequence[Score | None]]) -> Interval | None:
    """Return the share of rows judged in every run on which all runs agree; rows that no judge was asked about not counted."""
    if len(runs) < 2:
        return None
    rows = [
        [score.value for score in row if score is not None and score.value is not None and not refused(score)]
        for row in zip(*runs, strict=True)
    ]
    whole = [row for row in rows if len(row) == len(runs)]
    return wilson(sum(len(set(row)) == 1 for row in whole), len(whole))
