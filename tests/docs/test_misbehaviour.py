"""The README's table of what happens when a reward misbehaves: every row of it is a fact."""

import inspect
import math
import os
import re

import pytest
from tests.docs.blocks import ROOT

from rewardstack import Score, Stack, StackError, reward, runner, workers
from rewardstack.errors import ColumnError, OptionError, TooManyErrors
from rewardstack_sandbox import cores

RISKY = f"{ROOT}/tests/data/rewards/risky.py"
ROWS = [{"completion": "a"}, {"completion": "bad"}, {"completion": "b"}]


def risky(completion, **words):
    """Return what the three rows score when the middle one misbehaves in a worker process."""
    stack = Stack({"it": {"use": f"{RISKY}:acts", **words}})
    return stack.score([{"completion": text} for text in ("a", completion, "b")])


def only_its_row_errs(scores, error):
    assert [score.total for score in scores] == [1.0, None, 1.0]
    assert scores[1].rewards["it"].error.startswith(error)


def returns(value):
    """Return what the three rows score when the middle one returns something."""

    @reward
    def it(completion: str):
        return value if completion == "bad" else 1.0

    return Stack({"it": it}).score(ROWS)


def hangs_with_a_timeout(monkeypatch, caplog):
    only_its_row_errs(risky("hang", timeout=0.5), "timed out after 0.5 s")


def hangs_without_a_timeout(monkeypatch, caplog):
    assert runner.WATCHDOG_SECONDS == 30
    monkeypatch.setattr(runner, "WATCHDOG_SECONDS", 0.1)

    def slow(completion):
        runner.time.sleep(0.3)
        return 1.0

    assert Stack({"slow": slow}).score_one("a").total == 1.0
    assert "term 'slow' has been on row 0" in caplog.text


def ends_its_process(monkeypatch, caplog):
    only_its_row_errs(risky("exit", timeout=20), "the worker process died (exit code 7)")
    only_its_row_errs(risky("segfault", timeout=20), "the worker process died (signal SIGSEGV)")


def eats_memory(monkeypatch, caplog):
    monkeypatch.delenv("REWARDSTACK_WORKER_MEMORY", raising=False)
    assert workers.default_memory() == 8 * 2**30
    only_its_row_errs(risky("memory", timeout=20), "raised MemoryError")


def raises(monkeypatch, caplog):
    for fault in (ValueError("no"), SystemExit(3), KeyboardInterrupt()):

        def it(completion, fault=fault):
            if completion == "bad":
                raise fault
            return 1.0

        scores = Stack({"it": lambda completion, it=it: it(completion)}).score(ROWS)
        only_its_row_errs(scores, f"raised {type(fault).__name__}")


def returns_nonsense(monkeypatch, caplog):
    only_its_row_errs(returns(math.nan), "returned nan")
    only_its_row_errs(returns("1.0"), "returned str '1.0'")
    only_its_row_errs(returns(2.0), "returned 2.0, outside its declared range")


def returns_too_few(monkeypatch, caplog):
    scores = Stack({"it": lambda completions: [1.0]}).score(ROWS)
    assert {score.rewards["it"].error for score in scores} == {"returned 1 value for 3 completions"}


def changes_its_inputs(monkeypatch, caplog):
    def greedy(completion, tests):
        tests.clear()
        return 1.0

    tests = [1, 2]
    assert Stack({"it": greedy}).score_one("a", tests=tests).total == 1.0
    assert tests == [1, 2]


def needs_a_column_that_no_row_has(monkeypatch, caplog):
    with pytest.raises(ColumnError, match="did you mean 'answers'"):
        Stack({"it": lambda completion, answer: 1.0}).score([{"completion": "a", "answers": "a"}])


def needs_a_column_that_one_row_lacks(monkeypatch, caplog):
    rows = [{**row, "answer": "x"} if row["completion"] != "bad" else row for row in ROWS]
    scores = Stack({"it": lambda completion, answer: 1.0}).score(rows)
    only_its_row_errs(scores, "the row has no column 'answer'")


def option_misspelt(monkeypatch, caplog):
    with pytest.raises(OptionError, match="did you mean 'limit'"):
        Stack({"it": {"use": "format.length", "limti": 3}})
    assert issubclass(OptionError, StackError)


def judge_is_down(monkeypatch, caplog):
    only_its_row_errs(returns(Score(error="the judge is down")), "the judge is down")


def errs_too_often(monkeypatch, caplog):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    stack = Stack({"it": lambda completion: "nonsense"})
    assert stack(prompts=["p"] * 40, completions=["a"] * 40) == [None] * 40
    with pytest.raises(TooManyErrors, match="41 of the last 41 rows erred.*nonsense"):
        stack(prompts=["p"], completions=["a"])


FACTS = {
    "hangs, with a `timeout`": hangs_with_a_timeout,
    "hangs, without one": hangs_without_a_timeout,
    "ends its process (`os._exit`, a segfault)": ends_its_process,
    "eats memory": eats_memory,
    "raises, `SystemExit` and `KeyboardInterrupt` included": raises,
    "returns NaN, a string, or a value outside its range": returns_nonsense,
    "returns too few values for a batch": returns_too_few,
    "changes its inputs": changes_its_inputs,
    "needs a column that no row has": needs_a_column_that_no_row_has,
    "needs a column that one row lacks": needs_a_column_that_one_row_lacks,
    "has its option misspelt": option_misspelt,
    "asks a judge that is down": judge_is_down,
    "errs on more than a fifth of the rows": errs_too_often,
}


@pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
def test_what_the_table_says_is_so(fact, monkeypatch, caplog):
    assert inspect.isfunction(fact)
    fact(monkeypatch, caplog)


def test_every_row_of_the_table_is_tested():
    text = (ROOT / "README.md").read_text("utf-8")
    section = text.partition("## What happens when a reward misbehaves")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| .+ \|$", section, re.MULTILINE)
    assert [row for row in rows if row != "The reward"] == list(FACTS)


def test_the_number_of_workers_is_that_of_the_cores_this_process_may_use(monkeypatch):
    for name in ("REWARDSTACK_WORKERS", "LOCAL_WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cores, "QUOTAS", ())
    assert workers.default_size() == len(os.sched_getaffinity(0))
