"""Writes a gold answer in the other forms that a reward can promise to count as equal."""

import re
from collections.abc import Callable
from typing import Any

__all__ = ["FORMS", "rewrite"]

WHOLE = re.compile(r"-?\d+")
UNGROUPED = re.compile(r"-?[1-9]\d{3,}")


def other_case(text: str) -> str:
    """Return a text in upper case, or in lower case where it is in upper case."""
    return text.lower() if text.isupper() else text.upper()


def other_spacing(text: str) -> str:
    """Return a text with more white space around it and in it."""
    return f"  {text.replace(' ', '  ')} "


def with_thousands(text: str) -> str:
    """Return a whole number with separators of thousands, any other text as it is."""
    return f"{int(text):,}" if UNGROUPED.fullmatch(text) and len(text) < 100 else text


def with_decimal(text: str) -> str:
    """Return a whole number with a fraction of nothing, any other text as it is."""
    return f"{text}.0" if WHOLE.fullmatch(text) else text


FORMS: dict[str, Callable[[str], str]] = {
    "case": other_case,
    "spacing": other_spacing,
    "thousands": with_thousands,
    "decimal": with_decimal,
}
"""How to write an answer in each of the forms of `rewardstack.contract.EQUAL_FORMS`."""


def rewrite(answer: Any, form: str) -> str | None:
    """Return a text answer in another form; `None` for what has no such form."""
    if not isinstance(answer, str):
        return None
    text = answer.strip()
    written = FORMS[form](text)
    return None if written == text else written
