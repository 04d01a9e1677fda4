"""`science.text`: short answers in words, numbers, dates, lists and formulae, compared as a careful reader would."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Literal

from rewardstack import Answer, Score, find_answer, reward, visible_text
from rewardstack_science.commitments import find_rival
from rewardstack_science.marks import leave_out_struck
from rewardstack_science.short_answers import says
from rewardstack_science.wording import HEDGED, clean, shorten
from rewardstack_science.words import tokens

__all__ = ["text"]

LONGEST = 1_000  # characters of a committed answer that are read


def _check(options: Mapping[str, Any]) -> None:
    if not 0 <= options["partial"] < 1:
        raise ValueError(
            f"partial is the most that a wrong text may earn, from 0 to below 1, not {options['partial']}"
        )


@reward(equal_forms=("spacing",), check=_check)
def text(
    completion: str,
    answer: str | float | list[str | float],
    *,
    lists: Literal["set", "ordered"] = "set",
    partial: float = 0.0,
    thinking: bool = False,
    tag: str = "answer",
) -> Score:
    """1 when the reply's short answer says what gold says, in whatever writing.

    `answer` is a text, or a list of texts of which any counts. Case, accents, punctuation, articles, plurals and
    spelling (sulphur) are free; numbers, dates and yes or no are compared as what they mean, formulae and equations as
    chemistry (Co is not CO). A gold with commas or semicolons is a list: all its items must be there and no other.
    In a sentence gold's words must stand as an answer: undenied, unhedged, and not as a part of a longer name or of an
    enumeration ("chloride" is not said by "sodium chloride", nor "Newton" by "Newton, Einstein, Galileo").

    Options:
        lists: A list is a `set`, or `ordered`.
        partial: The most that a wrong answer may earn, times the F1 of its words with gold's; 0 for nothing. Stating
            more words than gold lowers it, so that a reply cannot collect it by enumerating.
        thinking: An answer inside thinking counts too.
        tag: The tag that holds answers.

    Range: 0 to 1. Does not know synonyms: give them as a list. Abstains where gold is empty.
    """
    golds = [str(gold) for gold in (answer if isinstance(answer, list) else [answer]) if str(gold).strip()]
    if not golds:
        return Score(None, reason="the row has no gold answer")
    if "~~" in completion:
        completion = leave_out_struck(completion)
    found = find_answer(completion, thinking=thinking, tag=tag)
    said = _committed(found, completion if thinking else visible_text(completion).text, tag)
    details = {
        "form": found.form or "",
        "gold": [shorten(gold) for gold in golds[:20]],
        "answer": shorten(said[0]) if said else "",
    }
    if isinstance(said, str):
        return Score(0.0, said, {**details, "answer": ""})
    for gold in golds:
        for place, part in enumerate(said):
            if says(part, gold, ordered=lists == "ordered", whole=place > 0):
                return Score(1.0, f"answer {shorten(part)}, as expected", details)
    credit = (
        partial * max(_overlap(said[0], gold) for gold in golds)
        if partial and not HEDGED.search(said[0])
        else 0.0
    )
    return Score(credit, f"answer {shorten(said[0])}, expected {shorten(golds[0])}", details)


def _committed(found: Answer, text: str, tag: str) -> list[str] | str:
    """Return the texts that may be the answer, the committed one first; or why there is none."""
    if found.text is None:
        return f"no answer: {found.reason}"
    main = found.text[:LONGEST]
    if found.parts and len(found.parts) > 1:
        main = ", ".join(found.parts)[:LONGEST]
    said = [main]
    if found.form == "line":
        lines = [line.strip() for line in text[:LONGEST].strip().split("\n") if line.strip()]
        if len(lines) > 1:  # a list with an item a line
            said.append("\n".join(lines))
        if len(lines) > 1 and not _lone(lines[-1]):  # "Diamond.", then a sentence about it
            said.append(lines[0])
        return said
    rival = find_rival(text, tag, _agreement(main, len(found.parts)))
    if rival is not None:
        return f"no answer: several different answers, {shorten(rival.content)} and {shorten(main)}"
    return said


def _lone(line: str) -> bool:
    """Whether a line is a short answer of its own; two of them are two guesses."""
    return len(line.split()) < 4


def _agreement(main: str, parts: int) -> Callable[[str], bool | None]:
    """Tell of other commitments whether they are the same as the main one, or a part of it."""
    words = [word for word, _, _ in tokens(main)]

    def agrees(content: str) -> bool | None:
        other = [word for word, _, _ in tokens(content[:LONGEST])]
        if not other:
            return None
        if parts > 1 or len(other) > 12:
            return True
        return bool(Counter(other) & Counter(words)) or clean(content) == clean(main)

    return agrees


def _overlap(said: str, gold: str) -> float:
    """The F1 of a text's words with gold's."""
    one, two = (Counter(word for word, _, _ in tokens(text)) for text in (said, gold))
    common = sum((one & two).values())
    return 2 * common / (sum(one.values()) + sum(two.values())) if common else 0.0
