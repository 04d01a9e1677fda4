"""`rewards show`: a stack as it is understood, before anything is scored."""

from collections.abc import Iterator, Sequence
from typing import Any

import click
import msgspec

from rewardstack.cli.facts import describe_term
from rewardstack.cli.options import json_output, reward_options, stack_or_reward
from rewardstack.cli.output import clean_stdout, draw_table, print_json
from rewardstack.cli.verbosity import verbosity, verbosity_options
from rewardstack.report.texts import printable
from rewardstack.stack import Stack

__all__ = ["command"]


@click.command("show")
@click.argument("stack", required=False)
@reward_options
@click.option(
    "--step", "steps", type=click.IntRange(min=0), multiple=True, metavar="N",
    help="A training step to give the weights at; may be given again.",
)  # fmt: skip
@json_output
@verbosity_options(verbose="Show what each option takes.")
def command(
    stack: str | None, reward: str | None, options: dict[str, str], steps: tuple[int, ...], as_json: bool
) -> None:
    """Show the terms of STACK in the order they are scored: weights, gates, limits, columns and options.

    Weights that move are shown at every --step given, at step 0 by default. Options that the stack sets are marked
    with `*`, the others have their defaults.
    """
    with clean_stdout():
        loaded = stack_or_reward(stack, reward, options)
        facts = describe_stack(loaded, steps or (0,))
    if as_json:
        print_json(facts)
    else:
        draw(facts, verbose=verbosity() > 0)


def describe_stack(stack: Stack, steps: Sequence[int]) -> dict[str, Any]:
    """Return a stack as data."""
    terms = [describe_term(term, steps) for term in stack.terms]
    return {
        **msgspec.structs.asdict(stack.settings),
        "fingerprint": stack.fingerprint(),
        "total": {str(step): total_range(terms, str(step)) for step in steps},
        "terms": terms,
    }


def total_range(terms: Sequence[dict[str, Any]], step: str) -> tuple[float, float] | None:
    """Return the lowest and highest total at a step, None where a term promises no range."""
    if any(term["range"] is None for term in terms):
        return None
    ends = [sorted(term["weight"][step] * end for end in term["range"]) for term in terms]
    return sum(low for low, _ in ends), sum(high for _, high in ends)


def draw(facts: dict[str, Any], *, verbose: bool) -> None:
    """Print a stack for a person."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in head_lines(facts):
        table.add_row(label, Text(printable(text), "bold" if label == "stack" else ""))
    for term in facts["terms"]:
        table.add_row()
        table.add_row(
            Text("term", "dim"), Text(f"{term['name']}", "bold").append(f"  {term['use']}", "not bold")
        )
        for label, text in term_lines(term, verbose=verbose):
            table.add_row(label, Text(printable(text)))
    draw_table(table)


def head_lines(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield label and text of what concerns the whole stack."""
    yield "stack", facts["name"]
    for step, ends in facts["total"].items():
        at = "" if len(facts["total"]) == 1 and step == "0" else f" at step {step}"
        yield "total", "a term promises no range" if ends is None else f"{ends[0]:g} to {ends[1]:g}{at}"
    if facts["prefill"]:
        yield "prefill", repr(facts["prefill"])
    yield "errors", f"a run stops when more than {facts['max_error_share']:.0%} of the last 200 rows erred"
    yield "fingerprint", facts["fingerprint"]


def term_lines(term: dict[str, Any], *, verbose: bool) -> Iterator[tuple[str, str]]:
    """Yield label and text of what concerns one term; what is as usual is left out."""
    if term["summary"]:
        yield "", term["summary"]
    weights = term["weight"]
    moves = len(weights) > 1
    yield (
        "weight",
        ", ".join(
            f"{weight:g} at step {step}" if moves else f"{weight:g}" for step, weight in weights.items()
        ),
    )
    if term["range"] is not None:
        yield "range", f"{term['range'][0]:g} to {term['range'][1]:g}{' (clipped)' if term['clip'] else ''}"
    for column, allowed in term["when"].items():
        values = allowed if isinstance(allowed, list) else [allowed]
        yield "when", f"{column} is {' or '.join(map(repr, values))}"
    for gate, least in term["requires"].items():
        yield "requires", f"{gate} of {least:g} or more"
    yield "reads", ", ".join(column_texts(term)) or "nothing"
    for name, option in term["options"].items():
        takes = f" ({option['type']})" if verbose else ""
        yield "option", f"{name} = {option['value']!r}{' *' if option['set'] else ''}{takes}"
    if term["make"] is not None:
        yield (
            "made with",
            ", ".join(f"{name} = {value!r}" for name, value in term["make"].items()) or "nothing",
        )
    yield "runs", ", ".join(run_texts(term))
    if term["on_error"] != "mask":
        yield "on error", term["on_error"]
    if term["on_timeout"] != "error":
        yield "on timeout", term["on_timeout"]


def column_texts(term: dict[str, Any]) -> Iterator[str]:
    """Yield each column a term reads, with what it is called by the reward and whether it may be missing."""
    for parameter, column in term["columns"].items():
        renamed = "" if parameter == column["column"] else f" (as {parameter})"
        yield f"{column['column']}{renamed}{'' if column['required'] else ' (optional)'}"
    if term["all_columns"]:
        yield "all other columns"


def run_texts(term: dict[str, Any]) -> Iterator[str]:
    """Yield how a term's reward is called."""
    yield {"sample": "sample by sample", "group": "one prompt's group a call", "batch": "a batch a call"}[
        term["scope"]
    ]
    if term["async"]:
        yield "async"
    if term["isolated"]:
        yield "in a worker process"
    if term["timeout"] is not None:
        yield f"stopped after {term['timeout']:g} s"
    if term["shared"]:
        yield "equal rows once"
