"""GRPO with a stack in a script of one's own: what `rewards train` does, without it."""

import sys
from pathlib import Path

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

from rewardstack import Stack
from rewardstack_trainers.callbacks import Alarms
from rewardstack_trainers.trl import reward_funcs

folder = Path(sys.argv[1])
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 150
data = load_dataset("json", data_files=str(folder / "train.jsonl"), split="train")
args = GRPOConfig(
    output_dir=str(folder / "own"), per_device_train_batch_size=128, num_generations=8, max_completion_length=8,
    learning_rate=3e-4, max_steps=steps, logging_steps=10, use_cpu=True, bf16=False, activation_checkpointing=False,
    save_strategy="no", report_to=[],
)  # fmt: skip
stack = Stack(
    {
        "form": {"use": "format.tags", "tags": ["answer"], "weight": 0.5},
        "right": {"use": "format.answer", "match": "exact"},
    }
)
trainer = GRPOTrainer(
    model=str(folder / "start"),
    reward_funcs=reward_funcs(stack, args=args, train_dataset=data),
    args=args,
    train_dataset=data,
    callbacks=[Alarms(stack.name)],
)
trainer.train()
