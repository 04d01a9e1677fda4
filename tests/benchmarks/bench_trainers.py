"""What the adapter costs beside bare TRL functions, and what a hanging reward costs a step.

Run it with `python -m tests.benchmarks.bench_trainers`. Both variants run interleaved in one process, so what else
the machine does hits them alike; the median ratio is printed.
"""

import tempfile
import time
from typing import Any

from tests.benchmarks.interleave import ratio

from rewardstack import Stack
from rewardstack_trainers.trl import reward_funcs

BATCH = 256
LIMIT = 1.0
ROUNDS = 41


def words(completions, **kwargs):
    """A plain TRL function of ordinary cost: it looks at every word."""
    return [sum(word.isalpha() for word in text.split()) / (len(text.split()) or 1) for text in completions]


def vowels(completions, **kwargs):
    """Another: it looks at every letter."""
    return [sum(letter in "aeiou" for letter in text) / (len(text) or 1) for text in completions]


def slow(completions, **kwargs):
    """A millisecond a completion, as an expression parser takes."""
    for _ in completions:
        time.sleep(0.001)
    return [1.0] * len(completions)


def hang(completion: str) -> float:
    """Hang on one completion as no signal and no thread could stop."""
    return float(9**9**9 > 0) if completion == "hang" else 1.0


def make_trainer(functions: list[Any], weights: list[float] | None) -> Any:
    """Return a trainer of a tiny model that generates 32 tokens."""
    from datasets import Dataset
    from tests.rewardstack_trainers.tiny import tiny_model, tiny_tokenizer
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

    tokenizer = tiny_tokenizer()
    args = GRPOConfig(
        output_dir=tempfile.mkdtemp(), per_device_train_batch_size=BATCH, num_generations=8, max_completion_length=32,
        use_cpu=True, bf16=False, activation_checkpointing=False, report_to=[], reward_weights=weights,
    )  # fmt: skip
    rows = Dataset.from_dict({"prompt": [f"say {n}" for n in range(BATCH)]})
    trainer: Any = GRPOTrainer(
        model=tiny_model(tokenizer),
        reward_funcs=functions,
        args=args,
        train_dataset=rows,
        processing_class=tokenizer,
    )
    trainer.model.train()
    return trainer


def step_ratio(functions: dict[str, Any]) -> float:
    """Time generating and scoring a batch, with the stack and with the same functions bare."""
    weights = [1.0] * len(functions)
    ours = make_trainer(reward_funcs(Stack(functions)), None)
    bare = make_trainer(list(functions.values()), weights)
    rows = [{"prompt": f"say {n // 8}"} for n in range(BATCH)]
    run = lambda trainer: trainer._generate_and_score_completions(rows)  # noqa: E731
    return ratio(lambda: run(ours), lambda: run(bare), rounds=ROUNDS)


def call_ratio(functions: dict[str, Any]) -> float:
    """Time the call of the rewards alone."""
    (ours,) = reward_funcs(Stack(functions))
    given = {
        "prompts": [f"say {n // 8}" for n in range(BATCH)],
        "completions": ["It is so, is it not? " * 20] * BATCH,
    }
    bare = lambda: [function(**given) for function in functions.values()]  # noqa: E731
    return ratio(lambda: ours(**given), bare, rounds=ROUNDS)


def hang_delay() -> float:
    """Return how much longer a batch takes when one of its rows hangs."""
    import __main__

    stack = Stack({"it": {"use": f"{__main__.__file__}:hang", "timeout": LIMIT}})
    (function,) = reward_funcs(stack)
    texts = [f"fine {n}" for n in range(BATCH)]
    function(prompts=["p"] * BATCH, completions=texts)
    times = []
    for given in (texts, ["hang", *texts[1:]]):
        began = time.perf_counter()
        function(prompts=["p"] * BATCH, completions=given)
        times.append(time.perf_counter() - began)
    return times[1] - times[0]


if __name__ == "__main__":
    import warnings

    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    print(f"a step, two cheap functions:      {step_ratio({'words': words, 'vowels': vowels}):.3f}")
    print(f"the call, a millisecond a row:    {call_ratio({'slow': slow}):.3f}")
    print(f"the call, two cheap functions:    {call_ratio({'words': words, 'vowels': vowels}):.3f}")
    print(f"a row that hangs, limit {LIMIT:g} s:     delays by {hang_delay():.2f} s")
