"""`rewards measure`: measure the scale of a stack's reward models."""

import math
from typing import TYPE_CHECKING

import click

from rewardstack.cli.options import json_output, sample_reading
from rewardstack.cli.output import clean_stdout, complain, print_json
from rewardstack.cli.verbosity import verbosity_options
from rewardstack.wording import counted

if TYPE_CHECKING:
    from rewardstack import StackScore

__all__ = ["command"]

EPILOG = """\b
Example:
  rewards measure stack.toml samples.jsonl
"""


@click.command("measure", short_help="Measure the scale of a stack's reward models.", epilog=EPILOG)
@click.argument("stack", metavar="STACK", type=click.Path(dir_okay=False))
@click.argument("samples", metavar="SAMPLES")
@sample_reading
@json_output
@verbosity_options()
def command(
    stack: str, samples: str, columns: dict[str, str], skip_bad: bool, chat: bool, as_json: bool
) -> int:
    """Print mean and deviation of each reward model of STACK on SAMPLES, as lines for the stack file.

    Take completions of the policy as it is before training, over all kinds of prompts. The numbers are then fixed:
    scales that follow the batch or the run would pay the same completion differently from step to step.
    """
    from rewardstack.cli.naming import load_stack
    from rewardstack.records import read_samples
    from rewardstack_models.reward_models import reward

    with clean_stdout():
        loaded = load_stack(stack)
        names = [term.name for term in loaded.terms if term.reward.target is reward]
        if not names:
            raise click.UsageError("no term of the stack is a models.reward")
        scores = loaded.score(read_samples(samples, columns=columns, skip_bad=skip_bad, chat=chat).samples)
    found = {name: measured(scores, name) for name in names}
    if as_json:
        print_json(found)
    else:
        for name, numbers in found.items():
            if numbers["deviation"]:
                click.echo(
                    f"# {counted(int(numbers['rows']), 'row')}, from {numbers['low']:.4g} to {numbers['high']:.4g}\n[rewards.{name}]"
                )
                click.echo(
                    f'scale = "standard"\nmean = {numbers["mean"]:.6g}\ndeviation = {numbers["deviation"]:.6g}'
                )
            else:
                complain(
                    f"{name}: {counted(int(numbers['rows']), 'row')} with a raw value; two that differ are needed"
                )
    return 0 if all(numbers["deviation"] for numbers in found.values()) else 3


def measured(scores: "list[StackScore]", name: str) -> dict[str, float]:
    """Return count, mean, deviation and ends of a term's raw values."""
    raws = [score.rewards[name].details["raw"] for score in scores if "raw" in score.rewards[name].details]
    if not raws:
        return {"rows": 0, "mean": 0.0, "deviation": 0.0, "low": 0.0, "high": 0.0}
    mean = math.fsum(raws) / len(raws)
    spread = (
        math.sqrt(math.fsum((raw - mean) ** 2 for raw in raws) / (len(raws) - 1)) if len(raws) > 1 else 0.0
    )
    return {"rows": len(raws), "mean": mean, "deviation": spread, "low": min(raws), "high": max(raws)}
