"""What a run was begun with, and whether it may go on."""

import json

import pytest

pytest.importorskip("trl")

from rewardstack.errors import ResumeError
from rewardstack_trainers.errors import TrainingError
from rewardstack_trainers.training.config import load_config
from rewardstack_trainers.training.identity import check_identity


@pytest.fixture
def config(write):
    return load_config(write("run.toml", '[model]\nname = "m"\n[rewards.form]\nuse = "format.tags"\n'))


def check(config, folder, *, resume=True, force=False):
    """Check a run's identity and return what was told."""
    told = []
    check_identity(
        config, folder, lambda kind, text: told.append(f"{kind}: {text}"), resume=resume, force=force
    )
    return told


def test_the_same_stack_and_model_may_go_on(config, tmp_path):
    assert check(config, tmp_path, resume=False) == []
    assert (tmp_path / "stack.toml").exists()
    assert check(config, tmp_path) == []


def test_another_stack_may_only_where_it_is_asked_for(config, tmp_path):
    path = tmp_path / "run.json"
    path.write_text('{"stack": "other", "model": "m"}')
    with pytest.raises(ResumeError, match="begun with another stack.*--force"):
        check(config, tmp_path)
    assert check(config, tmp_path, force=True) == ["resume: with another stack than the run was begun with"]
    assert json.loads(path.read_text())["stack"] == config.stack.fingerprint()


def test_what_cannot_be_read_or_written_is_a_sentence(config, tmp_path):
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(ResumeError, match="cannot tell what run"):
        check(config, tmp_path, force=True)
    (tmp_path / "run.json").unlink()
    (tmp_path / "run.json").mkdir()
    with pytest.raises(TrainingError, match="cannot write .*run.json"):
        check(config, tmp_path, resume=False)
