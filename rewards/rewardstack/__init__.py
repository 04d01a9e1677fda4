"""Rewards for reinforcement learning: write one as a function, compose them, test the stack, train with it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewardstack.answer import (
        Answer,
        Slot,
        Visible,
        beside,
        find_answer,
        find_boxes,
        find_phrases,
        find_tags,
        visible_text,
    )
    from rewardstack.decorator import reward
    from rewardstack.errors import IsolationError, RewardstackError, StackError
    from rewardstack.extras import import_extra
    from rewardstack.hookspecs import hookimpl
    from rewardstack.registry import Extension, extensions
    from rewardstack.sample import Batch, Sample, completion_text, prompt_text
    from rewardstack.score import Score, StackScore
    from rewardstack.stack import Stack
    from rewardstack.workers import call_isolated

__all__ = [
    "Answer",
    "Batch",
    "Extension",
    "IsolationError",
    "RewardstackError",
    "Sample",
    "Score",
    "Slot",
    "Stack",
    "StackError",
    "StackScore",
    "Visible",
    "beside",
    "call_isolated",
    "completion_text",
    "extensions",
    "find_answer",
    "find_boxes",
    "find_phrases",
    "find_tags",
    "hookimpl",
    "import_extra",
    "prompt_text",
    "reward",
    "visible_text",
]

LAZY = {
    "IsolationError": "errors",
    "Score": "score",
    "StackScore": "score",
    "reward": "decorator",
    "Answer": "answer",
    "Batch": "sample",
    "RewardstackError": "errors",
    "Sample": "sample",
    "Slot": "answer",
    "Stack": "stack",
    "StackError": "errors",
    "Visible": "answer",
    "beside": "answer",
    "call_isolated": "workers",
    "completion_text": "sample",
    "Extension": "registry",
    "extensions": "registry",
    "find_answer": "answer",
    "find_boxes": "answer",
    "find_phrases": "answer",
    "find_tags": "answer",
    "hookimpl": "hookspecs",
    "import_extra": "extras",
    "prompt_text": "sample",
    "visible_text": "answer",
}


def __getattr__(name: str) -> Any:
    """Import the public face on first use, so that importing rewardstack (for `rewards --help`, say) stays quick."""
    if name not in LAZY:
        raise AttributeError(f"module 'rewardstack' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"rewardstack.{LAZY[name]}"), name)
    globals()[name] = value
    return value
