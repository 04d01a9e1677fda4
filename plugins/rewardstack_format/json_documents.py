"""A reward for completions that are JSON, of a given schema where there is one."""

from collections.abc import Mapping
from functools import lru_cache
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from typing import Any, Literal, NoReturn

import msgspec

from rewardstack import Score, StackError, find_tags, import_extra, reward, visible_text
from rewardstack_format.answers import shorten

__all__ = ["json"]

Place = Literal["text", "fence", "tag"]
Kind = Literal["container", "object", "array", "any"]
KINDS: dict[str, tuple[type, ...]] = {
    "container": (dict, list), "object": (dict,), "array": (list,), "any": (object,)
}  # fmt: skip


DEEPEST_FLAT = (
    20  # levels of a value that any schema has the room for, unless it refers to itself without end
)


class NotJson(ValueError):
    """Why a text is no JSON that any reader would read alike."""


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python reads and JSON does not have."""
    raise NotJson(f"{name} is no JSON value")


def refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's members; a name that stands twice would offer two answers."""
    members = dict(pairs)
    if len(members) < len(pairs):
        seen = set[str]()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise NotJson(f"the name {shorten(twice)!r} stands twice in one object")
    return members


DECODER = JSONDecoder(parse_constant=refuse_constant, object_pairs_hook=refuse_twice)


def parse(text: str) -> Any:
    """Return the value of a JSON text; `NotJson` says why it is none."""
    try:
        return DECODER.decode(text)
    except NotJson:
        raise
    except JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise NotJson(f"{error.msg[:1].lower()}{error.msg[1:]} at {place}") from error
    except RecursionError as error:
        raise NotJson("it is nested too deeply") from error
    except ValueError as error:  # int() takes no more than 4300 digits
        raise NotJson("it holds a whole number of more digits than Python reads") from error


def locate(completion: str, within: Place, tag: str) -> str:
    """Return the text that should be JSON; `NotJson` where its place is not there."""
    seen = visible_text(completion)
    if seen.reason:
        raise NotJson(seen.reason)
    if within == "text":
        return seen.text.strip()
    if within == "tag":
        slots = find_tags(seen.text, tag)
        if not slots or not slots[-1].closed:
            raise NotJson(f"the last <{tag}> tag is cut off" if slots else f"there is no <{tag}> tag")
        return slots[-1].content
    parts = seen.text.split("```")
    if len(parts) < 3 or len(parts) % 2 == 0:
        raise NotJson("the last code fence is never closed" if len(parts) > 1 else "there is no code fence")
    first, line_end, rest = parts[-2].partition("\n")
    return (rest if line_end and first.strip().isalnum() else parts[-2]).strip()


@lru_cache(maxsize=64)
def make_validator(schema: bytes) -> Any:
    """Return the validator of a schema (as JSON); `StackError` where the schema itself is wrong.

    Values without depth are tried, so that most references to nothing, and to themselves, show when a stack is loaded.
    """
    jsonschema = import_extra("jsonschema", "format", "format.json with a schema")
    registry = import_extra(
        "referencing", "format", "format.json with a schema"
    ).Registry()  # fetches nothing
    data = msgspec.json.decode(schema)
    kind = pick_draft(data, jsonschema.validators)
    try:
        kind.check_schema(data)
    except jsonschema.SchemaError as error:
        raise StackError(
            f"format.json: the schema is wrong at {error.json_path}: {error.message[:200]}"
        ) from error
    validator = kind(data, registry=registry)
    for flat in ("null", "{}", "[]"):
        find_error(validator, DECODER.decode(flat))
    return validator


def pick_draft(schema: Any, validators: Any) -> Any:
    """Return the class of validator that a schema's `$schema` names; `StackError` for what no draft allows."""
    if not isinstance(schema, (dict, bool)):
        raise StackError(
            f"format.json: a schema is an object (or true or false), not {msgspec.json.encode(schema)[:40].decode()}"
        )
    known = (validators.Draft202012Validator, validators.Draft201909Validator, validators.Draft7Validator,
             validators.Draft6Validator, validators.Draft4Validator, validators.Draft3Validator)  # fmt: skip
    asked = schema.get("$schema") if isinstance(schema, dict) else None
    if asked is None:
        return known[0]
    names = {kind.ID_OF(kind.META_SCHEMA).rstrip("#"): kind for kind in known}
    if not isinstance(asked, str) or asked.rstrip("#") not in names:
        raise StackError(f"format.json: unknown $schema {asked!r}; it may be {', '.join(names)}")
    return names[asked.rstrip("#")]


def find_error(validator: Any, value: Any) -> Any:
    """Return the first `ValidationError` of a value, None without one; `StackError` where the schema is at fault."""
    unresolvable = import_extra("referencing", "format", "format.json with a schema").exceptions.Unresolvable
    try:
        return next(validator.iter_errors(value), None)
    except unresolvable as error:
        raise StackError(f"format.json: the schema refers to what is not there: {error}") from error
    except RecursionError as error:
        if depth_of(value) > DEEPEST_FLAT:
            raise NotJson("as it is nested too deeply") from error
        raise StackError("format.json: the schema refers to itself without end") from error


def depth_of(value: Any) -> int:
    """Return how deep a value is nested: 0 for text and numbers, 1 for a list of them."""
    depth, level = 0, [value]
    while level := [
        inner for each in level if isinstance(each, (dict, list))
        for inner in (each.values() if isinstance(each, dict) else each)
    ]:  # fmt: skip
        depth += 1
    return depth


@lru_cache(maxsize=16)
def read_schema(path: str) -> bytes:
    """Return a schema file's JSON."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise StackError(f"format.json: cannot read the schema {path}: {error.strerror}") from error


def pick_schema(column: Any, inline: Mapping[str, Any] | None, path: str | None) -> bytes | None:
    """Return the schema that counts for a row, as JSON: the column's, else the inline one, else the file's."""
    given = inline if column is None else column
    if given is None:
        return None if path is None else read_schema(path)
    try:
        return given.encode() if isinstance(given, str) else msgspec.json.encode(given)
    except (TypeError, ValueError) as error:
        raise StackError(f"format.json: the schema cannot be written as JSON: {error}") from error


def read_validator(schema: bytes) -> Any:
    """Return the validator of a schema; `StackError` where it is no JSON or no schema."""
    try:
        return make_validator(schema)
    except msgspec.DecodeError as error:
        raise StackError(f"format.json: the schema is not JSON: {error}") from error


def find_violation(value: Any, schema: bytes) -> str:
    """Return how a value breaks a schema first; empty where it does not."""
    try:
        violation = find_error(read_validator(schema), value)
    except NotJson as error:
        return str(error)
    return "" if violation is None else f"at {violation.json_path}: {shorten(violation.message)}"


def check_schema(inline: Mapping[str, Any] | None, path: str | None) -> None:
    """Raise `StackError` for a schema, inline or in a file, that is none."""
    schema = pick_schema(None, inline, path)
    if schema is not None:
        read_validator(schema)


@reward(
    isolated=True, timeout=10.0, check=lambda options: check_schema(options["schema"], options["schema_file"])
)
def json(
    completion: str,
    json_schema: Any = None,
    *,
    schema: dict[str, Any] | None = None,
    schema_file: str | None = None,
    within: Place = "text",
    tag: str = "answer",
    kind: Kind = "container",
) -> Score:
    """1 when the completion is JSON, and of the given schema where there is one.

    A schema comes from the row's column `json_schema` (a table, or JSON text), else from an option; its `$schema`
    names the draft, 2020-12 by default; an unknown one is refused. References to other documents are not fetched.
    Without a schema an empty object or array is worth nothing.

    Options:
        schema: The schema, inline.
        schema_file: A file that holds it, relative to the folder that rewardstack runs in.
        within: What must be JSON: `text`, all that follows the thinking; `fence`, the last code fence; `tag`, the
            content of the last answer tag.
        tag: The tag that holds answers.
        kind: What the value must be: `object`, `array`, `container` (either), or `any` (a bare 42 is JSON too).

    Refused: NaN and infinities, a name that stands twice in one object, trailing commas, comments, whole numbers of
    more than 4300 digits, and nesting deeper than Python reads.

    Range: 0 or 1. A schema's patterns can take exponential time on a text made for it, so this reward runs in a
    worker process, killed after 10 seconds or the term's `timeout`. Needs jsonschema where a schema is given: `pip
    install 'rewardstack[format]'`. Does not check a schema's `format`, and mends nothing.
    """
    wanted = pick_schema(json_schema, schema, schema_file)
    try:
        value = parse(locate(completion, within, tag))
    except NotJson as error:
        return Score(0.0, f"not JSON: {error}")
    if not isinstance(value, KINDS[kind]):
        return Score(0.0, f"JSON of type {type(value).__name__}, where {kind} is wanted")
    if wanted is None:
        return (
            Score(1.0, "JSON") if value or not isinstance(value, (dict, list)) else Score(0.0, "empty JSON")
        )
    violation = find_violation(value, wanted)
    return Score(0.0, f"breaks the schema {violation}") if violation else Score(1.0, "JSON of the schema")
