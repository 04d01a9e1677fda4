"""Runs commands of click inside the test's own process."""

from click.testing import CliRunner

__all__ = ["make_runner"]


def make_runner() -> CliRunner:
    """Return what runs commands and keeps standard error apart."""
    try:
        return CliRunner(mix_stderr=False)  # click before 8.2
    except TypeError:
        return CliRunner()
