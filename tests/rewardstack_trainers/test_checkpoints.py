"""Which checkpoint a run goes on from."""

import pytest

from rewardstack_trainers.training.checkpoints import last_checkpoint, step_of


@pytest.fixture
def checkpoint(tmp_path):
    """Return a function that makes a checkpoint with that text as its last file."""

    def make(step, state):
        path = tmp_path / f"checkpoint-{step}"
        path.mkdir()
        if state is not None:
            (path / "trainer_state.json").write_text(state)
        return path

    return make


def test_the_newest_is_the_one_with_the_highest_number(tmp_path, checkpoint):
    checkpoint(9, "{}")
    last = checkpoint(10, "{}")
    (tmp_path / "checkpoint-best").mkdir()
    (tmp_path / "checkpoint-11").write_text("")
    assert last_checkpoint(tmp_path) == (last, [])
    assert step_of(last) == 10


@pytest.mark.parametrize("state", [None, "", '{"global_step": 4'])
def test_one_that_was_not_written_to_its_end_is_passed_over_and_named(tmp_path, checkpoint, state):
    whole = checkpoint(2, "{}")
    cut = checkpoint(4, state)
    assert last_checkpoint(tmp_path) == (whole, [cut])


def test_without_a_whole_one_there_is_none(tmp_path, checkpoint):
    cut = checkpoint(2, None)
    assert last_checkpoint(tmp_path) == (None, [cut])
    assert last_checkpoint(tmp_path / "nowhere") == (None, [])
    assert step_of(None) == 0
