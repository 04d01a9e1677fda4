"""One term against a boolean truth: confusion matrix, measures, and every disagreement with its reason."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from rewardstack.errors import RecordError
from rewardstack.sample import ABSENT, Sample
from rewardstack.score import Score
from rewardstack.term import Term

__all__ = ["Disagreement", "Labels", "compare", "threshold_of"]

WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Disagreement(msgspec.Struct, frozen=True):
    """A row where term and label disagree: a `false positive` is one the term pays and the label does not."""

    row: int
    place: str
    id: str
    kind: Literal["false positive", "false negative"]
    value: float
    reason: str


class Labels(msgspec.Struct, frozen=True):
    """A term's confusion matrix against a label column; a value of at least `threshold` is a yes.

    `unlabelled` rows had no label; `not_judged` maps places of labelled rows without a value to the reason
    (abstained, erred, left out): they are in no measure.
    """

    column: str
    term: str
    threshold: float
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    unlabelled: int
    not_judged: Mapping[str, str]
    disagreements: Sequence[Disagreement]

    @property
    def judged(self) -> int:
        """The number of rows that have both a label and a value."""
        return self.true_positives + self.false_positives + self.false_negatives + self.true_negatives

    @property
    def accuracy(self) -> float | None:
        """The share of judged rows where both agree."""
        return share(self.true_positives + self.true_negatives, self.judged)

    @property
    def precision(self) -> float | None:
        """The share of the term's yeses that the label confirms; `None` when it never says yes."""
        return share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        """The share of the label's yeses that the term finds; `None` when the label never says yes."""
        return share(self.true_positives, self.true_positives + self.false_negatives)


def share(part: int, whole: int) -> float | None:
    """Return a share, `None` of nothing."""
    return part / whole if whole else None


def threshold_of(term: Term) -> float:
    """Return the middle of a term's range, 0.5 for one that declares none."""
    low, high = term.words.clip or term.reward.contract.range or (0.0, 1.0)
    return low + (high - low) / 2


def read_label(value: Any, column: str, place: str) -> bool | None:
    """Return a label as a boolean, `None` where there is none; `RecordError` for what is neither."""
    if value is ABSENT or value is None:
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.strip().lower() in WORDS:
        return WORDS[value.strip().lower()]
    raise RecordError(f"{place}: the label {column!r} is {value!r}; it must be true, false or null")


def compare(
    term: str,
    threshold: float,
    column: str,
    samples: Sequence[Sample],
    scores: Sequence[Score | None],
    places: Sequence[str],
) -> Labels:
    """Return a term's scores against the samples' labels.

    Raises `RecordError` for a label that is no boolean (`true`, `"yes"`, `1` and their like are).
    """
    counts = dict.fromkeys([(True, True), (True, False), (False, True), (False, False)], 0)
    not_judged, disagreements = dict[str, str](), list[Disagreement]()
    for row, (sample, score, place) in enumerate(zip(samples, scores, places, strict=True)):
        label = read_label(sample.columns.get(column, ABSENT), column, place)
        if label is None:
            continue
        if score is None or score.value is None:
            not_judged[place] = missing(score)
            continue
        paid = score.value >= threshold
        counts[paid, label] += 1
        if paid is not label:
            kind: Literal["false positive", "false negative"] = "false positive" if paid else "false negative"
            disagreements.append(Disagreement(row, place, sample.id, kind, score.value, score.reason))
    unlabelled = len(samples) - sum(counts.values()) - len(not_judged)
    tp, fp, fn, tn = counts[True, True], counts[True, False], counts[False, True], counts[False, False]
    return Labels(column, term, threshold, tp, fp, fn, tn, unlabelled, not_judged, disagreements)


def missing(score: Score | None) -> str:
    """Return why a row has no value."""
    if score is None:
        return "left out"
    if score.error is not None:
        return f"erred: {score.explained_error}"
    return f"abstained: {score.reason}" if score.reason else "abstained"
