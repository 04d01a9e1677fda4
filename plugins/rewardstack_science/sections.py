"""`science.sections`: the parts of a long answer, each scored by a reward of its own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import rewardstack
from rewardstack import Score, StackError, completion_text, reward
from rewardstack_science.splitting import split_sections

__all__ = ["sections"]

OWN_WORDS = ("weight", "headings")


class _Part:
    """One section: its headings, its weight, and a stack of the one reward that scores it."""

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        weight, headings = table.get("weight", 1.0), table.get("headings", [])
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < float("inf"):
            raise ValueError(f"section {name!r}: its weight must be a number above 0, not {weight!r}")
        if isinstance(headings, str) or not all(isinstance(heading, str) for heading in headings):
            raise ValueError(f"section {name!r}: headings are a list of texts, not {headings!r}")
        term = {word: value for word, value in table.items() if word not in OWN_WORDS}
        if "when" in term or "requires" in term:
            raise ValueError(
                f"section {name!r}: `when` and `requires` belong to the whole term, not to a section"
            )
        self.name, self.weight, self.headings = name, float(weight), tuple(headings)
        try:
            self.stack = rewardstack.Stack({name: term}, name=f"section {name}")
        except StackError as error:
            raise type(error)(f"section {name!r}: {error}") from error
        only = self.stack.terms[0]
        bounds = only.words.clip or only.reward.contract.range
        if bounds is None:
            raise ValueError(f"section {name!r}: {only.reward.name} promises no range; give it a clip")
        self.low, self.high = bounds

    def score(self, texts: Sequence[str | None], rows: Iterable[Mapping[str, Any]]) -> list[Score]:
        """Score the section of every row; where a row lacks it the score is 0."""
        wanted = [
            dict(row, completion=text) for text, row in zip(texts, rows, strict=True) if text is not None
        ]
        scores = iter([each.rewards[self.name] for each in self.stack.score(wanted)] if wanted else [])
        return [
            Score(0.0, "the section is missing") if text is None else self._scaled(next(scores))
            for text in texts
        ]

    def _scaled(self, score: Score) -> Score:
        if score.value is None:
            return score
        share = (min(max(score.value, self.low), self.high) - self.low) / (self.high - self.low)
        return Score(share, score.reason, score.details)


def _check(options: Mapping[str, Any]) -> None:
    sections(**options)


@reward(check=_check)
@dataclass
class sections:  # noqa: N801 - a reward's name
    """The weighted mean over an answer's sections, each scored by another reward; a missing section counts 0.

    The answer is cut at headings, tags and numbered parts (`rewardstack_science.split_sections`). A section is a
    table with `use`, the name of any reward, its options, and the stack's words `columns`, `clip`, `timeout`,
    `on_error`; beside them `weight` (1) and `headings`, further titles that open it. Rewards are found, and their
    options checked, when the stack is loaded. They see the section as the completion, and all columns of the row:
    `columns = { answer = "gold_method" }` gives each its own gold. A range other than 0 to 1 is mapped to it.

    Options:
        sections: Name to table, as `sections.method = { use = "format.keywords", required = ["force"] }`.
        final: A table like that of a section, for a reward of the whole answer: the gate.
        least: What `final` must reach, of 0 to 1, or the answer earns 0; also where its reward abstains.

    Range: 0 to 1. A section whose reward abstains is left out of the mean; where all do, it abstains. A section whose
    reward erred makes the score an error. Does not judge what stands outside of the sections.
    """

    sections: dict[str, dict[str, Any]]
    final: dict[str, Any] | None = None
    least: float = 1.0
    parts: list[_Part] = field(init=False, repr=False)
    gate: _Part | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find the rewards of all sections."""
        if not self.sections:
            raise ValueError("sections need at least one: sections.NAME = { use = ... }")
        if not 0 <= self.least <= 1:
            raise ValueError(f"least is a score from 0 to 1, not {self.least}")
        self.parts = [_Part(name, table) for name, table in self.sections.items()]
        self.gate = None if self.final is None else _Part("final", self.final)

    def __call__(
        self, completions: Sequence[Any], prompts: Sequence[Any] | None = None, **columns: Any
    ) -> list[Score]:
        """Score a batch: every section's reward is called once with all rows that have it."""
        texts = [completion_text(completion) for completion in completions]
        asked = prompts or [None] * len(texts)
        rows = [
            {
                "prompt": asked[row],
                **{name: values[row] for name, values in columns.items() if values[row] is not None},
            }
            for row in range(len(texts))
        ]
        parts, gate = self.parts, self.gate
        titles = {part.name: part.headings for part in parts}
        cut = [split_sections(text, titles) for text in texts]
        scored = [part.score([found.get(part.name) for found in cut], rows) for part in parts]
        gates = gate.score(list(texts), rows) if gate else [Score(1.0)] * len(texts)
        return [
            _total(parts, each, passed, self.least)
            for each, passed in zip(zip(*scored, strict=True), gates, strict=True)
        ]


def _total(parts: Sequence[_Part], scores: Sequence[Score], gate: Score, least: float) -> Score:
    """One row's score from those of its sections and of the gate."""
    named = {part.name: score for part, score in zip(parts, scores, strict=True)}
    details = {
        "sections": {name: score.value for name, score in named.items()},
        "reasons": {name: score.reason for name, score in named.items()},
    }
    errors = [f"{name}: {score.error}" for name, score in {**named, "final": gate}.items() if score.error]
    if errors:
        return Score(error="; ".join(errors), details=details)
    if gate.value is None or gate.value < least:  # as `requires` does: what abstains opens nothing
        earned = "has no score" if gate.value is None else f"earned {gate.value:g}"
        reason = f"the final answer {earned}, at least {least:g} was asked for: {gate.reason}"
        return Score(0.0, reason, details)
    kept = [
        (part.weight, score.value)
        for part, score in zip(parts, scores, strict=True)
        if score.value is not None
    ]
    if not kept:
        return Score(None, "the rewards of all sections abstain", details)
    total = sum(weight * value for weight, value in kept) / sum(weight for weight, _ in kept)
    shown = ", ".join(
        f"{name} {'abstains' if score.value is None else f'{score.value:.3g}'}"
        for name, score in named.items()
    )
    return Score(min(1.0, max(0.0, total)), shown, details)
