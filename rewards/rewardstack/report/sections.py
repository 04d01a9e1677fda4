"""Sections that plugins add to a report, by the hook `rewards_report_sections`."""

import logging
from typing import Any

import msgspec

from rewardstack.registry import registry
from rewardstack.report.run import ScoredRun

__all__ = ["Section", "plugin_sections"]

logger = logging.getLogger("rewardstack")


class Section(msgspec.Struct, frozen=True):
    """A plugin's addition to a report: a title and plain text."""

    title: str
    text: str


def plugin_sections(run: ScoredRun) -> list[Section]:
    """Return the sections of all plugins, in the order they were loaded; a hook that fails is logged and left out."""
    registry().observers()  # loads them
    hooks = registry().hooks
    sections = []
    for name, plugin in hooks.list_name_plugin():
        others = hooks.get_plugins() - {plugin}
        hook: Any = hooks.subset_hook_caller("rewards_report_sections", others)
        try:
            sections += [
                Section(str(title), str(text)) for answer in hook(run=run) for title, text in answer or ()
            ]
        except Exception:
            logger.exception("the rewards_report_sections hook of %r failed; its sections are left out", name)
    return sections
