"""What all tests share."""

import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from rewardstack import workers

# How long an example takes, and how long it takes to make one, says more of the machine than of the code
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a text file into the test's folder and gives its path."""

    def write_file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), "utf-8")
        return path

    return write_file


@pytest.fixture(scope="session", autouse=True)
def _no_worker_outlives_the_tests():
    yield
    workers.close_pool()
