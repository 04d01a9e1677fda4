"""One sandbox for all tests of this folder, and programs to run in it."""

import json
from pathlib import Path

import pytest

from rewardstack_sandbox import Limits, Sandbox

DATA = Path(__file__).parents[1] / "data/code"


def rows(name: str) -> list[dict]:
    """Return the rows of a data file."""
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


@pytest.fixture(scope="session")
def sandbox():
    with Sandbox(workers=2, limits=Limits(wall=5.0)) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def data():
    return rows
