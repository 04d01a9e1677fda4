"""TRL's own rewards are terms unchanged, and a stack is a reward function for its trainer."""

import math

import pytest

from rewardstack import Sample, Stack

pytest.importorskip("trl")


def chat(text):
    return [{"role": "assistant", "content": text}]


THINKING = ["<think>\nso\n</think>\n4", "so\n4"]


def values(stack, samples):
    return [score.total for score in stack.score(samples)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
class TestTrlsOwnRewards:
    def test_think_format(self):
        stack = Stack({"think": "trl.rewards:think_format_reward"})
        assert values(stack, [Sample(chat(text)) for text in THINKING]) == [1.0, 0.0]

    def test_accuracy(self):
        pytest.importorskip("math_verify")
        stack = Stack({"right": "trl.rewards:accuracy_reward"})
        rows = [
            Sample(chat(rf"\boxed{{{n}}}"), columns={"solution": r"\frac{1}{3}"})
            for n in (r"\frac{1}{3}", "4")
        ]
        assert values(stack, rows) == [1.0, 0.0]

    def test_soft_overlong_punishment_by_make(self):
        words = {
            "use": "trl.rewards:get_soft_overlong_punishment",
            "make": {"max_completion_len": 10, "soft_punish_cache": 4},
        }
        rows = [Sample("x", columns={"completion_ids": [0] * size}) for size in (5, 8, 11)]
        assert values(Stack({"long": words}), rows) == [0.0, -0.5, -1.0]

    def test_repetition_penalty_by_make(self):
        words = {"use": "trl.rewards:get_repetition_penalty_reward", "make": {"ngram_size": 2}}
        rows = [Sample("x", columns={"completion_ids": ids}) for ids in ([1, 2, 3, 4], [5, 5, 5, 5, 5])]
        assert values(Stack({"repeats": words}), rows) == [0.0, -0.75]


class State:
    global_step = 50


def test_trls_arguments_are_handed_in_where_asked_for():
    got = {}

    def asks(
        prompts,
        completions,
        completion_ids,
        trainer_state,
        log_extra,
        log_metric,
        environments,
        answer,
        **kwargs,
    ):
        got.update(locals())
        log_metric("mine", 1.0)
        return [1.0] * len(completions)

    extra, metrics = {}, {}
    stack = Stack({"asks": {"use": asks, "weight": {"from": 0.0, "to": 1.0, "steps": 100}}}, name="main")
    totals = stack(
        prompts=["p"], completions=["c"], completion_ids=[[1, 2]], answer=["a"], task=["t"], trainer_state=State(),
        log_extra=extra.__setitem__, log_metric=metrics.__setitem__, environments=["env"],
    )  # fmt: skip
    assert totals == [0.5], "the weight follows the trainer's step"
    assert (got["completion_ids"], got["environments"], got["answer"]) == ([[1, 2]], ["env"], ["a"])
    assert got["trainer_state"].global_step == 50
    assert got["kwargs"] == {"task": ["t"]}
    assert extra == {"main/asks": [1.0]}
    assert metrics["mine"] == metrics["main/asks/mean"] == 1.0


def test_the_same_metrics_are_logged_in_every_batch():
    keys = []

    def abstains(completion):
        return {"skip": None, "err": "text"}.get(completion, 1.0)

    stack = Stack({"it": abstains})
    for text in ("fine", "skip", "err"):
        metrics = {}
        stack(prompts=["p"], completions=[text], log_metric=metrics.__setitem__)
        keys.append(sorted(metrics))
    assert keys[0] == keys[1] == keys[2]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Return a tiny Llama and a byte-level tokenizer, made here."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({token: place for place, token in enumerate(["<eos>", *alphabet])}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<eos>", pad_token="<eos>", padding_side="left"
    )
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(fast), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=256, eos_token_id=0, pad_token_id=0, bos_token_id=None,
    )  # fmt: skip
    return LlamaForCausalLM(config), fast


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_stack_trains_in_a_live_grpo_trainer(tiny, tmp_path, write):
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    path = write(
        "mine.py",
        """
        from rewardstack import reward

        @reward
        def vowels(completion: str, answer: str, *, scale: int = 10) -> float:
            return min(1.0, sum(letter in answer for letter in completion) / scale)
        """,
    )
    stack = Stack(
        {"vowels": {"use": f"{path}:vowels", "weight": {"from": 0.0, "to": 2.0, "steps": 2}},
         "guarded": {"use": f"{path}:vowels", "timeout": 20, "scale": 5},
         "some": {"use": lambda completion: None if len(completion) % 2 else 1.0, "weight": 0.1}},
        name="main",
    )  # fmt: skip
    model, tokenizer = tiny
    data = Dataset.from_list([{"prompt": f"say {n}", "answer": "aeiou"} for n in range(8)])
    config = GRPOConfig(
        output_dir=str(tmp_path), per_device_train_batch_size=8, num_generations=4, max_completion_length=8, max_steps=3,
        report_to=[], use_cpu=True, bf16=False, logging_steps=1, save_strategy="no", gradient_checkpointing=False,
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=model, reward_funcs=stack, args=config, train_dataset=data, processing_class=tokenizer
    )
    trainer.train()
    logs = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(logs) == 3
    for entry in logs:
        assert math.isfinite(entry["reward"])
        assert math.isfinite(entry["rewards/main/mean"])
        assert entry["main/vowels/errors"] == entry["main/guarded/errors"] == 0.0
        assert 0.0 <= entry["main/guarded/mean"] <= 1.0
