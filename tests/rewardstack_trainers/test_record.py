"""The record of scored batches, as files go wrong."""

from rewardstack import Stack
from rewardstack.records import read_samples
from rewardstack_trainers.scoring import Scorer, read_rollout
from rewardstack_trainers.training.record import Record


def test_a_run_killed_in_the_middle_of_a_line_loses_that_line_alone(tmp_path):
    stack = Stack({"form": "format.tags"})
    record = Record(stack, tmp_path)
    scorer = Scorer(stack, observers=[record])
    scorer.score(read_rollout(["first"], ["x"], {}))
    with record.lines.open("ab") as file:
        file.write(b'{"prompt": "cut o')
    scorer.score(read_rollout(["second"], ["y"], {}))
    assert [row["prompt"] for row in read_samples(str(record.finish())).rows] == ["first", "second"]
