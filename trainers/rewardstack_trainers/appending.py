"""Files of JSON lines that a run appends to while it goes on: a kill loses the line it falls in, no other."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from rewardstack.errors import RecordError
from rewardstack.records.text import decode, encode

__all__ = ["append_lines", "read_lines"]


def append_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append rows to a file; `RecordError` where it cannot be written."""
    data = b"".join(encode(row) + b"\n" for row in rows)
    try:
        with path.open("a+b") as file:
            if ends_within_a_line(file):  # the run was killed while it wrote
                file.write(b"\n")
            file.write(data)
    except OSError as error:
        raise RecordError(f"cannot write {path}: {error.strerror or error}") from error


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Return a file's rows, without the line within which a run was killed."""
    with path.open("rb") as file:
        yield from (row for row in map(decode, file) if isinstance(row, dict))


def ends_within_a_line(file: BinaryIO) -> bool:
    """Whether a file's last line has no end; leaves the file at its end."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 1))
    return file.read() not in (b"", b"\n")
