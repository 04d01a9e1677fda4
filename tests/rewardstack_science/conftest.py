"""Labelled rows for the tests of rewardstack_science."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[1] / "data" / "science"


@pytest.fixture(scope="session")
def labelled() -> Callable[[str], list[dict[str, Any]]]:
    """Reads one of the files of tests/data/science."""

    def read(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]

    return read
