"""The hooks: events and discovery, never the inner loop. Implement them with `@rewardstack.hookimpl`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import pluggy

from rewardstack.score import StackScore

if TYPE_CHECKING:
    from rewardstack.sample import Batch

__all__ = ["Config", "HookSpecs", "hookimpl"]

hookspec = pluggy.HookspecMarker("rewardstack")
hookimpl = pluggy.HookimplMarker("rewardstack")


class Config(msgspec.Struct, frozen=True):
    """What plugins are told when they are loaded.

    `command` is the `rewards` command being run, empty when rewardstack is used as a library. `allowed` are the
    plugins named by `REWARDSTACK_PLUGINS` (`None`: all), `blocked` those named by `--no-plugin`.
    """

    command: str = ""
    allowed: frozenset[str] | None = None
    blocked: frozenset[str] = frozenset()


class HookSpecs:
    """The hooks a plugin may implement; each takes any subset of its arguments, by name."""

    @hookspec
    def rewards_configure(self, config: Config) -> None:
        """Tell a plugin, once, right after it was loaded, how rewardstack is being used."""

    @hookspec
    def rewards_register(self, register: Callable[[str, Any], None]) -> None:
        """Register rewards that are made, not written: `register(name, function)` adds `plugin.name`.

        Called once for each plugin, when its rewards are first asked for.
        """

    @hookspec
    def rewards_sandboxes(self, register: Callable[[str, Callable[..., Any], str], None]) -> None:
        """Register sandbox backends: `register(name, factory, summary)`; `rewards doctor` lists them.

        Rewards that run code find one by its name. Called when a stack names one that is not our own.
        """

    @hookspec
    def rewards_audit_probes(self, register: Callable[[str, Callable[..., Any], str], None]) -> None:
        """Register probes that attack a stack: `register(name, probe, summary)`; `rewards doctor` lists them.

        `probe(**row)` takes the columns of a row, `completion` among them, and returns a completion, or None.
        """

    @hookspec
    def rewards_batch_scored(self, stack: Any, samples: "Batch", scores: Sequence[StackScore]) -> None:
        """See every scored batch: the `Stack`, the samples as columns, one `StackScore` a sample, in order.

        Called in the process that scores, after totals are known. What it raises is logged and changes no score.
        """

    @hookspec
    def rewards_report_sections(self, run: Any) -> Sequence[tuple[str, str]] | None:
        """Return `(title, text)` sections to add to the report of `rewards test`; `run` is its `ScoredRun`."""
