"""The gold answer out of a data set's own column: by name, never by evaluated code."""

import re
from collections.abc import Callable
from typing import Any

from rewardstack import find_boxes
from rewardstack.errors import OptionError, nearest

__all__ = ["TAKES", "take"]

NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")


def after_hashes(text: str) -> str:
    """Return what follows the last `####`, as in GSM8K."""
    return text.rpartition("####")[2].strip()


def last_box(text: str) -> str:
    r"""Return the content of the last `\\boxed{...}`, as in MATH; the text itself where there is none."""
    boxes = find_boxes(text)
    return boxes[-1].content.strip() if boxes else text.strip()


def last_number(text: str) -> str:
    """Return the last number; the text itself where there is none."""
    numbers = NUMBER.findall(text)
    return numbers[-1].replace(",", "") if numbers else text.strip()


TAKES: dict[str, Callable[[str], str]] = {
    "all": str.strip,
    "after_hashes": after_hashes,
    "last_box": last_box,
    "last_number": last_number,
    "first_line": lambda text: text.strip().partition("\n")[0].strip(),
}


def take(value: Any, how: str | None) -> Any:
    """Return what of a column's value is the gold; a value that is no text is taken whole."""
    if how is None or not isinstance(value, str):
        return value
    if how not in TAKES:
        raise OptionError(
            f"[data]: there is no take {how!r}{nearest(how, TAKES)}. There are: {', '.join(TAKES)}"
        )
    return TAKES[how](value)
