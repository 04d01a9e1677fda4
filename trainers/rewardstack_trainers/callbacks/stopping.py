"""Early stop: when a metric is good enough, or has not improved for some time."""

import math
from typing import Any

from transformers import TrainerCallback

from rewardstack.errors import OptionError
from rewardstack.wording import counted
from rewardstack_trainers.ranks import sum_over_ranks

__all__ = ["EarlyStop"]


class EarlyStop(TrainerCallback):
    """Ends the training when `metric` reaches `at`, or has not risen for `patience` log entries that have it.

    `reason` says why, once it has. The vote is counted over all ranks, so all stop at the same step.
    """

    def __init__(
        self,
        metric: str = "eval_reward",
        *,
        at: float | None = None,
        patience: int | None = None,
        least: float = 0.0,
    ) -> None:
        if at is None and patience is None:
            raise OptionError("early stop needs `at`, `patience` or both")
        if patience is not None and patience < 1:
            raise OptionError(
                f"the patience of early stop is a number of evaluations, at least 1, not {patience}"
            )
        self.metric, self.at, self.patience, self.least = metric, at, patience, least
        self.best = -math.inf
        self.waited = 0
        self.reason = ""

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Take up what was logged before the checkpoint that a run goes on from."""
        for entry in state.log_history:
            if self.metric in entry:
                self.judge(float(entry[self.metric]), entry.get("step", 0))

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        """Look at a log entry."""
        value = (logs or {}).get(self.metric)
        if value is None:
            return
        reason = self.judge(float(value), state.global_step)
        if sum_over_ranks([float(bool(reason))])[0]:
            self.reason = self.reason or reason or "another rank stopped"
            control.should_training_stop = True

    def judge(self, value: float, step: int) -> str:
        """Return why to stop after this value, an empty text to go on."""
        if self.at is not None and value >= self.at:
            return f"{self.metric} reached {value:.3g} at step {step}"
        improved = value > self.best + self.least
        self.best = max(self.best, value)
        self.waited = 0 if improved else self.waited + 1
        if self.patience is not None and self.waited >= self.patience:
            return f"{self.metric} has not risen above {self.best:.3g} in {counted(self.waited, 'entry', 'entries')}, at step {step}"
        return ""
