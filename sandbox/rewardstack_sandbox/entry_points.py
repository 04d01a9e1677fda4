"""Entry points: what tests call of a program. A function's name, or a method as LeetCode's tasks name it."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["EntryPoint", "read_entry_point"]

FORM = re.compile(r"(?P<name>[^\W\d]\w*)(?P<made>\(\))?(?P<path>(?:\.[^\W\d]\w*)*)")


class EntryPoint(NamedTuple):
    """What a program has to define: `name`; where it is `made`, an instance of that class; and attributes from there.

    `Solution().twoSum` is the method `twoSum` of an instance of `Solution`.
    """

    name: str
    made: bool = False
    path: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it is a name alone."""
        return not self.made and not self.path

    def find(self, names: Mapping[str, Any]) -> Any:
        """Return it, given what the program defines; what the program raises meanwhile is raised."""
        found = names[self.name]
        if self.made:
            found = found()
        for attribute in self.path:
            found = getattr(found, attribute)
        return found


def read_entry_point(text: str) -> EntryPoint:
    """Return the entry point that a text names; `ValueError` where it names none."""
    match = FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"the entry point {text!r} is no name, nor like Solution().method")
    return EntryPoint(match["name"], match["made"] is not None, tuple(match["path"].split(".")[1:]))
