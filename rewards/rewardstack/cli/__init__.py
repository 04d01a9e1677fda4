"""The command `rewards`: a table of commands that are imported when called, and one place that ends them all.

Whatever a command raises becomes a line on standard error and an exit code here; a command returns the exit code 1
itself when it has findings.
"""

import contextlib
import importlib
import io
import os
import re
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rewardstack.errors import PluginError, RewardstackError, nearest
from rewardstack.exit_codes import BROKEN_PIPE, CANNOT_JUDGE, INTERRUPTED, WRONG

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["COMMANDS", "main", "rewards"]

GROUP = "rewardstack.commands"
SUMMARY = re.compile(r'"""(?:`[^`]+`: )?(.+?)(?:"""|\n)')
EXIT_CODES = """\b
Exit codes:
  0    good
  1    findings: expectations failed, something is broken
  2    usage, a file, or the stack is wrong
  3    cannot judge: too many errors, nothing to judge, a fault in rewardstack
  130  interrupted
  141  whoever read the output has gone (`| head`)
"""


class Entry(NamedTuple):
    """Where a command lives (as the attribute `command` of a module) and the line that lists it."""

    module: str
    help: str


COMMANDS = {
    "doctor": Entry("rewardstack.cli.doctor", "Check this installation: plugins, extras, worker processes."),
    "list": Entry("rewardstack.cli.list_", "List the rewards of all installed plugins."),
    "new": Entry("rewardstack.cli.new", "Write a new plugin: a reward, its tests, its packaging."),
    "score": Entry("rewardstack.cli.score", "Score samples with a stack and write the scores to a file."),
    "show": Entry("rewardstack.cli.show", "Show a stack as it is understood."),
    "test": Entry("rewardstack.cli.test", "Test a stack against sample completions."),
    "try": Entry("rewardstack.cli.try_", "Score one completion with one reward."),
}


class Commands(click.Group):
    """The group of all commands; those of plugins come from the entry points `rewardstack.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands; none is imported."""
        return sorted({*COMMANDS, *plugin_commands()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command; `PluginError` when a plugin's cannot be."""
        if cmd_name in COMMANDS:
            module = importlib.import_module(COMMANDS[cmd_name].module)
            return module.command  # type: ignore[no-any-return]
        entry = plugin_commands().get(cmd_name)
        return None if entry is None else load_command(entry)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with; the error names the nearest."""
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            close = nearest(args[0], self.list_commands(ctx))
            raise click.UsageError(f"there is no command {args[0]!r}{close}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands by the table's lines, so that none is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])
        plugins = {name: entry for name, entry in plugin_commands().items() if name not in COMMANDS}
        if plugins:
            with formatter.section("Commands of plugins"):
                formatter.write_dl([(name, summary(plugins[name])) for name in sorted(plugins)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that has gone (`| head`) ends it quietly."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            with contextlib.suppress(OSError):  # so that what is still buffered goes nowhere at the exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return BROKEN_PIPE

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = "rewards",
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run `rewards`, print what is wrong without a traceback, and exit with its code."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        for stream in (sys.stdout, sys.stderr):  # what a terminal cannot show is escaped, not raised
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            sys.exit(code if type(code) is int else 0)
        except (RewardstackError, click.ClickException, click.Abort) as error:
            sys.exit(explain(error))
        except OSError as error:  # a full disk behind standard output, say
            from rewardstack.cli.output import complain

            complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
            sys.exit(WRONG)
        except Exception:  # the exit code of a traceback, 1, would say that expectations failed
            click.echo(traceback.format_exc(), err=True, nl=False)
            sys.exit(CANNOT_JUDGE)


def plugin_commands() -> dict[str, "EntryPoint"]:
    """Return the commands of plugins by name."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=GROUP)}


def owner(entry: "EntryPoint") -> str:
    """Return the name of the distribution an entry point belongs to."""
    return entry.dist.name if entry.dist else "an unknown distribution"


def summary(entry: "EntryPoint") -> str:
    """Return what a plugin's command does: the first line of its module, which is read and not run; else whose it is."""
    from importlib.util import find_spec

    package, _, rest = entry.module.partition(".")
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        with contextlib.suppress(OSError, UnicodeDecodeError):
            with Path(folder, *rest.split(".")).with_suffix(".py").open(encoding="utf-8") as file:
                found = SUMMARY.match(file.readline())
            if found:
                return f"{found[1][0].upper()}{found[1][1:]}"
    return f"from {owner(entry)}"


def load_command(entry: "EntryPoint") -> click.Command:
    """Import a plugin's command."""
    try:
        loaded = entry.load()
    except (Exception, SystemExit) as error:  # a broken plugin is told of, with its owner
        raise PluginError(
            f"the command {entry.name!r} (from {owner(entry)}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(loaded, click.Command):
        raise PluginError(
            f"the command {entry.name!r} (from {owner(entry)}) is no click command: {entry.value} is "
            f"{type(loaded).__name__}"
        )
    return loaded


def explain(error: Exception) -> int:
    """Print what ended a command to standard error and return the exit code."""
    from rewardstack.cli.output import complain

    if isinstance(error, RewardstackError):
        complain(str(error))
        return error.exit_code
    if isinstance(error, click.UsageError) and error.ctx is not None:
        if error.message and error.message == error.ctx.get_help():  # no command: click shows the help
            click.echo(error.message, err=True)
            return error.exit_code
        click.echo(error.ctx.get_usage(), err=True)
    if isinstance(error, click.ClickException):
        message = error.format_message().rstrip(".")
        complain(f"{message[:1].lower()}{message[1:]}")
        return error.exit_code
    cause = error.__cause__
    complain(f"interrupted{''.join(f' {text}' for text in cause.args) if cause else ''}", prefix="")
    return INTERRUPTED


@click.group(cls=Commands, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--no-plugin", "blocked", multiple=True, metavar="NAME", help="Do without a plugin; may be given again."
)
@click.option("-v", "--verbose", count=True, help="Show more, see the command's help; -vv logs all.")
@click.option("-q", "--quiet", count=True, help="Show less, see the command's help.")
@click.version_option(package_name="rewardstack", message="rewardstack %(version)s")
@click.pass_context
def rewards(ctx: click.Context, blocked: tuple[str, ...], verbose: int, quiet: int) -> None:
    """Write, compose and test reward functions for reinforcement learning of language models.

    `rewards COMMAND --help` explains each command.
    """
    from rewardstack.cli.options import block_plugins
    from rewardstack.cli.verbosity import set_verbosity

    block_plugins(ctx.invoked_subcommand or "", blocked)
    set_verbosity(verbose - quiet)


def reopen_streams() -> None:
    """Give closed standard streams a place to go, or the next file opened would take theirs."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - for good


def end_output() -> None:
    """Send what is still printed, by what rewards registered for the exit, to standard error."""
    with contextlib.suppress(OSError, ValueError):  # closed, full, or none of the process's own
        sys.stdout.flush()
        os.dup2(2, 1)


def main() -> None:
    """Run the command `rewards`; the entry point of the console script."""
    reopen_streams()
    try:
        rewards()
    except (SystemExit, KeyboardInterrupt) as end:
        end_output()
        if isinstance(end, SystemExit) and end.code != INTERRUPTED:
            raise
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not keep workers from being ended
        sys.exit(INTERRUPTED)
