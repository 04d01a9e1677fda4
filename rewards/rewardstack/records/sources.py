"""Where rows come from: JSON lines, JSON arrays, Parquet, Hugging Face data set folders, standard input."""

import gzip
import io
import math
import os
import sys
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from rewardstack.errors import RecordError
from rewardstack.extras import import_extra
from rewardstack.records.text import Fault, decode

__all__ = ["Placed", "rows_in"]

Placed = tuple[str, Any]
"""A row's place (`file.jsonl:17`) and its value, or the `Fault` found there."""

LONGEST_MAGIC = 8
FOREIGN = {
    b"\xff\xfe": "UTF-16 text, not UTF-8 (`iconv -f UTF-16 -t UTF-8` converts it)",
    b"\xfe\xff": "UTF-16 text, not UTF-8 (`iconv -f UTF-16 -t UTF-8` converts it)",
    b"PK\x03\x04": "a ZIP archive (unpack it first)",
    b"\x28\xb5\x2f\xfd": "compressed with zstd (`zstd -dc FILE | rewards ... -` reads it)",
    b"BZh": "compressed with bzip2 (`bzip2 -dc FILE | rewards ... -` reads it)",
    b"\xfd7zXZ": "compressed with xz (`xz -dc FILE | rewards ... -` reads it)",
    b"ARROW1": "a bare Arrow file (name the folder of the data set)",
}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DATASET_MARKS = ("state.json", "dataset_dict.json")
PANDAS_INDEX = "__index_level_0__"


def rows_in(path: str) -> Iterator[Placed]:
    """Yield the rows of a file, a data set folder or standard input (`-`).

    What a file is is told by its first bytes, then by its suffix. Raises `RecordError` naming the file and the fault
    where it cannot be read to its end.
    """
    if path == "-":
        yield from file_rows("<stdin>", io.BytesIO(sys.stdin.buffer.read()))
    elif os.path.isdir(path):  # noqa: PTH112 - an empty path is none, where Path("") is the current folder
        yield from dataset_rows(path)
    else:
        try:
            with open(path, "rb") as file:  # noqa: PTH123 - the same
                yield from file_rows(path, file if file.seekable() else io.BytesIO(file.read()))
        except OSError as error:
            raise RecordError(f"cannot read {path}: {error.strerror or error}") from error


def file_rows(path: str, file: BinaryIO) -> Iterator[Placed]:
    """Yield the rows of an open file."""
    start = file.read(LONGEST_MAGIC)
    file.seek(0)
    if not start:
        raise RecordError(f"{path} is empty")
    for magic, what in FOREIGN.items():
        if start.startswith(magic):
            raise RecordError(f"{path} is {what}")
    if start.startswith(b"PAR1") or path.endswith(".parquet"):
        return parquet_rows(path, file)
    if start.startswith(b"\x1f\x8b") or path.endswith(".gz"):
        return unzipped_rows(path, file)
    if path.endswith(".json") and start.lstrip(BYTE_ORDER_MARK).lstrip().startswith(b"["):
        return array_rows(path, file.read())
    return line_rows(path, file)


def line_rows(path: str, file: BinaryIO) -> Iterator[Placed]:
    """Yield the value of every line that is not blank."""
    for number, line in enumerate(file, start=1):
        text = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if not text.isspace():
            yield f"{path}:{number}", decode(text)


def array_rows(path: str, data: bytes) -> Iterator[Placed]:
    """Yield the items of a file that is one JSON array; their number stands for the line."""
    items = decode(data.removeprefix(BYTE_ORDER_MARK))
    if isinstance(items, Fault):
        raise RecordError(f"{path} begins as a JSON array, but has {items.text}")
    for number, item in enumerate(items, start=1):
        yield f"{path}:{number}", item


def unzipped_rows(path: str, file: BinaryIO) -> Iterator[Placed]:
    """Yield the rows of a gzip file."""
    last = path
    try:
        with gzip.open(file) as unzipped:
            inner = path.removesuffix(".gz")
            rows = (
                array_rows(path, unzipped.read())
                if inner.endswith(".json")
                else line_rows(path, cast(BinaryIO, unzipped))
            )
            for last, value in rows:
                yield last, value
    except EOFError as error:
        raise RecordError(f"{path} is cut off after {last}: its gzip stream has no end") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise RecordError(f"{path} is no whole gzip file: {error}") from error


def parquet_rows(path: str, file: BinaryIO) -> Iterator[Placed]:
    """Yield the rows of a Parquet file, those of TRL's logged completions included."""
    arrow = import_extra("pyarrow", "data", f"reading {path}")
    parquet = import_extra("pyarrow.parquet", "data", f"reading {path}")
    try:
        batches = parquet.ParquetFile(file).iter_batches()
        rows = (row for batch in batches for row in batch.to_pylist())
        for number, row in enumerate(rows, start=1):
            yield f"{path}:{number}", without_gaps(row)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path} is no whole Parquet file: {first_line(error)}") from error


def dataset_rows(path: str) -> Iterator[Placed]:
    """Yield the rows of a folder that `Dataset.save_to_disk` wrote."""
    if not any(Path(path, mark).is_file() for mark in DATASET_MARKS):
        raise RecordError(
            f"{path} is a folder, but none that a data set was saved to (it has no state.json). Name a file in it"
        )
    datasets = import_extra("datasets", "data", f"reading the data set {path}")
    try:
        loaded = datasets.load_from_disk(path)
    except Exception as error:  # whatever pyarrow, fsspec or json find wrong with the folder's files
        raise RecordError(
            f"{path} is no whole Hugging Face data set: {type(error).__name__}: {first_line(error)}"
        ) from error
    if isinstance(loaded, datasets.DatasetDict):
        splits = ", ".join(str(Path(path) / str(split)) for split in loaded)
        raise RecordError(f"{path} holds several splits; name one of them: {splits}")
    for number, row in enumerate(loaded, start=1):
        yield f"{path}:{number}", without_gaps(row)


def without_gaps(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table's row with None where pandas wrote NaN for a missing value, and without pandas' index."""
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in row.items()
        if name != PANDAS_INDEX
    }


def first_line(error: Exception) -> str:
    """Return the first line of a library's message, without a full stop."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
