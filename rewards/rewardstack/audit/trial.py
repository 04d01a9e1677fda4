"""One term on trial: the rows it is tried on, and what it gave for them first."""

import copy
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import msgspec

from rewardstack.audit.watching import Change, watched
from rewardstack.finding import Finding
from rewardstack.runner import TermRun, gate_score, group_rows, run_terms
from rewardstack.sample import Batch, Sample
from rewardstack.score import Score
from rewardstack.term import Term

__all__ = ["Trial", "alike", "called_rows", "choose_rows", "show"]

Item = TypeVar("Item")

TOLERANCE = 1e-6  # models that score in batches pad, and padding moves the last digits


class Trial:
    """A term without its gates, the samples it is tried on, and its scores of them in one batch (`base`).

    `changes` maps rows to the argument that a call changed, as far as calls were watched.
    """

    def __init__(
        self, term: Term, samples: Sequence[Sample], places: Sequence[str], *, prefill: str, step: int
    ) -> None:
        self.term = ungated(term)
        self.samples = samples
        self.places = places
        self.prefill = prefill
        self.step = step
        self.changes: dict[int, Change] = {}
        rows = list(range(len(samples)))
        self.base = self.watch(rows) if term.reward.scope == "batch" else self.run(samples)

    @property
    def looks_around(self) -> bool:
        """Whether the term was declared to score a batch as a whole."""
        return self.term.reward.contract.scope == "batch"

    def run(self, samples: Sequence[Sample], term: Term | None = None) -> list[Score | None]:
        """Return the term's scores of some samples in one batch."""
        batch = Batch.from_samples(samples, self.prefill)
        ran = run_terms([term or self.term], batch, {"step": self.step})
        return ran[self.term.name].scores

    def watch(self, rows: Sequence[int]) -> list[Score | None]:
        """Return the scores of some rows that one call takes together, noting what the call changes."""
        samples = [self.samples[row] for row in rows]
        if self.term.isolated:
            return self.run(samples)
        changes: list[Change] = []
        scores = self.run(samples, watched(self.term, changes))
        for change in changes:
            place = 0 if self.term.reward.scope == "sample" else change.place
            self.changes.setdefault(rows[place], change)
        return scores

    @cached_property
    def apart(self) -> dict[int, Score | None]:
        """Every row's score when it (or its prompt's group) is all there is."""
        rows = list(range(len(self.samples)))
        by_group = self.term.reward.scope == "group"
        units = group_rows(Batch.from_samples(self.samples), rows) if by_group else [[row] for row in rows]
        found: dict[int, Score | None] = {}
        for unit in units:
            found |= zip(unit, self.watch(unit), strict=True)
        return found

    def differences(self, others: Mapping[int, Score | None], phrase: str) -> tuple[Finding, ...]:
        """Return the rows that scored otherwise than first; `phrase` has places for `first` and `second`."""
        findings = []
        for row, other in others.items():
            if not alike(self.base[row], other):
                first, second = show(self.base[row]), show(other)
                message = phrase.format(first=first, second=second)
                findings.append(Finding(self.places[row], message, first, second))
        return tuple(findings)


def ungated(term: Term) -> Term:
    """Return a term that no gate closes and whose errors are only told; it keeps its instance, if it has made one."""
    twin = copy.copy(term)
    vars(twin)["words"] = msgspec.structs.replace(term.words, requires={}, on_error="mask")
    return twin


def alike(first: Score | None, second: Score | None) -> bool:
    """Whether two scores of one row agree; a time-out agrees with everything, for it proves nothing."""
    if first is None or second is None:
        return first is second
    if first.timed_out or second.timed_out:
        return True
    if first.value is None or second.value is None:
        return (first.value, first.error is None) == (second.value, second.error is None)
    return math.isclose(first.value, second.value, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def show(score: Score | None) -> str:
    """Return a score in a few words."""
    if score is None:
        return "nothing"
    if score.error is not None:
        return f"an error ({', '.join(filter(None, (score.error, score.where)))})"
    return "an abstention" if score.value is None else f"{score.value:.7g}"


def called_rows(term: Term, terms: Mapping[str, TermRun]) -> list[int]:
    """Return the rows a scored run called the term on: not left out, not closed by a gate, not timed out."""
    gates = [(gate, least, terms[gate].scores) for gate, least in term.words.requires.items()]
    return [
        row
        for row, score in enumerate(terms[term.name].scores)
        if score is not None
        and not score.timed_out
        and all(gate_score(term, gate, scores[row], least) is None for gate, least, scores in gates)
    ]


def choose_rows(term: Term, samples: Sequence[Sample], rows: Sequence[int], most: int) -> list[int]:
    """Return at most `most` rows, evenly spaced, always the same; for a group reward whole groups, at least one."""
    if term.reward.scope != "group":
        return spaced(rows, most)
    groups = group_rows(Batch.from_samples(samples), rows)
    average = len(rows) / max(1, len(groups))
    return sorted(flatten(spaced(groups, max(1, int(most / max(1.0, average))))))


def spaced(items: Sequence[Item], most: int) -> list[Item]:
    """Return at most that many items, evenly spaced."""
    count = min(most, len(items))
    return [items[place * len(items) // count] for place in range(count)]


def flatten(groups: Iterable[Sequence[int]]) -> list[int]:
    """Return the rows of all groups."""
    return [row for group in groups for row in group]
