"""10,000 odd completions and odd results through a live trainer: no crash, every fault named, no value that is none."""

import math
import random

import pytest

from rewardstack import Stack
from rewardstack_trainers.trl import reward_funcs

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]

STEPS, ROWS = 50, 200
ODD_TEXTS = [
    "", " ", "\n\n", "\0", "<think>", "</answer>", r"\boxed{", r"\boxed{}" * 9, "#### ", "NaN", "inf", "-0", "1e999",
    "9" * 99, "\ud7ff", "🤷🏽‍♀️", "ا٤٢", "<|im_end|>", "<eos><eos>", "{" * 99, "\\" * 50, "%s %d {0}", "٣", "𝟒𝟐",
    "the answer is", "A: not 4", "\u202e42", "a\r\nb", "[[[[", "'; DROP TABLE", "```python\n", "x" * 99,
]  # fmt: skip


class Liar:
    """A result whose conversion to a number raises."""

    def __float__(self):
        raise RuntimeError("no number")


class Quitter:
    """A result that calls for the interpreter's end."""

    def __float__(self):
        raise SystemExit(3)


FINE = [0.0, 1.0, 0.25, True, 1, -3.0]
ODD = [
    math.inf,
    -math.inf,
    math.nan,
    "1.0",
    b"1",
    [],
    [1.0],
    {},
    {"value": 1},
    1j,
    object(),
    Liar(),
    10**400,
    ...,
]
RAISED = [ValueError("bad"), ZeroDivisionError(), RecursionError("deep"), MemoryError("much"), KeyboardInterrupt(),
          SystemExit(1), StopIteration(), GeneratorExit(), AssertionError(), UnicodeError("ä")]  # fmt: skip


class Oddities:
    """Rewards that return, raise and miscount by chance; remembers what must have been named as a fault."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def one(self, completion: str):
        kind = self.random.random()
        if kind < 0.5:
            return self.random.choice(FINE)
        if kind < 0.6:
            return None
        if kind < 0.85:
            return self.random.choice(ODD)
        raise self.random.choice(RAISED)

    def all(self, completions, **kwargs):
        values = [self.one("") if self.random.random() < 0.01 else 1.0 for _ in completions]
        cut = self.random.choice([0, 0, 0, 1, -1])
        if self.random.random() < 0.1:
            return self.random.choice([None, 1.0, "text", iter(values)])
        return values[:-1] if cut < 0 else [*values, 1.0] if cut > 0 else values

    def token(self, completion_ids: list):
        return 1.0 if len(completion_ids) else 0.0


@pytest.mark.parametrize("mode", ["scalar", "columns"])
def test_no_oddity_crashes_and_every_fault_is_named(feed, tokenizer, mode):
    odd, chance = Oddities(1), random.Random(2)
    steps = STEPS if mode == "scalar" else 5
    stack = Stack(
        {"one": odd.one, "all": {"use": odd.all, "on_error": "abstain"}, "token": odd.token,
         "answer": {"use": "format.answer", "weight": 0.5}, "tags": {"use": "format.tags", "on_error": "low"}},
        max_error_share=1.0,
    )  # fmt: skip
    completions = [
        [] if chance.random() < 0.02
        else [chance.randrange(2, len(tokenizer)) for _ in range(chance.randrange(1, 9))] if chance.random() < 0.5
        else chance.choice(ODD_TEXTS)
        for _ in range(ROWS * steps)
    ]  # fmt: skip
    completions = [each if each != [] else [0] for each in completions]
    seen = []
    functions = reward_funcs(stack, mode, processing_class=tokenizer, observers=[seen.append])
    trainer = feed(
        functions, completions, per_device_train_batch_size=ROWS, num_generations=4, max_steps=steps,
        prompts=[f"p{n}" for n in range(ROWS // 4)], columns={"answer": ["42", "inf"] * (ROWS // 8)},
    )  # fmt: skip
    scores = [score for scored in seen for score in scored.run.scores]
    assert len(scores) == ROWS * steps
    assert all(total is None or math.isfinite(total) for scored in seen for total in scored.totals)
    assert all(math.isfinite(advantage) for batch in trainer.caught for advantage in batch)
    faults = [each.error for score in scores for each in score.rewards.values() if each.error is not None]
    assert len(faults) > len(scores) // 4
    assert all(fault.startswith(("returned ", "raised ")) for fault in faults)
    kinds = {fault.split()[1].rstrip(":,") for fault in faults}
    assert {"ValueError", "KeyboardInterrupt", "SystemExit", "inf", "nan", "str", "Liar"} <= kinds
    assert all(score.reason for score in scores if score.total is None)
    assert all(parameter.isfinite().all() for parameter in trainer.model.parameters())
