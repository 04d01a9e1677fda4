"""The commitments of a reply beside the one that counts: do they agree with it, or were they taken back?

`rewardstack.find_answer` takes the last commitment of the form that wins. Where a reply states several different
answers and says nothing that replaces one by another, it has none.
"""

import re
from collections.abc import Callable
from itertools import zip_longest

from rewardstack import Slot, find_boxes, find_phrases, find_tags
from rewardstack_science.wording import CORRECTION, HEDGED

__all__ = ["find_rival"]

MOST_SLOTS = 64
LONGEST_ASIDE = 300  # characters around its end in which another answer may be held possible
LONGEST_LOOK = 2_000  # characters behind a commitment in which a correction is looked for
_SENTENCE_END = re.compile(r"[.!?\n]")
# "A, although B is also plausible", "A. I would accept B too"
_ALSO = re.compile(
    r"(?<![^\s(,;])((?:(?!\b(?i:although|though|but|and|while|however|yet)\b)[^,;:()\n]){1,40}?)"
    r"\s(?:(?:is|are|was|would be|seems|could be)\s(?:also|equally|just as|as)\s"
    r"(?:possible|plausible|likely|reasonable|acceptable|valid|correct|right|defensible|fine|good|true)"
    r"|(?:would|could|might|may|can)\s(?:also|equally|just as well)\s(?:do|work|fit|count|pass|serve|be))\b"
)
_TOO = re.compile(r"\s(?:also|equally|as)\s")  # one of which is in each of them, and is sought at less cost
# Three words at most: "Wait, let me check that" replaces nothing
_INSTEAD = re.compile(
    r"[\s$*_}\])]{0,6}(?:[\s,.;:!…—-]{0,3}(?i:or(?: maybe| perhaps| possibly| else| even| rather)?|/)\s|[\s,.;:!…—-]{1,4}(?i:(?:(?:hm+|oh|ah|well|but|actually)[\s,.!…]{1,3}){0,2}(?:no|no,? wait|wait|oops|sorry|correction|scratch that|I mean|actually)[,.:;!…—-]{1,3}\s(?:make (?:that|it)\s)?|make (?:that|it)\s))"
    r"\s?(?!(?i:let|I|we|that|this|check|is|are|the question|but|because|not)\b)((?:[^\s.!?]|[.](?=\d)){1,40}(?:\s(?:[^\s.!?]|[.](?=\d)){1,40}){0,2})[\s$*]{0,4}(?:[.!?\n]|\Z)"
)


def find_rival(text: str, tag: str, agrees: Callable[[str], bool | None]) -> Slot | None:
    """Return a commitment that contradicts the one that counts and is not replaced by a later one, None where none does.

    `agrees` tells of a commitment's content whether it says the same; None where it says nothing.
    """
    said = sorted(_slots(text, tag), key=lambda slot: slot.start)
    for slot, following in zip_longest(said, said[1:]):
        if agrees(slot.content) is not False:
            continue
        if following is None or not CORRECTION.search(_until(text, slot, following)):
            return slot
    ending = Slot("", len(text), len(text), closed=True, span=(max(0, len(text) - LONGEST_ASIDE), len(text)))
    found = _held_possible(text, said[-1] if said else ending, agrees)
    return found or (_put_instead(text, said[-1], agrees) if said else None)


def _slots(text: str, tag: str) -> list[Slot]:
    """The last commitments of every form, at most 64 of each."""
    slots: list[Slot] = []
    if "</" in text or f"<{tag}" in text:
        slots += find_tags(text, tag)[-MOST_SLOTS:]
    if "\\" in text:
        slots += find_boxes(text)[-MOST_SLOTS:]
    return slots + find_phrases(text)


def _until(text: str, slot: Slot, following: Slot) -> str:
    """What stands between two commitments, with the words that announce the later one: "Final answer:"."""
    lead = text[max(slot.end, following.start - 40) : following.start]
    return (
        text[slot.end : min(following.start, slot.end + LONGEST_LOOK)]
        + lead
        + text[following.start : following.start + 12]
    )


def _held_possible(text: str, last: Slot, agrees: Callable[[str], bool | None]) -> Slot | None:
    """The answer that the sentences after the last commitment hold possible beside it: "It could also be B."."""
    start = max(last.span[0] if last.span else last.start, last.end - LONGEST_ASIDE)
    stop = last.end + LONGEST_ASIDE
    also = _ALSO.search(text, start, stop) if _TOO.search(text, start, stop) else None
    if also and agrees(also[1]) is False:
        return _rival(also[1], also.start(1), agrees)
    after = text[last.end : last.end + LONGEST_ASIDE]
    doubt = HEDGED.search(after)
    if doubt is None:
        return None
    end = _SENTENCE_END.search(after, doubt.end())
    return _rival(after[doubt.end() : end.start() if end else len(after)], last.end + doubt.end(), agrees)


def _put_instead(text: str, last: Slot, agrees: Callable[[str], bool | None]) -> Slot | None:
    r"""The few words that replace the last commitment, or stand as its alternative: \boxed{5} or 6; "... C. Wait, D."."""
    end = max(last.end, last.span[1])
    found = _INSTEAD.match(text, end)
    return _rival(found[1], found.start(1), agrees) if found else None


def _rival(content: str, start: int, agrees: Callable[[str], bool | None]) -> Slot | None:
    """A stretch of text as a commitment, where it says something else."""
    content = content.strip()
    if not content or agrees(content) is not False:
        return None
    span = start, start + len(content)
    return Slot(content, *span, closed=True, span=span)
