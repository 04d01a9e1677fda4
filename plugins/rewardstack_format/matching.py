"""When a text counts as the gold answer: exactly, but for case, or as a number."""

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal

from rewardstack import Answer, find_tags
from rewardstack_format.numerals import read_numeral

__all__ = ["Match", "agrees", "gold_answers", "gold_texts", "is_blank", "joint_parts", "matches"]

Match = Literal["exact", "case", "number"]

LONGEST_NORMALISED = 10_000  # characters: composing a flood of combining marks is quadratic

# Letters without a shape: the fillers of Hangul and of hieroglyphs
LETTER_OR_DIGIT = re.compile("[^\\W_\u115f\u1160\u3164\uffa0\U00013441\U00013442]")
# Marks that fill a place, beside all dashes and low lines: dots, the minus sign, the blank of Braille, objects that are lost
FILLERS = frozenset(".…·•−\u2800\ufffc\ufffd")


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: no letter, no digit, and no mark or symbol but dots, dashes and other fillers.

    Linear in the length of the text.
    """
    return LETTER_OR_DIGIT.search(text) is None and not any(map(is_telling, set(text)))


def is_telling(char: str) -> bool:
    """Whether a character that is no letter and no digit says something by itself: `+`, `?`, `∅`, an emoji."""
    category = unicodedata.category(char)
    return category[0] in "SP" and category not in ("Pc", "Pd") and char not in FILLERS


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


def joint_parts(completion: str, found: Answer, tag: str) -> tuple[str, ...]:
    """Return the slots that together are a completion's answer ("{3} and {4}"), none where it is one slot.

    Of tags with nothing between them the last counts: it replaces those before.
    """
    if found.alternatives or len(found.parts) < 2:
        return ()
    slots = find_tags(completion, tag)[-len(found.parts) :] if found.form == "tag" else []
    bare = not any(completion[left.end : right.start].strip() for left, right in pairwise(slots))
    return () if bare and tuple(slot.content for slot in slots) == found.parts else found.parts


def agrees(completion: str, found: Answer, golds: list[str], match: Match, tag: str = "answer") -> bool:
    """Whether the answer found in a completion is any of the golds.

    Several slots side by side must all be the same gold, or together be one ("3, 4").
    """
    if found.text is None:
        return False
    parts = joint_parts(completion, found, tag)
    if not parts:
        return matches(found.text, golds, match)
    return matches(", ".join(parts), golds, match) or any(
        all(matches(part, [gold], match) for part in parts) for gold in golds
    )
