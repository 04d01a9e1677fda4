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
    """Return some completions of the first and of the last step, with their totals and reasons."""
    if outcome.record is None:
        return []
    rows = [row for _, row in rows_in(str(outcome.record)) if row["scored_phase"] == "train"]
    picked = [*rows[:SHOWN], *rows[-SHOWN:]] if len(rows) > 2 * SHOWN else rows
    return [
        (
            f"step {row['scored_step']}",
            last(row["prompt"]),
            last(row["completion"]),
            str(row["scored_total"]),
            row["scored_reason"],
        )
        for row in picked
    ]


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
