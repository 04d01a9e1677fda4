"""`rewards train`: train a model with a stack, in TRL's GRPOTrainer."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rewardstack.cli.output import clean_stdout, complain, draw_table, print_json, width, wrapped
from rewardstack.cli.verbosity import verbosity_options
from rewardstack.errors import RewardstackError
from rewardstack.wording import counted
from rewardstack_trainers.ranks import leave

if TYPE_CHECKING:
    from rewardstack_trainers.training.session import Outcome, Session

__all__ = ["command"]

INTERRUPTED = 130
EPILOG = """\b
Examples:
  rewards train --demo
  rewards train run.toml --dry-run
  rewards train run.toml
  torchrun --nproc-per-node 8 -m rewardstack.cli train run.toml

\b
Exit codes:
  0    good
  1    the demo gained less than 40 points
  2    usage, a file, the stack, the model or the disk is wrong
  3    too many rewards erred
  130  interrupted; a checkpoint was saved
"""


@click.command("train", short_help="Train a model with a stack, in TRL's GRPOTrainer.", epilog=EPILOG)
@click.argument("config", required=False, metavar="[CONFIG]", type=click.Path(dir_okay=False))
@click.option(
    "--demo", metavar="TASK", is_flag=False, flag_value="larger",
    help="Train a tiny model on TASK instead, offline, in about a minute: larger, or addition, the lesson that goes wrong.  [default: larger]",
)  # fmt: skip
@click.option(
    "--dry-run",
    is_flag=True,
    help="Check everything that can be known, then stop before the model is loaded.",
)
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint of the run.")
@click.option("--force", is_flag=True, help="With --resume, go on even with another stack or model.")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="The run's folder, in place of the file's.  [demo: runs/demo-TASK-SEED]",
)
@click.option(
    "--steps", type=click.IntRange(min=1), help="The number of steps, in place of the file's.  [demo: 150]"
)
@click.option("--seed", type=click.IntRange(min=0), help="The seed, in place of the file's.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@verbosity_options()
def command(
    config: str | None, demo: str | None, dry_run: bool, resume: bool, force: bool, output: str | None,
    steps: int | None, seed: int | None, as_json: bool,
) -> int:  # fmt: skip
    """Train the model that CONFIG names with its stack of rewards.

    CONFIG is TOML: [model], [data] or a task, [rewards.*] or a stack's file, [grpo] with any field of TRL's GRPOConfig,
    [eval], [lora], [log]. Names that TRL has retired are translated, and told.

    The run's folder gets checkpoints, TRL's own files of completions, `scored.parquet` (every scored batch, which
    `rewards test STACK FOLDER/scored.parquet` scores again) and `report.html`.
    """
    if (config is None) == (demo is None):
        raise click.UsageError(
            "name a CONFIG, or give --demo" if config is None else "--demo takes no CONFIG"
        )
    if demo is not None and (dry_run or resume or force):
        raise click.UsageError(
            "--demo is a run of its own from the start: it takes no --dry-run, --resume or --force"
        )
    set_environment()
    outcome: Outcome | None
    with clean_stdout():
        if demo is not None:
            outcome, stack, rows = run_demo(demo, output, steps or 150, seed)
        else:
            session = prepare_session(str(config), output, steps, seed, resume=resume, force=force)
            outcome, stack, rows = run_session(session, dry_run=dry_run)
    if outcome is None:
        return 0
    show(outcome, stack, rows, as_json=as_json)
    leave()
    if outcome.interrupted:
        return INTERRUPTED
    return 1 if demo is not None and not gained_enough(rows[-1]) else 0


def set_environment() -> None:
    """Set what must stand before torch is imported, be it by a reward in a file."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that spin slow one another down
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")


def load_libraries() -> None:
    """Import what trains, and quieten it; `RewardstackError` where the extra is not installed.

    To be called once all is checked that can be without it: what is wrong with a file is told first.
    """
    try:
        import trl  # noqa: F401
        from transformers import utils
    except ImportError as error:
        raise RewardstackError(f"training needs {error.name}: pip install 'rewardstack[train]'") from error
    if not sys.warnoptions:
        import warnings

        warnings.simplefilter("ignore")
    logging: Any = utils.logging
    logging.set_verbosity_error()
    logging.disable_progress_bar()


def tell(kind: str, text: str) -> None:
    """Print what the run has to say to standard error, once for all ranks, within the terminal's width."""
    if os.environ.get("RANK", "0") != "0":
        return
    if kind:
        complain(text, prefix=f"{kind}: ")
    else:
        click.echo(fold(text, width()), err=True)


def fold(text: str, columns: int) -> str:
    """Return a line of progress as several where it is long, broken between its parts, which two blanks set apart."""
    first, *parts = text.split("  ")
    lines = [first]
    for part in parts:
        if len(lines[-1]) + len("  ") + len(part) > columns:
            lines.append("")
        lines[-1] += f"  {part}"
    return "\n".join(lines)


Rows = Sequence[tuple[str, float, float]]


def prepare_session(
    path: str, output: str | None, steps: int | None, seed: int | None, *, resume: bool, force: bool
) -> "Session":
    """Return the run of a training file, what the command line says laid over it."""
    import msgspec

    from rewardstack_trainers.training.config import load_config

    config = load_config(path)
    more = {name: value for name, value in (("max_steps", steps), ("seed", seed)) if value is not None}
    config = msgspec.structs.replace(config, output=output or config.output, grpo=config.grpo | more)
    load_libraries()
    from rewardstack_trainers.training.session import Session

    return Session(config, tell, resume=resume, force=force)


def run_session(session: "Session", *, dry_run: bool) -> "tuple[Outcome | None, str, Rows]":
    """Run a training file up to its report; nothing is returned of a dry run."""
    from rewardstack_trainers.training.report import before_and_after

    session.check()
    if dry_run:
        tell("dry run", "all that can be known beforehand is in order")
        return None, "", []
    outcome = session.run()
    name = session.config.stack.name
    return outcome, name, before_and_after(outcome.logs, name)


def run_demo(task: str, output: str | None, steps: int, seed: int | None) -> "tuple[Outcome, str, Rows]":
    """Run the demo up to its report; the held-out share is the last row."""
    from rewardstack.errors import nearest
    from rewardstack_trainers.demo.questions import TASKS
    from rewardstack_trainers.training.preflight import check_folder

    if task not in TASKS:
        raise click.UsageError(
            f"--demo {task}: no such task{nearest(task, TASKS)}. There are: {', '.join(TASKS)}"
        )
    seed = TASKS[task].seed if seed is None else seed
    folder = Path(output or f"runs/demo-{task}-{seed}")
    check_folder(folder / "run", resume=False, mend="Remove it, or choose another folder: --output FOLDER")
    load_libraries()
    from rewardstack_trainers.demo.running import gain_of, run_demo
    from rewardstack_trainers.training.report import before_and_after

    outcome = run_demo(folder, tell, task=task, steps=steps, seed=seed)
    shown = [
        row
        for row in before_and_after(outcome.logs, "demo")
        if "solved" not in row[0] and "std" not in row[0]
    ]
    before, after = gain_of(outcome, task)
    return outcome, "demo", [*shown, ("right and well-formed, held out", before / 100, after / 100)]


def gained_enough(row: tuple[str, float, float]) -> bool:
    """Whether the demo has learned; says so where it has not."""
    from rewardstack_trainers.demo.running import LEAST_GAIN

    gain = 100 * (row[2] - row[1])
    if gain < LEAST_GAIN:
        complain(
            f"it gained {counted(round(gain), 'point')}, less than {LEAST_GAIN:g}: this run has not shown that it learns"
        )
    return gain >= LEAST_GAIN


def show(outcome: "Outcome", stack: str, rows: Rows, *, as_json: bool) -> None:
    """Write the report and print the table."""
    if os.environ.get("RANK", "0") != "0":
        return
    from rewardstack_trainers.training.report import write_report

    files = [*([str(outcome.record)] if outcome.record else []), *write_report(outcome, stack)]
    if as_json:
        facts = {name: {"before": before, "after": after} for name, before, after in rows}
        print_json({"metrics": facts, "alarms": outcome.alarms, "stopped": outcome.stopped, "files": files})
        return
    if rows:
        draw_table(table_of(rows))
    for sentence in [outcome.stopped] if outcome.stopped else []:
        click.echo(wrapped(sentence, "stopped early: "))
    click.echo(wrapped(", ".join(files), "wrote "))


def table_of(rows: Rows) -> Any:
    """Return the table of what changed."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("metric", overflow="fold")  # names stay whole
    for name in ("before", "after", "change"):
        table.add_column(name, justify="right")
    for name, before, after in rows:
        table.add_row(name, f"{before:.3g}", f"{after:.3g}", f"{after - before:+.3g}")
    return table
