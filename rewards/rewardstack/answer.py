r"""The committed answer of a completion, or why there is none.

One place decides for every reward what a completion commits itself to:

1. only what follows closed thinking counts;
2. slots win over phrases: the last `<answer>` tag (and a box in it), else the last `\boxed`, else `####`;
3. without a slot the last answer phrase ("the answer is", "A:", "答案是"), else the last line;
4. within the form that wins the last commitment counts.

A negation, an empty slot and one that is cut off are no answer, however right an earlier one was. Everything is
linear in the length of the text, and nothing raises. What is special to a field (the expression at a line's end,
an option's letter, a unit behind the box) is built on top, with `find_boxes`, `find_tags`,
`find_phrases` and `beside`.
"""

import re
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from rewardstack import answer_phrases as say
from rewardstack.answer_slots import (
    BOX,
    SPACE,
    Read,
    Slot,
    box_starts,
    find_boxes,
    find_tags,
    hash_starts,
    read_box,
    read_hash,
    tag_reader,
    tag_starts,
    trim,
)

__all__ = [
    "Answer",
    "Form",
    "Slot",
    "Visible",
    "beside",
    "find_answer",
    "find_boxes",
    "find_phrases",
    "find_tags",
    "visible_text",
]

Form = Literal["tag", "box", "hash", "phrase", "line"]

MOST_PARTS = 64  # so many slots in a row may make one answer; the last of a flood counts with these only
LONGEST_VALUE = 4_000  # characters after a phrase in which its sentence must end, else its line ends it
LONGEST_HEDGE = 2_000  # characters of a slot that is looked through for "or"
LONGEST_LINE = 200  # characters of other answers that are: there the sides of an "or" must be short anyway


class Answer(msgspec.Struct, frozen=True):
    r"""What a completion commits itself to, with the reason and the place.

    `text` is the answer without the white space, emphasis and math delimiters that wrap the whole of it, or None.
    `reason` is one sentence. `form` is the form that won, also where it was empty, cut off or negated.
    `alternatives` holds two or more texts when the commitment offers a choice ("3 or 4"; `text` is then the whole
    of it): a hedge unless gold has those alternatives. `parts` holds slots that may together be one answer
    ("\boxed{1} and \boxed{2}", in order; `text` is then the last one), for golds of several values. `text`
    stands at `span` of the text given. `count` is the number of commitments of the form that won.
    """

    text: str | None
    reason: str
    form: Form | None = None
    alternatives: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    count: int = 0


class Visible(msgspec.Struct, frozen=True):
    """What of a completion can hold its answer: `text`, which begins at `start`; a `reason` when there is none."""

    text: str
    start: int
    reason: str = ""


def find_answer(text: str, *, unique: bool = False, thinking: bool = False, tag: str = "answer") -> Answer:
    """Find the committed answer of a completion, or the reason why there is none.

    `unique` asks that the commitment be the only one of its form; `thinking` lets an answer inside thinking count;
    `tag` names the tag that holds answers. Does not judge whether the text is a number, a letter or sensible at
    all. Never raises, linear in the length of the text.
    """
    start, end, reason = (0, _end(text), "") if thinking else _visible(text)
    if reason:
        return Answer(None, reason)
    found = (
        _tagged(text, start, end, tag)
        or _boxed(text, start, end)
        or _hashed(text, start, end)
        or _phrased(text, start, end)
        or _last_line(text, start, end)
    )
    if unique and found.count > 1:
        reason = f"{found.count} commitments where exactly one was asked for"
        return Answer(None, reason, found.form, count=found.count)
    return _with_alternatives(found)


def visible_text(text: str) -> Visible:
    """Cut a completion to what follows closed thinking and precedes thinking that never closes.

    A closer counts without its opener, since chat templates prefill the opener. Special tokens at the end
    (`<|im_end|>`, `</s>`) are left out too.
    """
    start, end, reason = _visible(text)
    return Visible("" if reason else text[start:end], start, reason)


def find_phrases(text: str) -> list[Slot]:
    """List what the last answer phrases of a text announce, at most 64 of them, in order; denied ones left out."""
    slots = []
    for phrase in _phrases(text, 0, len(text))[0]:
        left, stop, asked = _value(text, phrase.end, len(text))
        left, right = trim(text, left, _before_clause(text, left, stop), loose=True)
        if left < right and not (asked or phrase.denied or _doubted(text, phrase.start, 0)):
            slots.append(Slot(text[left:right], phrase.start, stop, closed=True, span=(left, right)))
    return slots


def beside(text: str, answer: Answer) -> tuple[str, str]:
    """Return what stands on the answer's line before and after it, a box's own markup left out, up to 80 characters.

    For what touches a box and belongs to the answer: a unit, a percent or currency sign.
    """
    if answer.span is None:
        return "", ""
    left, right = answer.span
    opener = max(text.rfind(box, max(0, left - 40), left) for box in ("\\boxed", "\\fbox", "\\framebox"))
    if opener >= 0 and (box := BOX.match(text, opener)) and not text[box.end() : left].strip(" $\\([*\n"):
        left, right = opener, max(right, text.find("}", right, right + 40) + 1 if box["brace"] else right)
    return text[max(0, left - 80) : left].rpartition("\n")[2], text[right : right + 80].partition("\n")[0]


# Thinking and special tokens


def _marks(column: int) -> tuple[re.Pattern[str], ...]:
    """One pattern per first character, since a pattern with a literal first character searches fastest."""
    marks = [row[column] for row in say.THINKING]
    firsts = dict.fromkeys(mark[0] for mark in marks)
    rest = {first: "|".join(re.escape(mark[1:]) for mark in marks if mark[0] == first) for first in firsts}
    return tuple(re.compile(f"{re.escape(first)}(?:{rest[first]})") for first in firsts)


_OPENERS, _CLOSERS = _marks(0), _marks(1)
# Searched in the last 200 characters only
_TRAILING = re.compile(
    r"(?:<\|[^<>|]{1,40}\|>(?:user|assistant)?|<｜[^<>｜]{1,40}｜>|</s>|<eos>|<end_of_turn>|\s)+\Z"
)


def _visible(text: str) -> tuple[int, int, str]:
    """Start and end of what may hold the answer, and the reason when nothing may."""
    start, end = 0, _end(text)
    for closers in _CLOSERS:
        for closer in closers.finditer(text):
            start = max(start, closer.end())
    openings = [found.start() for openers in _OPENERS if (found := openers.search(text, start))]
    stop = min([end, *openings])
    if (not start and not openings) or text[start:stop].strip():
        return start, stop, ""
    return start, start, "the thinking never closes" if openings else "nothing follows the closed thinking"


def _end(text: str) -> int:
    """Where a text ends when the special tokens of chat templates at its end are left out."""
    if not text[-20:].rstrip().endswith((">", "user", "assistant")):
        return len(text)
    found = _TRAILING.search(text, max(0, len(text) - 200))
    return found.start() if found else len(text)


# The commitments of one form weighed: the last counts, with those it is joined to

_PLACES: dict[Form, str] = {"tag": "answer tag", "box": "box", "hash": "####"}


def _tagged(text: str, start: int, end: int, tag: str) -> Answer | None:
    """Read the last tag, and in it a box, a `####` or a phrase that its content ends with."""
    starts = tag_starts(text, start, end, tag)
    if not starts:
        return None
    found = _commit(text, "tag", starts, tag_reader(tag), (start, end))
    if found.span is None or found.alternatives or found.parts:
        return found
    inner = _boxed(text, *found.span) or _hashed(text, *found.span)
    if inner is None:
        inner = _phrased(text, *found.span)
        if inner and inner.span and inner.span[1] < found.span[1] - 3:
            inner = None  # prose that goes on after its phrase is the answer as it stands
    return replace(inner, form="tag", count=found.count) if inner else found


def _boxed(text: str, start: int, end: int) -> Answer | None:
    starts = box_starts(text, start, end)
    return _commit(text, "box", starts, read_box, (start, end)) if starts else None


def _hashed(text: str, start: int, end: int) -> Answer | None:
    starts = hash_starts(text, start, end)
    return _commit(text, "hash", starts, read_hash, (start, end)) if starts else None


def _commit(text: str, form: Form, starts: list[int], read: Read, within: tuple[int, int]) -> Answer:
    """Weigh the slots of one form that start at `starts`."""
    (start, end), count, place = within, len(starts), _PLACES[form]
    last = read(text, starts[-1], end)
    if not last.closed:
        return Answer(None, f"the last {place} is cut off", form, count=count)
    if not last.content:
        return Answer(None, f"the last {place} is empty", form, count=count)
    slots, hedged = _joined(text, starts, read, last)
    last = slots[-1]
    if _denied(text, slots[0].start, start) or say.REJECTED_NEXT.match(text, last.end, end):
        return Answer(None, f"the last {place} is negated", form, count=count)
    contents = tuple(slot.content for slot in slots) if len(slots) > 1 else ()
    if not hedged:
        return Answer(last.content, f"in the last {place}", form, parts=contents, span=last.span, count=count)
    span = slots[0].start, last.end
    return Answer(
        text[slice(*span)], f"alternatives in the last {place}", form, contents, span=span, count=count
    )


def _joined(text: str, starts: list[int], read: Read, last: Slot) -> tuple[list[Slot], bool]:
    """List the slots that belong to the last one, in order, and tell whether an "or" joins any of them."""
    slots, hedged = [last], False
    for at in starts[-2 : -1 - MOST_PARTS : -1]:
        slot, following = read(text, at, slots[0].start), slots[0].start
        near = slot.closed and slot.content and following - slot.end <= 80
        joint = say.JOINT.fullmatch(text, slot.end, following) if near else None
        if joint is None or (
            "." in joint[0] and _denied(text, slot.start, 0)
        ):  # not \boxed{1}. It is \boxed{2}
            break
        if joint["contrast"]:  # \boxed{43}, not \boxed{42}
            return [slot], False
        slots.insert(0, slot)
        hedged = hedged or joint["alternative"] is not None
    return slots, hedged


def _denied(text: str, at: int, start: int) -> bool:
    """Whether what stands right before a slot denies it."""
    return text[max(start, at - 40) : at].rstrip(" $*_(\\[:").lower().endswith(say.DENIALS)


# Phrases


class _Phrase(NamedTuple):
    start: int
    end: int
    denied: bool


def _phrases(text: str, start: int, end: int) -> tuple[list[_Phrase], int]:
    """The last answer phrases of a text in order, and how many commitments there are in all."""
    last: list[_Phrase] = []
    count = 0
    for pattern in _patterns(text, start, end):
        matches = deque(enumerate(pattern.finditer(text, start, end), 1), MOST_PARTS)
        count += matches[-1][0] if matches else 0
        last += [_Phrase(*match.span(), match.lastgroup == "no") for _, match in matches]
    last.sort()
    # "Final Answer: The final answer is 5" is one commitment
    count -= sum(
        later.start <= sooner.end or say.CHAINED.fullmatch(text, sooner.end, later.start) is not None
        for sooner, later in pairwise(last)
    )
    return last, count


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


def _phrased(text: str, start: int, end: int) -> Answer | None:
    """Read what the last answer phrase announces; None without a phrase that announces an answer."""
    phrases, count = _phrases(text, start, end)
    if not phrases:
        return None
    last = phrases[-1]
    left, stop, asked = _value(text, last.end, end)
    if _opens_text(text, start, last, text[left : left + 20]) and text[stop:end].strip(" .\n"):
        return None
    left, right = trim(text, left, _before_clause(text, left, stop), loose=True)
    if last.denied or _doubted(text, last.start, start) or say.DENIED_AFTER.search(text, left, right):
        instead = say.INSTEAD.search(text, left, right) if last.denied else None
        if instead is None:
            return Answer(None, "the last answer phrase is negated", "phrase", count=count)
        left = instead.end()
    if left >= right:
        return Answer(None, "nothing follows the last answer phrase", "phrase", count=count)
    if asked:
        return Answer(None, "the last answer phrase asks and does not state", "phrase", count=count)
    return Answer(text[left:right], "after the last answer phrase", "phrase", span=(left, right), count=count)


def _opens_text(text: str, start: int, phrase: _Phrase, value: str) -> bool:
    """Whether a phrase is but the label of the whole text: "Answer: Let us see. ..."."""
    before = text[start : min(phrase.start, start + 20)].strip(" *#\nAa")
    return phrase.start - start < 20 and not before and say.EXPLAINS.match(value) is not None


def _doubted(text: str, at: int, start: int) -> bool:
    """Whether the words before a phrase take it back: "I do not think the answer is"."""
    before = text[max(start, at - 40) : at].lower().rstrip("a").rstrip()
    return before.removesuffix(" the").removesuffix(" that").endswith(say.DOUBTS)


def _before_clause(text: str, left: int, right: int) -> int:
    """Where the clause begins that gives an answer's ground or contrast, else the answer's end."""
    clause = say.CLAUSE.search(text, left, right)
    right = clause.start() if clause and clause.start() > left else right
    verb = None if text.isascii() else say.ENDING.search(text, left, right)
    return verb.start() if verb else right


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
        elif mark[0] != "$" and not (
            mark == "." and text[left : found.start()].lower().endswith(say.ABBREVIATIONS)
        ):
            return left, found.start(), mark in "?？؟"
    line = text.find("\n", window, end)
    return left, end if line < 0 else line, False


# The last line

# Marks that can fill a line without saying anything: fences, rules, the end of a displayed formula
_DRESS = SPACE + "$`*_-=#~|>.\\[](){}"


def _last_line(text: str, start: int, end: int) -> Answer:
    """Read the last line that says something; a question, a disclaimer and a rejection are no answer."""
    inside = start + len(text[start:end].rstrip(_DRESS))
    if inside == start:
        return Answer(None, "there is no text")
    stop = text.find("\n", inside, end)
    left, right = trim(
        text, max(start, text.rfind("\n", start, inside) + 1), end if stop < 0 else stop, loose=True
    )
    line = text[left:right]
    if not line or line[-1] in "?？؟":
        return Answer(
            None, "the last line is a question" if line else "the last line says nothing", "line", count=1
        )
    if len(line) < LONGEST_HEDGE and (say.DISCLAIMED.search(line) or say.REJECTED.search(line)):
        return Answer(None, "the last line disclaims or rejects an answer", "line", count=1)
    return Answer(line, "the last line", "line", span=(left, right), count=1)


# Trimming and alternatives

_WORD = re.compile(r"(?<![\\\w])[^\W\d_]{2,}")


def _with_alternatives(found: Answer) -> Answer:
    """Flag an answer that offers a choice. Outside slots its sides must be short: prose is full of "or"."""
    text, loose = found.text, found.form in ("phrase", "line")
    if text is None or found.alternatives or (text.isascii() and text.isalnum()):
        return found
    if len(text) > (LONGEST_LINE if loose else LONGEST_HEDGE):
        return found
    sides = tuple(_side(side) for side in say.HEDGE.split(text))
    if len(sides) < 2 or not all(sides):
        return found
    if loose and any(len(_WORD.findall(side)) > 4 for side in sides):
        return found
    return replace(found, alternatives=sides, reason=f"alternatives {found.reason}")


def _side(side: str) -> str:
    """One side of an "or" without the marks and words that belong to the whole."""
    for opening in say.SIDE_STARTS:
        side = side.lstrip(" \t\n,;.~").removeprefix(opening)
    for ending in say.SIDE_ENDS:
        side = side.rstrip(" \t\n,;.~(").removesuffix(ending)
    if side.count("{") > side.count("}"):  # \text{A or B}
        side = side.partition("{")[2]
    left, right = trim(side, 0, len(side), loose=True)
    return side[left:right].strip("$" if side.count("$") % 2 else " ")
