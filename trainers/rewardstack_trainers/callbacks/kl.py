"""An adaptive weight of the KL term: it follows a target instead of being guessed."""

import math
from typing import Any

from transformers import TrainerCallback

from rewardstack.errors import OptionError
from rewardstack_trainers.ranks import sum_over_ranks, world_size

__all__ = ["AdaptiveKL"]

BOUND = 0.2


class AdaptiveKL(TrainerCallback):
    """After each step, `trainer.beta` becomes beta · (1 + gain · clip(KL / target - 1, ±0.2)).

    The controller of Ziegler et al. (2019, https://arxiv.org/abs/1909.08593). `attach` must be called with the
    trainer, whose beta must be above 0: with 0 TRL loads no reference and measures no KL.
    """

    def __init__(self, target: float, gain: float = 0.1) -> None:
        if not (0 < target < math.inf and 0 < gain < math.inf):
            raise OptionError(f"kl_target and its gain must be above 0, not {target} and {gain}")
        self.target = target
        self.gain = gain
        self.trainer: Any = None

    def attach(self, trainer: Any) -> "AdaptiveKL":
        """Take hold of a trainer and join its callbacks; `OptionError` where its beta is 0."""
        if not trainer.beta > 0:
            raise OptionError(
                "kl_target needs a start value: set beta above 0 in [grpo], such as beta = 0.04"
            )
        self.trainer = trainer
        trainer.add_callback(self)
        return self

    def next_beta(self, beta: float, kl: float) -> float:
        """Return the weight after a step with that KL."""
        return beta * (1 + self.gain * min(BOUND, max(-BOUND, kl / self.target - 1)))

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Go on from the weight last logged, where a run goes on from a checkpoint: those do not hold it."""
        logged = [entry for entry in state.log_history if "beta" in entry and "kl" in entry]
        if logged:
            self.trainer.beta = self.next_beta(logged[-1]["beta"], logged[-1]["kl"])

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Move beta; the KL is the mean over the step's micro-batches and all ranks."""
        metrics = self.trainer._metrics["train"]  # noqa: SLF001 - the one place where TRL keeps the step's KL
        values = metrics.get("kl", [])[-args.gradient_accumulation_steps :]
        finite = [value for value in values if math.isfinite(value)]
        mean = sum(finite) / len(finite) if finite else self.target
        kl = sum_over_ranks([mean])[0] / world_size()
        metrics["beta"].append(self.trainer.beta)
        self.trainer.beta = self.next_beta(self.trainer.beta, kl)
