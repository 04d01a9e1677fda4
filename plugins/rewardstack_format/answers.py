"""Rewards for an answer that is the gold's text: in a tag, wherever it is committed to, or the whole completion."""

from collections.abc import Mapping
from typing import Any, Literal

from rewardstack import Score, find_answer, reward
from rewardstack_format.matching import Match, agrees, gold_answers, gold_texts, joint_parts, matches
from rewardstack_format.wording import article

__all__ = ["Place", "answer", "exact", "shorten", "xml_answer"]

Place = Literal["any", "tag", "box", "hash", "phrase", "line"]

FORMS: dict[Match, tuple[str, ...]] = {
    "exact": (),
    "case": ("case", "spacing"),
    "number": ("case", "spacing", "thousands", "decimal"),
}


def equal_forms(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ways of writing a gold that a match takes as equal."""
    return FORMS[options["match"]]


NO_GOLD = Score(reason="the row has no gold answer")


def shorten(text: str) -> str:
    """Return a text as it can stand in a reason: on one line, at most 80 characters."""
    head = " ".join(text[:200].split())
    return head if len(head) <= 80 and len(text) <= 200 else f"{head[:77]}..."


def judge_answer(
    completion: str, answer: Any, match: Match, where: Place, tag: str, *, unique: bool, thinking: bool
) -> Score:
    """Score the committed answer against the gold as text."""
    golds = gold_answers(answer)
    if not golds:
        return NO_GOLD
    found = find_answer(completion, tag=tag, unique=unique, thinking=thinking)
    text = ", ".join(joint_parts(completion, found, tag)) or found.text
    details = {"answer": text, "gold": golds, "form": found.form}
    if where not in ("any", found.form):
        wanted = f"{article(tag)} <{tag}> tag" if where == "tag" else f"a {where}"
        return Score(0.0, f"the answer is not in {wanted}: {found.form or found.reason}", details)
    if text is None:
        return Score(0.0, found.reason, details)
    if agrees(completion, found, golds, match, tag):
        return Score(1.0, f"answer {shorten(text)}, as expected", details)
    hedge = ", a choice between answers" if found.alternatives else ""
    return Score(0.0, f"answer {shorten(text)}{hedge}, expected {shorten(golds[0])}", details)


@reward(equal_forms=equal_forms)
def answer(
    completion: str,
    answer: Any,
    *,
    match: Match = "number",
    where: Place = "any",
    tag: str = "answer",
    unique: bool = False,
    thinking: bool = False,
) -> Score:
    r"""1 when the committed answer is the gold's text, in whatever form the completion commits itself.

    The answer is found by `rewardstack.find_answer`: the last `<answer>` tag, else the last box, else `####`, else
    the last phrase ("the answer is", `A: 180`), else the last line; thinking does not count. The column `answer`
    is the gold: text, a number, or a list of which any counts. Of a gold with `####` in it (GSM8K) what follows
    counts. A row without a gold abstains.

    Options:
        match: `exact` compares the texts without the white space around them; `case` ignores case, amounts of white
            space and the composition of accents; `number` compares as numbers where the gold is one (1,000 = 1000,
            42.0 = 42, -0 = 0), else like `case`.
        where: Only this form counts: `tag`, `box`, `hash`, `phrase`, `line`, or `any`.
        tag: The tag that holds answers.
        unique: The answer must be the only commitment of its form.
        thinking: An answer inside thinking counts too.

    Signs beside numbers: a currency or percent sign on one side only is decoration ($42 = 42, 50% = 50); two
    different signs differ ($50, 50%), and 50% is never 0.5. Numbers are compared as text, so 50,000 digits and
    1e400 are exact.

    Range: 0 or 1. Does not know mathematics (1/2 is not 0.5: use `math.equal`), a decimal comma or units. "3 or 4"
    matches only a gold that says so, and boxes side by side (`\boxed{3} and \boxed{4}`) only the gold "3, 4".
    """
    return judge_answer(completion, answer, match, where, tag, unique=unique, thinking=thinking)


@reward(equal_forms=equal_forms)
def xml_answer(
    completion: str,
    answer: Any,
    *,
    match: Match = "number",
    tag: str = "answer",
    unique: bool = False,
    thinking: bool = False,
) -> Score:
    """1 when the content of the last `<answer>` tag is the gold's text.

    `format.answer` with `where = "tag"`: an answer outside of the tag is worth nothing, nor is an empty or unclosed
    tag. A box, a `####` or an answer phrase that the tag's content ends with is looked into.

    Options:
        match: `exact`, `case` or `number`; see `format.answer`, as for signs beside numbers.
        tag: The tag that holds answers; its case is free.
        unique: There must be one such tag only.
        thinking: A tag inside thinking counts too.

    Range: 0 or 1. Does not judge what stands around the tag: that is `format.tags`.
    """
    return judge_answer(completion, answer, match, "tag", tag, unique=unique, thinking=thinking)


@reward(equal_forms=equal_forms)
def exact(completion: str, answer: Any, *, match: Match = "exact") -> Score:
    """1 when the whole completion is the reference text, nothing before or after it.

    The column `answer` is the reference (or a list of which any counts); map another column to it with
    `columns = { answer = "reference" }`. A row without one abstains.

    Options:
        match: `exact` (but for white space around the text), `case` or `number`; see `format.answer`.

    Range: 0 or 1. Does not measure how near a text comes.
    """
    golds = gold_texts(answer)
    if not golds:
        return NO_GOLD
    if matches(completion, golds, match):
        return Score(1.0, "the completion is the reference")
    return Score(0.0, f"the completion is {shorten(completion)!r}, the reference {shorten(golds[0])!r}")
