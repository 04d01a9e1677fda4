"""What goes wrong in a run, told from its logs: each rule is a function of what was logged so far.

Rules read only numbers that trainers have gathered over all ranks, so every rank comes to the same conclusion.
"""

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from rewardstack.wording import counted

__all__ = ["RULES", "History", "Rule"]

RECENT = 5
"""How many log entries in a row must agree."""

NOISE = 0.05
"""What a share measured on a few hundred rows may move by chance."""


class History:
    """What was logged so far: `train` and `held_out` are series of (step, value) by the metric's name."""

    def __init__(self, stack: str = "", held_out: str = "eval_reward") -> None:
        self.stack = stack
        self.held_out_name = held_out
        self.series: dict[str, list[tuple[int, float]]] = {}

    def add(self, step: int, logs: dict[str, Any]) -> None:
        """Add a log entry; what is no number is passed over."""
        for name, value in logs.items():
            if isinstance(value, (int, float)) and value == value:  # noqa: PLR0124 - NaN is not equal to itself
                self.series.setdefault(name, []).append((step, float(value)))

    def values(self, name: str) -> list[float]:
        """Return a metric's values, oldest first."""
        return [value for _, value in self.series.get(name, [])]

    def recent(self, name: str, count: int = RECENT) -> list[float]:
        """Return a metric's last values, nothing where there are not that many."""
        values = self.values(name)
        return values[-count:] if len(values) >= count else []

    def between(self, name: str, first: int, last: int) -> list[float]:
        """Return a metric's values at steps after `first` up to `last`."""
        return [value for step, value in self.series.get(name, []) if first < step <= last]

    def errors(self) -> list[float]:
        """Return the number of errors in each entry, all terms together."""
        names = [
            name for name in self.series if name.startswith(f"{self.stack}/") and name.endswith("/errors")
        ]
        return [sum(entry) for entry in zip(*(self.values(name) for name in names), strict=False)]


Rule = Callable[[History], str | None]
"""Returns a sentence when something is wrong, else None."""


def all_groups_tie(history: History) -> str | None:
    """Say so when no group has had a difference in reward for some time: nothing is learned then."""
    shares = history.recent("frac_reward_zero_std")
    if shares and min(shares) >= 1.0:
        return (
            f"In the last {len(shares)} log entries all groups tie, so every advantage is 0 and nothing is learned: "
            "the task is too hard, too easy, or the reward cannot tell completions apart."
        )
    return None


def errors_grow(history: History) -> str | None:
    """Say so when terms err in every entry."""
    errors = history.errors()[-RECENT:]
    if len(errors) == RECENT and min(errors) > 0:
        return f"Rewards have erred in each of the last {RECENT} log entries ({counted(int(errors[-1]), 'row')} in the last)."
    return None


def entropy_collapses(history: History) -> str | None:
    """Say so when entropy falls under a tenth of where it began."""
    values = history.values("entropy")
    last = history.recent("entropy")
    start = statistics.fmean(values[:RECENT]) if last else 0.0
    if last and start > 0.05 and max(last) < start / 10:
        return (
            f"Entropy has collapsed from {start:.3g} to {last[-1]:.3g}: completions hardly vary any more. Lower the "
            "learning rate, raise the temperature, or set beta or epsilon_high."
        )
    return None


def length_at_the_cap(history: History) -> str | None:
    """Say so when half of the completions are cut off."""
    shares = history.recent("completions/clipped_ratio")
    if shares and min(shares) >= 0.5:
        return (
            f"{shares[-1]:.0%} of the completions are cut off at max_completion_length: what they would have answered "
            "is not seen. Raise it, or pay for brevity."
        )
    return None


def held_out_falls(history: History) -> str | None:
    """Say so when reward rises while the held-out metric falls: the policy learns the reward, not the task.

    Compares the first and the last of the newest evaluations since the best one, with the mean reward around them.
    """
    points = history.series.get(history.held_out_name, [])
    if len(points) < 3:
        return None
    best = max(range(len(points)), key=lambda place: points[place][1])
    after = points[best:]
    if len(after) < 3 or not falls([value for _, value in after]):
        return None
    (step, high), (now, low) = after[0], after[-1]
    reward = history.series.get("reward", [])
    before = [value for at, value in reward if at <= step][-RECENT:]
    before = before or [value for _, value in reward][:RECENT]  # the best was the one before the first step
    lately = [value for at, value in reward if at <= now][-RECENT:]
    if not before or not lately or statistics.fmean(lately) <= statistics.fmean(before):
        return None
    return (
        f"Reward rises ({statistics.fmean(before):.3g} to {statistics.fmean(lately):.3g}) while the held-out "
        f"{history.held_out_name.removeprefix('eval_')} falls ({high:.3g} at step {step}, {low:.3g} at step {now}): "
        "the policy learns the reward, not the task. Look at what it is paid for: `rewards audit`."
    )


def falls(values: Sequence[float]) -> bool:
    """Whether values have fallen by a tenth and by more than noise, and were lower before the last one too."""
    least = max(0.1 * abs(values[0]), NOISE)
    return values[0] - values[-1] >= least and values[-2] < values[0]


RULES: dict[str, Rule] = {
    "all_groups_tie": all_groups_tie,
    "errors": errors_grow,
    "entropy_collapse": entropy_collapses,
    "length_at_cap": length_at_the_cap,
    "held_out_falls": held_out_falls,
}
