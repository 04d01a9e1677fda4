"""Alarms: a sentence when a run goes wrong, once for each fault."""

import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any

from transformers import TrainerCallback

from rewardstack.errors import OptionError, nearest
from rewardstack_trainers.callbacks.rules import RULES, History, Rule
from rewardstack_trainers.ranks import sum_over_ranks

__all__ = ["Alarms"]

logger = logging.getLogger("rewardstack.training")


class Alarms(TrainerCallback):
    """Watches the logs of a run and says, once, what is wrong; `raised` has the sentences by rule.

    Args:
        stack: The stack's name, under which its metrics are logged.
        held_out: The held-out metric, as logged (`eval_...`), which must not fall while reward rises.
        rules: The rules, all by default.
        stop_on: Rules that end the training; the votes are counted over all ranks, so all stop at the same step.
        tell: Called with every sentence; by default it is logged as a warning.
    """

    def __init__(
        self,
        stack: str = "stack",
        held_out: str = "eval_reward",
        *,
        rules: Mapping[str, Rule] = RULES,
        stop_on: Collection[str] = (),
        tell: Callable[[str], None] = logger.warning,
    ) -> None:
        for name in stop_on:
            if name not in rules:
                raise OptionError(
                    f"there is no alarm {name!r}{nearest(name, rules)}. There are: {', '.join(rules)}"
                )
        self.history = History(stack, held_out)
        self.rules = dict(rules)
        self.stop_on = frozenset(stop_on)
        self.tell = tell
        self.raised: dict[str, str] = {}

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Take up what was logged before the checkpoint that a run goes on from."""
        for entry in state.log_history:
            self.history.add(entry.get("step", 0), entry)

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        """Look at a log entry."""
        self.history.add(state.global_step, logs or {})
        raised = self.raise_new(state)
        if self.stop_on and sum_over_ranks([float(not self.stop_on.isdisjoint(raised))])[0]:
            control.should_training_stop = True

    def raise_new(self, state: Any) -> list[str]:
        """Tell of what has gone wrong since, and return its rules."""
        found = []
        for name, rule in self.rules.items():
            if name in self.raised:
                continue
            sentence = rule(self.history)
            if sentence is None:
                continue
            self.raised[name] = sentence
            found.append(name)
            if state.is_world_process_zero:
                self.tell(f"step {state.global_step}: {sentence}")
        return found
