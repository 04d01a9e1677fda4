"""Progress in one compact line a log entry: step, reward, each term, length, what is wrong."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from transformers import TrainerCallback

__all__ = ["Lines", "line_of"]


class Lines(TrainerCallback):
    """Tells a line a log entry, at most one in `seconds`, and every evaluation."""

    def __init__(self, stack: str, tell: Callable[[str], None], seconds: float = 2.0) -> None:
        self.stack, self.tell, self.seconds = stack, tell, seconds
        self.told = 0.0

    def on_log(
        self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> None:
        """Tell of a log entry."""
        logs = logs or {}
        held_out = "eval_reward" in logs
        due = time.monotonic() - self.told >= self.seconds or state.global_step >= state.max_steps
        if not state.is_world_process_zero or not (held_out or ("reward" in logs and due)):
            return
        self.told = time.monotonic()
        self.tell(line_of(self.stack, state.global_step, state.max_steps, logs, "eval_" if held_out else ""))


def line_of(stack: str, step: int, steps: int, logs: Mapping[str, Any], prefix: str = "") -> str:
    """Return a log entry as a line."""
    start = f"{prefix}{stack}/"
    terms = {
        name.removeprefix(start).removesuffix("/mean"): value
        for name, value in logs.items()
        if name.startswith(start) and name.endswith("/mean")
    }
    errors = sum(value for name, value in logs.items() if name.startswith(start) and name.endswith("/errors"))
    parts = [
        f"{'held out' if prefix else 'step'} {step}/{steps}",
        f"reward {number(logs.get(f'{prefix}reward'))}",
        *(f"{term} {number(value)}" for term, value in terms.items()),
        f"length {number(logs.get(f'{prefix}completions/mean_length'))}",
    ]
    if not prefix:
        parts.append(f"ties {number(logs.get('frac_reward_zero_std'))}")
    return "  ".join([*parts, *([f"errors {errors:g}"] if errors else [])])


def number(value: Any) -> str:
    """Return a metric with few digits, a dash where there is none."""
    return f"{value:.3g}" if isinstance(value, (int, float)) else "-"
