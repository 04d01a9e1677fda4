"""examples/science: one stack for options and quantities, against right and wrong replies."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rewardstack import Stack

EXAMPLE = Path(__file__).parents[2] / "examples/science"


@pytest.fixture(scope="module")
def scored():
    rows = [json.loads(line) for line in (EXAMPLE / "completions.jsonl").read_text("utf-8").splitlines()]
    return list(zip(rows, Stack.load(EXAMPLE / "stack.toml").score(rows)))


@pytest.mark.parametrize("task", ["choice", "quantity"])
def test_right_replies_earn_more_than_wrong_ones(scored, task):
    own = [(row, score) for row, score in scored if row["task"] == task]
    right = [score.total for row, score in own if row["label"]]
    wrong = [score.total for row, score in own if not row["label"]]
    assert len(right) > 10
    assert len(wrong) > 10
    assert min(right) > max(wrong)
    assert all(set(score.rewards) == {"form", task} for _, score in own)


@pytest.mark.parametrize("term", ["choice", "quantity"])
def test_the_command_of_its_readme_holds(term):
    command = ["test", "stack.toml", "completions.jsonl", "--label", "label", "--of", term]
    done = subprocess.run(
        [sys.executable, "-m", "rewardstack", *command], cwd=EXAMPLE, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "accuracy 1.000" in done.stdout
