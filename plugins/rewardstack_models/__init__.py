"""Rewards that ask a model: reward models, process reward models, judges, rubrics, entailment, similarity."""

from rewardstack_models.entailment import entails
from rewardstack_models.judges import judge
from rewardstack_models.process_models import process
from rewardstack_models.reward_models import rank, reward
from rewardstack_models.rubrics import rubric
from rewardstack_models.sharing import unload_models
from rewardstack_models.similarity import similar

__all__ = ["entails", "judge", "process", "rank", "reward", "rubric", "similar", "unload_models"]
