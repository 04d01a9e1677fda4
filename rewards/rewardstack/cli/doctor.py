"""`rewards doctor`: what is installed, what is broken, and whether worker processes start."""

import contextlib
import importlib.metadata
import os
import platform
import re
import sys
import time
from collections.abc import Iterator
from typing import Any

import click

from rewardstack.cli import COMMANDS, load_command, plugin_commands
from rewardstack.cli.options import json_output
from rewardstack.cli.output import clean_stdout, draw_table, print_json
from rewardstack.cli.verbosity import verbosity, verbosity_options
from rewardstack.decorator import reward
from rewardstack.errors import PluginError
from rewardstack.exit_codes import FINDINGS, GOOD
from rewardstack.registry import Registry, registry
from rewardstack.report.texts import printable
from rewardstack.stack import Stack
from rewardstack.wording import counted
from rewardstack.workers import default_memory, default_size

__all__ = ["command"]

PING_SECONDS = 60
DISTRIBUTION = "rewardstack"
ACTIVE = "active"
REQUIREMENT = re.compile(r"([\w.-]+)[^;]*;.*\bextra\s*==\s*['\"]([\w.-]+)['\"]")


@reward(isolated=True, deterministic=False)
def ping(completion: str) -> float:
    """1, from a worker process."""
    return float(bool(completion))


@click.command("doctor")
@json_output
@verbosity_options(verbose="Show each layer of every sandbox, and log more; -vv for debugging.")
def command(as_json: bool) -> int:
    """Check this installation: Python, plugins and their names, extras, worker processes, sandboxes, probes.

    Imports every plugin and starts one worker process. Missing extras are no fault. Exits with 1 when something is
    broken.
    """
    with clean_stdout():
        facts = examine()
    if as_json:
        print_json(facts)
    else:
        draw(facts, everything=verbosity() > 0)
    return FINDINGS if facts["broken"] else GOOD


def examine() -> dict[str, Any]:
    """Return everything there is to say of this installation; what is wrong stands under `broken`."""
    known = registry()
    plugins = [
        {
            "plugin": plugin.name,
            "distribution": plugin.distribution,
            "version": plugin.version,
            "rewards": len(plugin.rewards),
        }
        for plugin in known.plugins()
    ]
    known.observers()
    broken = dict(known.broken)
    return {
        "rewardstack": importlib.metadata.version(DISTRIBUTION),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "executable": sys.executable,
        "platform": platform.platform(),
        "plugins": plugins,
        "allowed": None if known.config.allowed is None else sorted(known.config.allowed),
        "blocked": sorted(known.config.blocked),
        "commands": examine_commands(broken),
        "extras": examine_extras(),
        "workers": examine_workers(broken),
        "sandboxes": examine_sandboxes(known),
        "probes": examine_hook(known, "rewards_audit_probes", broken),
        "broken": broken,
    }


def examine_commands(broken: dict[str, str]) -> dict[str, str]:
    """Return the commands of plugins with their entry points; those that cannot be used go into `broken`."""
    found = plugin_commands()
    for name, entry in found.items():
        if name in COMMANDS:
            broken[f"command {name}"] = (
                f"{entry.value} has the name of a command of rewards itself, which wins"
            )
            continue
        try:
            load_command(entry)
        except PluginError as error:
            broken[f"command {name}"] = str(error)
    return {name: entry.value for name, entry in found.items()}


def examine_extras() -> dict[str, dict[str, Any]]:
    """Return each extra with the versions of its libraries, None for those that are missing, and its pip line."""
    extras: dict[str, dict[str, Any]] = {}
    for requirement in importlib.metadata.requires(DISTRIBUTION) or ():
        matched = REQUIREMENT.match(requirement)
        if matched is None or matched[1] == DISTRIBUTION or matched[2] == "all":
            continue
        library, extra = matched.groups()
        entry = extras.setdefault(
            extra, {"libraries": {}, "install": f"pip install '{DISTRIBUTION}[{extra}]'"}
        )
        entry["libraries"][library] = version_of(library)
    return dict(sorted(extras.items()))


def version_of(library: str) -> str | None:
    """Return the version of an installed distribution."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(library)
    return None


def examine_workers(broken: dict[str, str]) -> dict[str, Any]:
    """Start a worker process and time a call in it; `broken` tells why where that fails."""
    try:
        facts = {"count": default_size(), "memory_gib": default_memory() / 2**30, "because": why_so_many()}
        stack = Stack({"ping": {"use": f"{__name__}:ping", "timeout": PING_SECONDS, "on_error": "raise"}})
        return {**facts, "start_seconds": time_call(stack), "call_seconds": time_call(stack)}
    except Exception as error:  # whatever keeps a worker from working is a finding
        broken["workers"] = f"{type(error).__name__}: {error}"
        return {}


def time_call(stack: Stack) -> float:
    """Return the seconds that scoring one completion takes."""
    began = time.perf_counter()
    stack.score_one("ping")
    return time.perf_counter() - began


def why_so_many() -> str:
    """Return how the number of worker processes was found."""
    if os.environ.get("REWARDSTACK_WORKERS"):
        return "REWARDSTACK_WORKERS says so"
    ranks = os.environ.get("LOCAL_WORLD_SIZE")
    return "the cores this process may use" + (f", shared by LOCAL_WORLD_SIZE={ranks} ranks" if ranks else "")


def examine_sandboxes(known: Registry) -> dict[str, dict[str, Any]]:
    """Return each sandbox that a plugin registers, with its layers of confinement as one started here finds them.

    One that cannot start here, for want of an extra or of the platform, is no fault of the installation.
    """
    found: dict[str, dict[str, Any]] = {}
    for extension in known.extensions("rewards_sandboxes"):
        layers: dict[str, str] = {}
        try:
            with contextlib.closing(extension.make(workers=1)) as sandbox:
                layers = {layer.name: layer_text(layer) for layer in sandbox.capabilities()}
        except Exception as error:  # whatever keeps a sandbox from starting is what is asked for
            layers = {"not available": str(error)}
        found[extension.name] = {"summary": extension.summary, "layers": layers}
    return found


def layer_text(layer: Any) -> str:
    """Return a layer's state, and what it is or why it is not there."""
    return f"{layer.state} ({layer.detail})" if layer.detail else str(layer.state)


def examine_hook(known: Registry, hook: str, broken: dict[str, str]) -> dict[str, str]:
    """Return what plugins register through a hook, by name, with its summary."""
    try:
        return {extension.name: extension.summary for extension in known.extensions(hook)}
    except Exception as error:  # a plugin's hook raised
        broken[hook] = f"{type(error).__name__}: {error}"
        return {}


def draw(facts: dict[str, Any], *, everything: bool) -> None:
    """Print the findings for a person, what is broken last."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    previous = ""
    for label, text in lines(facts, everything=everything):
        cell = Text(printable(text), "red" if label == "broken" else "")
        indent = len(text) - len(text.lstrip())
        table.add_row("" if label == previous else label, Padding(cell, (0, 0, 0, indent)))
        previous = label
    draw_table(table)


def lines(facts: dict[str, Any], *, everything: bool) -> Iterator[tuple[str, str]]:
    """Yield label and text of each finding; texts that are set in belong to the one above."""
    yield "rewardstack", facts["rewardstack"]
    yield "python", f"{facts['python']} ({facts['executable']})"
    yield "platform", facts["platform"]
    for plugin in facts["plugins"]:
        yield (
            "plugins",
            f"{plugin['plugin']}: {counted(plugin['rewards'], 'reward')}, from {plugin['distribution']} {plugin['version']}",
        )
    if facts["allowed"] is not None:
        yield "allowed", f"only {', '.join(facts['allowed']) or 'none'} (REWARDSTACK_PLUGINS)"
    if facts["blocked"]:
        yield "blocked", ", ".join(facts["blocked"])
    for name, target in facts["commands"].items():
        yield "commands", f"{name}: {target}"
    for extra, found in facts["extras"].items():
        yield "extras", f"{extra}: {extra_text(found)}"
    if facts["workers"]:
        yield from worker_lines(facts["workers"])
    for name, sandbox in facts["sandboxes"].items():
        yield "sandboxes", f"{name}: {sandbox['summary']}"
        for text in layer_lines(sandbox["layers"], everything=everything):
            yield "sandboxes", f"  {text}"
    for name, summary in facts["probes"].items():
        yield "probes", f"{name}: {summary}"
    for kind in ("sandboxes", "probes"):
        if not facts[kind]:
            yield kind, "none"
    for name, reason in facts["broken"].items():
        yield "broken", f"{name}: {reason}"
    if not facts["broken"]:
        yield "broken", "nothing"


def layer_lines(layers: dict[str, str], *, everything: bool) -> Iterator[str]:
    """Yield what there is to say of a sandbox's layers: those that are active by name, unless `everything` is wanted."""
    active = [
        name
        for name, state in layers.items()
        if not everything and (state == ACTIVE or state.startswith(f"{ACTIVE} ("))
    ]
    if active:
        yield f"{ACTIVE}: {', '.join(active)}"
    for name, state in layers.items():
        if name not in active:
            yield f"{name}: {state}"


def extra_text(extra: dict[str, Any]) -> str:
    """Return the versions of an extra's libraries, or how to install what is missing."""
    libraries = extra["libraries"]
    missing = [library for library, version in libraries.items() if version is None]
    if missing:
        return f"{extra['install']} (missing: {', '.join(missing)})"
    return ", ".join(f"{library} {version}" for library, version in libraries.items())


def worker_lines(workers: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what there is to say of worker processes."""
    memory = (
        f"{workers['memory_gib']:g} GiB of memory each" if workers["memory_gib"] else "no limit of memory"
    )
    yield "workers", f"{workers['count']} ({workers['because']}), {memory}"
    yield (
        "workers",
        f"started in {workers['start_seconds'] * 1000:.0f} ms, a call takes {workers['call_seconds'] * 1000:.2g} ms",
    )
