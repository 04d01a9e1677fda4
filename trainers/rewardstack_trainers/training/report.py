"""What a run has to show when it is over: a page of curves and samples, and a table for the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rewardstack.records.sources import rows_in
from rewardstack_trainers.training.curves import curves_of, write_page, write_picture
from rewardstack_trainers.training.session import Outcome

__all__ = ["before_and_after", "sample_rows", "write_report"]

SHOWN = 4
FEW = 5


def write_report(outcome: Outcome, stack: str) -> list[str]:
    """Write `report.html` (and `report.png` where matplotlib is installed) into the run's folder; return the files."""
    curves = curves_of(outcome.logs, stack)
    page = outcome.folder / "report.html"
    write_page(
        page, f"{outcome.folder.name}: {stack}", curves, list(outcome.alarms.values()), sample_rows(outcome)
    )
    files = [str(page)]
    if curves and write_picture(outcome.folder / "report.png", curves):
        files.append(str(outcome.folder / "report.png"))
    return files


def sample_rows(outcome: Outcome) -> list[tuple[str, ...]]:
    """Return some completions before and after, with their totals and reasons.

    Of held-out prompts where there was an evaluation before and after, else of the first and of the last step.
    """
    if outcome.record is None:
        return []
    rows = [row for _, row in rows_in(str(outcome.record))]
    picked = same_prompts([row for row in rows if row["scored_phase"] == "eval"])
    if not picked:
        trained = [row for row in rows if row["scored_phase"] == "train"]
        picked = [*trained[:SHOWN], *trained[-SHOWN:]] if len(trained) > 2 * SHOWN else trained
    return [
        (
            f"step {row['scored_step']}",
            last(row["prompt"]),
            last(row["completion"]),
            "masked" if row["scored_total"] is None else f"{row['scored_total']:.3g}",
            row["scored_reason"],
        )
        for row in picked
    ]


def same_prompts(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return some prompts' rows of the first and of the last evaluation, side by side; none where there was one."""
    steps = [row["scored_step"] for row in rows]
    if not rows or min(steps) == max(steps):
        return []
    first, final = (
        {last(row["prompt"]): row for row in rows if row["scored_step"] == step}
        for step in (min(steps), max(steps))
    )
    both = [prompt for prompt in first if prompt in final]
    chosen = both[:: max(1, len(both) // SHOWN)][:SHOWN]
    return [row for prompt in chosen for row in (first[prompt], final[prompt])]


def last(turn: Any) -> str:
    """Return a prompt's or completion's text."""
    return turn if isinstance(turn, str) else str(turn[-1].get("content")) if turn else ""


def before_and_after(logs: Sequence[Mapping[str, Any]], stack: str) -> list[tuple[str, float, float]]:
    """Return metric, value before and value after, held out where there is that, else the first and last steps."""
    names = dict.fromkeys(name for entry in logs for name in entry)
    wanted = [name for name in names if name in ("reward", "completions/mean_length", "frac_reward_zero_std")]
    wanted += [name for name in names if name.startswith(f"{stack}/") and name.endswith("/mean")]
    found = []
    for name in wanted:
        held_out = [
            entry[f"eval_{name}"] for entry in logs if isinstance(entry.get(f"eval_{name}"), (int, float))
        ]
        trained = [entry[name] for entry in logs if isinstance(entry.get(name), (int, float))]
        if len(held_out) > 1:
            found.append((f"{name} (held out)", held_out[0], held_out[-1]))
        elif trained:
            few = min(FEW, len(trained))
            found.append((name, sum(trained[:few]) / few, sum(trained[-few:]) / few))
    return found
