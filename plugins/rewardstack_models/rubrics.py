"""`models.rubric`: weighted criteria, each judged by itself, combined as a stack combines its terms."""

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rewardstack import Score, reward
from rewardstack_models.judging.asking import Asker, Opinion, check_asker, count_votes, nothing
from rewardstack_models.judging.questions import Subject, ask_about
from rewardstack_models.wording import text_of

__all__ = ["Criterion", "rubric"]

LABELS = {"MET": 1.0, "PARTLY": 0.5, "UNMET": 0.0}
APART = "NOT_APPLICABLE"
MOST_CRITERIA = 64
MOST_WEIGHT = 1e9
NAMES = {  # what data sets call a criterion's parts
    "text": ("text", "criterion", "description", "rubric"),
    "weight": ("weight", "points"),
    "name": ("name", "title", "id"),
    "must": ("must", "required"),
}


class Criterion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One criterion: its text, its weight (below 0 for a fault that takes away), whether all depends on it."""

    text: str
    weight: float = 1.0
    name: str = ""
    must: bool = False


def check(options: Mapping[str, Any]) -> None:
    """Raise `ValueError` for criteria that cannot be met."""
    check_asker(options)
    if options["criteria"]:
        check_criteria(options["criteria"])


def check_criteria(criteria: Sequence[Criterion]) -> None:
    """Raise `ValueError` for criteria that say nothing, are too many, or can only take away."""
    if len(criteria) > MOST_CRITERIA:
        raise ValueError(f"{len(criteria)} criteria are too many: {MOST_CRITERIA} at most")
    if not all(each.text.strip() for each in criteria):
        raise ValueError("a criterion needs a text")
    if not all(0 < abs(each.weight) <= MOST_WEIGHT for each in criteria):
        raise ValueError(
            f"the weight of a criterion is a number other than 0, at most {MOST_WEIGHT:g} either way"
        )
    if any(each.must and each.weight < 0 for each in criteria):
        raise ValueError("a fault, whose weight is below 0, cannot be one that must be met")
    if not any(each.weight > 0 for each in criteria):
        raise ValueError("at least one criterion needs a weight above 0, or nothing can be earned")


def read_criteria(given: Any) -> tuple[Criterion, ...]:
    """Return the criteria in a row's column: texts, or tables by the names that data sets use, also as JSON.

    Raises `ValueError` for what is none.
    """
    if isinstance(given, str) and given.strip()[:1] in ("[", "{"):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"the row's rubric is no JSON: {error}") from error
    if given and not isinstance(given, (str, Mapping, Sequence)):
        raise ValueError(f"the row's rubric is a text, a table or a list of them, not {type(given).__name__}")
    listed = [given] if isinstance(given, (str, Mapping)) else list(given or ())
    criteria = tuple(read_criterion(each) for each in listed if each)
    if criteria:
        check_criteria(criteria)
    return criteria


def read_criterion(given: Any) -> Criterion:
    """Return one criterion of a row."""
    if isinstance(given, str):
        return Criterion(given)
    if not isinstance(given, Mapping):
        raise ValueError(f"a criterion is a text or a table, not {type(given).__name__}")  # noqa: TRY004
    parts = {
        part: next((given[name] for name in names if given.get(name) is not None), None)
        for part, names in NAMES.items()
    }
    try:
        found = {part: value for part, value in parts.items() if value is not None}
        return msgspec.convert(
            {**found, **({"name": str(found["name"])} if "name" in found else {})}, Criterion
        )
    except msgspec.ValidationError as error:
        raise ValueError(f"a criterion of the row: {error}") from error


@reward(deterministic=False, check=check)
@dataclass
class rubric(Asker):  # noqa: N801 - the name of the reward
    """The weighted share of criteria that the reply meets, each judged by itself.

    The criteria are the option `criteria` and those in the row's column `rubric` (texts, or tables with `text` or
    `criterion`, `weight` or `points`). Met is 1, partly met a half; a criterion that does not apply to the task is
    left out, and the row abstains where those hold half of the weight. A fault has a weight below 0. See
    `models.judge` for what the judge sees and what it is not asked about.

    Options:
        criteria: Tables of `text`, and perhaps `weight`, `name`, `must`: a reply that misses one that must be earns 0.

    Range: 0 to 1. Costs a call for every criterion. A criterion without a verdict is an error, which masks the row.
    """

    criteria: tuple[Criterion, ...] = ()

    async def __call__(
        self, completion: str, prompt: str = "", reference: Any = "", rubric: Any = None
    ) -> Score:
        """Score one reply by all criteria at once."""
        criteria = (*self.criteria, *read_criteria(rubric))
        if not criteria:
            return Score(None, reason="neither the options nor the row have criteria")
        reply, fault = self.refusal(completion, text_of(reference), [*LABELS, APART])
        if fault:
            return nothing(0.0, fault)
        subject = Subject(prompt, text_of(reference), reply)
        answers = await asyncio.gather(*(self.judge(subject, each) for each in criteria))
        values = [value_of(opinions) for opinions in answers]
        details = {
            "asked": True,
            "criteria": [row(each, value) for each, value in zip(criteria, values, strict=True)],
            "judges": [opinion.data() for opinions in answers for opinion in opinions],
        }
        return combine(criteria, values, details)

    async def judge(self, subject: Subject, criterion: Criterion) -> list[Opinion]:
        """Return what the judges say to one criterion."""
        names = [*LABELS, APART]
        text = (
            f"One criterion alone; leave all else out of account:\n\n{criterion.text.strip()}\n\nMET: the reply meets it. "
            f"PARTLY: it meets a part. UNMET: it does not. {APART}: the task itself makes the criterion pointless."
        )
        return await self.ask_all(ask_about(subject, text, names), names)


def value_of(opinions: Sequence[Opinion]) -> float | None:
    """Return what judges make of a criterion, `None` where most say that it does not apply."""
    labels = [each.usage.label for each in opinions]
    applying = [(label, LABELS[label]) for label in labels if label != APART]
    if 2 * len(applying) <= len(labels):
        return None
    return count_votes(applying, "mean")[0]


def row(criterion: Criterion, value: float | None) -> dict[str, Any]:
    """Return a criterion with its value as details."""
    return {"name": criterion.name or criterion.text[:80], "weight": criterion.weight, "value": value}


def combine(criteria: Sequence[Criterion], values: Sequence[float | None], details: dict[str, Any]) -> Score:
    """Return the score of all criteria: what is met of the weight above 0, less the faults, kept in 0 to 1."""
    pairs = [(each, value) for each, value in zip(criteria, values, strict=True) if value is not None]
    whole = math.fsum(abs(each.weight) for each in criteria)
    left = math.fsum(abs(each.weight) for each, _ in pairs)
    most = math.fsum(each.weight for each, _ in pairs if each.weight > 0)
    missed = [each for each, value in pairs if each.must and value < 1]
    if missed:
        name = missed[0].name or missed[0].text[:80]
        return Score(0.0, reason=f"it must meet {name!r}, and does not", details=details)
    if 2 * left <= whole or not most:
        return Score(None, reason="criteria with half of the weight or more do not apply", details=details)
    earned = math.fsum(each.weight * value for each, value in pairs)
    met = sum(value == 1 for each, value in pairs if each.weight > 0)
    reason = f"{met} of {sum(each.weight > 0 for each, _ in pairs)} criteria met"
    if faults := sum(value > 0 for each, value in pairs if each.weight < 0):
        reason += f", {faults} faults" if faults > 1 else ", 1 fault"
    return Score(min(1.0, max(0.0, earned / most)), reason=reason, details=details)
