"""What TRL 1.16 does with a bad reward, and what the adapter does instead, in live trainers."""

import math

import pytest

from rewardstack import Stack, reward
from rewardstack.errors import ColumnError, StackError, TooManyErrors
from rewardstack_trainers.trl import reward_funcs

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


def logs(trainer):
    return [entry for entry in trainer.state.log_history if "reward" in entry]


def table(values):
    """Return a reward that looks its values up by completion."""

    def looked_up(completion: str):
        value = values[completion]
        if isinstance(value, BaseException):
            raise value
        return value

    return looked_up


class TestBadValues:
    def test_an_infinite_reward_masks_its_row_and_no_advantage_explodes(self, feed):
        """TRL alone: advantages of -3.4e38."""
        stack = Stack({"it": table({"a": 1.0, "b": math.inf, "c": 0.0, "d": 1.0})}, max_error_share=1.0)
        trainer = feed(reward_funcs(stack), ["a", "b", "c", "d"], scale_rewards="none")
        assert trainer.caught[0] == pytest.approx([1 / 3, 0.0, -2 / 3, 1 / 3])

    def test_an_abstaining_term_costs_the_perfect_completion_nothing(self, feed):
        """TRL alone counts None as 0 in the sum, which gave the one perfect completion -1.50."""
        right = table({"best": 1.0, "b": 0.5, "c": 0.5, "d": 0.5})
        style = table({"best": None, "b": 0.9, "c": 0.9, "d": 0.9})
        stack = Stack({"right": {"use": right, "weight": 2.0}, "style": style})
        best, *others = feed(reward_funcs(stack), ["best", "b", "c", "d"]).caught[0]
        assert best == pytest.approx(1.5, abs=0.01)
        assert max(others) < 0

    @pytest.mark.parametrize(("policy", "best"), [("mask", 0.0), ("low", -1.5), ("abstain", 1.5)])
    def test_an_exception_is_the_rows_own_and_follows_the_terms_policy(self, feed, policy, best):
        """TRL alone: it kills every rank."""
        right = table({"a": 1.0, "b": 0.5, "c": 0.5, "d": 0.5})
        judge = table({"a": RuntimeError("down"), "b": 0.5, "c": 0.5, "d": 0.5})
        weights = {"mask": 0.5, "low": 3.0, "abstain": 0.5}
        stack = Stack(
            {"right": right, "judge": {"use": judge, "on_error": policy, "weight": weights[policy]}},
            max_error_share=1.0,
        )
        assert feed(reward_funcs(stack), list("abcd")).caught[0][0] == pytest.approx(best, abs=0.01)

    def test_a_dead_zone_ties_what_hardly_differs(self, feed):
        """TRL alone makes an advantage of 1.25 of a difference of 0.001."""
        stack = Stack({"it": table({"a": 0.501, "b": 0.5, "c": 0.5, "d": 0.5})})
        bare = feed(reward_funcs(stack), list("abcd"))
        assert bare.caught[0][0] > 1.0
        assert logs(bare)[0]["stack/near_ties"] == 1.0
        assert feed(reward_funcs(stack, dead_zone=0.01), list("abcd")).caught[0] == [0.0] * 4

    def test_too_many_errors_stop_the_run_with_their_cause(self, feed):
        stack = Stack({"it": table({"a": ValueError("no such gold")})}, max_error_share=0.0)
        with pytest.raises(
            TooManyErrors, match=r"4 of the last 4 rows erred.*it: raised ValueError: no such gold"
        ):
            feed(reward_funcs(stack), ["a"])


class TestColumns:
    def stack(self, **second):
        first = table({"a": 1.0, "b": 0.0, "c": 0.5, "d": 0.0})
        return Stack({"one": {"use": first, "weight": 2.0}, "two": {"use": first, "weight": -0.5, **second}})

    def test_every_term_has_its_name_its_weight_and_its_curve(self, feed):
        functions = reward_funcs(self.stack(), "columns")
        assert [each.__name__ for each in functions] == ["stack/one", "stack/two"]
        assert functions.weights == [2.0, -0.5]
        entry = logs(feed(functions, list("abcd"), multi_objective_aggregation="normalize_then_sum"))[0]
        assert entry["rewards/stack/one/mean"] == entry["rewards/stack/two/mean"] == pytest.approx(0.375)

    def test_the_batch_is_scored_once_and_shared(self, feed):
        calls = []

        def count(completion: str):
            calls.append(completion)
            return len(calls) % 2

        functions = reward_funcs(Stack({"one": count, "two": lambda completion: 1.0}), "columns")
        feed(functions, list("abcd"))
        assert sorted(calls) == list("abcd")

    def test_the_weighted_sum_is_the_stacks_total_where_terms_abstain_and_rows_are_masked(self, feed, grpo):
        one = table({"a": 1.0, "b": 0.25, "c": 0.5, "d": 1.0})
        two = table({"a": None, "b": 1.0, "c": OSError("gone"), "d": 0.0})
        stack = Stack({"one": {"use": one, "weight": 2.0}, "two": two}, max_error_share=1.0)
        scalar = feed(reward_funcs(stack), list("abcd"))
        columns = reward_funcs(stack, "columns", args=grpo(multi_objective_aggregation="sum_then_normalize"))
        assert feed(columns, list("abcd")).caught == scalar.caught

    def test_a_schedule_is_refused_by_name(self):
        stack = self.stack()
        moving = Stack(
            {"one": {"use": lambda completion: 1.0, "weight": {"from": 0.0, "to": 1.0, "steps": 5}}}
        )
        with pytest.raises(StackError, match="term 'one' has a scheduled weight"):
            reward_funcs(moving, "columns")
        with pytest.raises(StackError, match="dead zone"):
            reward_funcs(stack, "columns", dead_zone=0.1)


class TestMetrics:
    def test_the_same_keys_at_every_step_whatever_happens(self, feed):
        values = {"a": 1.0, "b": None, "c": RuntimeError("x"), "d": 0.0, "e": 0.5}
        stack = Stack(
            {"it": table(values), "len": {"use": lambda completion: 1.0, "when": {"task": "t"}}},
            max_error_share=1.0,
        )
        trainer = feed(
            reward_funcs(stack), [*"aaaa", *"bbbb", *"cccc", *"dede"], columns={"task": ["t"]}, max_steps=4
        )
        keys = [{key for key in entry if key.startswith("stack/")} for entry in logs(trainer)]
        assert len(keys) == 4
        assert keys[0] == keys[1] == keys[2] == keys[3]
        first, second, third, last = logs(trainer)
        assert (first["stack/it/mean"], first["stack/tied_groups"]) == (1.0, 1.0)
        assert (second["stack/it/mean"], second["stack/it/abstained"]) == (None, 4.0)
        assert (third["stack/it/errors"], third["stack/masked"]) == (4.0, 1.0)
        assert last["stack/it/std"] == pytest.approx(0.2887, abs=1e-3)

    def test_reward_and_length_move_together(self, feed):
        stack = Stack({"long": lambda completion: len(completion)})
        trainer = feed(reward_funcs(stack), ["a", "aa", "aaa", "aaaa"])
        assert logs(trainer)[0]["stack/length_correlation"] == pytest.approx(1.0)


class TestTruncation:
    def test_a_reward_sees_what_the_text_hides(self, feed, tokenizer):
        seen = []

        def whole(completion: str, truncated: bool):
            seen.append((completion, truncated))
            return 0.0 if truncated else 1.0

        cut = tokenizer("same")["input_ids"]
        functions = reward_funcs(Stack({"whole": whole}), processing_class=tokenizer)
        trainer = feed(functions, ["same", cut, "same", cut])
        assert sorted(set(seen)) == [("same", False), ("same", True)]
        assert logs(trainer)[0]["stack/truncated"] == 0.5


class TestRefusedBeforeTraining:
    @pytest.mark.parametrize(
        "name", ["prompts", "completions", "trainer_state", "completion_ids", "log_metric"]
    )
    def test_columns_that_trl_takes_for_itself(self, name):
        from datasets import Dataset

        data = Dataset.from_dict({"prompt": ["p"], name: ["x"]})
        with pytest.raises(ColumnError, match=f"has a column '{name}', but TRL"):
            reward_funcs(Stack({"it": lambda completion: 1.0}), train_dataset=data)

    def test_a_missing_column_with_the_nearest_name(self):
        from datasets import Dataset

        data = Dataset.from_dict({"prompt": ["p"], "answers": ["x"]})
        with pytest.raises(ColumnError, match=r"reads the column 'answer'.*did you mean 'answers'"):
            reward_funcs(Stack({"it": lambda completion, answer: 1.0}), train_dataset=data)

    def test_an_environments_own_reward(self):
        class Game:
            def reset(self, **kwargs): ...
            def get_reward(self):
                return 1.0

        stack = Stack({"it": lambda completion: 1.0})
        with pytest.raises(StackError, match="environment Game has a get_reward"):
            reward_funcs(stack, environment_factory=Game)

        def appended(environments, _env_type=Game, **kwargs): ...

        with pytest.raises(StackError, match="environment Game has a get_reward"):
            reward_funcs(stack).append(appended)

    def test_a_function_beside_the_stack(self):
        with pytest.raises(StackError, match="Make it a term of the stack"):
            reward_funcs(Stack({"it": lambda completion: 1.0})).append(print)

    @pytest.mark.parametrize(("batch", "refused"), [(4, False), (8, False), (6, True), (2, True)])
    def test_a_group_reward_over_split_groups(self, grpo, batch, refused):
        @reward(scope="group")
        def diverse(completion: list[str]) -> list[float]:
            return [len(set(completion)) / len(completion)] * len(completion)

        args = grpo(per_device_train_batch_size=batch, generation_batch_size=batch, num_generations=2)
        args.num_generations = 4
        if refused:
            with pytest.raises(StackError, match="'diverse' scores whole groups.*multiple of 4"):
                reward_funcs(Stack({"diverse": diverse}), args=args)
        else:
            assert len(reward_funcs(Stack({"diverse": diverse}), args=args)) == 1
