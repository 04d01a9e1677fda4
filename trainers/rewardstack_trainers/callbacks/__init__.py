"""What watches a run from inside the trainer: alarms, an adaptive KL target, early stop, Ctrl-C on several ranks."""

from rewardstack_trainers.callbacks.alarms import Alarms
from rewardstack_trainers.callbacks.interruption import Interruption
from rewardstack_trainers.callbacks.kl import AdaptiveKL
from rewardstack_trainers.callbacks.lines import Lines
from rewardstack_trainers.callbacks.stopping import EarlyStop

__all__ = ["AdaptiveKL", "Alarms", "EarlyStop", "Interruption", "Lines"]
