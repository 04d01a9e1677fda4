"""Reasons that several rewards of this plugin give."""

from rewardstack import Visible

__all__ = ["empty_reason"]


def empty_reason(visible: Visible) -> str:
    """Return why a completion has no answer; empty where it has one."""
    if visible.reason:
        return visible.reason
    return "" if visible.text.strip() else "the answer is empty"
