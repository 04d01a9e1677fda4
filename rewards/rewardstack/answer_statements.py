"""What the answer phrases of a text say: the value that each announces, or why it announces none.

"The answer is 5, because ..." says 5. A phrase that is denied, doubted, supposed, asked or taken back says nothing, and
one that only tells something about the answer ("the answer is rounded") is an aside. Linear in the length of the
text; at most the last 64 phrases are read.
"""

import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from rewardstack import answer_phrases as say
from rewardstack import answer_remarks as remarks
from rewardstack.answer_slots import trim

__all__ = ["Statement", "last_statement", "list_statements"]

MOST_PHRASES = 64
LONGEST_VALUE = 4_000  # characters after a phrase in which its sentence must end, else its line ends it


class Statement(NamedTuple):
    """What a phrase at `start` says: a value at `left` to `right`, its sentence to `stop`; or why it is no answer."""

    start: int
    left: int
    right: int
    stop: int
    refusal: str = ""
    aside: bool = False


class _Phrase(NamedTuple):
    start: int
    end: int
    denied: bool


def list_statements(text: str) -> list[Statement]:
    """List what the last phrases of a text say, in order."""
    return [_read(text, phrase, 0, len(text)) for phrase in _phrases(text, 0, len(text))[0]]


def last_statement(text: str, start: int, end: int) -> tuple[Statement | None, int]:
    """Return the last statement that is more than an aside (else the last one), and how many there are in all.

    None where there is no phrase, or where the only one is but the label of the whole text.
    """
    phrases, count = _phrases(text, start, end)
    if not phrases:
        return None, 0
    said = _read(text, phrases[-1], start, end)
    if _opens_text(text, start, said) and text[said.stop : end].strip(" .\n"):
        return None, 0
    said, passed = _past_asides(text, phrases, said, start, end)
    if not said.refusal and _judged_wrong(text, said.stop, end):
        said = said._replace(refusal="the last answer phrase is taken back")
    return said, count - passed


def _past_asides(
    text: str, phrases: tuple[_Phrase, ...], last: Statement, start: int, end: int
) -> tuple[Statement, int]:
    """The last statement that is no aside, and how many asides follow it; the last one where all are asides."""
    said = last
    for passed, phrase in enumerate(reversed(phrases[:-1])):
        if not said.aside:
            return said, passed
        later, said = said, _read(text, phrase, start, end)
        if remarks.CORRECTS.search(text, max(said.stop, later.start - 200), later.start):
            return last, 0  # "The answer is Rome. No, wait, the answer is paris."
    return (last, 0) if said.aside else (said, len(phrases) - 1)


def _judged_wrong(text: str, at: int, end: int) -> bool:
    """Whether the last judgement of the answer that stands behind it is that it is wrong."""
    judgements = deque(remarks.JUDGEMENT.finditer(text, at, end), 1)
    return any(last["wrong"] and not _before(text, last.start(), at, remarks.SUPPOSED) for last in judgements)


# The rewards of a stack read one completion in turn, and some look at all of its phrases after the last one
@lru_cache(maxsize=16)
def _phrases(text: str, start: int, end: int) -> tuple[tuple[_Phrase, ...], int]:
    """The last answer phrases of a text in order, and how many commitments there are in all."""
    last: list[_Phrase] = []
    count = 0
    for pattern in _patterns(text, start, end):
        matches = deque(enumerate(pattern.finditer(text, start, end), 1), MOST_PHRASES)
        count += matches[-1][0] if matches else 0
        last += [_Phrase(*match.span(), match.lastgroup == "no") for _, match in matches]
    if not last:
        return (), 0
    examined = {phrase for phrase in last if _examined(text, phrase, start)}
    kept = tuple(sorted(set(last) - examined))
    # "Final Answer: The final answer is 5" is one commitment
    chained = sum(
        later.start <= sooner.end or say.CHAINED.fullmatch(text, sooner.end, later.start) is not None
        for sooner, later in pairwise(kept)
    )
    return kept, count - len(examined) - chained


def _patterns(text: str, start: int, end: int) -> Iterator[re.Pattern[str]]:
    """The patterns that may find an answer phrase in a text: its nouns are sought first, being far quicker."""
    for noun, pattern in say.ASCII_PHRASES if text.isascii() else say.PHRASES:
        if text.find(noun, start, end) >= 0:
            yield pattern
    if "A" in text or not text.isascii():  # an "A:" beside a "B:" is an option's letter
        first, later = say.LABELS_NOT_A if say.OPTION_B.search(text, start, end) else say.LABELS
        if first.match(text, start, end):
            yield first
        yield later


def _before(text: str, at: int, start: int, words: re.Pattern[str]) -> bool:
    """Whether some words in small letters end right before a phrase's noun; a label has none, it begins its line."""
    return text[at] != "\n" and words.search(text[max(start, at - 80) : at].lower()) is not None


def _examined(text: str, phrase: _Phrase, start: int) -> bool:
    """Whether a phrase announces a check and no answer: "Let me verify my answer: 5 + 5 = 10"."""
    return text[phrase.end - 1] in ":：" and _before(text, phrase.start, start, remarks.EXAMINED)


def _opens_text(text: str, start: int, said: Statement) -> bool:
    """Whether a phrase is but the label of the whole text: "Answer: Let us see. ..."."""
    before = text[start : min(said.start, start + 20)].strip(" *#\nAa")
    value = text[said.left : said.left + 20]
    return said.start - start < 20 and not before and say.EXPLAINS.match(value) is not None


@lru_cache(maxsize=64)
def _read(text: str, phrase: _Phrase, start: int, end: int) -> Statement:
    """Read what one phrase says."""
    left, stop, asked = _value(text, phrase.end, end)
    left, right = trim(text, left, _before_clause(text, left, stop), loose=True)
    right += 1 if right < stop and remarks.FACTORIAL.match(text, right) else 0
    supposed = any(
        _before(text, phrase.start, start, words) for words in (remarks.SUPPOSED, remarks.OTHERWISE)
    )
    aside = supposed or _is_aside(text, phrase, left, right)
    instead = say.INSTEAD.search(text, left, right) if phrase.denied else None
    if phrase.denied and instead is None:
        return Statement(phrase.start, left, right, stop, "the last answer phrase is negated", aside)
    left = instead.end() if instead else left
    refusal = _refused(text, phrase.start, left, right, start, end)
    if supposed:
        refusal = "the last answer phrase supposes and does not state"
    if asked and not refusal and not remarks.AFFIRMED.match(text, stop, end):
        refusal = "the last answer phrase asks and does not state"
    return Statement(phrase.start, left, right, stop, refusal, aside)


def _refused(text: str, at: int, left: int, right: int, start: int, end: int) -> str:
    """Why the value of a phrase is no answer: doubted before, denied or taken back behind, or nothing at all."""
    if _before(text, at, start, remarks.DOUBTED) or say.DENIED_AFTER.search(text, left, right):
        return "the last answer phrase is negated"
    if left >= right:
        return "nothing follows the last answer phrase"
    window = min(right, left + LONGEST_VALUE)
    back = remarks.REJECTED_NEXT.match(text, right, end) or remarks.REJECTED_WITHIN.search(text, left, window)
    if back and not remarks.VERDICT.search(text, left, min(left + 40, max(left, back.start()))):
        return "the last answer phrase is taken back"
    return ""


def _is_aside(text: str, phrase: _Phrase, left: int, right: int) -> bool:
    """Whether what a phrase says is about an answer and none itself: "rounded", "in metres", "not unique"."""
    if left >= right or right - left > 200:
        return False
    value = text[left:right]
    if text[left - 1] in _MARKS or (phrase.denied and remarks.RIGHTNESS.match(value)):
        return False
    return remarks.SUBSTANCE.search(remarks.ASIDE.sub("", value)) is None


def _before_clause(text: str, left: int, right: int) -> int:
    """Where the clause begins that gives an answer's ground or contrast, else the answer's end."""
    clause = say.CLAUSE.search(text, left, right)
    right = clause.start() if clause and clause.start() > left else right
    verb = None if text.isascii() else say.ENDING.search(text, left, right)
    return verb.start() if verb else right


_MARKS = "\"'“‘«「`*_$"  # what stands right before a quoted or emphasised value
_SKIP = re.compile(r"(?:[\s*_}#>:：…]|\.(?!\d))*+(?:```\w*\s*)?[\s*_`]*")
_STOP = re.compile(
    r"\n|[。！？।؟]|[.!?](?=[*_\"'”’)\]}]*(?:\s|\Z))|<[|/]|```"
    r"|\$\$[^$]{0,2000}\$\$|\$[^\s$][^$\n]{0,500}\$(?!\d)|\\\[|\\\("
)
_CLOSES = {"\\[": "\\]", "\\(": "\\)"}


def _value(text: str, at: int, end: int) -> tuple[int, int, bool]:
    """Start and end of what a phrase announces, to the end of its sentence, and whether that is a question."""
    skipped = _SKIP.match(text, at, end)
    left = skipped.end() if skipped else at
    here, window = left, min(end, left + LONGEST_VALUE)
    while found := _STOP.search(text, here, window):
        mark, here = found[0], found.end()
        if mark in _CLOSES:
            closing = text.find(_CLOSES[mark], here, window)
            here = closing + 2 if closing >= 0 else here
        elif mark[0] != "$" and not _goes_on(text, left, found.start(), mark):
            return left, found.start(), mark in "?？؟"
    line = text.find("\n", window, end)
    return left, end if line < 0 else line, False


def _goes_on(text: str, left: int, at: int, mark: str) -> bool:
    """Whether a sentence goes on after a mark that mostly ends one: "approx. 3", "5! = 120"."""
    if mark == "!":
        within = text.count("(", left, at) > text.count(")", left, at)  # (2N)!/(N!(N+1)!)
        return within or remarks.FACTORIAL.match(text, at) is not None
    return mark == "." and text[left:at].lower().endswith(say.ABBREVIATIONS)
