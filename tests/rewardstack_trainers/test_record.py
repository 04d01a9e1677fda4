"""The record of scored batches, as files go wrong."""

from types import SimpleNamespace

import pytest

from rewardstack import Stack
from rewardstack.records import read_samples
from rewardstack_trainers.scoring import Scorer, read_rollout
from rewardstack_trainers.training.record import Record, forget_since


def test_a_run_killed_in_the_middle_of_a_line_loses_that_line_alone(tmp_path):
    stack = Stack({"form": "format.tags"})
    record = Record(stack, tmp_path)
    scorer = Scorer(stack, observers=[record])
    scorer.score(read_rollout(["first"], ["x"], {}))
    with record.lines.open("ab") as file:
        file.write(b'{"prompt": "cut o')
    scorer.score(read_rollout(["second"], ["y"], {}))
    assert [row["prompt"] for row in read_samples(str(record.finish())).rows] == ["first", "second"]


@pytest.mark.parametrize(
    ("evaluates_again", "held_out"), [(True, [0]), (False, [0, 2])], ids=["evaluates again", "does not"]
)
def test_what_was_scored_after_the_checkpoint_is_forgotten_on_all_ranks(tmp_path, evaluates_again, held_out):
    stack = Stack({"form": "format.tags"})
    phase, records = ["train"], [Record(stack, tmp_path, rank, lambda: phase[0]) for rank in (0, 1)]
    for step in range(5):
        for phase[0] in ["eval", "train"] if step % 2 == 0 else ["train"]:
            for record in records:
                rollout = read_rollout(["p"], ["x"], {"trainer_state": SimpleNamespace(global_step=step)})
                Scorer(stack, observers=[record]).score(rollout)
    forget_since(tmp_path, 2, evaluates_again=evaluates_again)
    rows = read_samples(str(records[0].finish())).rows
    kept = {
        name: [row["scored_step"] for row in rows if row["scored_phase"] == name]
        for name in ("train", "eval")
    }
    assert kept == {"train": [0, 0, 1, 1], "eval": sorted(2 * held_out)}


def test_from_the_beginning_all_is_forgotten(tmp_path):
    stack = Stack({"form": "format.tags"})
    record = Record(stack, tmp_path)
    Scorer(stack, observers=[record]).score(read_rollout(["p"], ["x"], {}))
    forget_since(tmp_path, 0, evaluates_again=True)
    assert record.finish() is None
