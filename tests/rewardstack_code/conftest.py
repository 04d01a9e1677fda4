"""Rows of the data sets, and an end for the shared sandbox."""

import json
from pathlib import Path

import pytest

from rewardstack_sandbox.shared import close_shared

DATA = Path(__file__).parents[1] / "data/code"


@pytest.fixture(scope="session")
def data():
    """Return a function that reads a data file."""
    return lambda name: [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


@pytest.fixture(scope="session", autouse=True)
def _no_worker_outlives_the_tests():
    yield
    close_shared()
