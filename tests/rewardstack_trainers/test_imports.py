"""Importing is cheap: torch, TRL and transformers are loaded by what trains, not by what describes."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "trl", "transformers", "datasets", "peft", "pyarrow")


@pytest.mark.parametrize(
    "module",
    [
        "rewardstack_trainers", "rewardstack_trainers.trl", "rewardstack_trainers.cli.train",
        "rewardstack_trainers.cli.plan", "rewardstack_trainers.training.config", "rewardstack_trainers.plan.memory",
    ],
)  # fmt: skip
def test_no_training_library_is_loaded(module):
    code = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
