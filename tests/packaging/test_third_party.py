"""A third party's plugin, installed from its own distribution, is found by its name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "examples" / "rewardstack-brief"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a function that runs a command where the plugin is installed, from a folder that holds nothing."""
    folder = tmp_path_factory.mktemp("third-party")
    target = folder / "installed"
    flags = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index"]
    install = [sys.executable, "-m", "pip", "install", *flags, "--target", target, SOURCE]
    subprocess.run(install, check=True, capture_output=True, text=True, timeout=300)
    environment = {**os.environ, "PYTHONPATH": str(target), "COLUMNS": "80", "NO_COLOR": "1"}

    def run_command(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run_command


def rewards(*arguments):
    return "-c", "from rewardstack.cli import main; main()", *arguments


def test_it_is_listed_with_its_distribution(run):
    listed = run(*rewards("list"))
    assert "brief" in listed
    assert "rewardstack-brief" in listed
    assert "1 at or under" in listed


def test_it_scores_by_its_name(run):
    shown = run(*rewards("try", "brief", "-o", "limit=3", "--completion", "one two three four"))
    assert "0.666667" in shown
    assert "4 words, 3 are free" in shown


def test_workers_find_it_too(run):
    code = (
        "from rewardstack import Stack\n"
        "stack = Stack({'short': {'use': 'brief', 'limit': 2, 'timeout': 30}})\n"
        "print(stack.score_one('one two three').total)\n"
    )
    assert run("-c", code) == "0.5\n"


def test_its_own_tests_pass_where_it_is_installed(run):
    assert "passed" in run(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={SOURCE}", f"{SOURCE}/tests"
    )
