"""The example trains with a reward model's term next to rules."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("transformers")

from rewardstack import Stack

EXAMPLE = Path(__file__).parents[2] / "examples/reward_model"


def test_the_stack_gates_the_reward_model_by_a_rule():
    stack = Stack.load(EXAMPLE / "stack.toml")
    taste = next(term for term in stack.terms if term.name == "taste")
    assert taste.words.requires == {"right": 1.0}
    assert taste.weight() < 0.5


@pytest.mark.slow
def test_it_trains_offline_and_the_reward_model_is_asked(tmp_path):
    pytest.importorskip("trl")
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLE / "train.py"), str(tmp_path), "6"],
        capture_output=True, text=True, env=environment, timeout=280, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    lines = {line.split(":")[0]: line for line in done.stdout.splitlines() if line.startswith("held out, ")}
    assert set(lines) == {"held out, form", "held out, right", "held out, taste"}
    first, _, last = lines["held out, taste"].split(": ")[1].partition(" -> ")
    assert 0.0 < float(first) < 1.0
    assert 0.0 < float(last) < 1.0
