"""Compares what a program printed with what was expected: by tokens, by lines, exactly, or numbers within a tolerance.

Texts only, never run. Each function returns an empty text where they agree, else a sentence on the first difference.
"""

import math
import re
from collections.abc import Callable
from itertools import zip_longest

__all__ = ["COMPARERS", "compare_exact", "compare_lines", "compare_numbers", "compare_tokens"]

SHOWN = 60
# not all that `float` takes: no underscores, no digits of other scripts
WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(
    r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|(?P<infinite>[+-]?inf(inity)?)", re.IGNORECASE
)


def compare_tokens(output: str, expected: str) -> str:
    """Compare what stands between white space; how much white space there is does not count."""
    return first_difference(output.split(), expected.split(), "token")


def compare_lines(output: str, expected: str) -> str:
    """Compare line by line; white space at the ends of lines and empty lines at the end do not count."""
    return first_difference(lines_of(output), lines_of(expected), "line")


def compare_exact(output: str, expected: str) -> str:
    """Compare character by character."""
    if output == expected:
        return ""
    return first_difference(output.splitlines(keepends=True), expected.splitlines(keepends=True), "line")


def compare_numbers(output: str, expected: str, *, tolerance: float = 1e-6) -> str:
    """Compare by tokens, numbers within a tolerance: absolute, or relative to the expected number if that is more.

    Whole numbers written as such on both sides must be equal. Case does not count ("YES" is "yes").
    """
    pairs = zip_longest(output.split(), expected.split())
    for place, (ours, theirs) in enumerate(pairs, 1):
        if ours is None or theirs is None or not near(ours, theirs, tolerance):
            return difference(ours, theirs, "token", place)
    return ""


def near(ours: str, theirs: str, tolerance: float) -> bool:
    """Whether two tokens are the same, or numbers that are near enough."""
    if ours.casefold() == theirs.casefold():
        return True
    if WHOLE.fullmatch(ours) and WHOLE.fullmatch(theirs):
        return ours.lstrip("+") == theirs.lstrip("+")
    one, other = NUMBER.fullmatch(ours), NUMBER.fullmatch(theirs)
    if not (one and other):
        return False
    left, right = float(ours), float(theirs)
    if not (math.isfinite(left) and math.isfinite(right)):  # a number too large for a float is not infinite
        return left == right and bool(other["infinite"])
    return abs(left - right) <= tolerance * max(1.0, abs(right))


def lines_of(text: str) -> list[str]:
    """Return a text's lines without white space at their ends, and without empty ones at the end."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


def first_difference(ours: list[str], theirs: list[str], what: str) -> str:
    """Return a sentence about the first place where two lists differ, an empty text where they do not."""
    for place, (left, right) in enumerate(zip_longest(ours, theirs), 1):
        if left != right:
            return difference(left, right, what, place)
    return ""


def difference(ours: str | None, theirs: str | None, what: str, place: int) -> str:
    """Return a sentence about a difference."""
    if ours is None:
        return f"the output ends before {what} {place}, expected {shorten(theirs or '')}"
    if theirs is None:
        return f"{what} {place} is {shorten(ours)}, where nothing more is expected"
    return f"{what} {place} is {shorten(ours)}, expected {shorten(theirs)}"


def shorten(text: str) -> str:
    """Return a text as it can stand in a sentence."""
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")


COMPARERS: dict[str, Callable[[str, str], str]] = {
    "tokens": compare_tokens,
    "lines": compare_lines,
    "exact": compare_exact,
    "numbers": compare_numbers,
}
