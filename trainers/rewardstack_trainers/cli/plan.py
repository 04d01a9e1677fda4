"""`rewards plan`: estimate the GPU memory of a training run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rewardstack.cli.output import draw_table, print_json, wrapped
from rewardstack.cli.verbosity import verbosity_options
from rewardstack.wording import counted

if TYPE_CHECKING:
    from rewardstack_trainers.plan.memory import Plan

__all__ = ["command"]

EPILOG = """\b
Examples:
  rewards plan run.toml
  rewards plan --size 3B --completion 1024 --card 24
  rewards plan --size 8B --method qlora --checkpointing --completion 20000
  rewards plan --table
"""
METHODS: dict[str, dict[str, Any]] = {
    "full": {},
    "8bit": {"optimizer": "adamw_8bit"},
    "lora": {"lora": 16},
    "qlora": {"lora": 16, "quantize": "4bit"},
}
TABLE: dict[str, dict[str, Any]] = {
    "full": METHODS["full"],
    "8-bit Adam": METHODS["8bit"],
    "  + checkpointing": {**METHODS["8bit"], "checkpointing": True},
    "LoRA": METHODS["lora"],
    "QLoRA": METHODS["qlora"],
}


@click.command("plan", short_help="Estimate the GPU memory of a training run.", epilog=EPILOG)
@click.argument("config", required=False, metavar="[CONFIG]", type=click.Path(dir_okay=False))
@click.option(
    "--size", metavar="MODEL", help="A size (0.5B ... 70B) or a folder with config.json, in place of CONFIG."
)
@click.option("--table", is_flag=True, help="Show sizes against ways to train.")
@click.option(
    "--card", type=click.FloatRange(min=1), help="Say what would make it fit on a card of so many GB."
)
@click.option(
    "--generations", type=click.IntRange(min=1), default=4, show_default=True, help="Sequences at a time."
)
@click.option(
    "--prompt", type=click.IntRange(min=1), default=256, show_default=True, help="Tokens of a prompt."
)
@click.option(
    "--completion", type=click.IntRange(min=1), default=786, show_default=True, help="Tokens of a completion."
)
@click.option(
    "--shards",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Cards that ZeRO-3 or FSDP share among.",
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="full",
    show_default=True,
    help="What is trained, and how.",
)
@click.option("--checkpointing", is_flag=True, help="Compute activations again instead of keeping them.")
@click.option(
    "--colocate",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="SHARE",
    help="vLLM's share of the same card.",
)
@click.option(
    "--trainer", type=click.Choice(["trl", "old-trl", "unsloth"]), default="trl", show_default=True,
    help="Whose head: TRL's since 1.16, TRL's before, which holds all logits, or Unsloth's.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the estimate as JSON.")
@verbosity_options()
def command(
    config: str | None, size: str | None, table: bool, card: float | None, as_json: bool, **given: Any
) -> int:
    """Estimate the memory that a run needs, term by term, without loading anything.

    Exits with 1 when the run does not fit on --card.
    """
    if sum((config is not None, size is not None, table)) != 1:
        raise click.UsageError("name a CONFIG, a --size, or --table")
    if table:
        refuse_unread("--table", ("card", "method", "checkpointing"))
    if config is not None:
        refuse_unread("CONFIG", [name for name in given if name != "shards"])
    if table:
        show_table(given, as_json=as_json)
        return 0
    from rewardstack_trainers.plan.memory import fits

    plan = plan_from(config, size, given)
    show_plan(plan, card, as_json=as_json)
    return 0 if card is None or fits(plan, card) else 1


def refuse_unread(source: str, names: Sequence[str]) -> None:
    """Refuse options that would be passed over, because something else says the same."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} has no meaning beside {source}")


def plan_from(config: str | None, size: str | None, given: dict[str, Any]) -> "Plan":
    """Return the plan of a training file or of a size."""
    from rewardstack_trainers.plan.memory import Plan
    from rewardstack_trainers.plan.shapes import shape_of

    if config is not None:
        from rewardstack_trainers.plan.reading import plan_of
        from rewardstack_trainers.training.config import load_config

        return plan_of(load_config(config), given["shards"])
    return Plan(
        shape_of(str(size)), sequences=given["generations"], generated=4 * given["generations"],
        **{name: given[name] for name in ("prompt", "completion", "shards", "checkpointing", "colocate", "trainer")},
        **METHODS[given["method"]],
    )  # fmt: skip


def show_plan(plan: "Plan", card: float | None, *, as_json: bool) -> None:
    """Print a plan's terms, the cards that hold it, and what would make it fit."""
    from rewardstack_trainers.plan.changes import CARDS, cheapest_changes
    from rewardstack_trainers.plan.memory import GB, close_call, estimate, fits

    found = estimate(plan, card or 80.0)
    holds = {name: fits(plan, size) for name, size in CARDS.items()}
    close = {name: close_call(plan, size) for name, size in CARDS.items()}
    changes = None if card is None else cheapest_changes(plan, card)
    if as_json:
        print_json({
            "parameters": plan.shape.parameters, "peak": found.peak / GB, "fits": holds, "close": close, "changes": changes,
            **{phase: {name: each / GB for name, each in getattr(found, phase).items()} for phase in ("training", "generation")},
        })  # fmt: skip
        return
    names = list(dict.fromkeys([*found.training, *found.generation]))
    rows = [
        [name, *(cell(phase.get(name, 0.0) / GB) for phase in (found.training, found.generation))]
        for name in names
        if found.training.get(name, 0.0) + found.generation.get(name, 0.0) > 0
    ]
    sums = [cell(sum(phase.values()) / GB) for phase in (found.training, found.generation)]
    draw_table(table_of(["GB", "training", "generation"], [*rows, ["sum", *sums]]))
    click.echo(f"{plan.shape.parameters / 1e9:.2f} billion parameters; the peak is {found.peak / GB:.1f} GB")
    sure = {name: yes and not close[name] for name, yes in holds.items()}
    say("fits on", names_of(sure) or "none of the cards known for sure")
    if any(close.values()):
        say("a close call, only a run will tell", names_of(close))
    if card is not None and changes != []:
        advice = "; ".join(changes) if changes else "no change known here, nor all together"
        say(f"to fit on {card:g} GB", advice)


def say(label: str, text: str) -> None:
    """Print a line, as several where it is long."""
    click.echo(wrapped(text, f"{label}: "))


def names_of(chosen: dict[str, bool]) -> str:
    """Return the names of the cards that are chosen, with their memory."""
    from rewardstack_trainers.plan.changes import CARDS

    return ", ".join(f"{name} ({CARDS[name]} GB)" for name, yes in chosen.items() if yes)


def show_table(given: dict[str, Any], *, as_json: bool) -> None:
    """Print the peak of every size under every way to train."""
    import msgspec

    from rewardstack_trainers.plan.memory import GB, estimate
    from rewardstack_trainers.plan.shapes import KNOWN

    plans = {name: plan_from(None, name, given) for name in KNOWN}
    peaks = {
        method: {
            name: estimate(msgspec.structs.replace(plan, **change)).peak / GB for name, plan in plans.items()
        }
        for method, change in TABLE.items()
    }
    if as_json:
        print_json(peaks)
    else:
        draw_table(
            table_of(["GB", *KNOWN], [[method, *map(cell, row.values())] for method, row in peaks.items()])
        )
        click.echo(wrapped(circumstances(given)))


def circumstances(given: dict[str, Any]) -> str:
    """Return what a table of peaks holds for, as a sentence."""
    tokens = f"prompts of {given['prompt']} tokens, completions of {given['completion']}"
    return f"the peak with {counted(given['generations'], 'sequence')} at a time, {tokens}"


def cell(value: float) -> str:
    """Return a number of GB as text."""
    return f"{value:.1f}" if value < 20 else f"{value:.0f}"


def table_of(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Any:
    """Return a table with numbers at the right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for place, name in enumerate(head):
        table.add_column(name, justify="right" if place else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table
