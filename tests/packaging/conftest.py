"""Environments and wheels for the packaging proofs."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command, **options):
    """Run a command, show what it printed when it fails, and return its standard output."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=900, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def root():
    """Return the repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """Build the wheel once."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def new_environment(tmp_path_factory):
    """Return a function that makes a virtual environment with packages and gives its folder of programs."""

    def make(*packages, constraints=None):
        folder = tmp_path_factory.mktemp("environment")
        run(sys.executable, "-m", "venv", folder)
        programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
        chosen = ["--constraint", constraints] if constraints else []
        run(
            programs / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            *chosen,
            *packages,
        )
        return programs

    return make


@pytest.fixture(scope="session")
def shell():
    """Return the function that runs commands."""
    return run
