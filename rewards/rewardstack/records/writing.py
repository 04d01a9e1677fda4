"""Writes rows, whole or not at all: JSONL, JSONL in gzip, Parquet."""

import contextlib
import gzip
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from rewardstack.errors import RecordError
from rewardstack.extras import import_extra
from rewardstack.records.text import encode

__all__ = ["check_suffix", "replaced", "write_rows"]


def write_rows(path: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as `.jsonl`, `.jsonl.gz` or `.parquet`, told by the suffix; the old file stays if anything fails.

    JSONL takes whatever a row holds (see `encode`). In Parquet, a column whose values are of several types, or are
    objects without fields, is written as JSON text, and a lone surrogate as the six characters of its escape.

    Raises `RecordError` for another suffix, a folder that cannot be written to, or a full disk.
    """
    write = WRITERS[check_suffix(path)]
    with replaced(path) as file:
        write(file, rows)


def check_suffix(path: str) -> str:
    """Return which of the known suffixes a path has; `RecordError` when none."""
    for suffix in WRITERS:
        if path.endswith(suffix):
            return suffix
    raise RecordError(f"cannot tell how to write {path}: its name must end in {', '.join(WRITERS)}")


@contextlib.contextmanager
def replaced(path: str) -> Iterator[IO[bytes]]:
    """Give a file to write to; when all went well it takes the place of `path` at once, else it is removed."""
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            yield file
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o7777)
        beside.replace(target)
    except OSError as error:
        raise RecordError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        beside.unlink(missing_ok=True)


def write_lines(file: IO[bytes], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line."""
    file.writelines(encode(row) + b"\n" for row in rows)


def write_zipped(file: IO[bytes], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line, in gzip; equal rows give equal bytes."""
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as zipped:
        zipped.writelines(encode(row) + b"\n" for row in rows)


def write_parquet(file: IO[bytes], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a Parquet table with the columns of all rows."""
    arrow, parquet = import_arrow("pyarrow"), import_arrow("pyarrow.parquet")
    kept = list(rows)
    names = dict.fromkeys(name for row in kept for name in row)
    table = {name: arrow_column([row.get(name) for row in kept]) for name in names}
    parquet.write_table(arrow.table(table), file)


def import_arrow(module: str) -> Any:
    """Import what writes Parquet."""
    return import_extra(module, "data", "writing Parquet")


def arrow_column(values: list[Any]) -> Any:
    """Return values as an Arrow array, as JSON text where Arrow or Parquet has no one type for them."""
    arrow = import_arrow("pyarrow")
    if any(map(holds_empty_object, values)):
        return json_column(values)
    try:
        return arrow.array(values)
    except UnicodeEncodeError:
        return arrow_column([escape_surrogates(value) for value in values])
    except (arrow.ArrowException, OverflowError, TypeError, ValueError):
        return json_column(values)


def json_column(values: list[Any]) -> Any:
    """Return values as an Arrow array of JSON text."""
    texts = [None if value is None else encode(value).decode() for value in values]
    return import_arrow("pyarrow").array(texts, "string")


def holds_empty_object(value: Any) -> bool:
    """Whether a value holds an object without fields, which Parquet cannot write."""
    if isinstance(value, Mapping):
        return not value or any(map(holds_empty_object, value.values()))
    return isinstance(value, (list, tuple)) and any(map(holds_empty_object, value))


def escape_surrogates(value: Any) -> Any:
    r"""Return a value whose texts have `\ud800` and its kin written out."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {escape_surrogates(name): escape_surrogates(item) for name, item in value.items()}
    return [escape_surrogates(item) for item in value] if isinstance(value, (list, tuple)) else value


WRITERS: dict[str, Callable[[IO[bytes], Iterable[Mapping[str, Any]]], None]] = {
    ".jsonl": write_lines,
    ".jsonl.gz": write_zipped,
    ".parquet": write_parquet,
}
