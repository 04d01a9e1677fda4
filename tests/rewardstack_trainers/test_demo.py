"""The demo: its questions, its bad start, and that it really learns."""

import json
import random

import pytest

pytest.importorskip("trl")

import msgspec
from click.testing import CliRunner

from rewardstack import Stack
from rewardstack.cli import rewards
from rewardstack_trainers.demo.questions import TASKS, VOCABULARY, split_questions, supervised_text
from rewardstack_trainers.demo.running import demo_config, gain_of, prepare
from rewardstack_trainers.demo.start import make_model, make_tokenizer, sample
from rewardstack_trainers.errors import NotLearned
from rewardstack_trainers.training.session import Outcome, Session


@pytest.mark.parametrize("task", TASKS)
def test_every_question_and_answer_is_spelled_in_eighteen_tokens(task):
    tokenizer = make_tokenizer()
    assert len(tokenizer) == len(VOCABULARY) == 18
    for question in TASKS[task].questions()[::97]:
        text = f"{question.prompt}<answer>{question.answer}</answer>"
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text
        assert question.habit


def test_held_out_questions_are_not_trained_on():
    train, held_out = split_questions(TASKS["larger"], seed=3)
    assert len(held_out) == 512
    assert not {question.prompt for question in train} & {question.prompt for question in held_out}


def test_the_bad_start_is_mostly_the_habit_and_half_without_form():
    chance = random.Random(0)
    question = TASKS["larger"].questions()[0]
    texts = [supervised_text(question, chance)[1] for _ in range(2000)]
    assert 0.45 < sum("<answer>" in text for text in texts) / 2000 < 0.55
    right = sum(text.removeprefix("<answer>").removesuffix("</answer>") == "1" for text in texts) / 2000
    assert 0.35 < right < 0.46


def test_the_model_is_small_and_samples_by_its_seed():
    model, tokenizer = make_model(0), make_tokenizer()
    assert 100_000 < sum(parameter.numel() for parameter in model.parameters()) < 150_000
    assert sample(model, tokenizer, ["1,2?"] * 4, 5, 6) == sample(model, tokenizer, ["1,2?"] * 4, 5, 6)


@pytest.mark.parametrize(
    ("values", "message"),
    [([0.2], "before its second evaluation"), ([0.9, 0.95], "the supervised start solved 90 %")],
)
def test_a_run_that_shows_nothing_is_no_gain(tmp_path, values, message):
    outcome = Outcome(tmp_path, [{"eval_demo/solved/mean": value} for value in values], {})
    with pytest.raises(NotLearned, match=message):
        gain_of(outcome)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_it_really_learns(tmp_path):
    done = CliRunner().invoke(rewards, ["train", "--demo", "-o", str(tmp_path / "demo"), "--json"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "demo/run/report.html").exists()
    again = CliRunner().invoke(rewards, ["test", str(tmp_path / "demo/run/stack.toml"),
                                         str(tmp_path / "demo/run/scored.parquet"), "-q"])  # fmt: skip
    assert again.exit_code == 0, again.output


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_demo_cut_short_says_that_it_has_not_shown_anything(tmp_path):
    done = CliRunner().invoke(rewards, ["train", "--demo", "--steps", "2", "-o", str(tmp_path / "demo")])
    assert done.exit_code == 1
    assert "less than 40: this run has not shown that it learns" in " ".join(done.output.split())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_reward_for_the_habit_raises_the_alarm(tmp_path):
    """Reward rises while the held-out share of right answers falls: what a wrong reward looks like."""
    told = []

    def tell(kind, text):
        told.append((kind, text))

    prepare(tmp_path, "larger", 0, tell)
    config = demo_config(tmp_path, 60, 0)
    wrong = {"use": "format.answer", "match": "exact", "columns": {"answer": "habit"}}
    stack = Stack({**config.stack.data(), "right": wrong}, name="demo")
    outcome = Session(msgspec.structs.replace(config, stack=stack), tell).run()
    assert list(outcome.alarms) == ["held_out_falls"]
    assert any(
        kind == "alarm" and "the policy learns the reward, not the task" in text for kind, text in told
    )


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore")
def test_the_lesson_of_addition_reward_rises_while_accuracy_falls_and_the_alarm_tells(tmp_path):
    """Form is easy to learn and paid at once, the sum is not: at this rate the policy forgets what it knew of adding."""
    done = CliRunner().invoke(
        rewards, ["train", "--demo", "addition", "--steps", "75", "-o", str(tmp_path), "--json"]
    )
    assert done.exit_code == 1, done.output
    facts = json.loads(done.stdout[done.stdout.index("{") :])
    rewarded, right = facts["metrics"]["reward (held out)"], facts["metrics"]["demo/right/mean (held out)"]
    assert rewarded["after"] > rewarded["before"] + 0.03
    assert right["after"] < right["before"] / 2
    assert "demo/right/mean falls" in facts["alarms"]["held_out_falls"]
    assert "the policy learns the reward, not the task" in " ".join(done.stderr.split())
