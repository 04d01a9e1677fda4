"""Runs the demo: makes the model and its bad start, trains it as `rewards train` would, and measures the gain."""

from pathlib import Path
from typing import Any

from rewardstack_trainers.demo.questions import TASKS, prompts_of, split_questions
from rewardstack_trainers.errors import NotLearned, TrainingError
from rewardstack_trainers.training.config import Config, parse_config
from rewardstack_trainers.training.session import Outcome, Session, Tell

__all__ = ["LEAST_GAIN", "demo_config", "gain_of", "prepare", "run_demo"]

LEAST_GAIN = 40.0
"""Percentage points that the held-out share of right and well-formed answers must gain."""

METRIC = "demo/solved/mean"
HELD_OUT = 512

REWARDS: dict[str, Any] = {
    "form": {"use": "format.tags", "tags": ["answer"], "weight": 0.5},
    "right": {"use": "format.answer", "match": "exact"},
    "solved": {"use": "format.answer", "match": "exact", "weight": 0.0, "requires": {"form": 1.0}},
}
"""What is paid, and `solved`, which is only watched: right and well-formed."""

GRPO: dict[str, Any] = {
    "per_device_train_batch_size": 128, "num_generations": 8, "max_completion_length": 8,
    "max_grad_norm": 1.0, "beta": 0.0, "temperature": 1.0, "lr_scheduler_type": "constant", "loss_type": "grpo",
    "num_generations_eval": 1, "per_device_eval_batch_size": HELD_OUT, "save_strategy": "no", "disable_tqdm": True,
}  # fmt: skip


def demo_config(folder: Path, steps: int, seed: int, task: str = "larger") -> Config:
    """Return the training file of the demo, as data."""
    return parse_config(
        {
            "output": str(folder / "run"), "name": "demo", "rewards": REWARDS, "model": {"name": "start"},
            "data": {"path": "train.jsonl"},
            "eval": {"path": "held_out.jsonl", "every": max(1, steps // 6), "metric": f"demo/{TASKS[task].watch}/mean"},
            "log": {"completions": False},
            "grpo": {**GRPO, "learning_rate": TASKS[task].learning_rate, "max_steps": steps, "seed": seed},
        },
        folder,
    )  # fmt: skip


def prepare(folder: Path, task: str, seed: int, tell: Tell) -> None:
    """Make the model with its bad habit and the questions, and save both."""
    import torch

    from rewardstack.records import write_rows
    from rewardstack_trainers.demo.start import make_model, make_tokenizer, supervise

    torch.set_num_threads(1)  # a model this small only loses by more
    train, held_out = split_questions(TASKS[task], seed, HELD_OUT)
    tokenizer, model = make_tokenizer(), make_model(seed)
    size = sum(parameter.numel() for parameter in model.parameters())
    tell("start", f"teaching a Llama of {size:,} parameters a bad habit: {TASKS[task].summary}")
    for number, steps in enumerate(TASKS[task].supervised):
        supervise(model, tokenizer, train, seed + number, steps=steps)
    try:
        model.save_pretrained(folder / "start")
        tokenizer.save_pretrained(folder / "start")
    except OSError as error:
        raise TrainingError(f"cannot write to {folder}: {error.strerror or error}") from error
    for name, questions in (("train", train), ("held_out", held_out)):
        write_rows(str(folder / f"{name}.jsonl"), prompts_of(questions))


def run_demo(folder: Path, tell: Tell, *, task: str = "larger", steps: int = 150, seed: int = 0) -> Outcome:
    """Run the demo in a folder and return its outcome; see `gain_of`."""
    folder.mkdir(parents=True, exist_ok=True)
    prepare(folder, task, seed, tell)
    session = Session(demo_config(folder, steps, seed, task), tell)
    session.check()
    return session.run()


def gain_of(outcome: Outcome, task: str = "larger") -> tuple[float, float]:
    """Return the held-out share of right and well-formed answers before and after, in percent.

    Raises `NotLearned` when there is no such pair, or when the supervised start is none to learn from.
    """
    values = [100 * entry[f"eval_{METRIC}"] for entry in outcome.logs if f"eval_{METRIC}" in entry]
    if len(values) < 2:
        raise NotLearned("the demo ended before its second evaluation")
    low, high = TASKS[task].start
    if not low <= values[0] <= high:
        raise NotLearned(f"the supervised start solved {values[0]:.0f} %, expected {low:g} to {high:g} %")
    return values[0], values[-1]
