"""`rewards test`: a stack against sample completions, and against its own contract."""

import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from rewardstack.audit.contract import check_contract
from rewardstack.cli.options import json_output, reward_options, sample_reading, stack_and_samples
from rewardstack.cli.output import clean_stdout, drawing, print_json, progress
from rewardstack.cli.updating import EXPECTED, check_updatable, is_columnar, update_samples
from rewardstack.cli.verbosity import unrepeated_errors, verbosity, verbosity_options
from rewardstack.errors import RecordError, nearest
from rewardstack.finding import Check
from rewardstack.records import Loaded, read_samples
from rewardstack.records.writing import escape_surrogates, replaced
from rewardstack.report.advantages import Scale
from rewardstack.report.expectations import judge, reads_like_one
from rewardstack.report.groups import find_groups
from rewardstack.report.labels import Labels, compare, threshold_of
from rewardstack.report.outcome import MEASURES, Outcome, decide
from rewardstack.report.run import ScoredRun
from rewardstack.report.scoring import score_in_chunks
from rewardstack.report.sections import plugin_sections
from rewardstack.sample import Sample
from rewardstack.stack import Run, Stack

__all__ = ["command"]

EPILOG = """\b
Examples:
  rewards test stack.toml samples.jsonl
  rewards test stack.toml samples.jsonl --label is_correct --of correct
  rewards test -r my.py:brief -o limit=50 samples.jsonl
  rewards test stack.toml samples.jsonl --update

\b
Exit codes:
  0    good
  1    an expectation or a --min-... is not met, or a contract is violated
  2    usage, a file, or the stack is wrong
  3    cannot judge: more rows erred than the stack's max_error_share
       (time-outs do not count), or no row could be judged
  130  interrupted
"""
SHARE = click.FloatRange(0, 1)


class Wanted(msgspec.Struct, frozen=True):
    """What a test is asked for, beside stack and samples; the options of the command line by their names."""

    step: int = 0
    label: str | None = None
    of: str | None = None
    threshold: float | None = None
    min_accuracy: float | None = None
    min_precision: float | None = None
    min_recall: float | None = None
    contract: int | None = None
    batch_size: int | None = None
    advantages: bool = False
    scale: Scale = "group"
    normalise_terms: bool = False
    update: bool = False
    yes: bool = False
    as_json: bool = False
    junit: str | None = None

    @property
    def least(self) -> dict[str, float]:
        """The lowest acceptable measures of the label comparison, those that were given."""
        given = {measure: getattr(self, f"min_{measure}") for measure in MEASURES}
        return {measure: bound for measure, bound in given.items() if bound is not None}


@click.command("test", short_help="Test a stack against sample completions.", epilog=EPILOG)
@click.argument("paths", nargs=-1, metavar="[STACK] SAMPLES")
@reward_options
@sample_reading
@click.option(
    "--step",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="The training step, for scheduled weights.",
)
@click.option("--label", metavar="COLUMN", help="A column of truths: compare a term with it.")
@click.option("--of", metavar="TERM", help="The term to compare; needless where the stack has one.")
@click.option(
    "--threshold", type=float, help="The value that counts as yes.  [default: the middle of the range]"
)
@click.option("--min-accuracy", type=SHARE, metavar="SHARE", help="Fail below this accuracy.")
@click.option("--min-precision", type=SHARE, metavar="SHARE", help="Fail below this precision.")
@click.option("--min-recall", type=SHARE, metavar="SHARE", help="Fail below this recall.")
@click.option(
    "--contract", type=click.IntRange(min=0), metavar="N",
    help="Rows to try each term's contract on, 0 for none.  [default: 32, fewer for slow terms]",
)  # fmt: skip
@click.option(
    "--batch-size", type=click.IntRange(min=1), metavar="N",
    help="Rows that a reward of batch form sees at a time.  [default: all]",
)  # fmt: skip
@click.option("--advantages", is_flag=True, help="Show the advantages GRPO would compute from the totals.")
@click.option(
    "--scale", type=click.Choice(["group", "batch", "none"]), default="group", show_default=True,
    help="What advantages are divided by: TRL's scale_rewards.",
)  # fmt: skip
@click.option(
    "--normalise-terms", is_flag=True,
    help="Normalise each term in its group before the sum, as TRL's normalize_then_sum; --scale is then unused.",
)  # fmt: skip
@click.option(
    "--update", is_flag=True, help="Write observed values as `expected` into SAMPLES, after asking."
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask before --update writes.")
@click.option("--junit", metavar="FILE", help="Write JUnit XML as well.")
@json_output
@verbosity_options(verbose="Show every disagreement, error and check.", quiet="Print one line.")
def command(
    paths: tuple[str, ...], reward: str | None, options: dict[str, str], columns: dict[str, str],
    skip_bad: bool, chat: bool, **given: Any,
) -> int:  # fmt: skip
    """Score SAMPLES with STACK, judge the scores, and try the contract of every reward.

    SAMPLES is JSONL (also .gz), Parquet, the folder of a Hugging Face data set, or `-`, standard input. A column
    `expected` says what a row must score: a number (the total, within 1e-6), {"min": 0.5, "max": 1}, null (no value:
    masked or abstained; only in JSON, a null of Parquet is no expectation), or any of these by term:
    {"correct": 1.0, "format": {"min": 0.5}}. Rewards do not see that column, unless one asks for it by name: then it
    holds no expectations.

    --label COLUMN compares the term --of with a column of truths (true, "yes", 1) and shows the confusion matrix and
    every disagreement; it fails only with --min-accuracy, --min-precision or --min-recall.

    The contract checks ask of every term, on a few rows, that the same row scores the same twice, alone, in a
    permuted batch, as text and as chat messages, and with columns it does not name; that values are finite, in the
    declared range and one a row; and that inputs stay as they were.

    -v shows every disagreement and check, -q a single line.
    """
    wanted = Wanted(**given)
    check_usage(wanted, paths, columns)
    with clean_stdout(), unrepeated_errors():
        stack, path = stack_and_samples(paths, reward, options)
        loaded = read_samples(path, columns=columns, skip_bad=skip_bad, chat=chat)
        check_request(wanted, stack, loaded)
        warn_of_unjudged(stack, loaded)
        run = test(stack, loaded, path, wanted)
    if wanted.update:
        run = update(run, columns, wanted)
    outcome = decide(run, wanted.least)
    report(run, outcome, wanted)
    return outcome.code


def check_usage(wanted: Wanted, paths: Sequence[str], columns: Mapping[str, str]) -> None:
    """Raise for options that do not go together, before anything is read."""
    needs = {"--of": wanted.of, "--threshold": wanted.threshold} | {
        f"--min-{name}": 0 for name in wanted.least
    }
    for option, value in needs.items():
        if value is not None and wanted.label is None:
            raise click.UsageError(f"{option} needs --label COLUMN, the column of truths")
    if wanted.advantages and verbosity() < 0 and not wanted.as_json:
        raise click.UsageError("--advantages asks for a table, -q for one line: take one of them")
    if wanted.yes and not wanted.update:
        raise click.UsageError("--yes answers the question of --update")
    if wanted.junit is not None and not Path(wanted.junit).parent.is_dir():
        raise click.UsageError(f"--junit {wanted.junit}: there is no folder {Path(wanted.junit).parent}")
    if wanted.update and paths:
        check_updatable(paths[-1], columns)


def check_request(wanted: Wanted, stack: Stack, loaded: Loaded) -> None:
    """Raise for columns and terms that stack and samples do not have, before anything is scored."""
    if wanted.label is not None:
        term_to_compare(wanted, stack)
        known = dict.fromkeys(name for sample in loaded.samples for name in sample.columns)
        if wanted.label not in known:
            raise RecordError(
                f"--label: the samples have no column {wanted.label!r}{nearest(wanted.label, known)}. "
                f"They have: {', '.join(known) or 'none'}"
            )
    if wanted.update and EXPECTED in stack.columns():
        raise click.UsageError(f"--update: a term reads the column {EXPECTED!r}, so it holds no expectations")


def warn_of_unjudged(stack: Stack, loaded: Loaded) -> None:
    """Warn of what reads like expectations in a column that a term reads as well, if it is there: nobody judges them."""
    readers = [term.name for term in stack.terms if EXPECTED in term.columns()]
    if not readers or stack.columns()[EXPECTED]:  # who requires the column knows what it holds
        return
    values = [sample.columns.get(EXPECTED) for sample in loaded.samples]
    if any(map(reads_like_one, values)):
        logging.getLogger("rewardstack").warning(
            "the column %r is read by %s, so it holds no expectations and none is judged. To have it hold them, let "
            'the term read another: columns = { expected = "outputs" }', EXPECTED, ", ".join(readers),
        )  # fmt: skip


def term_to_compare(wanted: Wanted, stack: Stack) -> str:
    """Return the name of the term that is compared with the labels; `UsageError` when that is not clear."""
    names = [term.name for term in stack.terms]
    if wanted.of is None and len(names) == 1:
        return names[0]
    if wanted.of is None:
        raise click.UsageError(
            f"--label needs --of TERM, the term to compare. The stack has: {', '.join(names)}"
        )
    if wanted.of not in names:
        raise click.UsageError(
            f"--of: the stack has no term {wanted.of!r}{nearest(wanted.of, names)}. It has: {', '.join(names)}"
        )
    return wanted.of


def test(stack: Stack, loaded: Loaded, path: str, wanted: Wanted) -> ScoredRun:
    """Score samples, judge the scores and check the contract."""
    holds_expectations = EXPECTED not in stack.columns()
    samples = (
        [without(sample, EXPECTED) for sample in loaded.samples] if holds_expectations else loaded.samples
    )
    began = time.perf_counter()
    with progress(len(samples), "scoring") as advance:
        scored = score_in_chunks(stack, samples, wanted.step, size=wanted.batch_size, tell=advance)
    run = ScoredRun(
        stack=stack, source=path, samples=loaded.samples, places=loaded.places, scores=scored.scores,
        terms=scored.terms, step=wanted.step, seconds=time.perf_counter() - began, skipped=loaded.skipped,
        labels=compare_labels(stack, loaded, scored, wanted),
        groups=find_groups(
            samples, scored.scores, stack.terms, wanted.step, scale=wanted.scale, normalise_terms=wanted.normalise_terms
        ),
        checks=contract(stack, scored, samples, loaded.places, wanted),
    )  # fmt: skip
    return judged(run) if holds_expectations else run


def judged(run: ScoredRun) -> ScoredRun:
    """Return a run with its expectations judged."""
    found = judge(
        run.samples, run.scores, run.places, [term.name for term in run.stack.terms],
        column=EXPECTED, null_is_absent=is_columnar(run.source),
    )  # fmt: skip
    return msgspec.structs.replace(run, expectations=found)


def without(sample: Sample, column: str) -> Sample:
    """Return a sample that lacks a column."""
    if column not in sample.columns:
        return sample
    columns = {name: value for name, value in sample.columns.items() if name != column}
    return msgspec.structs.replace(sample, columns=columns)


def compare_labels(stack: Stack, loaded: Loaded, scored: Run, wanted: Wanted) -> Labels | None:
    """Return how a term does against the labels, if that was asked."""
    if wanted.label is None:
        return None
    name = term_to_compare(wanted, stack)
    (term,) = (term for term in stack.terms if term.name == name)
    threshold = threshold_of(term) if wanted.threshold is None else wanted.threshold
    return compare(name, threshold, wanted.label, loaded.samples, scored.terms[name].scores, loaded.places)


def contract(
    stack: Stack, scored: Run, samples: Sequence[Sample], places: Sequence[str], wanted: Wanted
) -> list[Check]:
    """Return the contract checks, none where they are turned off."""
    if wanted.contract == 0:
        return []
    with progress(len(stack.terms), "contract") as advance:
        return check_contract(
            stack, scored, samples, places, rows=wanted.contract, step=wanted.step, tell=lambda _: advance(1)
        )


def update(run: ScoredRun, columns: Mapping[str, str], wanted: Wanted) -> ScoredRun:
    """Write observed values as expectations, after showing them and asking; return the run judged by what is there."""
    new = update_samples(run, columns.get(EXPECTED, EXPECTED), ask=not wanted.yes, to_stderr=wanted.as_json)
    return judged(msgspec.structs.replace(run, samples=new))


def report(run: ScoredRun, outcome: Outcome, wanted: Wanted) -> None:
    """Write everything that was asked for."""
    level = verbosity()
    if wanted.junit is not None:
        from rewardstack.report.junit import junit_xml

        with replaced(wanted.junit) as file:
            file.write(junit_xml(run, wanted.least))
    if level < 0 and not wanted.as_json:
        from rewardstack.report.terminal import one_line

        click.echo(one_line(run, outcome))
        return
    with clean_stdout():
        sections = plugin_sections(run)
    if wanted.as_json:
        from rewardstack.report.document import document

        # a lone surrogate is escaped once more: many readers of JSON, jq among them, refuse or alter it
        print_json(escape_surrogates(document(run, outcome, sections, advantages=wanted.advantages)))
        return
    from rewardstack.report.terminal import draw

    with drawing() as page:
        draw(page, run, outcome, sections, everything=level > 0, advantages=wanted.advantages)
