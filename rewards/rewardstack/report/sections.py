"""Sections that plugins add to a report, by the hook `rewards_report_sections`."""

import msgspec

from rewardstack.registry import registry
from rewardstack.report.run import ScoredRun

__all__ = ["Section", "plugin_sections"]


class Section(msgspec.Struct, frozen=True):
    """A plugin's addition to a report: a title and plain text."""

    title: str
    text: str


def plugin_sections(run: ScoredRun) -> list[Section]:
    """Return the sections of all plugins, in the order they were loaded; a hook that fails is logged and left out."""
    return [
        Section(str(title), str(text))
        for _, answer in registry().call_each("rewards_report_sections", run=run)
        for title, text in answer or ()
    ]
