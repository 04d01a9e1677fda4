"""The one tree of exceptions; every message says what was asked, what there is, and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "ColumnError",
    "ContractError",
    "IsolationError",
    "MissingExtra",
    "OptionError",
    "PluginError",
    "RecordError",
    "ResumeError",
    "RewardError",
    "RewardNotFound",
    "RewardstackError",
    "StackError",
    "TooManyErrors",
    "nearest",
]


class RewardstackError(Exception):
    """Anything rewardstack says is wrong; the command line prints it without a traceback.

    `exit_code` is what `rewards` exits with: 2 for usage, file and stack errors, 3 where no verdict is possible.
    """

    exit_code = 2


class StackError(RewardstackError):
    """A stack that cannot be what its author meant: unknown words, cycles, bad weights, TOML syntax."""


class OptionError(StackError):
    """An option a reward does not have, lacks, or cannot take the given value."""


class ColumnError(StackError):
    """A column that a term reads and the samples do not have."""


class RewardNotFound(StackError):
    """A name that leads to no reward, or to more than one."""


class PluginError(RewardNotFound):
    """A plugin that could not be imported, or that broke while it was asked for its rewards."""


class ContractError(StackError):
    """A function whose signature or declared contract cannot serve as a reward."""


class IsolationError(StackError):
    """A reward that cannot be rebuilt in another process, asked to run in one (or to be pickled)."""


class RecordError(RewardstackError):
    """A file or a row of samples that cannot be read; the message names file, line and fault."""


class ResumeError(RewardstackError):
    """Scores on disk that belong to another stack, other plugins or other samples."""


class MissingExtra(RewardstackError):
    """A library that comes with an extra and is not installed; the message has the line that installs it."""


class RewardError(RewardstackError):
    """A reward failed on a row and the term's `on_error` says `raise`."""

    exit_code = 3


class TooManyErrors(RewardstackError):
    """More rows erred than `max_error_share` allows; scores of such a run mean nothing."""

    exit_code = 3


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` for the closest of `known`, or an empty string when none is close."""
    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" (did you mean {close[0]!r}?)" if close else ""
