"""Alarms, the adaptive KL target, and early stop."""

import pytest

pytest.importorskip("transformers")

import signal
from types import SimpleNamespace

from rewardstack import Stack
from rewardstack.errors import OptionError
from rewardstack_trainers.callbacks import AdaptiveKL, Alarms, EarlyStop, Interruption
from rewardstack_trainers.trl import reward_funcs


def play(callback, entries):
    """Log entries one a step, and return the step at which the callback stops the training, if it does."""
    control = SimpleNamespace(should_training_stop=False)
    for step, entry in enumerate(entries, start=1):
        state = SimpleNamespace(global_step=step, is_world_process_zero=True)
        callback.on_log(None, state, control, logs=dict(entry))
        if control.should_training_stop:
            return step
    return None


STEADY = {"reward": 0.5, "frac_reward_zero_std": 0.2, "entropy": 1.0, "completions/clipped_ratio": 0.1}
FAULTS = {
    "all_groups_tie": [STEADY, *[{**STEADY, "frac_reward_zero_std": 1.0}] * 5],
    "errors": [{**STEADY, "stack/right/errors": 2.0, "stack/form/errors": 0.0}] * 5,
    "entropy_collapse": [*[STEADY] * 5, *[{**STEADY, "entropy": 0.05}] * 5],
    "length_at_cap": [{**STEADY, "completions/clipped_ratio": 0.7}] * 5,
    "held_out_falls": [{"reward": 0.2, "eval_exact": 0.5}, {"reward": 0.4, "eval_exact": 0.44},
                       {"reward": 0.6, "eval_exact": 0.35}],
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_raises_its_alarm_once_and_no_other(fault):
    told = []
    alarms = Alarms("stack", "eval_exact", tell=told.append)
    play(alarms, FAULTS[fault] * 2)
    assert list(alarms.raised) == [fault]
    assert len(told) == 1
    assert told[0].startswith("step ")
    assert told[0].endswith((".", "`."))


def test_a_held_out_metric_that_was_best_before_the_first_step_falls_too():
    alarms = Alarms("stack", "eval_exact")
    rewards = [{"reward": 0.4 + step / 50} for step in range(10)]
    play(alarms, [{"eval_exact": 0.2}, *rewards, {"eval_exact": 0.1}, {"eval_exact": 0.05}])
    assert list(alarms.raised) == ["held_out_falls"]
    assert "falls (0.2 at step 1, 0.05 at step 13)" in alarms.raised["held_out_falls"]


@pytest.mark.parametrize(
    "entries",
    [
        [STEADY] * 20,
        [{**STEADY, "eval_exact": 0.5 + step / 100} for step in range(20)],
        [{"reward": 0.9 - step / 100, "eval_exact": 0.5 - step / 50} for step in range(9)],
        [{"reward": step / 9, "eval_exact": exact} for step, exact in enumerate([0.5, 0.4, 0.55, 0.5, 0.6])],
        [{}, {"reward": None, "loss": float("nan")}] * 5,
    ],
    ids=["steady", "both rise", "both fall", "noise", "nothing logged"],
)
def test_healthy_runs_raise_none(entries):
    alarms = Alarms("stack", "eval_exact")
    play(alarms, entries)
    assert alarms.raised == {}


def test_an_alarm_may_stop_the_run():
    assert play(Alarms(stop_on=["all_groups_tie"]), FAULTS["all_groups_tie"]) == 6
    with pytest.raises(OptionError, match="did you mean 'all_groups_tie'"):
        Alarms(stop_on=["all_group_tie"])


def test_a_run_that_goes_on_remembers_what_was_logged_before():
    """Checkpoints hold the logs, not what callbacks made of them."""
    before = [
        {"step": step, "eval_reward": value, "beta": 0.1, "kl": 0.2} for step, value in ((1, 0.5), (2, 0.4))
    ]
    state = SimpleNamespace(log_history=before)
    stop, alarms, kl = EarlyStop(patience=2), Alarms(), AdaptiveKL(0.1)
    kl.trainer = SimpleNamespace(beta=0.04)
    for callback in (stop, alarms, kl):
        callback.on_train_begin(None, state, None)
    assert play(stop, [{"eval_reward": 0.45}]) == 1
    assert alarms.history.values("eval_reward") == [0.5, 0.4]
    assert kl.trainer.beta == pytest.approx(0.1 * 1.02)


class TestEarlyStop:
    def test_when_good_enough(self):
        stop = EarlyStop("eval_exact", at=0.8)
        assert (
            play(stop, [{"eval_exact": 0.5}, {"reward": 1.0}, {"eval_exact": 0.81}, {"eval_exact": 0.9}]) == 3
        )
        assert stop.reason == "eval_exact reached 0.81 at step 3"

    def test_when_it_no_longer_rises(self):
        values = [0.1, 0.3, 0.2, 0.4, 0.4, 0.39, 0.41]
        assert play(EarlyStop("x", patience=2), [{"x": value} for value in values]) == 6

    @pytest.mark.parametrize("options", [{}, {"patience": 0}])
    def test_what_makes_no_sense(self, options):
        with pytest.raises(OptionError):
            EarlyStop("x", **options)


class TestAdaptiveKL:
    @pytest.mark.parametrize(
        ("kl", "beta"), [(0.1, 0.04), (0.2, 0.0408), (9.0, 0.0408), (0.0, 0.0392), (0.11, 0.0404)]
    )
    def test_beta_follows_the_target_in_small_steps(self, kl, beta):
        assert AdaptiveKL(0.1).next_beta(0.04, kl) == pytest.approx(beta)

    def test_a_start_value_is_required(self):
        with pytest.raises(OptionError, match="set beta above 0"):
            AdaptiveKL(0.1).attach(SimpleNamespace(beta=0.0))

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore")
    def test_in_a_live_trainer(self, model, tokenizer, grpo, tmp_path):
        from datasets import Dataset
        from trl import GRPOTrainer

        model.save_pretrained(tmp_path / "model")
        stack = Stack({"it": lambda completion: min(1.0, len(completion) / 8)})
        trainer = GRPOTrainer(
            model=str(tmp_path / "model"), reward_funcs=reward_funcs(stack), processing_class=tokenizer,
            args=grpo(beta=0.04, max_steps=4, learning_rate=1e-2),
            train_dataset=Dataset.from_dict({"prompt": ["p"] * 4}),
        )  # fmt: skip
        AdaptiveKL(1e-9).attach(trainer)
        trainer.train()
        betas = [entry["beta"] for entry in trainer.state.log_history if "beta" in entry]
        assert betas == pytest.approx([0.04, 0.04 * 0.98, 0.04 * 0.98 * 1.02, 0.04 * 0.98 * 1.02**2])


def test_ctrl_c_ends_the_training_after_the_step_and_a_second_one_at_once():
    interruption, control = Interruption(), SimpleNamespace(should_save=False, should_training_stop=False)
    before = signal.getsignal(signal.SIGINT)
    with interruption.listening():
        interruption.on_step_end(None, None, control)
        assert (control.should_save, control.should_training_stop) == (False, False)
        signal.raise_signal(signal.SIGINT)
        interruption.on_step_end(None, None, control)
        assert (control.should_save, control.should_training_stop, interruption.taken) == (True, True, True)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
