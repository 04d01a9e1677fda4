"""Turns rows into samples, and says of every row that is none where it stands and what is wrong with it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from rewardstack.errors import RecordError, nearest
from rewardstack.records.sources import Placed, rows_in
from rewardstack.records.text import Fault
from rewardstack.sample import Sample, as_messages

__all__ = ["Loaded", "check_row", "read_samples"]

COMPLETION_ALIASES = ("response", "output", "generation", "generated_text", "generated", "text", "prediction")
JSON_TYPES = {
    type(None): "null", bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list",
    dict: "an object",
}  # fmt: skip
MESSAGE_ADDRESS = ("role", "name", "type", "id")


class Loaded(msgspec.Struct):
    """What was read: `samples`, `rows` (as read, columns mapped) and `places` are of one length and order.

    `places` says where each row stands: `file.jsonl:17` is line 17 of a text file, row 17 of any other. `skipped`
    holds a message for each bad row that was passed over.
    """

    samples: list[Sample]
    rows: list[dict[str, Any]]
    places: list[str]
    skipped: list[str]


def read_samples(
    path: str, *, columns: Mapping[str, str] = {}, skip_bad: bool = False, chat: bool = False
) -> Loaded:
    """Read samples from JSONL (plain or gzip), a JSON array, Parquet, a data set folder, or `-`, standard input.

    Args:
        path: The file or folder.
        columns: New names for columns: `{"answer": "solution"}` reads the file's `solution` as `answer`.
        skip_bad: Pass over bad rows and tell of them in `skipped`.
        chat: Wrap prompts and completions that are text as chat messages, for rewards that index into messages.

    A row needs a `completion` (text or chat messages) or `messages`; rows without an `id` get their number, from 0.
    Rows may share an `id`, as completions of one problem do: the second sample is then called `q1#2`, and so on.

    Raises:
        RecordError: The file cannot be read or is cut off, a row is bad (unless `skip_bad`), no row is good, or
            `columns` names a column that no row has.
    """
    found = list(rows_in(path))
    check_mapping(columns, found, path)
    loaded = Loaded([], [], [], [])
    taken: dict[str, int] = {}
    for place, value in found:
        try:
            row = map_columns(check_object(value), columns)
            sample = check_row(row, str(len(loaded.samples)), chat=chat)
        except RecordError as error:
            if not skip_bad:
                raise RecordError(f"{place}: {error}") from error
            loaded.skipped.append(f"{place}: {error}")
            continue
        loaded.samples.append(msgspec.structs.replace(sample, id=unique_id(sample.id, taken)))
        loaded.rows.append(row)
        loaded.places.append(place)
    if not loaded.samples:
        raise RecordError(no_rows(path, loaded.skipped))
    return loaded


def no_rows(path: str, skipped: Sequence[str]) -> str:
    """Return why a file gave no sample at all."""
    if not skipped:
        return f"{path} holds no rows"
    if len(skipped) == 1:
        return f"the only row of {path} cannot be read: {skipped[0]}"
    return f"none of the {len(skipped):,} rows of {path} can be read; the first: {skipped[0]}"


def check_mapping(columns: Mapping[str, str], found: Iterable[Placed], path: str) -> None:
    """Raise `RecordError` when a column that is to be renamed is in no row."""
    if not columns:
        return
    known = dict.fromkeys(name for _, value in found if isinstance(value, dict) for name in value)
    for new, old in columns.items():
        if old not in known:
            raise RecordError(
                f"{path} has no column {old!r} to read as {new!r}{nearest(old, known)}. "
                f"It has: {', '.join(known) or 'none'}"
            )


def unique_id(id: str, taken: dict[str, int]) -> str:
    """Return the id, with its number behind it where an earlier row has it; `taken` counts, and keeps what is returned."""
    number = taken.get(id, 0) + 1
    unique = id if number == 1 else f"{id}#{number}"
    while unique in taken:  # a row may be called `q1#2` of itself
        number += 1
        unique = f"{id}#{number}"
    taken[id] = number
    taken.setdefault(unique, 1)
    return unique


def map_columns(row: dict[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """Return a row with its columns renamed."""
    if not columns:
        return row
    renamed = {new: row[old] for new, old in columns.items() if old in row}
    return {name: value for name, value in row.items() if name not in columns.values()} | renamed


def check_object(value: Any) -> dict[str, Any]:
    """Return a row that is a JSON object; `RecordError` says what it is instead."""
    if isinstance(value, Fault):
        raise RecordError(value.text)
    if not isinstance(value, dict):
        raise RecordError(f"a row must be an object with columns, not {kind_of(value)}")
    return value


def check_row(row: dict[str, Any], number: str, *, chat: bool = False) -> Sample:
    """Return the sample of a row; `number` names it if it has no `id`. `RecordError` says what is wrong with it."""
    if not isinstance(row.get("id"), (str, int, type(None))):
        raise RecordError(f"an id must be text or a whole number, not {kind_of(row['id'])}")
    try:
        sample = Sample.from_row(row, number)
    except RecordError as error:
        raise RecordError(f"{error}{mapping_hint(row)}") from error
    check_turn(sample.completion, "completion" if "completion" in row else "messages")
    if sample.prompt is not None and sample.prompt != []:
        check_turn(sample.prompt, "prompt")
    if not chat:
        return sample
    prompt = sample.prompt if sample.prompt is None else as_messages(sample.prompt, "user")
    completion = sample.completion if sample.completion != "" else [{"role": "assistant", "content": ""}]
    return msgspec.structs.replace(sample, prompt=prompt, completion=as_messages(completion, "assistant"))


def mapping_hint(row: Mapping[str, Any]) -> str:
    """Return how to name the completion's column, where one looks like it."""
    alias = next((name for name in COMPLETION_ALIASES if name in row), None)
    return f". Another name can be mapped: -c completion={alias}" if alias else ""


def check_turn(value: Any, column: str) -> None:
    """Raise `RecordError` when a prompt or completion is neither text nor chat messages that say something."""
    if isinstance(value, str):
        return
    messages = [value] if isinstance(value, dict) else value
    if not isinstance(messages, list):
        raise RecordError(f"the {column} must be text or a list of chat messages, not {kind_of(value)}")
    if not messages:
        raise RecordError(f"the {column} is an empty list of chat messages")
    for number, message in enumerate(messages, start=1):
        if not isinstance(message, dict):
            raise RecordError(
                f"the {column} is a list, but its item {number} is no chat message: {kind_of(message)}"
            )
        check_message(message, f"message {number} of the {column}")


def check_message(message: Mapping[str, Any], which: str) -> None:
    """Raise `RecordError` when a chat message has no content that can be read, nor tool calls or the like."""
    content = message.get("content")
    if content is not None and not isinstance(content, (str, list, dict)):
        raise RecordError(f"the content of {which} must be text or a list of parts, not {kind_of(content)}")
    if not isinstance(message.get("role", ""), str):
        raise RecordError(f"the role of {which} must be text, not {kind_of(message['role'])}")
    says_more = any(value for name, value in message.items() if name not in MESSAGE_ADDRESS)
    if content is None and not says_more:
        raise RecordError(f"{which} has no content; it has {', '.join(map(repr, message)) or 'nothing'}")


def kind_of(value: Any) -> str:
    """Return what JSON calls a value's type."""
    return JSON_TYPES.get(type(value), type(value).__name__)
