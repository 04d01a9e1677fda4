"""Writes the stack of a run beside its record, so that `rewards test` can score that again."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from rewardstack import Stack
from rewardstack.errors import RecordError

__all__ = ["write_stack"]

BARE = re.compile(r"[A-Za-z0-9_-]+")


def write_stack(stack: Stack, path: Path) -> None:
    """Write a stack as a TOML file; rewards of files are named by their full path.

    A stack with rewards that live in this process alone is written too, but only this process could load it.
    """
    lines = [f"{name} = {toml_value(value)}" for name, value in msgspec.to_builtins(stack.settings).items()]
    for term in stack.terms:
        table = dict(stack.data()[term.name])
        if term.source is not None and term.source.path:
            table["use"] = f"{term.source.path}:{term.source.use.rpartition(':')[2]}"
        lines += ["", f"[rewards.{toml_key(term.name)}]"]
        lines += [
            f"{toml_key(name)} = {toml_value(value)}" for name, value in table.items() if value is not None
        ]
    try:
        path.write_text("\n".join([*lines, ""]), "utf-8")
    except OSError as error:
        raise RecordError(f"cannot write {path}: {error.strerror or error}") from error


def toml_key(name: str) -> str:
    """Return a key as TOML writes it, in quotes where it must be."""
    return name if BARE.fullmatch(name) else toml_value(name)


def toml_value(value: Any) -> str:
    """Return a value as TOML writes it, tables inline; JSON's strings, numbers and truths are TOML's too."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{toml_key(str(name))} = {toml_value(each)}" for name, each in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, (str, int, float, bool)):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(repr(value))
