"""JSON as data sets hold it: quick where msgspec can, whole where only the standard library does."""

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

import msgspec

__all__ = ["Fault", "decode", "encode"]

BIGGEST_INTEGER = 1 << 10_000  # Python refuses to write out whole numbers of more than 4,300 digits
NEWLINE = b"\n"
REFUSALS = (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError)


class Fault(msgspec.Struct, frozen=True):
    """What is wrong with one row; stands in the row's place until it is known whether bad rows are passed over."""

    text: str


def decode(line: bytes) -> Any:
    r"""Return the value of a JSON text, or the `Fault` in it, with the column (in characters, from 1).

    Lone surrogates (`"\ud800"`) are read, since tokenizers write them. NaN and infinities are faults: JSON has none.
    """
    try:
        return msgspec.json.decode(line)
    except REFUSALS:  # msgspec says less of what is wrong, and takes no lone surrogates
        return decode_slowly(line)


def decode_slowly(line: bytes) -> Any:
    """Return the value of a JSON text as the standard library reads it, or the `Fault` in it."""
    try:
        text = line.decode("utf-8").strip()
        return json.loads(text, parse_constant=refuse_constant, parse_float=finite_float)
    except UnicodeDecodeError as error:
        return Fault(f"not UTF-8 text: byte 0x{line[error.start]:02x} at byte {error.start + 1} of the line")
    except json.JSONDecodeError as error:
        message = f"broken JSON at column {error.colno}: {error.msg[0].lower()}{error.msg[1:]}"
        return Fault(
            message if line.endswith(NEWLINE) else f"{message} (the last line: is the file cut off?)"
        )
    except RecursionError:
        return Fault("JSON that is nested too deeply to read")
    except ValueError as error:
        return Fault(str(error))


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and infinities, which Python's own reader would let pass."""
    raise ValueError(f"holds {name}, which JSON does not have; write null or a number")


def finite_float(text: str) -> float:
    """Return a number, if a float can hold it."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def encode(value: Any) -> bytes:
    """Return a value as one line of JSON, whatever it holds: this never fails.

    Lone surrogates are written as escapes and read back as they were. NaN and infinities become null, objects that
    JSON does not know their `tolist()` (arrays, tensors) or their repr.
    """
    try:
        return msgspec.json.encode(value, enc_hook=stand_in)
    except REFUSALS:
        return json.dumps(plain(value), allow_nan=False).encode()


def stand_in(value: Any) -> Any:
    """Return what stands for an object that JSON does not know."""
    listed = getattr(value, "tolist", None)
    return listed() if callable(listed) else repr(value)


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value as what `json` can write: text keys, finite floats, short integers, no deeper than 100 levels."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < BIGGEST_INTEGER else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth >= 100:
        return "..."
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item, depth + 1) for item in value]
    return plain(builtin(value), depth + 1)


def builtin(value: Any) -> Any:
    """Return a structure, a date, an array or any object as built-in types; of the last resort its repr."""
    try:
        return msgspec.to_builtins(value, enc_hook=stand_in)
    except REFUSALS:
        return repr(value)
