"""How much commands say: `-v` and `-q`, before the command's name or after it, and what is logged meanwhile."""

import contextlib
import logging
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from rewardstack.cli.output import complain

__all__ = ["set_verbosity", "unrepeated_errors", "verbosity", "verbosity_options"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
VERBOSITY = "rewardstack.verbosity"
LEVELS = {-2: logging.CRITICAL, -1: logging.ERROR, 0: logging.WARNING, 1: logging.INFO, 2: logging.DEBUG}


class Complaints(logging.Handler):
    """Prints what is logged the way errors are printed."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record to standard error."""
        try:
            complain(self.format(record), prefix=f"{record.levelname.lower()}: ")
        except Exception:
            self.handleError(record)


def set_verbosity(level: int) -> None:
    """Set how much is said: 0 by default, higher for more, and log accordingly."""
    level = max(min(LEVELS), min(level, max(LEVELS)))
    click.get_current_context().find_root().meta[VERBOSITY] = level
    logger = logging.getLogger("rewardstack")
    logger.setLevel(LEVELS[level])
    if not any(isinstance(handler, Complaints) for handler in logger.handlers):
        logger.addHandler(Complaints())
    warnings.showwarning = log_warning


def log_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Log a Python warning as a line like any other, without the place in our code that gave it."""
    logging.getLogger("rewardstack").warning("%s", message)


def verbosity() -> int:
    """Return how much the running command should say: 0 by default, higher for more, below 0 for less."""
    return int(click.get_current_context().find_root().meta.get(VERBOSITY, 0))


@contextlib.contextmanager
def unrepeated_errors() -> Iterator[None]:
    """Keep the log from telling the errors of rows, where the command itself shows them."""
    logger = logging.getLogger("rewardstack.errors")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def count_option(flag: str, name: str, help: str, sign: int) -> Callable[[Decorated], Decorated]:
    """Return a flag that moves the verbosity by `sign` each time it is given."""

    def move(ctx: click.Context, param: click.Parameter, times: int) -> None:  # noqa: ARG001 - click's signature
        if times:
            set_verbosity(verbosity() + sign * times)

    return click.option(flag, name, count=True, expose_value=False, callback=move, help=help)


def verbosity_options(
    verbose: str = "Log more to standard error; -vv for debugging.",
    quiet: str = "Leave out warnings.",
) -> Callable[[Decorated], Decorated]:
    """Add `-v` and `-q` to a command, with what they do to it; they add up with those given before its name."""

    def add(command: Decorated) -> Decorated:
        return count_option("-v", "--verbose", verbose, 1)(count_option("-q", "--quiet", quiet, -1)(command))

    return add
