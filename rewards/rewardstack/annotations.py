"""Annotations of options in words, for people who write TOML."""

import types
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

__all__ = ["annotation_text", "unaliased"]

BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
WORDS: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    dict: "table",
    Mapping: "table",
    list: "list",
    tuple: "list",
    set: "list",
    frozenset: "list",
    Sequence: "list",
    Path: "path",
    Callable: "function",
    Any: "anything",
    object: "anything",
    Parameter.empty: "anything",
}


def annotation_text(annotation: Any, quote: Callable[[str], str] = '"{}"'.format) -> str:
    """Return an annotation in words: `whole number, at least 1`, `list of text`, `"soft" or "hard"`.

    `annotation` is the object, as `annotations_of` resolves it. `quote` dresses the choices of a `Literal`. Patterns
    and lengths are left out, and so is `None`: TOML has no word for it.
    """
    annotation = unaliased(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return ", ".join([annotation_text(arguments[0], quote), *bounds_of(arguments[1:])])
    if origin is Literal:
        return " or ".join(quote(each) if isinstance(each, str) else str(each) for each in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(annotation_text(each, quote) for each in arguments if each is not type(None))
    kind = origin or annotation
    if arguments and WORDS.get(kind) == "list":
        count = f"{len(arguments)}: " if kind is tuple and Ellipsis not in arguments else ""
        return f"list of {count}{annotation_text(arguments[0], quote)}"
    return WORDS.get(kind, str(getattr(annotation, "__name__", annotation)))


def unaliased(annotation: Any) -> Any:
    """Return what a name made by the statement `type` (Python 3.12) stands for, all else as it is."""
    value, arguments = getattr(annotation, "__value__", None), get_args(annotation)
    if value is None:
        return annotation
    return unaliased(value[arguments] if arguments else value)


def bounds_of(metadata: Sequence[Any]) -> list[str]:
    """Return the bounds that `Annotated` sets (msgspec's `Meta`, annotated-types), in words."""
    return [
        f"{words} {getattr(meta, name):g}"
        for meta in metadata
        for name, words in BOUNDS.items()
        if getattr(meta, name, None) is not None
    ]
