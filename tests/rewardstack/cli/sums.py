"""What the tests of `rewards test` share: rewards, a stack, samples, and ways to run the command on them."""

import json
from pathlib import Path

from tests.commands import make_runner

from rewardstack.cli import rewards

__all__ = ["REWARDS", "ROWS", "STACK", "expecting", "run", "run_json", "samples"]

REWARDS = """
    import time
    from rewardstack import Score, reward

    @reward
    def right(completion: str, answer: str) -> Score:
        good = completion.endswith(answer)
        return Score(float(good), f"ends on {completion[-2:]!r}, expected {answer!r}")

    @reward
    def short(completion: str, *, limit: int = 5) -> float:
        return float(len(completion.split()) <= limit)

    @reward
    def picky(completion: str) -> Score:
        return Score(None, "does not apply") if "skip" in completion else Score(1.0)

    @reward(isolated=True)
    def slow(completion: str) -> float:
        time.sleep(60 if "hang" in completion else 0)
        return 1.0

    def broken(completion):
        print("a reward that prints")
        raise ValueError("broken \\x1b[31m \\ud800")

    def text(completion):
        return "1.0"

    def all_columns(completions, **columns):
        return [float("expected" in columns)] * len(completions)

    def patient(completion):
        open("begun", "w").close()
        time.sleep(60)
        return 1.0
"""
STACK = """
    name = "sums"
    [rewards.right]
    use = "my.py:right"
    [rewards.short]
    use = "my.py:short"
    weight = 0.5
    limit = 3
"""
ROWS = [
    {"prompt": "1 + 1", "completion": "A: 2", "answer": "2", "label": True},
    {"prompt": "1 + 1", "completion": "I think it is 3", "answer": "2", "label": False},
    {"prompt": "2 + 2", "completion": "A: 4", "answer": "4", "label": False},
]


def samples(name, rows, folder=Path()):
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return name


def run(*arguments, input=None):
    return make_runner().invoke(rewards, ["test", *map(str, arguments)], input=input)


def run_json(*arguments):
    result = run(*arguments, "--json")
    return json.loads(result.stdout), result.exit_code


def expecting(*expected, row=ROWS[0]):
    """Write samples that differ in what they expect."""
    return samples("expecting.jsonl", [{**row, "expected": each} for each in expected])
