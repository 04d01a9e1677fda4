"""Commands are run in a folder of their own that holds a few rewards, samples and stacks."""

import json

import pytest
from tests.commands import make_runner
from tests.rewardstack.cli import sums

from rewardstack.cli import rewards
from rewardstack.registry import BLOCK_VARIABLE, registry

REWARDS = '''
    import os
    import time

    from rewardstack import Score, reward


    @reward
    def brief(completion: str, *, limit: int = 200, unit: str = "words") -> float:
        """1 at or under `limit` words, falling to 0 at twice that."""
        return max(0.0, min(1.0, 2 - len(completion.split()) / limit))


    @reward
    def right(completion: str, answer: str, hint: str = "") -> Score:
        """1 when the answer stands in the completion."""
        found = answer in completion
        return Score(float(found), f"{answer} is {'' if found else 'not '}there", {"answer": answer})


    @reward
    def loud(completion: str) -> float:
        """Prints in every way there is."""
        print("printed")
        os.write(1, b"written\\n")
        os.system("echo spawned")
        return 1.0


    @reward
    def fails(completion: str) -> float:
        """Raises on 'bad'."""
        if "bad" in completion:
            raise ValueError("cannot judge this")
        return 1.0


    @reward
    def slow(completion: str) -> float:
        """Takes a while."""
        time.sleep(0.05)
        return len(completion) / 100


    @reward(scope="group")
    def spread(completions: list[str]) -> list[float]:
        """The size of the group it was shown, in tenths."""
        return [len(completions) / 10] * len(completions)


    def trl_style(completions, answer, **kwargs):
        return [1.0 if turns[0]["content"] == gold else 0.0 for turns, gold in zip(completions, answer)]
'''

STACK = """
    name = "demo"

    [rewards.brief]
    use = "my.py:brief"
    limit = 2
    weight = { from = 0.0, to = 1.0, steps = 100 }
    requires = { right = 1.0 }

    [rewards.right]
    use = "my.py:right"
    weight = 2.0
    when = { task = ["math", "logic"] }
    columns = { answer = "gold" }
    on_error = "abstain"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch, write):
    """Change to a folder with `my.py`, `stack.toml` and `samples.jsonl`."""
    write("my.py", REWARDS)
    write("stack.toml", STACK)
    rows = [
        {"prompt": f"p{n // 4}", "completion": "word " * (n % 5) + "x", "gold": "x", "task": "math"}
        for n in range(20)
    ]
    write("samples.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder, monkeypatch):
    """Return a function that runs `rewards` in the folder and gives exit code, output and error output."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv(BLOCK_VARIABLE, "")  # --no-plugin writes here; undone after the test
    runner = make_runner()

    def run_rewards(*arguments, input=None):
        result = runner.invoke(rewards, [str(argument) for argument in arguments], input=input)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    yield run_rewards
    registry.cache_clear()


@pytest.fixture
def told(run):
    """Return a function that runs `rewards` and gives its standard error with all white space made single."""

    def run_for_error(*arguments, code=2):
        result = run(*arguments)
        assert result.exit_code == code, result.stderr
        return " ".join(result.stderr.split())

    return run_for_error


@pytest.fixture
def here(tmp_path, monkeypatch, write):
    """A folder with rewards, a stack and samples, which is the current one."""
    write("my.py", sums.REWARDS)
    write("stack.toml", sums.STACK)
    sums.samples("samples.jsonl", sums.ROWS, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path
