"""`rewards try`: one completion, one reward, and everything it says."""

import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from rewardstack.cli.options import json_or_text, json_output, pairs, single_stack
from rewardstack.cli.output import clean_stdout, complain, draw_table, print_json
from rewardstack.cli.verbosity import unrepeated_errors, verbosity, verbosity_options
from rewardstack.errors import ColumnError, RecordError, nearest
from rewardstack.exit_codes import CANNOT_JUDGE, GOOD
from rewardstack.records.samples import check_row
from rewardstack.report.texts import printable, short_number
from rewardstack.sample import ABSENT, Batch, Sample
from rewardstack.score import Score
from rewardstack.term import Term

__all__ = ["command"]

EXAMPLE = """\b
Example:
  rewards try my.py:brief --completion "It is 42." --answer 42 -o limit=20
"""
LONGEST_VALUE = 300
NEVER_UNREAD = frozenset(
    {"completion", "messages", "prompt", "id"}
)  # a sample's own, whatever is read of them
TEXT_HELP = "`-` is standard input, @FILE a file, @@ a literal @."


@click.command("try", epilog=EXAMPLE)
@click.argument("reward")
@click.option("--completion", metavar="TEXT", help=f"The completion. {TEXT_HELP}")
@click.option("--prompt", metavar="TEXT", help="The prompt.")
@click.option("--answer", metavar="TEXT", help="The gold answer, as text.")
@pairs(
    "-c", "--column", "columns", metavar="COLUMN=VALUE",
    help="Any other column (or chat messages as the completion): JSON if it parses, else text.",
)  # fmt: skip
@pairs("-o", "--option", "options", metavar="OPTION=VALUE", help="Set an option of the reward.")
@click.option("--chat", is_flag=True, help="Wrap prompt and completion as chat messages.")
@json_output
@verbosity_options()
def command(
    reward: str,
    columns: dict[str, str],
    options: dict[str, str],
    chat: bool,
    as_json: bool,
    **texts: str | None,
) -> int:
    """Score one completion with one REWARD and print value, reason and details.

    REWARD is a plugin's (`format.tags`), a module's (`package.module:thing`) or a file's (`my.py:brief`).

    Exits with 3 when the reward failed (raised, or returned what is no score), else with 0.
    """
    given = {name: read_text(text, name) for name, text in texts.items() if text is not None}
    check_twice(columns, given)
    row = {**{name: read_column(text, name) for name, text in columns.items()}, **given}
    if not row.keys() & {"completion", "messages"}:
        raise click.UsageError("missing --completion TEXT (or chat messages: -c 'completion=[...]')")
    with clean_stdout(), unrepeated_errors():
        stack = single_stack(reward, options)
        sample = check_row(row, "0", chat=chat)
        (term,) = stack.terms
        check_columns(term, sample, columns)
        (scored,) = stack.score([sample])
    facts = describe_score(term, scored.rewards[term.name], sample)
    if as_json:
        print_json(facts)
    else:
        draw(facts)
    return CANNOT_JUDGE if facts["error"] is not None else GOOD


def read_text(text: str, option: str) -> str:
    """Return what an option's text stands for: itself, standard input (`-`), or a file (`@FILE`)."""
    if text != "-" and not text.startswith("@"):
        return text
    if text.startswith("@@"):
        return text[1:]
    try:
        data = sys.stdin.buffer.read() if text == "-" else Path(text[1:]).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise RecordError(f"--{option}: cannot read {text[1:]}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"--{option}: {text[1:] or 'standard input'} is not UTF-8 text") from error


def check_twice(columns: Collection[str], given: Collection[str]) -> None:
    """Raise `UsageError` for a column that an option of its own and `-c` both give."""
    for name in columns:
        if name in given:
            raise click.UsageError(f"the {name} is given twice: by --{name} and by -c")


def read_column(text: str, name: str) -> Any:
    """Return a column's value: JSON if it parses, else the text; JSON that seems to be meant and is none is told of."""
    value = json_or_text(text)
    if value is text and text.lstrip().startswith(("[", "{")):
        warn(f"-c {name}: {shown(text)} is no JSON, so it is taken as text")
    return value


def warn(message: str) -> None:
    """Print a warning, unless it shall be quiet."""
    if verbosity() >= 0:
        complain(message, prefix="warning: ")


def check_columns(term: Term, sample: Sample, given: Collection[str]) -> None:
    """Raise `ColumnError` when the reward requires columns that are not there, naming what of `given` seems to be meant.

    A column given with `-c` that it does not read is an error where its name is nearly that of one it lacks; else it
    is told of.
    """
    batch, read = Batch.from_samples([sample]), term.columns()
    lacking = [name for name in read if name not in batch]
    for name in given if not term.reward.takes_all else ():
        if name in read or name in NEVER_UNREAD:
            continue
        close = nearest(name, lacking)
        if close:
            raise ColumnError(
                f"-c: {term.reward.name} reads no column {name!r}{close}. It reads: {', '.join(read)}"
            )
        warn(f"-c: {term.reward.name} reads no column {name!r}. It reads: {', '.join(read)}")
    missing = [name for name in lacking if read[name]]
    if missing:
        ways = ["--answer TEXT" if name == "answer" else f"-c {name}=VALUE" for name in missing]
        raise ColumnError(
            f"{term.reward.name} reads {' and '.join(map(repr, missing))}, which was not given. Add {' '.join(ways)}"
        )


def describe_score(term: Term, score: Score, sample: Sample) -> dict[str, Any]:
    """Return all there is to say of a score as data."""
    batch = Batch.from_samples([sample])
    columns = [*term.columns(), *(batch.given if term.reward.takes_all else ())]
    read = {name: batch.column(name)[0] for name in dict.fromkeys(columns) if name in batch}
    defaults = {name: option.default for name, option in term.reward.options.items()}
    return {
        "reward": term.reward.name,
        "value": score.value,
        "reason": score.reason,
        "error": score.error,
        "where": score.where,
        "details": dict(score.details),
        "read": {name: None if value is ABSENT else value for name, value in read.items()},
        "lacks": [name for name in term.columns() if name not in batch],
        "options": defaults | term.options,
        "seconds": score.seconds,
    }


def draw(facts: dict[str, Any]) -> None:
    """Print a score for a person: the value first, then why, then what went in."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("value", Text(*value_text(facts)))
    for name in ("reason", "error", "where"):
        if facts[name]:
            table.add_row(name, Text(printable(facts[name])))
    for name in ("details", "read", "options"):
        for number, (key, value) in enumerate(facts[name].items()):
            table.add_row("" if number else name, Text(f"{printable(key)} = {shown(value)}"))
    if facts["lacks"]:
        table.add_row("lacks", Text(f"{', '.join(facts['lacks'])} (optional)"))
    table.add_row("took", Text(f"{facts['seconds'] * 1000:.3g} ms"))
    draw_table(table)


def value_text(facts: dict[str, Any]) -> tuple[str, str]:
    """Return the value as text and its colour."""
    if facts["error"] is not None:
        return "none: the reward failed", "red"
    if facts["value"] is None:
        return "none: the reward abstains, it does not apply here", "yellow"
    return short_number(facts["value"], 6), "green" if facts["value"] > 0 else "red"


def shown(value: Any) -> str:
    """Return a value on one line, its middle left out when it is long."""
    text = printable(repr(value))
    half = LONGEST_VALUE // 2
    return text if len(text) <= LONGEST_VALUE else f"{text[:half]} ... {text[-half:]}"
