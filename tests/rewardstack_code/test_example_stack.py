"""examples/code: a stack of format, static and test rewards against right and wrong programs."""

import json
from pathlib import Path

import pytest
from tests.commands import make_runner

from rewardstack import Stack
from rewardstack.cli import rewards

EXAMPLE = Path(__file__).parents[2] / "examples/code"


@pytest.fixture(scope="module")
def scored():
    rows = [json.loads(line) for line in (EXAMPLE / "completions.jsonl").read_text("utf-8").splitlines()]
    stack = Stack.load(EXAMPLE / "stack.toml")
    return list(zip(rows, stack(
        prompts=[row["prompt"] for row in rows],
        completions=[row["completion"] for row in rows],
        **{name: [row.get(name) for row in rows] for name in ("tests", "hidden_tests", "entry_point")},
    )))  # fmt: skip


def test_right_programs_earn_more_than_wrong_ones(scored):
    right = [total for row, total in scored if row["label"]]
    wrong = [total for row, total in scored if not row["label"]]
    assert len(right) > 20
    assert len(wrong) > 20
    assert min(right) > max(wrong)


def test_hard_coded_programs_earn_little(scored):
    found = [total for row, total in scored if row["kind"] == "hard-coded"]
    assert found
    assert max(found) < 1.2


def test_every_row_is_scored(scored):
    assert all(total is not None for _, total in scored)


def test_the_command_agrees_with_every_label():
    files = [str(EXAMPLE / name) for name in ("stack.toml", "completions.jsonl")]
    result = make_runner().invoke(rewards, ["test", *files, "--label", "label", "--of", "tests"])
    assert result.exit_code == 0, result.output
    assert "accuracy 1.000  precision 1.000  recall 1.000" in result.output
