"""Tasks with the rewards they bring: rows as their data sets have them, gold above wrong, a run's first steps."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("trl")

from rewardstack import Sample, Stack
from rewardstack.cli import rewards
from rewardstack.errors import ColumnError
from rewardstack.records import read_samples
from rewardstack_sandbox.shared import close_shared
from rewardstack_trainers.data.rows import make_rows
from rewardstack_trainers.data.tasks import TASKS, stack_of
from rewardstack_trainers.training.config import DataTable

pytestmark = pytest.mark.filterwarnings("ignore")

DATA = Path(__file__).parents[1] / "data"
FILES = {"humaneval": "code/humaneval.jsonl", "mbpp": "code/mbpp.jsonl", "math": "training/math.jsonl"}
FENCE = "Here it is:\n```python\n{}\n```"

CONFIG = """
output = "{output}"
name = "main"
task = "{task}"
[model]
name = "model"
[data]
path = "{path}"
limit = 16
[grpo]
per_device_train_batch_size = 4
num_generations = 4
max_completion_length = 8
max_steps = 2
disable_tqdm = true
"""


@pytest.fixture(scope="module", autouse=True)
def _no_worker_outlives_the_tests():
    yield
    close_shared()


@pytest.fixture
def config(tmp_path, model, tokenizer):
    """Return a function that writes a task's training file for a tiny model."""

    def write(task):
        model.save_pretrained(tmp_path / "model")
        tokenizer.save_pretrained(tmp_path / "model")
        path = tmp_path / "run.toml"
        path.write_text(CONFIG.format(output=tmp_path / "run", task=task, path=DATA / FILES[task]))
        return path

    return write


def rows_of(task, limit=12):
    """Return a task's rows with all that its stack reads."""
    wanted = list(Stack(stack_of([task])).columns())
    return make_rows(DataTable(path=FILES[task], limit=limit), [task], wanted, DATA, chat=True)


def raw_rows(task, limit=12):
    with (DATA / FILES[task]).open(encoding="utf-8") as file:
        return [json.loads(line) for _, line in zip(range(limit), file)]


def totals(task, completions):
    """Return the totals of completions, one for each of the task's rows."""
    samples = [
        Sample(text, row["prompt"], {name: value for name, value in row.items() if name != "prompt"})
        for text, row in zip(completions, rows_of(task, len(completions)), strict=True)
    ]
    return [score.total for score in Stack(stack_of([task])).score(samples)]


class TestGold:
    """The data's own solutions earn the most there is, what is nearly right less."""

    def test_of_humaneval_as_a_whole_function_and_as_what_the_prompt_goes_on_with(self):
        rows = [row for row in raw_rows("humaneval") if row["canonical_ok"]]
        assert len(rows) == 12
        assert (
            totals("humaneval", [FENCE.format(row["answer"]) for row in rows_of("humaneval")]) == [2.0] * 12
        )
        assert totals("humaneval", [FENCE.format(row["canonical_solution"]) for row in rows]) == [2.0] * 12
        assert max(totals("humaneval", [FENCE.format(row["mutant"]["code"]) for row in rows])) < 2.0

    def test_of_mbpp(self):
        golds = [FENCE.format(row["answer"]) for row in rows_of("mbpp")]
        assert totals("mbpp", golds) == [2.0] * 12
        others = [*golds[1:], golds[0]]
        assert totals("mbpp", others) == [0.0] * 12

    def test_of_math(self):
        rows = rows_of("math")
        assert totals("math", [rf"So \boxed{{{row['answer']}}}" for row in rows]) == [pytest.approx(2.2)] * 12
        whole = [row["solution"] for row in raw_rows("math")]
        assert min(totals("math", whole)) >= 2.0
        assert max(totals("math", [rf"So \boxed{{{row['answer']} + 1}}" for row in rows])) <= 0.2


def test_mbpps_sanitized_set_is_read_too(write):
    row = {
        "prompt": "Add.",
        "code": "x",
        "test_imports": ["import math"],
        "test_list": ["assert add(1, 2) == 3"],
    }
    path = write("rows.jsonl", json.dumps(row) + "\n")
    (made,) = make_rows(DataTable(path=path.name), ["mbpp"], ["setup"], path.parent, chat=False)
    assert made["setup"] == "import math"
    assert "Add.\nIt must pass: assert add(1, 2) == 3" in made["prompt"]


def test_rows_of_another_data_set_are_told_by_the_column_they_lack(write):
    path = write("rows.jsonl", '{"text": "Add.", "test": "x"}\n')
    with pytest.raises(ColumnError, match="have a column 'test_list', these do not.*They have: text, test"):
        make_rows(DataTable(path=path.name), ["mbpp"], [], path.parent, chat=False)


def test_an_answer_is_needed_only_where_it_is_read(write):
    path = write("rows.jsonl", '{"prompt": "Say it."}\n')
    table = DataTable(path=path.name)
    assert make_rows(table, [], [], path.parent, chat=False) == [{"prompt": "Say it."}]
    with pytest.raises(ColumnError, match="no column 'answer'"):
        make_rows(table, [], ["answer"], path.parent, chat=False)


@pytest.mark.parametrize("task", FILES)
def test_a_dry_run_finds_the_golds_above_a_wrong_answer(config, task):
    done = CliRunner().invoke(rewards, ["train", str(config(task)), "--dry-run"])
    assert done.exit_code == 0, done.output
    assert "16 rows to train on" in done.output
    assert "8 of 8 score above a wrong answer" in done.output


@pytest.mark.slow
@pytest.mark.parametrize("task", FILES)
def test_a_run_takes_its_first_steps(config, task, tmp_path):
    done = CliRunner().invoke(rewards, ["train", str(config(task)), "--json"])
    assert done.exit_code == 0, done.output
    assert not json.loads(done.stdout[done.stdout.index("{") :])["alarms"]
    rows = read_samples(str(tmp_path / "run/scored.parquet")).rows
    assert len(rows) == 8
    assert all(row["scored_total"] is not None and row["scored_reason"] for row in rows)
    again = CliRunner().invoke(
        rewards, ["test", str(tmp_path / "run/stack.toml"), str(tmp_path / "run/scored.parquet"), "-q"]
    )
    assert again.exit_code == 0, again.output


def test_every_task_but_those_of_plugins_that_are_missing_loads_its_stack():
    loads = [
        name for name in TASKS if not any("science." in each["use"] for each in TASKS[name].rewards.values())
    ]
    assert loads == ["gsm8k", "math", "humaneval", "mbpp"]
    mixed = Stack(stack_of(loads))
    assert {tuple(term.routes()["task"]) for term in mixed.terms} == {(name,) for name in loads}
