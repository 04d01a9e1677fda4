"""The same rewards in AsyncGRPO's spawned process, in RLOO, and in the conventions of older TRL, as Unsloth pins it."""

import math
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor

import pytest

pytest.importorskip("trl")

from tests.rewardstack_trainers.spawned import score_group

from rewardstack import Stack
from rewardstack.errors import IsolationError
from rewardstack_trainers.trl import reward_funcs

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]

BRIEF = """
def brief(completion: str, answer: str, *, limit: int = 3):
    return None if completion == "none" else float(len(completion) <= limit and answer == "x")
"""


@pytest.fixture
def stack(write):
    """Return a stack with a reward of a file, which goes along as source, and one of a plugin."""
    path = write("mine.py", BRIEF)
    return Stack(
        {
            "brief": {"use": f"{path}:brief", "limit": 2},
            "form": {"use": "format.tags", "tags": ["b"], "weight": 0.5},
        }
    )


def logs(trainer):
    return [entry for entry in trainer.state.log_history if "reward" in entry]


class TestAsyncGRPO:
    def test_a_group_is_scored_in_a_spawned_process_by_trls_own_loop(self, stack, tmp_path):
        plain, awaited = reward_funcs(stack), reward_funcs(stack, asynchronous=True)
        (tmp_path / "mine.py").unlink()  # it travels as source
        texts, columns = ["ab", "abc", "none", "<b>1</b>"], {"answer": ["x"] * 4}
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            done = [pool.submit(score_group, functions, texts, columns) for functions in (plain, awaited)]
            (process, advantages, metrics), other = (each.result(timeout=200) for each in done)
        assert process != os.getpid()
        rewards = [each["rewards/stack"] for each in metrics]
        assert rewards[:2] == [1.0, 0.0]
        assert math.isnan(rewards[2]), "its brief abstained, with half of the weight or more: masked"
        assert (rewards[3], advantages[2]) == (0.5, 0.0)
        assert advantages[0] == pytest.approx(-advantages[1], abs=1e-6)
        assert other[1] == advantages

    def test_what_cannot_travel_is_told_when_it_is_pickled(self):
        functions = reward_funcs(Stack({"it": lambda completion: 1.0}))
        with pytest.raises(IsolationError, match="cannot be pickled.*'it'"):
            pickle.dumps(functions)

    @pytest.mark.parametrize("mode", ["scalar", "columns"])
    def test_it_scores_the_same_after_the_journey(self, stack, mode):
        functions = reward_funcs(stack, mode)
        again = pickle.loads(pickle.dumps(functions))
        given = {"prompts": ["p"] * 2, "completions": ["abc", "ab"], "answer": ["x", "x"]}
        assert [each(**given) for each in again] == [each(**given) for each in functions]
        assert again.weights == functions.weights


def test_an_async_callable_in_a_live_trainer(feed):
    stack = Stack({"it": lambda completion: float(completion == "a")})
    trainer = feed(reward_funcs(stack, asynchronous=True), ["a", "b", "b", "b"])
    assert trainer.caught[0][0] == pytest.approx(1.5, abs=0.01)
    assert logs(trainer)[0]["stack/it/mean"] == 0.25


class TestOlderConventions:
    """What TRL called before it had `log_extra`, `log_metric` and `completion_ids`; Unsloth pins such versions."""

    @pytest.mark.parametrize(
        "given",
        [{}, {"completion_ids": [[5, 6], [7]]}, {"completion_ids": [[5, 6], [7]], "trainer_state": None}],
        ids=["0.15", "0.17", "0.18"],
    )
    @pytest.mark.parametrize("chat", [False, True])
    def test_the_arguments_of_each(self, stack, given, chat):
        texts = ["ab", "abc"]
        completions = [[{"role": "assistant", "content": text}] for text in texts] if chat else texts
        prompts = [[{"role": "user", "content": "p"}]] * 2 if chat else ["p"] * 2
        (function,) = reward_funcs(stack)
        assert function(prompts=prompts, completions=completions, answer=["x", "x"], **given) == [1.0, 0.0]

    def test_what_their_trainers_do_with_the_list(self, stack):
        """They copy it, name each function, and count it against reward_weights."""
        functions = reward_funcs(stack, "columns")
        assert isinstance(functions, list)
        assert [function.__name__ for function in functions] == ["stack/brief", "stack/form"]
        assert len(functions.weights) == len(functions)
        given = {"prompts": ["p"], "completions": ["ab"], "answer": ["x"]}
        assert [function(**given) for function in functions] == [[1.0], [0.0]]


class TestRLOO:
    def test_a_live_trainer(self, model, tokenizer, grpo):
        from datasets import Dataset
        from trl import RLOOConfig, RLOOTrainer

        stack = Stack({"it": lambda completion: min(1.0, len(completion) / 10)})
        args = grpo(RLOOConfig, beta=0.0, max_steps=2)
        trainer = RLOOTrainer(
            model=model, reward_funcs=reward_funcs(stack, args=args, processing_class=tokenizer), args=args,
            train_dataset=Dataset.from_dict({"prompt": ["p"] * 4}), processing_class=tokenizer,
        )  # fmt: skip
        trainer.train()
        assert len(logs(trainer)) == 2
        assert all(math.isfinite(entry["rewards/stack/mean"]) for entry in logs(trainer))
