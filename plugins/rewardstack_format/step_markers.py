"""A reward for reasoning in steps."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from rewardstack import Score, reward
from rewardstack_format.matching import is_blank

__all__ = ["steps"]

PREFIX = r"[\s#>*_]{0,12}"
NUMBERED = re.compile(
    rf"{PREFIX}(?:(?i:step|étape|schritt|paso|passo|stap|steg|krok|шаг|adım|bước|langkah|ステップ|步骤|步驟|단계)[ \t]?)"
    r"(?P<named>\d{1,3})(?!\d)|" + PREFIX + r"第(?P<ordinal>\d{1,3})步|" + PREFIX
    + r"\(?(?P<listed>\d{1,3})[.)](?=[\s*_]|\Z)"
)  # fmt: skip
WORDS = (
    "first of all", "first", "firstly", "to begin", "to start", "second", "secondly", "third", "thirdly", "fourth",
    "next", "then", "after that", "afterwards", "finally", "lastly", "in conclusion", "therefore", "thus", "hence",
)  # fmt: skip
SEQUENCED = re.compile(rf"{PREFIX}(?P<word>(?i:{'|'.join(sorted(WORDS, key=len, reverse=True))}))\b")
SENTENCE = re.compile(r"\n|(?<=[.!?])\s")
HEAD = 80  # characters at a line's start in which its marker stands


class Step(NamedTuple):
    """A step: its number or word, and what it says (case and white space levelled)."""

    mark: str
    text: str


def numbered_steps(text: str) -> Iterator[Step]:
    """Yield the numbered steps of a text; a step's text runs to the next marker."""
    mark, said = "", list[str]()
    for line in text.split("\n"):
        found = NUMBERED.match(line[:HEAD])
        if found is None:
            said.append(line)
            continue
        if mark:
            yield Step(mark, level("\n".join(said)))
        mark = found["named"] or found["ordinal"] or found["listed"]
        said = [line[found.end() :]]
    if mark:
        yield Step(mark, level("\n".join(said)))


def sequenced_steps(text: str) -> Iterator[Step]:
    """Yield the sentences that begin with a word of sequence."""
    for sentence in SENTENCE.split(text):
        found = SEQUENCED.match(sentence[:HEAD])
        if found is not None:
            yield Step(found["word"].lower(), level(sentence[found.end() :]))


def level(text: str) -> str:
    """Return what a step says, without the marks around it, at most its first 200 characters."""
    return " ".join(text[:200].strip(" \t\r\n:.,*_#)-–—").casefold().split())


def count_numbered(text: str) -> int:
    """Return the length of the longest run 1, 2, 3, ... of steps that each say something new."""
    longest = current = 0
    said = set[str]()
    for step in numbered_steps(text):
        number = int(step.mark)
        if number == 1:
            current, said = 0, set()
        if number == current + 1 and not is_blank(step.text) and step.text not in said:
            current += 1
            said.add(step.text)
            longest = max(longest, current)
    return longest


def count_sequenced(text: str) -> int:
    """Return how many different words of sequence begin a sentence that says something new."""
    found = {step.text: step.mark for step in sequenced_steps(text) if not is_blank(step.text)}
    return len(set(found.values()))


@reward
def steps(
    completion: str,
    *,
    least: Annotated[int, Meta(ge=1)] = 3,
    kind: Literal["any", "numbered", "sequenced"] = "any",
) -> Score:
    """The share of the wanted reasoning steps that are there: numbered, or told by "First, ... Next, ... Finally".

    Options:
        least: How many steps earn all.
        kind: `numbered`: "Step 1:", "1." or "(1)" at a line's start, in headings and bold too; only a run that
            counts up from 1 counts. `sequenced`: different English words of sequence that begin a sentence. `any`:
            whichever finds more.

    Steps without text, and steps that say what another said, do not count.

    Range: 0 to 1. Source: the reasoning steps reward of open-r1, which also pays for bullets. Does not judge whether
    the steps are right or lead anywhere; "Step 1" is known in a dozen languages, the words of sequence in English
    only.
    """
    numbered = count_numbered(completion) if kind != "sequenced" else 0
    sequenced = count_sequenced(completion) if kind != "numbered" else 0
    count = max(numbered, sequenced)
    return Score(
        min(1.0, count / least),
        f"{count} of {least} steps",
        {"numbered": numbered, "sequenced": sequenced},
    )
