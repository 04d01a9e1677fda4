"""Trains with a reward model's opinion next to rules, offline: python examples/reward_model/train.py [FOLDER] [STEPS].

Everything is made here: a policy with a bad habit (that of `rewards train --demo`), a reward model that has been shown
pairs of replies and prefers those in tags, and the stack beside this file, which gates the one by the other.
"""

import os
import random
import sys
import tomllib
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForSequenceClassification

from rewardstack_trainers.demo.questions import TASKS, split_questions
from rewardstack_trainers.demo.running import GRPO, prepare
from rewardstack_trainers.demo.start import make_tokenizer
from rewardstack_trainers.training.config import parse_config
from rewardstack_trainers.training.session import Session

STACK = Path(__file__).with_name("stack.toml")


def make_reward_model(folder: Path, steps: int = 60) -> None:
    """Teach a tiny Llama by pairs (Bradley-Terry): the reply in tags is better than the bare one; save it."""
    torch.manual_seed(0)
    words, chance = make_tokenizer(), random.Random(0)
    config = LlamaConfig(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=64, pad_token_id=0, eos_token_id=1, bos_token_id=None, num_labels=1,
    )  # fmt: skip
    model = LlamaForSequenceClassification(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    questions, _ = split_questions(TASKS["larger"], seed=0)
    for _ in range(steps):
        drawn = chance.choices(questions, k=64)
        better = [f"{question.prompt}<answer>{question.answer}</answer>" for question in drawn]
        worse = [f"{question.prompt}{question.answer}" for question in drawn]
        given = words([*better, *worse], return_tensors="pt", padding=True, return_token_type_ids=False)
        first, second = model(**given).logits[:, 0].chunk(2)
        loss = -torch.nn.functional.logsigmoid(first - second).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    words.save_pretrained(folder)


def main(folder: Path, steps: int) -> None:
    """Make the models, train, and tell how each reward fared on questions that were held out."""
    folder.mkdir(parents=True, exist_ok=True)
    prepare(folder, "larger", 0, lambda kind, text: print(f"{kind}: {text}"))
    make_reward_model(folder / "reward-model")
    rewards = tomllib.loads(STACK.read_text("utf-8"))["rewards"]
    data = {
        "output": str(folder / "run"), "name": "taste", "rewards": rewards, "model": {"name": "start"},
        "data": {"path": "train.jsonl"},
        "eval": {"path": "held_out.jsonl", "every": max(1, steps // 2), "metric": "taste/right/mean"},
        "log": {"completions": False}, "grpo": {**GRPO, "max_steps": steps, "seed": 0},
    }  # fmt: skip
    os.chdir(folder)  # the stack names its model's folder relative to where it is used
    session = Session(parse_config(data, folder), lambda kind, text: print(f"{kind}: {text}"))
    session.check()
    logs = session.run().logs
    for name in ("form", "right", "taste"):
        values = [entry[f"eval_taste/{name}/mean"] for entry in logs if f"eval_taste/{name}/mean" in entry]
        print(f"held out, {name}: {values[0]:.2f} -> {values[-1]:.2f}")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(Path(given[0] if given else "runs/reward-model").resolve(), int(given[1]) if len(given) > 1 else 90)
