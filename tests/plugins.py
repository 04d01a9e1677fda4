"""What holds for every plugin: its rewards are described, and importing it is cheap."""

import subprocess
import sys
from collections.abc import Iterable
from typing import Any

__all__ = ["assert_described", "loaded_by_importing"]


def assert_described(reward: Any) -> None:
    """A reward's docstring has a line for the listing, its range, and every option."""
    assert 20 < len(reward.summary) <= 110
    assert reward.summary.endswith(".")
    assert "Range: " in reward.doc
    for option in reward.options:
        assert f"    {option}: " in reward.doc, f"the option {option} is not described"


def loaded_by_importing(package: str, modules: Iterable[str]) -> list[str]:
    """Return which of some modules a new interpreter has loaded once it has imported a package."""
    code = f"import sys, {package}; print(*[name for name in {[*modules]!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()
