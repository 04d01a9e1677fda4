"""What this plugin says is wrong; rows these are raised on are errors, never numbers."""

from rewardstack import RewardstackError

__all__ = ["AnswerTooLong", "BudgetSpent", "EndpointError", "ModelError"]


class ModelError(RewardstackError):
    """A model that cannot be found or loaded, or that gave what is no score."""


class AnswerTooLong(Exception):
    """An answer that does not fit into what the model reads: the policy's doing, so its row earns the low end."""


class EndpointError(RewardstackError):
    """A judge's endpoint that did not answer, or not with a verdict, after all tries."""


class BudgetSpent(RewardstackError):
    """A call that the budget of tokens or money does not allow any more."""
