"""A plugin of rewardstack: one reward, for short answers."""

from rewardstack_brief.words import brief

__all__ = ["brief"]
