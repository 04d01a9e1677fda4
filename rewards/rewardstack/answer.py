r"""The committed answer of a completion, or why there is none.

One place decides for every reward what a completion commits itself to:

1. only what follows closed thinking counts;
2. slots win over phrases: the last `<answer>` tag (and a box in it), else the last `\boxed`, else `####`;
3. without a slot the last answer phrase ("the answer is", "A:", "答案是"), else the last line;
4. within the form that wins the last commitment counts.

A negation, a question, an empty slot and one that is cut off are no answer, however right an earlier one was, nor is
what is taken back at once ("Wait, that is wrong"); what a phrase then says instead counts. Everything is linear in
the length of the text, and nothing raises. What is special to a field (the expression at a line's end,
an option's letter, a unit behind the box) is built on top, with `find_boxes`, `find_tags`,
`find_phrases` and `beside`.
"""

import re
from typing import Literal

import msgspec
from msgspec.structs import replace

from rewardstack import answer_phrases as say
from rewardstack import answer_remarks as remarks
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
from rewardstack.answer_statements import last_statement, list_statements
from rewardstack.sample import content_end

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
    """List what the last answer phrases of a text announce, at most 64, in order, without those that state nothing."""
    return [
        Slot(text[said.left : said.right], said.start, said.stop, closed=True, span=(said.left, said.right))
        for said in list_statements(text)
        if not said.refusal
    ]


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
_FIRSTS = tuple({mark[0] for row in say.THINKING for mark in row})
# The shape of special tokens that no list knows, and of the opener of a turn that the policy went on to write;
# searched in the last 200 characters only
_TOKENS = re.compile(r"(?:<\|[^<>|]{1,40}\|>(?:user|assistant)?|<｜[^<>｜]{1,40}｜>|\s)+\Z")


def _visible(text: str) -> tuple[int, int, str]:
    """Start and end of what may hold the answer, and the reason when nothing may."""
    start, end = 0, _end(text)
    if not any(first in text for first in _FIRSTS):
        return start, end, ""
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
    end = content_end(text)
    if not text[max(0, end - 20) : end].rstrip().endswith((">", "user", "assistant")):
        return end
    found = _TOKENS.search(text, max(0, end - 200), end)
    return content_end(text[: found.start()]) if found else end


# The commitments of one form weighed: the last counts, with those it is joined to

_PLACES: dict[Form, str] = {"tag": "answer tag", "box": "box", "hash": "####"}


def _tagged(text: str, start: int, end: int, tag: str) -> Answer | None:
    """Read the last tag, and in it a box, a `####` or a phrase that its content ends with."""
    starts = tag_starts(text, start, end, tag)
    if not starts:
        return None
    found = _commit(text, "tag", starts, tag_reader(tag), (start, end))
    if found.span is None or found.form != "tag" or found.alternatives or found.parts:
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
    if refusal := _refused(text, slots, start, end):
        instead = _phrased(text, last.end, end)
        if instead and instead.text is not None:
            return replace(instead, count=count + instead.count)
        return Answer(None, f"the last {place} {refusal}", form, count=count)
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


def _refused(text: str, slots: list[Slot], start: int, end: int) -> str:
    """Why what stands around slots makes them no answer: a negation, a question, or words that take them back."""
    at, after = slots[0].start, slots[-1].end
    if _denied(text, at, start):
        return "is negated"
    if remarks.REJECTED_NEXT.match(text, after, end) and not remarks.VERDICT.search(slots[-1].content[:40]):
        return "is taken back"
    if remarks.ASKED.match(text, after, end):
        return "" if remarks.AFFIRMED.match(text, after, end) else "is asked and not stated"
    head = text[max(start, at - 120) : at] if at - start > 120 else "\n" + text[start:at]
    if remarks.QUESTION_END.match(text, after, end) and remarks.QUESTION.search(head):
        return "is asked and not stated"
    return ""


def _denied(text: str, at: int, start: int) -> bool:
    """Whether what stands right before a slot denies it."""
    return text[max(start, at - 40) : at].rstrip(" $*_(\\[:").lower().endswith(say.DENIALS)


# Phrases and the last line


def _phrased(text: str, start: int, end: int) -> Answer | None:
    """Read what the last answer phrase announces; None without a phrase that announces an answer."""
    said, count = last_statement(text, start, end)
    if said is None:
        return None
    if said.refusal:
        return Answer(None, said.refusal, "phrase", count=count)
    span = said.left, said.right
    return Answer(text[slice(*span)], "after the last answer phrase", "phrase", span=span, count=count)


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
    if len(line) < LONGEST_HEDGE:
        if remarks.DISCLAIMED.search(line) or remarks.REJECTED.search(line):
            return Answer(None, "the last line disclaims or rejects an answer", "line", count=1)
        if remarks.WITHDRAWN.search(line):
            return Answer(None, "the last line is taken back", "line", count=1)
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
    pieces = say.HEDGE.split(text)
    if len(pieces) < 2:
        return found
    sides = tuple(map(_side, pieces))
    if not all(sides):
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
