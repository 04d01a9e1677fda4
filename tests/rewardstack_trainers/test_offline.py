"""Scores in training are those offline: real completions go through a live trainer, and are scored again."""

import json
import os
from pathlib import Path

import pytest

from rewardstack import Sample, Stack
from rewardstack_trainers.trl import reward_funcs

pytest.importorskip("trl")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(1200)]

ROOT = Path(__file__).parents[2]
COMPLETIONS = Path(os.environ.get("REWARDSTACK_COMPLETIONS", ROOT / "examples/gsm8k/completions.jsonl"))
"""Another file of completions can be named; all rows of it are used."""

ROWS = 4


def test_every_completion_scores_the_same_in_training_as_offline(feed, tokenizer):
    rows = [json.loads(line) for line in COMPLETIONS.read_text("utf-8").splitlines()]
    stack = Stack.load(ROOT / "examples/gsm8k/stack.toml")
    offline = [
        score.total
        for score in stack.score(
            [Sample(r["completion"], r["prompt"], {"answer": r["answer"]}) for r in rows]
        )
    ]
    padded = rows + rows[: -len(rows) % ROWS]
    prompts = [f"{number // ROWS}" for number in range(0, len(padded), ROWS)]
    golds = {}
    for number, row in enumerate(padded):
        golds.setdefault(number // ROWS, []).append(row["answer"])
    seen = []
    # TRL repeats a prompt's columns for its completions, so each completion's own gold is looked up by place.
    inner = reward_funcs(stack, processing_class=tokenizer, observers=[seen.append])[0]

    def with_own_gold(prompts, completions, answer, **kwargs):
        return inner(
            prompts,
            completions,
            answer=[golds[int(prompt)][place % ROWS] for place, prompt in enumerate(prompts)],
            **kwargs,
        )

    with_own_gold.weights = None
    feed(
        with_own_gold, [row["completion"] for row in padded], prompts=prompts, columns={"answer": ["?"] * len(prompts)},
        max_steps=len(prompts), num_train_epochs=1, max_completion_length=8192,
    )  # fmt: skip
    totals = [total for scored in seen for total in scored.totals]
    assert len(totals) == len(padded)
    assert totals[: len(rows)] == offline
    texts = [completion for scored in seen for completion in scored.rollout.completions]
    assert texts[: len(rows)] == [row["completion"] for row in rows]
