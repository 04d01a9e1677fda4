"""`--update`: observed values become the expectations in a file of samples."""

import gzip
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from rewardstack.errors import RecordError
from rewardstack.records.writing import replaced
from rewardstack.report.run import ScoredRun
from rewardstack.report.texts import printable
from rewardstack.report.updating import Update, find_updates, set_member
from rewardstack.sample import ABSENT, Sample
from rewardstack.wording import counted

__all__ = ["EXPECTED", "check_updatable", "is_columnar", "update_samples"]

EXPECTED = "expected"
SHOWN = 20
GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"


def first_bytes(path: str) -> bytes:
    """Return how a file begins; nothing for what cannot be read, which whoever reads it will tell."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(PARQUET))
    except OSError:
        return b""


def is_columnar(path: str) -> bool:
    """Whether samples come in columns (Parquet, a data set folder), where every row has every column."""
    return path != "-" and (Path(path).is_dir() or first_bytes(path) == PARQUET)


def check_updatable(path: str, columns: Mapping[str, str]) -> None:
    """Raise `UsageError` where `--update` could not write the expectations of a file."""
    is_array = path.removesuffix(".gz").endswith(".json")
    if path == "-" or is_columnar(path) or is_array:
        raise click.UsageError(
            "--update edits files of JSON lines (.jsonl, .jsonl.gz); convert the samples first"
        )
    if EXPECTED in columns.values():
        raise click.UsageError(f"--update would overwrite the column {EXPECTED!r}, which -c reads as another")


def update_samples(run: ScoredRun, column: str, *, ask: bool, to_stderr: bool) -> Sequence[Sample]:
    """Show what would change, ask, write it, and return the samples as they are then.

    `column` is the name of the expectations in the file. Nothing is written when the answer is no.
    """
    updates = find_updates(run.samples, run.scores, run.places, EXPECTED)
    erred = sum(bool(score.errors) for score in run.scores)
    for line in describe(updates, erred):
        click.echo(printable(line), err=to_stderr)
    if not updates:
        return run.samples
    if ask and not click.confirm(f"Write this to {run.source}?", err=to_stderr):
        click.echo("nothing is written", err=to_stderr)
        return run.samples
    write_updates(run.source, updates, column)
    samples = list(run.samples)
    for update in updates:
        sample = samples[update.row]
        samples[update.row] = msgspec.structs.replace(
            sample, columns={**sample.columns, EXPECTED: update.new}
        )
    return samples


def describe(updates: Sequence[Update], erred: int) -> Iterable[str]:
    """Yield the differences, and what will not be touched."""
    yield f"new expectations for {counted(len(updates), 'row')}" if updates else "no expectation changes"
    for update in updates[:SHOWN]:
        yield f"{Path(update.place).name}  {shown(update.old)} -> {shown(update.new)}"
    if len(updates) > SHOWN:
        yield f"and {len(updates) - SHOWN} more"
    if erred:
        yield f"{counted(erred, 'row')} erred: left as before"


def shown(value: Any) -> str:
    """Return an expectation as it stands in the file."""
    return "none" if value is ABSENT else msgspec.json.encode(value).decode()


def write_updates(path: str, updates: Iterable[Update], column: str) -> None:
    """Set the expectations of some lines; all other lines and members stay byte by byte."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror or error}") from error
    zipped = data.startswith(GZIP)
    lines = (gzip.decompress(data) if zipped else data).split(b"\n")
    for update in updates:
        number = int(update.place.rpartition(":")[2]) - 1
        lines[number] = set_member(lines[number].decode("utf-8"), column, update.new).encode("utf-8")
    text = b"\n".join(lines)
    with replaced(path) as file:
        file.write(gzip.compress(text, mtime=0) if zipped else text)
