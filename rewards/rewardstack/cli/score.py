"""`rewards score`: the scores of a file of samples, as a file."""

import contextlib
import math
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from rewardstack.cli.chunks import chunk_ends
from rewardstack.cli.ledger import Errors, Identity, Ledger, Pipe, hash_samples, written
from rewardstack.cli.locking import lock
from rewardstack.cli.options import reward_options, sample_reading, stack_and_samples
from rewardstack.cli.output import clean_stdout, complain, progress, tell_skipped
from rewardstack.cli.verbosity import verbosity, verbosity_options
from rewardstack.errors import TooManyErrors
from rewardstack.records import read_samples
from rewardstack.records.writing import check_suffix
from rewardstack.runner import check_columns
from rewardstack.sample import Batch
from rewardstack.score import StackScore
from rewardstack.stack import ERROR_WINDOW, Stack, counts_as_error
from rewardstack.wording import counted

__all__ = ["command"]

PIPE = "-"
CAUSES = 3
EXAMPLE = """\b
Examples:
  rewards score stack.toml samples.jsonl --out scores.jsonl
  rewards score -r my.py:brief -o limit=50 s.parquet --out scores.parquet
"""


@click.command("score", epilog=EXAMPLE)
@click.argument("paths", nargs=-1, metavar="[STACK] SAMPLES")
@click.option(
    "--out", required=True, metavar="FILE", help="FILE.jsonl, .jsonl.gz or .parquet; `-` prints JSON lines."
)
@reward_options
@sample_reading
@click.option(
    "--step", type=click.IntRange(min=0), default=0, help="The training step, for scheduled weights."
)
@click.option("--resume", is_flag=True, help="Go on after the last whole chunk of an interrupted run.")
@click.option("--force", is_flag=True, help="Start anew over whatever FILE holds.")
@click.option(
    "--chunk", type=click.IntRange(min=1), default=64, show_default=True,
    help="Rows scored, and then written, at a time. A reward of batch form sees one chunk.",
)  # fmt: skip
@verbosity_options(verbose="Tell of every bad row that is passed over.", quiet="Say only what is wrong.")
def command(
    paths: tuple[str, ...],
    out: str,
    reward: str | None,
    options: dict[str, str],
    columns: dict[str, str],
    skip_bad: bool,
    chat: bool,
    step: int,
    resume: bool,
    force: bool,
    chunk: int,
) -> None:
    """Score SAMPLES with STACK and write one row a sample, in the samples' order.

    A row has `id`, `total` (null where the row is masked) and `rewards`, an object with `value`, `reason`, `error`,
    `details` and `seconds` for each term. In Parquet, `details` is JSON text.

    SAMPLES is JSONL (also .gz), Parquet, the folder of a Hugging Face data set, or `-`, standard input. Rewards that
    look at a prompt's whole group need its rows one after another.

    An interrupted run keeps the chunks it has scored whole, and --resume goes on with it, if stack, samples and
    options are the same (FILE.run.json knows). The scores of another finished run are not overwritten without
    --force. A run whose errors exceed the stack's max_error_share ends with exit code 3, and so does --resume of it.
    """
    check_out(out, paths, resume=resume, force=force)
    with clean_stdout():
        stack, path = stack_and_samples(paths, reward, options)
        loaded = read_samples(path, columns=columns, skip_bad=skip_bad, chat=chat)
        tell_skipped(loaded.skipped, verbosity())
        batch = stack.batch(loaded.samples)
        check_columns(stack.terms, batch)
        whole_groups = any(term.reward.scope == "group" for term in stack.terms)
        ends = chunk_ends(loaded.samples, loaded.places, chunk, whole_groups=whole_groups)
        identity = Identity(stack.fingerprint(), hash_samples(loaded.samples), batch.size, step, chunk)
    target = Pipe() if out == PIPE else Ledger(out, identity, resume=resume, force=force)
    with contextlib.ExitStack() as kept:
        if out != PIPE:
            with written(out):
                lock(out, kept)
        write_scores(Scoring(stack, batch, step), target, out, ends)


def write_scores(run: "Scoring", target: Ledger | Pipe, out: str, ends: Sequence[int]) -> None:
    """Score what is not scored yet, write it, and say how it went."""
    batch = run.batch
    kept = target.begin(batch.ids, ends)
    if target.complete is not None:
        say(f"{out} is complete: {counted(batch.size, 'row')}; nothing is left to do")
        run.check_share(target.complete, batch.size)
        return
    run.count(kept)
    try:
        run.go_on(target, ends)
    except KeyboardInterrupt:
        hint = "" if out == PIPE else "; --resume goes on"
        raise KeyboardInterrupt(f"after {run.rows:,} of {counted(batch.size, 'row')}{hint}") from None
    target.finish(run.errors)
    say(run.summary() if out == PIPE else f"{out}: {run.summary()}")
    run.check_share(run.errors, run.rows)


def say(text: str) -> None:
    """Print a line to standard error, unless it shall be quiet."""
    if verbosity() >= 0:
        complain(text, prefix="")


def check_out(out: str, paths: Sequence[str], *, resume: bool, force: bool) -> None:
    """Raise `UsageError` when the output cannot be meant."""
    if resume and force:
        raise click.UsageError("--resume goes on with a file, --force starts it anew: take one of them")
    if out == PIPE and resume:
        raise click.UsageError("--resume needs a file; standard output keeps nothing")
    if out != PIPE:
        check_suffix(out)
    if any(Path(path).exists() and Path(out).exists() and Path(path).samefile(out) for path in paths):
        raise click.UsageError(f"--out {out} would overwrite what is read")


class Scoring:
    """Samples on their way through a stack, and the count of what came out so far."""

    def __init__(self, stack: Stack, batch: Batch, step: int) -> None:
        self.stack = stack
        self.batch = batch
        self.step = step
        self.rows = self.masked = 0
        self.errors = Errors()
        self.recent: deque[bool] = deque(maxlen=ERROR_WINDOW)
        self.totals: list[float] = []

    def go_on(self, target: Ledger | Pipe, ends: Sequence[int]) -> None:
        """Score the chunks that are left, each written before the next begins.

        Raises `TooManyErrors` as training would: when of the last rows too many erred, those kept included.
        """
        self.check_recent()
        with progress(self.batch.size, "scoring", done=self.rows) as advance:
            for end in [end for end in ends if end > self.rows]:
                with clean_stdout():
                    scores = self.stack.run(self.batch.take(range(self.rows, end)), self.step).scores
                target.append(scores)
                self.count(scores)
                advance(len(scores))
                self.check_recent()

    def check_recent(self) -> None:
        """Raise `TooManyErrors` when the errors of the last rows would stop a training run."""
        errors = sum(self.recent)
        if errors > self.stack.settings.max_error_share * ERROR_WINDOW:
            self.refuse(f"{errors} of the last {counted(len(self.recent), 'row')} erred", self.errors.causes)

    def check_share(self, errors: Errors, rows: int) -> None:
        """Raise `TooManyErrors` when of all rows too many erred."""
        if errors.rows > self.stack.settings.max_error_share * rows:
            self.refuse(f"{errors.rows} of {counted(rows, 'row')} erred", errors.causes)

    def refuse(self, fact: str, causes: Sequence[str]) -> NoReturn:
        """Raise `TooManyErrors` with the first causes."""
        raise TooManyErrors(
            f"stack {self.stack.name!r}: {fact}, more than max_error_share = "
            f"{self.stack.settings.max_error_share:g} allows. First causes: {'; '.join(causes)}"
        )

    def count(self, scores: Sequence[StackScore]) -> None:
        """Add scores to what has been counted."""
        self.rows += len(scores)
        erred = [score for score in scores if counts_as_error(score)]
        self.errors = Errors(self.errors.rows + len(erred), first_causes(self.errors.causes, erred))
        self.recent.extend(map(counts_as_error, scores))
        self.masked += sum(score.total is None for score in scores)
        self.totals.extend(score.total for score in scores if score.total is not None)

    def summary(self) -> str:
        """Return how many rows there are, and the mean total of those that are not masked."""
        mean = f"mean total {math.fsum(self.totals) / len(self.totals):.4g}" if self.totals else "no totals"
        masked = f", {self.masked} masked" if self.masked else ""
        erred = f", {self.errors.rows} with errors" if self.errors.rows else ""
        return f"{counted(self.rows, 'row')}{masked}{erred}, {mean}"


def first_causes(known: Sequence[str], erred: Sequence[StackScore]) -> tuple[str, ...]:
    """Return the first causes of errors that are no time-outs: those known, and what some rows add to them."""
    causes = dict.fromkeys(known)
    for score in erred:
        if len(causes) >= CAUSES:
            break
        causes |= {
            f"{name}: {each.explained_error}": None
            for name, each in score.rewards.items()
            if each.error is not None and not each.timed_out
        }
    return tuple(causes)[:CAUSES]
