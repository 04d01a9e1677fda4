"""Rows that share a prompt: how much a group-relative trainer can learn from them."""

from collections.abc import Sequence

import msgspec

from rewardstack.report.advantages import Scale, grpo_advantages
from rewardstack.report.statistics import deviation, mean
from rewardstack.runner import group_rows
from rewardstack.sample import Batch, Sample
from rewardstack.score import StackScore
from rewardstack.term import Term

__all__ = ["Groups", "find_groups"]

FLAT = 1e-8  # what torch.isclose takes for zero, with which TRL counts groups without variance


class Groups(msgspec.Struct, frozen=True):
    """The groups of one prompt and what GRPO would make of their totals.

    `rows` are the rows of each group that has two or more; `flat` how many of these have totals that do not differ
    (masked rows apart), from which nothing is learnt. `deviation` is the mean deviation of totals within a group.
    `advantages` has one number a row of the run (0 for rows without a group), as TRL would compute it by `scale` and
    `normalise_terms`.
    """

    rows: Sequence[Sequence[int]]
    flat: int
    deviation: float | None
    scale: Scale
    normalise_terms: bool
    advantages: Sequence[float]

    @property
    def flat_share(self) -> float:
        """The share of groups without variance."""
        return self.flat / len(self.rows)


def find_groups(
    samples: Sequence[Sample],
    scores: Sequence[StackScore],
    terms: Sequence[Term],
    step: int = 0,
    *,
    scale: Scale = "group",
    normalise_terms: bool = False,
) -> Groups | None:
    """Return the groups among some scored rows, `None` when no two rows share a prompt.

    Rows without a prompt belong to no group.
    """
    prompted = [row for row, sample in enumerate(samples) if sample.prompt not in (None, "", [])]
    every = group_rows(Batch.from_samples(samples), prompted)
    groups = [rows for rows in every if len(rows) > 1]
    if not groups:
        return None
    totals = [
        [score.total for score in (scores[row] for row in rows) if score.total is not None] for rows in groups
    ]
    deviations = [found for group in totals if (found := deviation(group)) is not None]
    flat = len(groups) - sum(found > FLAT for found in deviations)
    return Groups(
        groups, flat, mean(deviations), scale, normalise_terms,
        advantages_of(scores, terms, groups, step, scale=scale, normalise_terms=normalise_terms),
    )  # fmt: skip


def advantages_of(
    scores: Sequence[StackScore],
    terms: Sequence[Term],
    groups: Sequence[Sequence[int]],
    step: int,
    *,
    scale: Scale,
    normalise_terms: bool,
) -> list[float]:
    """Return the advantages of all rows; masked rows have no value, whatever their terms gave."""
    order = [row for rows in groups for row in rows]  # rows that are in no group must not weigh on the batch
    place = {row: position for position, row in enumerate(order)}
    local = [[place[row] for row in rows] for rows in groups]
    if normalise_terms:
        values = [term_values(scores[row], terms) for row in order]
        weights = [term.weight(step) for term in terms]
    else:
        values, weights = [[scores[row].total] for row in order], [1.0]
    found = grpo_advantages(values, weights, local, scale=scale, normalise_terms=normalise_terms)
    advantages = [0.0] * len(scores)
    for row, advantage in zip(order, found, strict=True):
        advantages[row] = advantage
    return advantages


def term_values(score: StackScore, terms: Sequence[Term]) -> list[float | None]:
    """Return what each term counts with in a row: its low end where it erred and `on_error` says so."""
    if score.total is None:
        return [None] * len(terms)
    values = []
    for term in terms:
        found = score.rewards.get(term.name)
        low = found is not None and found.error is not None and term.words.on_error == "low"
        values.append(None if found is None else term.low if low else found.value)
    return values
