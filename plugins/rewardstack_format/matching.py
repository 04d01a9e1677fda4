"""When a text counts as the gold answer: exactly, but for case, or as a number."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any, Literal

from rewardstack_format.numerals import read_numeral

__all__ = ["Match", "gold_answers", "gold_texts", "is_blank", "matches"]

Match = Literal["exact", "case", "number"]

LONGEST_NORMALISED = 10_000  # characters: composing a flood of combining marks is quadratic

VISIBLE = re.compile(
    "[^\\s.…\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: white space, characters without a shape, or only dots."""
    return VISIBLE.search(text) is None


def gold_texts(gold: Any) -> list[str]:
    """Return the texts of a gold column that are not blank: one, or a list of alternatives."""
    golds = gold if isinstance(gold, (list, tuple)) else [gold]
    return [text for text in (str(each).strip() for each in golds if each is not None) if not is_blank(text)]


def gold_answers(gold: Any) -> list[str]:
    """Return the golds of an answer; of a worked solution, as GSM8K has them, what follows its last `####`."""
    return gold_texts([text.rpartition("####")[2] for text in gold_texts(gold)])


def loosened(text: str) -> str:
    """Return a text composed, case-folded, with white space runs as one space."""
    if not text.isascii() and len(text) <= LONGEST_NORMALISED:
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.casefold().split())


def same_exactly(text: str, gold: str) -> bool:
    """Whether two texts are the same but for white space around them."""
    return text.strip() == gold.strip()


def same_but_case(text: str, gold: str) -> bool:
    """Whether two texts are the same but for case, composition of accents and amounts of white space."""
    return loosened(text) == loosened(gold)


def same_number(text: str, gold: str) -> bool:
    """Whether two texts are the same number, or, where the gold is none, the same but for case."""
    number = read_numeral(gold)
    if number is None:
        return same_but_case(text, gold)
    given = read_numeral(text)
    return given is not None and given.equals(number)


MATCHES: dict[str, Callable[[str, str], bool]] = {
    "exact": same_exactly,
    "case": same_but_case,
    "number": same_number,
}


def matches(text: str, golds: list[str], match: Match) -> bool:
    """Whether a text counts as any of the golds."""
    return any(MATCHES[match](text, gold) for gold in golds)
