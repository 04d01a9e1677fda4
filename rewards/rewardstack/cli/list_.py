"""`rewards list`: every reward of every plugin, and what is wrong with the plugins that are broken."""

from typing import Any

import click

from rewardstack.cli.facts import describe_plugin
from rewardstack.cli.options import json_output
from rewardstack.cli.output import clean_stdout, complain, draw_table, print_json
from rewardstack.cli.verbosity import verbosity, verbosity_options
from rewardstack.registry import registry
from rewardstack.report.texts import printable

__all__ = ["command"]


@click.command("list")
@click.argument("plugin", required=False)
@json_output
@verbosity_options(verbose="Show what each reward reads, and its options.", quiet="Leave out what is broken.")
def command(plugin: str | None, as_json: bool) -> None:
    """List the rewards of all installed plugins, or of one PLUGIN, each with its first line; -v adds their options.

    A broken plugin is told of on standard error and hides no other. Rewards of your own need no plugin: they are
    named `my.py:brief` or `package.module:brief`.
    """
    with clean_stdout():
        known = registry()
        plugins = [known.plugin(plugin)] if plugin else known.plugins()
        listed = [describe_plugin(each, known) for each in plugins]
    for name, reason in known.broken.items() if verbosity() >= 0 else ():
        complain(f"{name}: {reason}", prefix="broken: ")
    if as_json:
        print_json({"plugins": listed, "broken": known.broken})
    elif not any(each["rewards"] for each in listed):
        complain("no plugin with rewards is installed", prefix="")
    else:
        draw(listed, verbose=verbosity() > 0)


def draw(plugins: list[dict[str, Any]], *, verbose: bool) -> None:
    """Print the rewards under their plugins."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    for number, plugin in enumerate(plugins):
        if number:
            table.add_row()
        table.add_row(
            Text(plugin["plugin"], "bold"), Text(f"{plugin['distribution']} {plugin['version']}", "dim")
        )
        for reward in plugin["rewards"]:
            table.add_row(f"  {reward['name']}", Text(printable(reward["summary"])))
            for line in details(reward) if verbose else ():
                table.add_row("", Text(line, "dim"))
    draw_table(table)


def details(reward: dict[str, Any]) -> list[str]:
    """Return the lines on what a reward reads and on its options."""
    columns = [name if required else f"{name} (optional)" for name, required in reward["columns"].items()]
    options = [
        f"{name} (required; {option['type']})"
        if option["required"]
        else f"{name} = {option['default']!r} ({option['type']})"
        for name, option in reward["options"].items()
    ]
    return [f"reads {', '.join(columns)}", *map(printable, options)]
