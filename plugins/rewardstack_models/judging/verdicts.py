"""What a judge's reply comes to: exactly one label, at its very end."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rewardstack import visible_text
from rewardstack_models.judging.replies import Reply, Unreadable

__all__ = ["check_labels", "read_verdict", "schema_of"]

DRESS = " \t*_`\"'.!:,()[]{}<>#-"  # what models put around a verdict
LEAD = re.compile(
    r"(?:\W*)(?:(?:my|the|final|overall)\s+)*(?:verdict|answer|label|rating|score|judge?ment|grade|decision)\s*(?:is)?\s*[:=\-–—]*\s*",
    re.IGNORECASE,
)
MOST_LABELS = 101


def check_labels(labels: Mapping[str, float]) -> None:
    """Raise `ValueError` for labels that cannot be told apart, or whose values are no share."""
    if len({label.strip(DRESS).casefold() for label in labels} - {""}) != len(labels):
        raise ValueError("labels must differ in more than case and punctuation, and none may be empty")
    if any(len(label.splitlines()) > 1 for label in labels):
        raise ValueError("a label is one line, since the last line of the judge's answer is read")
    if not 2 <= len(labels) <= MOST_LABELS:
        raise ValueError(f"a judge needs at least two labels and at most {MOST_LABELS}, not {len(labels)}")
    if not all(0 <= value <= 1 for value in labels.values()):
        raise ValueError("the value of a label lies in 0 to 1")
    if len(set(labels.values())) < 2:
        raise ValueError("all labels have the same value, so no verdict would matter")


def read_verdict(reply: Reply, labels: Sequence[str]) -> str:
    """Return the label that a reply ends with; `Unreadable` where it is cut off, or does not end with exactly one.

    A reply in JSON must be one object whose `verdict` is a label. Of a text the last line that holds any letter
    or digit counts: it must be a label alone, behind `VERDICT:` or its like. No label is looked for inside a word
    or a sentence: INCORRECT does not say CORRECT, and "CORRECT or INCORRECT" says nothing.
    """
    if reply.finish == "length":
        raise Unreadable("it is cut off at max_tokens")
    if reply.finish == "content_filter":
        raise Unreadable("a filter left a part of it out")
    text = reply.text.strip()
    if text.startswith("{"):
        return from_object(text, labels)
    if text.startswith("<") and (visible := visible_text(text)).reason:
        raise Unreadable(visible.reason)
    lines = [line for line in text.splitlines() if any(map(str.isalnum, line))]
    if not lines:
        raise Unreadable("it is empty")
    said = lines[-1].strip()
    bare = LEAD.sub("", said, count=1) if LEAD.match(said) else said
    found = label_in(bare, labels) or label_in(said, labels)
    if found is None:
        raise Unreadable(f"its last line is no label: {said[-80:]!r}")
    return found


def label_in(text: str, labels: Sequence[str]) -> str | None:
    """Return the label that a text is, punctuation and case aside."""
    plain = text.strip(DRESS).casefold()
    return next((label for label in labels if label.strip(DRESS).casefold() == plain), None)


def from_object(text: str, labels: Sequence[str]) -> str:
    """Return the verdict of a JSON object; a name given twice is no verdict."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise Unreadable("its JSON gives a name twice")
        return found

    try:
        data = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is no JSON: {text[:80]!r}") from error
    verdict = data.get("verdict") if isinstance(data, dict) else None
    found = label_in(verdict, labels) if isinstance(verdict, str) else None
    if found is None:
        raise Unreadable(f"its verdict is no label: {verdict!r}"[:120])
    return found


def schema_of(labels: Sequence[str]) -> dict[str, Any]:
    """Return the `response_format` that lets a server give nothing but a verdict, its reasoning first."""
    schema = {
        "type": "object",
        "properties": {"reasoning": {"type": "string"}, "verdict": {"type": "string", "enum": list(labels)}},
        "required": ["reasoning", "verdict"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}
