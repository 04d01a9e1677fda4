"""Rewards for reinforcement learning: write one as a function, compose them, test the stack, train with it."""

from typing import TYPE_CHECKING, Any

from rewardstack.reward import reward
from rewardstack.score import Score, StackScore

if TYPE_CHECKING:
    from rewardstack.answer import Answer, find_answer
    from rewardstack.errors import RewardstackError, StackError
    from rewardstack.hookspecs import hookimpl
    from rewardstack.sample import Batch, Sample, completion_text, prompt_text
    from rewardstack.stack import Stack

__all__ = [
    "Answer",
    "Batch",
    "RewardstackError",
    "Sample",
    "Score",
    "Stack",
    "StackError",
    "StackScore",
    "completion_text",
    "find_answer",
    "hookimpl",
    "prompt_text",
    "reward",
]

LAZY = {
    "Answer": "answer",
    "Batch": "sample",
    "RewardstackError": "errors",
    "Sample": "sample",
    "Stack": "stack",
    "StackError": "errors",
    "completion_text": "sample",
    "find_answer": "answer",
    "hookimpl": "hookspecs",
    "prompt_text": "sample",
}


def __getattr__(name: str) -> Any:
    """Import the rest of the public face on first use, so that importing rewardstack stays quick."""
    if name not in LAZY:
        raise AttributeError(f"module 'rewardstack' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"rewardstack.{LAZY[name]}"), name)
    globals()[name] = value
    return value
