"""A file of scores on its way: appended to chunk by chunk, gone on with after an interruption, finished."""

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from rewardstack.errors import RecordError, ResumeError
from rewardstack.records.text import decode, encode
from rewardstack.records.writing import check_suffix, write_rows
from rewardstack.sample import Sample
from rewardstack.score import StackScore

__all__ = ["Errors", "Identity", "Ledger", "Pipe", "hash_samples", "row_of", "written"]


class Identity(msgspec.Struct, frozen=True):
    """What decides the scores of a run; one with another identity cannot go on with its file."""

    stack: str
    samples: str
    rows: int
    step: int
    chunk: int


WHAT = {
    "stack": "another stack, or other versions of its plugins",
    "samples": "other samples, or samples read otherwise",
    "rows": "another number of samples",
    "step": "another --step",
    "chunk": "another --chunk",
}


class Errors(msgspec.Struct, frozen=True):
    """How many rows of a run count as errors, and the first causes."""

    rows: int = 0
    causes: tuple[str, ...] = ()


class Sidecar(msgspec.Struct, frozen=True):
    """What stands in `OUT.run.json` beside the scores; `errors` are those of a finished run."""

    identity: Identity
    finished: bool = False
    errors: Errors = Errors()


class Pipe:
    """Scores that go to standard output as JSON lines; nothing of them is kept."""

    complete: Errors | None = None

    def begin(self, ids: Sequence[str], ends: Sequence[int]) -> list[StackScore]:  # noqa: ARG002 - as Ledger's
        """Return no scores: nothing was kept."""
        return []

    def append(self, scores: Iterable[StackScore]) -> None:
        """Print scores."""
        click.echo(b"".join(encode(row_of(score)) + b"\n" for score in scores), nl=False)

    def finish(self, errors: Errors) -> None:
        """Do nothing more."""


class Ledger:
    """Scores that go to a file, and the sidecar that says what they belong to.

    JSONL is written in place. For other formats the rows wait in `OUT.partial.jsonl` until all are there. After
    `begin`, `complete` holds the errors of a run that was finished before.
    """

    def __init__(self, path: str, identity: Identity, *, resume: bool, force: bool) -> None:
        self.path = path
        self.identity = identity
        self.resume = resume
        self.force = force
        self.in_place = check_suffix(path) == ".jsonl"
        self.lines = Path(path if self.in_place else f"{path}.partial.jsonl")
        self.sidecar = Path(f"{path}.run.json")
        self.complete: Errors | None = None

    def begin(self, ids: Sequence[str], ends: Sequence[int]) -> list[StackScore]:
        """Return the scores that an interrupted run has left, up to the end of a chunk; `ids` are the samples'.

        Raises `ResumeError` when the file must not be gone on with, or must not be overwritten.
        """
        with written(self.path):
            earlier = None if self.force else self.read_sidecar()
            if not self.resume or earlier is None:
                self.check_overwriting(earlier)
                return self.start()
            self.check_identity(earlier.identity)
            if earlier.finished and Path(self.path).exists():
                self.complete = earlier.errors
                return []
            return self.repair(ids, ends) if self.lines.exists() else self.start()

    def start(self) -> list[StackScore]:
        """Begin with no rows; the old rows go first, so that they never stand under the new identity."""
        self.lines.unlink(missing_ok=True)
        self.write_sidecar(Sidecar(self.identity))
        self.lines.touch()
        return []

    def append(self, scores: Iterable[StackScore]) -> None:
        """Write a chunk's scores to the end of the file."""
        data = b"".join(encode(row_of(score)) + b"\n" for score in scores)
        with written(self.path), self.lines.open("ab") as file:
            file.write(data)

    def finish(self, errors: Errors) -> None:
        """Make the file what its suffix says, and mark the run as finished."""
        if not self.in_place:
            convert(self.lines, self.path)
        self.write_sidecar(Sidecar(self.identity, finished=True, errors=errors))
        if not self.in_place:
            self.lines.unlink()

    def read_sidecar(self) -> Sidecar | None:
        """Return what the sidecar says, None where there is none."""
        try:
            return msgspec.json.decode(self.sidecar.read_bytes(), type=Sidecar)
        except FileNotFoundError:
            return None
        except msgspec.MsgspecError as error:
            raise ResumeError(f"{self.sidecar} is not what `rewards score` wrote: {error}") from error

    def write_sidecar(self, sidecar: Sidecar) -> None:
        """Say what the scores belong to, and whether all are there."""
        data = msgspec.json.encode(sidecar)
        beside = self.sidecar.with_name(f".{self.sidecar.name}.tmp")
        beside.write_bytes(msgspec.json.format(data, indent=2) + b"\n")
        beside.replace(self.sidecar)

    def check_overwriting(self, earlier: Sidecar | None) -> None:
        """Raise `ResumeError` where starting anew would lose scores, or a file that is none of ours."""
        if self.force:
            return
        if earlier is None and Path(self.path).exists():
            raise ResumeError(
                f"{self.path} exists, and no {self.sidecar.name} says that `rewards score` wrote it. Name another "
                f"file, or overwrite it with --force"
            )
        if earlier is not None and not earlier.finished and self.lines.exists() and self.lines.stat().st_size:
            raise ResumeError(
                f"{self.lines} holds the scores of an interrupted run. Go on with it with --resume, or start anew "
                f"with --force"
            )
        if earlier is not None and earlier.finished and Path(self.path).exists():
            differing = self.differing(earlier.identity)
            if differing:
                raise ResumeError(
                    f"{self.path} holds the scores of a finished run, which are those of {differing}. Name another "
                    f"file, or overwrite it with --force"
                )

    def differing(self, earlier: Identity) -> str:
        """Return how an earlier run differs from this one, empty where it is the same."""
        then, now = msgspec.structs.asdict(earlier), msgspec.structs.asdict(self.identity)
        return "; of ".join(WHAT[name] for name in WHAT if then[name] != now[name])

    def check_identity(self, earlier: Identity) -> None:
        """Raise `ResumeError` when the scores on disk belong to another run."""
        differing = self.differing(earlier)
        if differing:
            raise ResumeError(
                f"{self.path} cannot be gone on with: its scores are those of {differing}. "
                f"Start anew with --force, or name another file"
            )

    def repair(self, ids: Sequence[str], ends: Sequence[int]) -> list[StackScore]:
        """Return the scores on disk up to the last whole chunk, and cut off what follows (a half-written line)."""
        kept: list[StackScore] = []
        sizes = [0]
        with self.lines.open("rb") as file:
            for id, line in zip(ids, file, strict=False):
                score = read_score(line)
                if score is None:
                    break
                if score.id != id:
                    raise ResumeError(
                        f"{self.lines}:{len(sizes)} has the score of {score.id!r} where that of {id!r} belongs"
                    )
                kept.append(score)
                sizes.append(sizes[-1] + len(line))
        count = max((end for end in ends if end <= len(kept)), default=0)
        with self.lines.open("rb+") as file:
            file.truncate(sizes[count])
        return kept[:count]


@contextlib.contextmanager
def written(path: str) -> Iterator[None]:
    """Turn what the operating system refuses into an error that names the file."""
    try:
        yield
    except OSError as error:
        raise RecordError(f"cannot write {path}: {error.strerror or error}") from error


def row_of(score: StackScore) -> dict[str, Any]:
    """Return the row of one sample's scores; the kind of a fault stands there so that time-outs are known again."""
    rewards = {
        name: {
            "value": each.value, "reason": each.reason, "error": each.error, "details": each.details,
            "seconds": each.seconds, **({"fault": each.fault} if each.fault else {}),
        }
        for name, each in score.rewards.items()
    }  # fmt: skip
    return {"id": score.id, "total": score.total, "rewards": rewards}


def read_score(line: bytes) -> StackScore | None:
    """Return the score a line holds, None where the line was not written whole."""
    if not line.endswith(b"\n"):
        return None
    try:
        return msgspec.convert(decode(line), StackScore)
    except msgspec.ValidationError:  # `Fault` included: a disk that filled up can leave anything
        return None


def convert(lines: Path, path: str) -> None:
    """Write the rows of a finished run in the format of `path`; in Parquet, details are JSON text."""
    with lines.open("rb") as file:
        rows = map(decode, file)
        write_rows(path, map(flatten_details, rows) if path.endswith(".parquet") else rows)


def flatten_details(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of scores with details as text: a column of a table has one type, details have not."""
    rewards = {
        name: {**score, "details": encode(score["details"]).decode()}
        for name, score in row["rewards"].items()
    }
    return {**row, "rewards": rewards}


def hash_samples(samples: Iterable[Sample]) -> str:
    """Return a hash of all that samples hold, in their order."""
    digest = hashlib.sha256()
    for sample in samples:
        digest.update(encode([sample.id, sample.prompt, sample.completion, sample.columns]) + b"\n")
    return digest.hexdigest()
