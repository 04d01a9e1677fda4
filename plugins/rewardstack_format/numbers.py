"""Rewards for answers that are a number, and for answers in a box; they need no gold."""

from typing import Literal

from rewardstack import Score, find_answer, find_boxes, reward
from rewardstack_format.answers import Place, shorten
from rewardstack_format.matching import is_blank
from rewardstack_format.numerals import Numeral, read_numeral

__all__ = ["boxed", "number"]

Kind = Literal["number", "integer", "digits"]


def is_kind(text: str, numeral: Numeral, kind: Kind) -> bool:
    """Whether a number that was written as `text` is of a kind."""
    if kind == "digits":
        return text.isascii() and text.isdigit()
    return kind == "number" or numeral.is_integer


@reward
def number(
    completion: str,
    *,
    kind: Kind = "number",
    where: Place = "any",
    tag: str = "answer",
    thinking: bool = False,
) -> Score:
    """1 when the committed answer is a number, right or wrong.

    Options:
        kind: `number`; `integer` for whole ones (42.0 and 1,000 are whole); `digits` for nothing but 0 to 9, the
            integer reward of the GSM8K notebooks.
        where: Only this form counts: `tag`, `box`, `hash`, `phrase`, `line`, or `any`.
        tag: The tag that holds answers.
        thinking: An answer inside thinking counts too.

    Numbers may have a sign, thousands groups, a decimal point, an exponent, and one currency or percent sign.

    Range: 0 or 1. Does not take fractions, formulae, number words, `inf` and `nan`, or a number with a unit.
    """
    found = find_answer(completion, tag=tag, thinking=thinking)
    if found.text is None or where not in ("any", found.form):
        reason = (
            found.reason if found.text is None else f"the answer is in the form {found.form!r}, not {where!r}"
        )
        return Score(0.0, reason, {"answer": found.text})
    numeral = read_numeral(found.text)
    details = {"answer": found.text}
    if numeral is None:
        return Score(0.0, f"answer {shorten(found.text)} is not a number", details)
    if not is_kind(found.text, numeral, kind):
        what = "an integer" if kind == "integer" else "made of digits only"
        return Score(0.0, f"answer {shorten(found.text)} is not {what}", details)
    return Score(
        1.0, f"answer {shorten(found.text)} is {'a number' if kind == 'number' else 'an integer'}", details
    )


@reward
def boxed(completion: str, *, unique: bool = False, thinking: bool = False) -> Score:
    r"""1 when the committed answer stands in a `\boxed{}`.

    The box must be closed, hold something, and be the last commitment; a box inside the last `<answer>` tag counts.

    Options:
        unique: The commitment must be the only one of its form.
        thinking: A box inside thinking counts too.

    Range: 0 or 1. Does not compare with a gold: that is `format.answer`, or `math.equal`.
    """
    found = find_answer(completion, unique=unique, thinking=thinking)
    if found.text is None:
        return Score(0.0, found.reason)
    if found.alternatives:
        return Score(0.0, f"the answer {shorten(found.text)} is a choice between answers")
    boxes = [box for box in find_boxes(completion) if box.closed and box.span == found.span]
    if not boxes or is_blank(boxes[0].content):
        return Score(0.0, "the answer does not stand in a box", {"form": found.form})
    return Score(1.0, f"box with {shorten(found.text)}", {"answer": found.text})
