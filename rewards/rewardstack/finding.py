"""What a check found: the data that audits make and reports show."""

from typing import Literal

import msgspec

__all__ = ["ALL_ERRED", "Check", "Finding"]

ALL_ERRED = "it erred on every row"
"""The note of checks that a term was spared since no call came back."""


class Finding(msgspec.Struct, frozen=True):
    """One fault on one row: `place` names the row, `message` is one sentence with the values.

    `first` and `second` are the two values that differ (what was expected of it and what came, where only one
    value was seen). `rows` is how many rows show the very same fault; `place` is then the first of them.
    """

    place: str
    message: str
    first: str = ""
    second: str = ""
    rows: int = 1


class Check(msgspec.Struct, frozen=True):
    """One promise of one term, held against some rows.

    `rows` is how many rows it was held against. `note` says why it was skipped, or what is worth knowing though
    nothing is broken.
    """

    term: str
    name: str
    rows: int
    findings: tuple[Finding, ...] = ()
    note: str = ""

    @property
    def status(self) -> Literal["passed", "failed", "skipped"]:
        """Whether the promise was kept; `skipped` where no row could be tried."""
        if self.findings:
            return "failed"
        return "passed" if self.rows else "skipped"
