"""Keeps every scored batch, with all that the stack read: `rewards test STACK scored.parquet` scores it again.

Rows are appended as JSON lines while the run goes on, so an interrupted run loses nothing, and become one Parquet
file at the end. Beside the columns the stack reads stand `expected` (each term's value, so that `rewards test`
compares), and what the trainer got: `scored_total` in double precision, `scored_step`, `scored_phase`,
`scored_reason`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from rewardstack import Stack
from rewardstack.errors import RecordError
from rewardstack.records.text import decode, encode
from rewardstack.records.writing import write_rows
from rewardstack_trainers.scoring import Scored, reasons_of

__all__ = ["Record", "forget_since"]

DERIVED = ("prompt", "completion", "messages", "prompts", "completions")


class Record:
    """The record of one rank. `phase` tells what a batch is for; the trainer knows."""

    def __init__(
        self, stack: Stack, folder: Path, rank: int = 0, phase: Callable[[], str] = lambda: "train"
    ) -> None:
        self.columns = [name for name in stack.columns() if name not in DERIVED]
        self.expects = "expected" not in stack.columns()  # a reward that reads that column must find its own
        self.takes_all = any(term.reward.takes_all for term in stack.terms)
        self.folder = folder
        self.lines = folder / f"scored.rank{rank}.jsonl"
        self.phase = phase

    def __call__(self, scored: Scored) -> None:
        """Append a scored batch."""
        data = b"".join(encode(row) + b"\n" for row in self.rows(scored))
        try:
            with self.lines.open("a+b") as file:
                if ends_within_a_line(file):  # the run was killed while it wrote
                    file.write(b"\n")
                file.write(data)
        except OSError as error:
            raise RecordError(f"cannot write {self.lines}: {error.strerror or error}") from error

    def rows(self, scored: Scored) -> Iterator[dict[str, Any]]:
        """Return a batch's rows."""
        batch, phase = scored.batch, self.phase()
        names = sorted(batch.given) if self.takes_all else [name for name in self.columns if name in batch]
        columns = {name: batch.column(name) for name in names}
        for place, score in enumerate(scored.run.scores):
            yield {
                "prompt": scored.rollout.prompts[place],
                "completion": scored.rollout.completions[place],
                **{name: values[place] for name, values in columns.items()},
                **(
                    {"expected": {name: each.value for name, each in score.rewards.items()}}
                    if self.expects
                    else {}
                ),
                "scored_total": score.total,
                "scored_reason": reasons_of(score),
                "scored_step": scored.rollout.step,
                "scored_phase": phase,
            }

    def finish(self) -> Path | None:
        """Make one Parquet file of all ranks' lines, in the order of steps, and return it; None without any row."""
        rows = [row for path in lines_of_all_ranks(self.folder) for row in read_lines(path)]
        if not rows:
            return None
        rows.sort(key=lambda row: row["scored_step"])
        target = self.folder / "scored.parquet"
        write_rows(str(target), rows)
        return target


def forget_since(folder: Path, step: int, *, evaluates_again: bool) -> None:
    """Drop what was scored after a checkpoint, since a run that goes on from it scores those steps again.

    What is held out is scored at a step's end, before its checkpoint: those rows stay, unless the run begins with it.
    Raises `RecordError` where the record cannot be written.
    """

    def stays(row: dict[str, Any]) -> bool:
        held_out = row["scored_phase"] == "eval" and not evaluates_again
        return bool(row["scored_step"] < step or (held_out and row["scored_step"] == step))

    for path in lines_of_all_ranks(folder):
        rows = list(read_lines(path))
        left = [row for row in rows if stays(row)]
        if len(left) < len(rows):
            write_rows(str(path), left)


def lines_of_all_ranks(folder: Path) -> list[Path]:
    """Return the files that the ranks append to."""
    return sorted(folder.glob("scored.rank*.jsonl"))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Return the rows of a file, without the line within which a run was killed."""
    with path.open("rb") as file:
        yield from (row for row in map(decode, file) if isinstance(row, dict))


def ends_within_a_line(file: BinaryIO) -> bool:
    """Whether a file's last line has no end; leaves the file at its end."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 1))
    return file.read() not in (b"", b"\n")
