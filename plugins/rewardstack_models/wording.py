"""Reasons that several rewards of this plugin give, and columns as text."""

from typing import Any

from rewardstack import Visible

__all__ = ["empty_reason", "text_of"]


def empty_reason(visible: Visible) -> str:
    """Return why a completion has no answer; empty where it has one."""
    if visible.reason:
        return visible.reason
    return "" if visible.text.strip() else "the answer is empty"


def text_of(value: Any) -> str:
    """Return a column's value as text, nothing for no value; 0 is a value."""
    return "" if value is None else str(value)
