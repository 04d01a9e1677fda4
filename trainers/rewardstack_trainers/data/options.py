"""Multiple-choice rows: options as letters, whatever the data set calls them, and shuffled with their answer."""

import random
from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any

from rewardstack.errors import RecordError

__all__ = ["lettered", "shuffled"]


def lettered(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with `options` (letter to text), `choices` (them as lines) and `answer` (a letter).

    Reads ARC's `choices` (of `text` and `label`, or letter to text) and `answerKey`, and SciQ's `correct_answer` with
    its distractors.
    """
    if "correct_answer" in row:
        texts = [row["correct_answer"], *(row[f"distractor{number}"] for number in (1, 2, 3))]
        return with_options(row, texts, 0)
    choices = row.get("choices", row.get("options"))
    if not isinstance(choices, Mapping):
        raise RecordError(
            "a multiple-choice row needs `choices`: letter to text, or lists `text` and `label`"
        )
    named = dict(zip(choices["label"], choices["text"], strict=True)) if "label" in choices else dict(choices)
    gold = str(row.get("answerKey", row.get("answer", row.get("gold", ""))))
    if gold not in named:
        raise RecordError(f"the answer {gold!r} is none of the options {', '.join(named)}")
    return with_options(row, list(named.values()), list(named).index(gold))


def with_options(row: Mapping[str, Any], texts: list[str], right: int) -> dict[str, Any]:
    """Return a row with its options in this order, the right one at this place."""
    options = dict(zip(ascii_uppercase, texts, strict=False))
    lines = "\n".join(f"{letter}. {text}" for letter, text in options.items())
    return {**row, "options": options, "choices": lines, "answer": ascii_uppercase[right]}


def shuffled(row: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return a row whose options stand in another order; the answer's letter moves with its text."""
    options, answer = row["options"], row.get("answer")
    if not isinstance(options, Mapping) or answer not in [*ascii_uppercase[: len(options)]]:
        raise RecordError(
            "shuffle_options needs `options`, letter to text, and as `answer` one of the letters A, B, C ..., as the "
            f"tasks arc and sciq make them; not {options!r:.80} and {answer!r:.80}"
        )
    texts = list(options.values())
    order = list(range(len(texts)))
    chance.shuffle(order)
    right = order.index(ascii_uppercase.index(row["answer"]))
    return with_options(row, [texts[place] for place in order], right)
