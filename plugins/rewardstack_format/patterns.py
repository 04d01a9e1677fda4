"""A reward for a regular expression, run where a pattern that never ends harms nobody."""

import re
from functools import lru_cache
from typing import Annotated, Literal

from msgspec import Meta

from rewardstack import Score, StackError, reward
from rewardstack_format.answers import shorten

__all__ = ["regex"]

Flag = Literal["ignorecase", "multiline", "dotall", "verbose", "ascii"]


@lru_cache(maxsize=64)
def compile_pattern(pattern: str, flags: tuple[Flag, ...]) -> re.Pattern[str]:
    """Return a compiled pattern; `StackError` says where it is wrong."""
    try:
        return re.compile(pattern, sum({re.RegexFlag[flag.upper()] for flag in flags}, start=re.RegexFlag(0)))
    except (re.error, RecursionError, OverflowError) as error:
        raise StackError(f"format.regex: {pattern!r} is not a regular expression: {error}") from error


@reward(
    isolated=True,
    timeout=5.0,
    check=lambda options: compile_pattern(options["pattern"], tuple(options["flags"])),
)
def regex(
    completion: str,
    *,
    pattern: str,
    mode: Literal["full", "search", "count"] = "full",
    flags: tuple[Flag, ...] = (),
    least: Annotated[int, Meta(ge=1)] = 1,
) -> Score:
    r"""1 when the completion matches a regular expression: as a whole, somewhere, or often enough.

    Options:
        pattern: The pattern, in the syntax of Python's `re`. In TOML write it in single quotes: '\d+'.
        mode: `full`: the pattern matches the whole completion. `search`: it is found somewhere. `count`: the share
            of `least` matches that are found; they do not overlap, and empty ones do not count.
        flags: `ignorecase`, `multiline` (`^` and `$` at every line), `dotall` (`.` matches line ends), `verbose`,
            `ascii`.
        least: How many matches of `count` earn all.

    Patterns with nested quantifiers such as `(a+)+$` can take exponential time on a text made for it, and Python
    cannot stop them. So this reward always runs in a worker process, which is killed after 5 seconds or the
    term's own `timeout`: that row alone errs, or gets the low end with `on_timeout = "low"`.

    Range: 0 to 1. Raises `StackError` for what is no pattern. `.*` matches an empty block too: for tags use
    `format.tags`, which knows such tricks.
    """
    compiled = compile_pattern(pattern, tuple(flags))
    if mode == "count":
        count = sum(found.end() > found.start() for found in compiled.finditer(completion))
        return Score(min(1.0, count / least), f"{count} of {least} matches", {"count": count})
    found = compiled.fullmatch(completion) if mode == "full" else compiled.search(completion)
    if found is None:
        return Score(0.0, "the completion does not match" if mode == "full" else "nothing matches")
    return Score(1.0, f"matches: {shorten(found[0])}", {"span": found.span()})
