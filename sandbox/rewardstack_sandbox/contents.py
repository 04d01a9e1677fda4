"""Values of the standard library's types, and numpy's, as content of plain values and back.

Loaded when such a value is met (see `values.py`): each candidate is a copy of a process, and pays for all that this one
has loaded.
"""

import datetime as dt
import decimal
import fractions
import importlib
import io
import re
import sys
from collections.abc import Callable
from typing import Any

from rewardstack_sandbox.values import Malformed, whole_numbers

__all__ = ["REBUILD", "named_content"]

NUMBER = re.compile(r"[<>|=][biufc]\d{1,2}")  # numpy's names of numbers; other types may hold any object


def named_content(value: Any) -> tuple[str, Any] | None:
    """Return a name in `REBUILD` and the content it rebuilds a value from; None for other types, subclasses too."""
    kind: Any = type(value)
    if kind in BY_CONTENT:
        return kind.__name__, BY_CONTENT[kind](value)
    for (module, name), content_of in LATE.items():
        if kind is getattr(sys.modules.get(module), name, None):
            return name, content_of(value)
    content = numpy_content(value)
    return None if content is None else ("numpy", content)


def numpy_content(value: Any) -> tuple[str, tuple[int, ...] | None, bytes] | None:
    """Return the type, shape (None for a scalar) and bytes of numpy's own arrays and numbers; None for all else."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not (type(value) is numpy.ndarray or isinstance(value, numpy.generic)):
        return None
    name = value.dtype.str
    if not NUMBER.fullmatch(name) or type(value) not in (numpy.ndarray, value.dtype.type):
        return None
    return name, tuple(value.shape) if type(value) is numpy.ndarray else None, value.tobytes()


def numpy_value(name: str, shape: tuple[int, ...] | None, data: bytes) -> Any:
    """Return an array or number of numpy, which is loaded for it; `Malformed` where the bytes are too few or many."""
    if not NUMBER.fullmatch(name):
        raise Malformed("no type of number")
    numpy = importlib.import_module("numpy")
    flat = numpy.frombuffer(data, name)
    if shape is None:
        return flat.reshape(())[()]
    return flat.reshape(whole_numbers(*shape)).copy()  # a buffer of bytes cannot be written to


def clock_content(value: dt.datetime | dt.time) -> tuple[str, dt.timedelta | None, int]:
    """Return the text without its offset, the offset, and which of two equal readings is meant."""
    return value.replace(tzinfo=None, fold=0).isoformat(), value.utcoffset(), value.fold


def clock_value(kind: Any, content: tuple[str, dt.timedelta | None, int]) -> Any:
    """Return a date with time, or a time, with a fixed offset."""
    text, offset, fold = content
    zone = None if offset is None else dt.timezone(offset)
    return kind.fromisoformat(text).replace(tzinfo=zone, fold=int(fold))


def stream_value(kind: Any, content: tuple[Any, int]) -> Any:
    """Return a stream in memory, at the place where it was."""
    stream = kind(content[0])
    stream.seek(*whole_numbers(content[1]))
    return stream


BY_CONTENT: dict[type, Callable[[Any], Any]] = {
    decimal.Decimal: lambda value: tuple(value.as_tuple()),
    fractions.Fraction: lambda value: (value.numerator, value.denominator),
    dt.date: lambda value: (value.year, value.month, value.day),
    dt.timedelta: lambda value: (value.days, value.seconds, value.microseconds),
    dt.datetime: clock_content,
    dt.time: clock_content,
    io.StringIO: lambda value: (value.getvalue(), value.tell()),
    io.BytesIO: lambda value: (value.getvalue(), value.tell()),
}
# The same for modules that are not loaded for this: a value of theirs is there only where they are.
LATE: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("uuid", "UUID"): lambda value: value.int,
    ("pathlib", "PurePosixPath"): str,
    ("pathlib", "PosixPath"): str,
}
REBUILD: dict[str, Callable[[Any], Any]] = {
    "Decimal": lambda content: decimal.Decimal(tuple(content)),
    "Fraction": lambda content: fractions.Fraction(*whole_numbers(*content)),
    "date": lambda content: dt.date(*whole_numbers(*content)),
    "timedelta": lambda content: dt.timedelta(*whole_numbers(*content)),
    "datetime": lambda content: clock_value(dt.datetime, content),
    "time": lambda content: clock_value(dt.time, content),
    "StringIO": lambda content: stream_value(io.StringIO, content),
    "BytesIO": lambda content: stream_value(io.BytesIO, content),
    "UUID": lambda content: importlib.import_module("uuid").UUID(int=content),
    "PurePosixPath": lambda content: importlib.import_module("pathlib").PurePosixPath(content),
    "PosixPath": lambda content: importlib.import_module("pathlib").PosixPath(content),
    "numpy": lambda content: numpy_value(*content),
}
