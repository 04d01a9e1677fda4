"""What `rewards train` says, and in which order, before anything is trained."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rewardstack.cli import rewards
from rewardstack.errors import RecordError
from rewardstack_trainers.cli.train import fold
from rewardstack_trainers.data.rows import read_rows
from rewardstack_trainers.errors import TrainingError
from rewardstack_trainers.training.config import DataTable
from rewardstack_trainers.training.models import load_tokenizer

STEP = "step 6/6  reward 0.719  form 0.688  right 0.375  solved 0.297  length 4.23  ties 0"
GOOD = '[model]\nname = "it"\n[rewards.it]\nuse = "format.answer"\n'


def refusal(*arguments):
    result = CliRunner().invoke(rewards, ["train", *arguments])
    assert result.exit_code == 2
    return " ".join(result.stderr.split())


@pytest.fixture
def without_trl(monkeypatch):
    monkeypatch.setitem(sys.modules, "trl", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read {}: No such file or directory"),
        ("output = ", "{} is not valid TOML"),
        ("outptu = 'x'\n" + GOOD, "the training file has no 'outptu' (did you mean 'output'?)"),
        (
            GOOD + "weihgt = 2.0",
            "'weihgt' is neither a word of the stack nor an option of format.answer (did you mean 'weight'?)",
        ),
        (
            GOOD + "[grpo]\nreward_weights = [1.0]",
            "[grpo]: reward_weights cannot be set here; weights stand in the stack",
        ),
        (GOOD + "[eval]\nmetric = 'rewrad'", "there is no metric 'rewrad' (did you mean 'reward'?)"),
    ],
)
@pytest.mark.usefixtures("without_trl")
def test_what_is_wrong_with_the_file_is_told_before_what_is_not_installed(tmp_path, text, message):
    path = tmp_path / "run.toml"
    if text is not None:
        path.write_text(text)
    assert message.format(path) in refusal(str(path))


@pytest.mark.usefixtures("without_trl")
def test_a_good_file_needs_the_extra(tmp_path):
    (tmp_path / "run.toml").write_text(GOOD)
    assert (
        refusal(str(tmp_path / "run.toml")) == "error: training needs trl: pip install 'rewardstack[train]'"
    )


@pytest.mark.usefixtures("without_trl")
def test_the_demo_says_what_to_do_with_a_folder_that_holds_a_run(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run/run.json").write_text("{}")
    said = refusal("--demo", "-o", str(tmp_path))
    assert said.endswith("holds a run already. Remove it, or choose another folder: --output FOLDER")
    assert "no such task (did you mean 'larger'?)" in refusal("--demo", "largre")


@pytest.fixture
def offline(monkeypatch):
    """Let the hub's libraries refuse every call, as HF_HUB_OFFLINE=1 does before they are imported."""
    pytest.importorskip("transformers")
    monkeypatch.setattr(pytest.importorskip("huggingface_hub.constants"), "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(pytest.importorskip("datasets.config"), "HF_HUB_OFFLINE", True)


@pytest.mark.usefixtures("offline")
def test_a_hub_that_cannot_be_reached_comes_with_what_to_do():
    with pytest.raises(
        TrainingError, match=r"tokenizer of no/such-model: the hub cannot be .*hf download no/such"
    ):
        load_tokenizer("no/such-model")
    with pytest.raises(
        RecordError, match=r"data set no/such-data: .*--repo-type dataset no/such-data.*\[data\] path"
    ):
        read_rows(DataTable(hub="no/such-data"), None, Path())


def test_a_line_of_progress_keeps_to_the_width_and_its_parts_stay_whole():
    assert fold(STEP, 120) == STEP
    assert fold(STEP, 80).splitlines() == [STEP.removesuffix("  ties 0"), "  ties 0"]
    assert max(map(len, fold(STEP, 40).splitlines())) <= 40
    assert "  ".join(each.strip() for each in fold(STEP, 40).splitlines()) == STEP
