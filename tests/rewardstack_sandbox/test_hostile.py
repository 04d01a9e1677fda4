"""Hostile programs, each in the sandbox and the sandbox in throwaway namespaces: none does harm, none is paid.

See tests/data/attacks/README.md for what they are.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rewardstack_sandbox.kernel.calls import machine

HERE = Path(__file__).parent / "hostile"
DATA = Path(__file__).parents[1] / "data/attacks"
ROOT = Path(__file__).parents[2] / "sandbox"
QUICK = [
    "channel-04",
    "equality-02",
    "exit-02",
    "introspect-04",
    "memory-01",
    "network-09",
    "process-01",
    "read-13",
    "write-07",
]
PLAIN_USER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
enclosed = pytest.mark.skipif(
    machine() is None or subprocess.run(["unshare", "-Urnpimf", "true"], check=False).returncode != 0,
    reason="needs namespaces to be safe in",
)


def attack(
    wanted: list[str],
    forms: str,
    python: str = sys.executable,
    user: tuple[str, ...] = (),
    isolation: str = "strict",
    harness: tuple[str, ...] = (str(HERE / "harness.py"),),
) -> list[dict]:
    """Run hostile programs within the enclosure and return what the harness saw."""
    command = [*user, str(HERE / "enclosure.sh"), "280", python, "-u", *harness,
               str(DATA / "attacks.jsonl"), str(DATA / "task.json"), isolation, forms, ",".join(wanted)]  # fmt: skip
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False, cwd=HERE
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@enclosed
def test_some_hostile_programs():
    seen = attack(QUICK, "check")
    assert len(seen) == len(QUICK) + 2
    assert [line for line in seen if line["harm"]] == []


@enclosed
@pytest.mark.slow
@pytest.mark.parametrize("forms", ["check", "asserts", "script"])
def test_all_hostile_programs(forms):
    seen = attack([], forms)
    assert len(seen) == 150
    assert [line for line in seen if line["harm"]] == []


@enclosed
@pytest.mark.slow
@pytest.mark.parametrize("forms", ["check", "asserts", "script"])
def test_all_hostile_programs_in_monty(forms):
    pytest.importorskip("pydantic_monty")
    seen = attack([], forms, isolation="monty")
    assert len(seen) == 150
    assert [line for line in seen if line["harm"]] == []


WITHOUT_LANDLOCK = (
    "-c",
    (
        f"import runpy, sys; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent)!r}]; import refusing; "
        f"refusing.refuse(['landlock_create_ruleset']); runpy.run_path({str(HERE / 'harness.py')!r}, run_name='__main__')"
    ),
)


@enclosed
@pytest.mark.slow
def test_all_hostile_programs_where_mounts_take_landlocks_place():
    """The enclosure has mounts of its own where the new root goes, which must not show."""
    seen = attack([], "check", harness=WITHOUT_LANDLOCK)
    assert len(seen) == 150
    assert [line for line in seen if line["harm"]] == []


@enclosed
@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("setpriv") or os.geteuid() != 0, reason="needs to become another user")
def test_all_hostile_programs_as_a_plain_user():
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None or subprocess.run([python, "-c", "import enum; enum.StrEnum"], check=False).returncode:
        pytest.skip("needs a Python 3.11 that every user may run")
    seen = attack([], "check", python, tuple(PLAIN_USER))
    assert len(seen) == 150
    assert [line for line in seen if line["harm"]] == []
