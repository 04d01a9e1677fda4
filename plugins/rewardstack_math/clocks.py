"""Times of day: 4:30 PM is 16:30, and 20:34:00 is 20:34."""

import re

__all__ = ["same_time"]

_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::([0-5]\d))?\s*(?:([ap])\.?\s?m\b\.?)?", re.IGNORECASE)
_WRAPPING = re.compile(r"\\text|[{}$\\]")
HALF_DAY = 12 * 3600


def same_time(one: str, other: str) -> bool | None:
    """Return whether two texts are the same time of day; None where one is no time, or both may be ratios."""
    mine, theirs = (_CLOCK.fullmatch(_WRAPPING.sub("", text).strip(" .")) for text in (one, other))
    if mine is None or theirs is None:
        return None
    if not any(_is_surely_time(match) for match in (mine, theirs)):
        return None
    first, second = _seconds(mine), _seconds(theirs)
    if bool(mine[4]) != bool(theirs[4]):  # a missing AM or PM may be either, on a twelve-hour clock
        return first == second or (
            max(first, second) < 2 * HALF_DAY and _as_written(mine) == _as_written(theirs)
        )
    return first == second


def _is_surely_time(match: re.Match[str]) -> bool:
    return bool(match[3] or match[4]) or match[2].startswith("0")


def _as_written(match: re.Match[str]) -> tuple[int, int, int]:
    return int(match[1]), int(match[2]), int(match[3] or 0)


def _seconds(match: re.Match[str]) -> int:
    hour, minute, second = _as_written(match)
    if match[4]:
        hour = hour % 12 + (12 if match[4].lower() == "p" else 0)
    return hour * 3600 + minute * 60 + second
