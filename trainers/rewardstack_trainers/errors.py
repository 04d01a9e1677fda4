"""What is wrong with a run beyond its file: a folder, a model, a disk."""

from rewardstack.errors import RewardstackError

__all__ = ["NotLearned", "TrainingError"]


class TrainingError(RewardstackError):
    """A run that cannot start or go on: its folder, its model, its data, the disk."""


class NotLearned(RewardstackError):
    """A run that ended without what it was to show."""

    exit_code = 1
