"""What commands write: results to standard output, everything else to standard error."""

import contextlib
import json
import os
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any

import click

from rewardstack.report.texts import printable
from rewardstack.wording import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = [
    "clean_stdout",
    "complain",
    "console",
    "draw_table",
    "drawing",
    "print_json",
    "progress",
    "tell_skipped",
    "width",
    "wrapped",
]

WIDEST_PROSE = 80
PATIENCE_SECONDS = 1.0


def width() -> int:
    """Return the columns of the terminal, 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def complain(message: str, prefix: str = "error: ") -> None:
    """Print a message to standard error, wrapped."""
    for number, line in enumerate(message.splitlines() or [""]):
        click.echo(wrapped(line, "  " if number else prefix), err=True)


def wrapped(line: str, prefix: str = "") -> str:
    """Return a line of prose wrapped at 80 columns or the terminal's fewer; paths stay whole."""
    return textwrap.fill(
        printable(line), max(40, min(width(), WIDEST_PROSE)), initial_indent=prefix, subsequent_indent="  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def tell_skipped(messages: Sequence[str], verbosity: int = 0) -> None:
    """Say how many bad rows were passed over, and what was wrong with the first (or, verbosely, with all)."""
    if messages and verbosity >= 0:
        complain(f"passed over {counted(len(messages), 'bad row')}; {messages[0]}", prefix="warning: ")
        for message in messages[1:] if verbosity > 0 else ():
            complain(message, prefix="  ")


def console(file: IO[str] | None = None, *, err: bool = False) -> "Console":
    """Return what draws tables: coloured on a terminal only, NO_COLOR and the terminal's width respected."""
    from rich.console import Console

    return Console(file=file, stderr=err, highlight=False, markup=False, emoji=False)


@contextlib.contextmanager
def drawing() -> Iterator["Console"]:
    """Give a console to draw on, and print what it shows to standard output at the end.

    Lines end where their text ends, so that they can be pasted anywhere.
    """
    drawn = console()
    with drawn.capture() as captured:
        yield drawn
    for line in captured.get().splitlines():
        click.echo(line if drawn.is_terminal else line.rstrip(), color=drawn.is_terminal or None)


def draw_table(table: "Table") -> None:
    """Print a table to standard output."""
    with drawing() as page:
        page.print(table)


def print_json(data: Any) -> None:
    """Print data as JSON to standard output, whatever the data hold and the terminal's encoding is."""
    import msgspec

    from rewardstack.records.text import encode

    line = encode(data)
    try:
        click.echo(msgspec.json.format(line, indent=2))
    except msgspec.DecodeError:  # msgspec does not read the lone surrogates that `encode` escapes
        click.echo(json.dumps(json.loads(line), indent=2))


@contextlib.contextmanager
def clean_stdout() -> Iterator[None]:
    """Send what rewards and plugins print to standard error, what C code and subprocesses write included.

    Run all foreign code inside, print results after it.
    """
    sys.stdout.flush()
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # closed, or no descriptors at all
            saved = os.dup(1)
            stack.callback(os.close, saved)
            os.dup2(2, 1)
            stack.callback(os.dup2, saved, 1)
        with contextlib.redirect_stdout(sys.stderr):
            yield
        sys.stderr.flush()  # what was printed comes before the results


@contextlib.contextmanager
def progress(total: int, label: str, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Give a function that says how many more are done; on a terminal a bar is drawn once it lasts."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console(err=True), transient=True)
    task = bar.add_task(label, total=total, completed=done)
    starter = threading.Timer(PATIENCE_SECONDS, bar.start)
    starter.daemon = True
    starter.start()
    try:
        yield lambda count: bar.advance(task, count)
    finally:
        starter.cancel()
        bar.stop()
