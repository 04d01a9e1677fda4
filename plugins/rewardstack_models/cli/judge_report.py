"""`rewards judge-report`: measure the judges of a stack against labels."""

from typing import TYPE_CHECKING, Any

import click

from rewardstack.cli.options import json_output, sample_reading
from rewardstack.cli.output import clean_stdout, draw_table, print_json, wrapped
from rewardstack.cli.verbosity import unrepeated_errors, verbosity_options
from rewardstack.wording import counted

if TYPE_CHECKING:
    from rewardstack import Stack, StackScore
    from rewardstack_models.judge_report import JudgeReport

__all__ = ["command"]

EPILOG = """\b
Examples:
  rewards judge-report stack.toml samples.jsonl --label right
  rewards judge-report stack.toml samples.jsonl --label right --min-kappa 0.6

\b
Exit codes:
  0    good
  1    --min-kappa or --min-accuracy is not met
  2    usage, a file, or the stack is wrong
  3    a judge gave no verdict, or none on a row with a label
"""


@click.command("judge-report", short_help="Measure the judges of a stack against labels.", epilog=EPILOG)
@click.argument("stack", metavar="STACK", type=click.Path(dir_okay=False))
@click.argument("samples", metavar="SAMPLES")
@click.option(
    "--label", required=True, metavar="COLUMN", help="The column that says what is right: true or false."
)
@click.option("--term", metavar="NAME", help="One term alone; by default all that ask a judge.")
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="How often each row is judged.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Take the first rows only.")
@click.option(
    "--threshold", type=float, help="The value from which a term pays; by default the middle of its range."
)
@click.option("--min-kappa", type=click.FloatRange(-1, 1), help="Exit with 1 where a kappa is lower.")
@click.option("--min-accuracy", type=click.FloatRange(0, 1), help="Exit with 1 where an accuracy is lower.")
@sample_reading
@json_output
@verbosity_options()
def command(
    stack: str,
    samples: str,
    label: str,
    term: str | None,
    repeats: int,
    limit: int | None,
    threshold: float | None,
    min_kappa: float | None,
    min_accuracy: float | None,
    columns: dict[str, str],
    skip_bad: bool,
    chat: bool,
    as_json: bool,
) -> int:
    """Measure the judges of STACK on SAMPLES against labels, before one is trusted.

    Tells accuracy and Cohen's kappa with 95 % intervals, what is paid wrongly, leanings to the reply that is shown
    first and to length, steadiness over repeats, and what it all cost. Every repeat is asked anew once, and is in the
    cache from then on. Gates and routing of the stack hold.
    """
    from rewardstack.cli.naming import load_stack
    from rewardstack.records import read_samples

    with clean_stdout(), unrepeated_errors():
        loaded = load_stack(stack)
        read = read_samples(samples, columns=columns, skip_bad=skip_bad, chat=chat)
        rows, places = read.samples[:limit], read.places[:limit]
        reports = measure(loaded, chosen(loaded, term), rows, places, label, repeats, threshold)
    if as_json:
        print_json(reports)
    else:
        for report in reports:
            if report.judged:
                show(report)
    return verdict(reports, min_kappa, min_accuracy)


def chosen(stack: "Stack", name: str | None) -> list[Any]:
    """Return the terms to measure; `UsageError` where there is none."""
    from rewardstack.errors import nearest
    from rewardstack_models.judging.asking import Asker

    judges = [
        term
        for term in stack.terms
        if isinstance(term.reward.target, type) and issubclass(term.reward.target, Asker)
    ]
    names = [term.name for term in judges]
    if not judges:
        raise click.UsageError("no term of the stack asks a judge (models.judge, models.rubric)")
    if name is not None and name not in names:
        raise click.UsageError(
            f"--term {name}: no such judge{nearest(name, names)}. There are: {', '.join(names)}"
        )
    return [term for term in judges if name in (None, term.name)]


def measure(
    stack: "Stack",
    terms: list[Any],
    rows: list[Any],
    places: list[str],
    label: str,
    repeats: int,
    threshold: float | None,
) -> list["JudgeReport"]:
    """Return the reports of some terms."""
    from rewardstack import completion_text
    from rewardstack.report.labels import read_label, threshold_of
    from rewardstack_models.judge_report import report_on
    from rewardstack_models.judging.exchanges import repeating

    labels = [
        read_label(row.columns.get(label), label, place) for row, place in zip(rows, places, strict=True)
    ]
    runs = []
    for number in range(repeats):
        with repeating(number):
            runs.append(stack.score(rows))
        if not any(judged(runs[0], term.name) for term in terms):
            break  # a judge that cannot be reached is not waited for again
    lengths = [len(completion_text(row.completion)) for row in rows]
    return [
        report_on(
            term.name, [[score.rewards.get(term.name) for score in run] for run in runs], labels, lengths,
            threshold_of(term) if threshold is None else threshold,
        )
        for term in terms
    ]  # fmt: skip


def judged(run: "list[StackScore]", name: str) -> bool:
    """Whether a term gave a value for any row."""
    return any(name in score.rewards and score.rewards[name].value is not None for score in run)


LINES = (
    ("accuracy", "accuracy", "share of rows where judge and label agree"),
    ("kappa", "kappa", "agreement beyond chance: 1 perfect, 0 chance"),
    ("paid wrong", "paid_wrong", "share of wrong replies that are paid"),
    ("unpaid right", "unpaid_right", "share of right replies that are not paid"),
    ("first picked", "first_picked", "pairs: the reply shown first wins; 0.5 is fair"),
    ("turned", "turned", "pairs: the verdict changes with the order"),
    ("length", "length", "correlation of value and length at one label; 0 is fair"),
    ("paid, short", "paid_short", "wrong replies that are paid, the shorter half"),
    ("paid, long", "paid_long", "wrong replies that are paid, the longer half"),
    ("steady", "steady", "share of rows on which all repeats agree"),
)


def show(report: "JudgeReport") -> None:
    """Print one report."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for name in (report.term, "value", "95 %", "which is"):
        table.add_column(name, justify="left" if name in (report.term, "which is") else "right")
    for name, field, meaning in LINES:
        value = getattr(report, field)
        if value is not None:
            plain = isinstance(value, float)
            number = value if plain else value.value
            table.add_row(
                name, f"{number:.3f}", "" if plain else f"{value.low:.3f} – {value.high:.3f}", meaning
            )
    draw_table(table)
    first = f"; the first: {report.first_error}" if report.errors else ""
    rows = f"{counted(report.rows, 'row')}, {report.labelled:,} with verdict and label"
    asked = f"{counted(report.repeats, 'repeat')}: {counted(report.calls, 'call')}, {report.cached:,} from the cache"
    click.echo(
        wrapped(f"{rows}; {report.refused:,} refused unasked, {counted(report.errors, 'error')}{first}")
    )
    click.echo(wrapped(f"{asked}, {counted(report.tokens, 'token')}, cost {report.cost:.4f}"))


def why_mute(report: "JudgeReport") -> str:
    """Return why nothing can be measured of a term."""
    if report.errors and not report.judged:
        return f"no row got a verdict, {report.errors:,} of {counted(report.rows, 'row')} erred; the first: {report.first_error}"
    return "no row has both a verdict and a label"


def verdict(reports: list["JudgeReport"], min_kappa: float | None, min_accuracy: float | None) -> int:
    """Return the exit code; what falls short is told on standard error."""
    from rewardstack.cli.output import complain
    from rewardstack.exit_codes import CANNOT_JUDGE

    mute = [report for report in reports if not report.labelled]
    for report in mute:
        complain(f"{report.term}: {why_mute(report)}")
    if mute:
        return CANNOT_JUDGE
    short = []
    for report in reports:
        for name, found, least in (
            ("kappa", report.kappa, min_kappa),
            ("accuracy", report.accuracy, min_accuracy),
        ):
            if least is not None and (found is None or found.value < least):
                short.append(
                    f"{report.term}: the {name} is {'none' if found is None else f'{found.value:.3f}'}, below {least:g}"
                )
    for line in short:
        complain(line)
    return 1 if short else 0
