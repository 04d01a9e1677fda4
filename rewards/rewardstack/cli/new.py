"""`rewards new`: a plugin of one's own, complete enough to install and to test."""

import builtins
import importlib.metadata
import keyword
import re
import tempfile
from pathlib import Path
from string import Template

import click

from rewardstack.cli.templates import FILES
from rewardstack.cli.verbosity import verbosity, verbosity_options
from rewardstack.errors import RewardstackError
from rewardstack.registry import owner_of, registry

__all__ = ["command"]

NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
TAKEN_BY_THE_CODE = frozenset({"reward", "rewards", "rewardstack", "score", "stack"})
NEXT = """\
Wrote {folder}. Next:

  cd {folder}
  pip install -e '.[test]'
  python -m pytest
  rewards try {name}.{name} --completion "Four words, no more." -o limit=3
"""


@click.command("new")
@click.argument("name")
@click.option(
    "--path", type=click.Path(file_okay=False, path_type=Path), default=Path(), metavar="DIR",
    help="Where to put the new folder; the current one by default.",
)  # fmt: skip
@verbosity_options(quiet="Say only what is wrong.")
def command(name: str, path: Path) -> None:
    """Write a plugin called NAME: a folder `rewardstack-NAME` with a reward, its tests and its packaging.

    The plugin can be installed with pip and passes its own tests as it is. Its reward is known as `NAME.NAME`.
    """
    plugin = check_name(name)
    folder = path / f"rewardstack-{plugin.replace('_', '-')}"
    write_plugin(folder, plugin)
    if verbosity() >= 0:
        click.echo(NEXT.format(folder=folder, name=plugin), nl=False)


def check_name(name: str) -> str:
    """Return the name of the plugin and its reward; the error says why it cannot be one."""
    plugin = name.replace("-", "_")
    fault = name_fault(name, plugin)
    if fault:
        raise click.BadParameter(f"{name!r} {fault}", param_hint="NAME")
    entries = registry().entries.get(plugin)
    if entries:
        distribution, version = owner_of(entries[0])
        raise click.BadParameter(
            f"there is a plugin {plugin!r} already, from {distribution} {version}", param_hint="NAME"
        )
    return plugin


def name_fault(name: str, plugin: str) -> str:
    """Return what is wrong with a name, empty where nothing is."""
    if not NAME.fullmatch(name):
        return "must be lower-case letters, digits and single underscores or hyphens, a letter first"
    if keyword.iskeyword(plugin):
        return "is a word of Python itself"
    if hasattr(builtins, plugin):
        return "is a function of Python itself, which the reward would hide"
    if plugin in TAKEN_BY_THE_CODE or plugin.startswith("rewardstack_"):
        return "would hide a name of rewardstack; call the reward by what it looks for"
    if plugin.startswith("test"):
        return "would be taken for a test by pytest"
    return ""


def write_plugin(folder: Path, name: str) -> None:
    """Write all files of a plugin, or none of them."""
    words = {
        "name": name,
        "package": f"rewardstack_{name}",
        "distribution": folder.name,
        "version": importlib.metadata.version("rewardstack"),
    }
    if folder.exists():
        raise RewardstackError(f"{folder} exists already; remove it, or choose another name or --path")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as beside:
            for place, text in FILES.items():
                file = Path(beside, "plugin", Template(place).substitute(words))
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(Template(text).substitute(words), "utf-8")
            Path(beside, "plugin").rename(folder)
    except OSError as error:
        raise RewardstackError(f"cannot write {folder}: {error.strerror or error}") from error
