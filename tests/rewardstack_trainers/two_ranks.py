"""Run by `test_ranks.py`, alone or under torchrun: trains on given completions and writes down what was scored."""

import json
import os
import sys
from collections import Counter
from pathlib import Path

from datasets import Dataset
from tiny import tiny_model, tiny_tokenizer
from trl import GRPOConfig, GRPOTrainer

from rewardstack import Stack
from rewardstack.errors import RewardstackError
from rewardstack_trainers.callbacks import Alarms, EarlyStop
from rewardstack_trainers.ranks import leave
from rewardstack_trainers.trl import reward_funcs

PROMPTS, GENERATIONS = 4, 4


def score(completion: str) -> float | None:
    """Abstain on every seventh, pay by length."""
    number = int(completion.partition(" ")[2] or 0)
    return None if number % 7 == 3 else number / 16


def broken(completion: str) -> float:
    """Fail on the last prompt's completions, which the second rank alone has."""
    if completion.startswith("p3"):
        raise ValueError("no gold for p3")
    return 0.5


def rollout(prompts, trainer):
    """Complete every prompt with its name and a running number; the same whichever rank has it."""
    seen, texts = Counter(), []
    for prompt in prompts:
        texts.append(f"{prompt} {GENERATIONS * int(prompt[1:]) + seen[prompt] + trainer.state.global_step}")
        seen[prompt] += 1
    ids = [[*tokenizer(text)["input_ids"], 0] for text in texts]
    return {
        "prompt_ids": [tokenizer(prompt)["input_ids"] for prompt in prompts],
        "completion_ids": ids,
        "logprobs": [[0.0] * len(each) for each in ids],
    }


if __name__ == "__main__":
    folder, kind = Path(sys.argv[1]), sys.argv[2]
    rank, ranks = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    tokenizer, scored = tiny_tokenizer(), []
    terms = {"pays": score, "half": {"use": lambda completion: 0.5, "weight": 0.5}}
    stack = Stack(terms | ({"broken": broken} if kind == "errors" else {}), max_error_share=0.05)

    def keep(result):
        """Write down prompt, completion and total of every row."""
        rows = zip(result.rollout.prompts, result.rollout.completions, result.totals)
        scored.extend([result.rollout.step, *row] for row in rows)

    args = GRPOConfig(
        output_dir=str(folder / "run"), per_device_train_batch_size=PROMPTS * GENERATIONS // ranks,
        num_generations=GENERATIONS, max_steps=3 if kind == "equal" else 20 if kind == "errors" else 5, report_to=[], use_cpu=True, bf16=False,
        logging_steps=1, save_strategy="no", gradient_checkpointing=False, shuffle_dataset=False, disable_tqdm=True,
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=tiny_model(tokenizer), reward_funcs=reward_funcs(stack, args=args, observers=[keep]), args=args,
        train_dataset=Dataset.from_dict({"prompt": [f"p{n}" for n in range(PROMPTS)]}),
        processing_class=tokenizer, rollout_func=rollout,
    )  # fmt: skip
    stop = EarlyStop("reward", at=9.0)
    if kind == "stop" and rank == ranks - 1:  # one rank alone has reason to stop
        stop.judge = lambda value, step: "enough" if step == 2 else ""
    trainer.add_callback(stop)
    if kind == "alarm":
        here = rank == ranks - 1  # its logs alone are bad
        rules = {"bad": lambda history: "bad" if here and len(history.values("reward")) == 2 else None}
        trainer.add_callback(Alarms(rules=rules, stop_on=["bad"]))
    error = None
    try:
        trainer.train()
    except RewardstackError as caught:
        error = f"{type(caught).__name__}: {caught}"
    logs = [
        {key: value for key, value in entry.items() if key.startswith("stack/") and "seconds" not in key}
        for entry in trainer.state.log_history
        if "reward" in entry
    ]
    outcome = {
        "scored": scored,
        "logs": logs,
        "error": error,
        "step": trainer.state.global_step,
        "stop": stop.reason,
    }
    (folder / f"{ranks}-{rank}.json").write_text(json.dumps(outcome))
    leave()
    os._exit(0)  # torch may abort while the interpreter ends, which is not what is tested here
