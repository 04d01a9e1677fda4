"""`rewards score`: one row a sample, in order, and nothing lost when it is interrupted."""

import gzip
import json
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack import Sample
from rewardstack.cli.chunks import chunk_ends
from rewardstack.errors import RecordError
from rewardstack.records.text import decode


def rows_in(path):
    return [decode(line) for line in path.read_bytes().splitlines()]


def without_seconds(rows):
    for row in rows:
        for score in row["rewards"].values():
            del score["seconds"]
    return rows


class TestRows:
    def test_a_row_holds_total_and_every_terms_score(self, run, folder):
        assert (
            run("score", "stack.toml", "samples.jsonl", "--out", "scores.jsonl", "--step", 50).exit_code == 0
        )
        rows = rows_in(folder / "scores.jsonl")
        assert [row["id"] for row in rows] == [str(n) for n in range(20)]
        assert list(rows[3]) == ["id", "total", "rewards"]
        assert list(rows[3]["rewards"]["right"]) == ["value", "reason", "error", "details", "seconds"]
        del rows[3]["rewards"]["right"]["seconds"], rows[3]["rewards"]["brief"]["seconds"]
        assert rows[3] == {
            "id": "3",
            "total": 2.0,
            "rewards": {
                "right": {"value": 1.0, "reason": "x is there", "error": None, "details": {"answer": "x"}},
                "brief": {"value": 0.0, "reason": "", "error": None, "details": {}},
            },
        }
        assert [row["total"] for row in rows[:3]] == [2.5, 2.5, 2.25], (
            "half of the scheduled weight at step 50"
        )

    def test_gzip_and_parquet_hold_the_same_rows(self, run, folder):
        parquet = pytest.importorskip("pyarrow.parquet")
        for suffix in ("jsonl", "jsonl.gz", "parquet"):
            assert run("score", "stack.toml", "samples.jsonl", "--out", f"scores.{suffix}").exit_code == 0
        plain = without_seconds(rows_in(folder / "scores.jsonl"))
        packed = gzip.decompress((folder / "scores.jsonl.gz").read_bytes())
        zipped = [json.loads(line) for line in packed.splitlines()]
        table = parquet.read_table(folder / "scores.parquet").to_pylist()
        for row in table:
            for score in row["rewards"].values():
                score["details"] = json.loads(score["details"])
        assert without_seconds(zipped) == without_seconds(table) == plain
        assert not list(folder.glob("*.partial.jsonl"))

    def test_the_pipe_holds_json_lines_and_nothing_else(self, run, capfd):
        result = run("score", "-r", "my.py:loud", "samples.jsonl", "--out", "-", "--chunk", 7)
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        assert [row["rewards"]["loud"]["value"] for row in rows] == [1.0] * 20
        assert capfd.readouterr().out == ""

    def test_one_reward_stands_for_a_stack(self, run, folder):
        run("score", "-r", "my.py:brief", "-o", "limit=1", "samples.jsonl", "--out", "scores.jsonl")
        assert [row["total"] for row in rows_in(folder / "scores.jsonl")][:3] == [1.0, 0.0, 0.0]

    def test_samples_are_mapped_wrapped_and_skipped(self, run, folder):
        (folder / "more.jsonl").write_text('{"response": "x", "gold": "x"}\n{"response": 3}\n')
        result = run(
            "score", "-r", "my.py:trl_style", "more.jsonl", "--out", "scores.jsonl", "--skip-bad", "--chat",
            "-c", "completion=response", "-c", "answer=gold",
        )  # fmt: skip
        assert "warning: passed over 1 bad row; more.jsonl:2: the completion must be" in result.stderr
        assert [row["total"] for row in rows_in(folder / "scores.jsonl")] == [1.0]

    def test_hard_texts_get_their_row(self, run, folder):
        texts = ["\ud800", "\x00", "x" * 10_000_000]
        (folder / "hard.jsonl").write_text(
            "".join(json.dumps({"completion": text, "answer": text[:9]}) + "\n" for text in texts)
        )
        assert run("score", "-r", "my.py:right", "hard.jsonl", "--out", "scores.jsonl").exit_code == 0
        rows = rows_in(folder / "scores.jsonl")
        assert [row["rewards"]["right"]["details"]["answer"] for row in rows] == ["\ud800", "\x00", "x" * 9]

    def test_the_summary_counts(self, run, folder):
        (folder / "samples.jsonl").write_text('{"completion": "ok"}\n' * 9 + '{"completion": "bad"}\n')
        result = run("score", "-r", "my.py:fails", "samples.jsonl", "--out", "scores.jsonl")
        assert "scores.jsonl: 10 rows, 1 masked, 1 with errors, mean total 1" in result.stderr
        assert run("score", "-r", "my.py:brief", "samples.jsonl", "--out", "s.jsonl", "-q").stderr == ""


class TestTooManyErrors:
    def test_a_broken_grader_cannot_judge(self, told, folder):
        (folder / "samples.jsonl").write_text('{"completion": "bad"}\n' * 9)
        err = told("score", "-r", "my.py:fails", "samples.jsonl", "--out", "scores.jsonl", code=3)
        assert "9 of 9 rows erred, more than max_error_share = 0.2 allows" in err
        assert "fails: raised ValueError: cannot judge this" in err
        assert len(rows_in(folder / "scores.jsonl")) == 9

    def test_a_long_run_stops_early_and_keeps_what_it_has(self, told, folder):
        (folder / "samples.jsonl").write_text('{"completion": "bad"}\n' * 500)
        told("score", "-r", "my.py:fails", "samples.jsonl", "--out", "scores.jsonl", "--chunk", 25, code=3)
        assert len(rows_in(folder / "scores.jsonl")) == 50, "more than 0.2 of the last 200"

    @pytest.mark.parametrize(
        ("rows", "fact"),
        [(9, "9 of 9 rows erred"), (500, "50 of the last 50 rows erred")],
        ids=["all scored", "stopped early"],
    )
    def test_going_on_with_such_a_run_cannot_judge_either(self, told, folder, rows, fact):
        (folder / "samples.jsonl").write_text('{"completion": "bad"}\n' * rows)
        arguments = ("score", "-r", "my.py:fails", "samples.jsonl", "--out", "scores.jsonl", "--chunk", 25)
        assert fact in told(*arguments, code=3)
        before = (folder / "scores.jsonl").read_bytes()
        err = told(*arguments, "--resume", code=3)
        assert (
            f"{fact}, more than max_error_share = 0.2 allows. First causes: fails: raised ValueError" in err
        )
        assert (folder / "scores.jsonl").read_bytes() == before

    def test_time_outs_of_the_kept_rows_are_still_none_of_its_errors(self, run, folder, write):
        write(
            "hanging.py",
            "import asyncio\nasync def hanging(completion):\n    await asyncio.sleep(9)\n    return 1.0\n",
        )
        write("hanging.toml", '[rewards.hanging]\nuse = "hanging.py:hanging"\ntimeout = 0.1\n')
        arguments = ("score", "hanging.toml", "samples.jsonl", "--out", "scores.jsonl", "--chunk", 5)
        assert run(*arguments).exit_code == 0
        path, sidecar = folder / "scores.jsonl", folder / "scores.jsonl.run.json"
        assert rows_in(path)[0]["rewards"]["hanging"]["fault"] == "time"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:10]))
        sidecar.write_text(sidecar.read_text().replace("true", "false"))
        assert run(*arguments, "--resume").exit_code == 0
        assert len(rows_in(path)) == 20


class TestChunks:
    def test_a_prompts_group_stays_whole(self, run, folder):
        arguments = ("score", "-r", "my.py:spread", "samples.jsonl", "--out", "scores.jsonl", "--chunk", 3)
        assert run(*arguments).exit_code == 0
        assert {row["total"] for row in rows_in(folder / "scores.jsonl")} == {0.4}

    def test_a_prompt_that_comes_back_is_refused(self, told, folder):
        lines = (folder / "samples.jsonl").read_text().splitlines(keepends=True)
        (folder / "samples.jsonl").write_text("".join([*lines[1:], lines[0]]))
        err = told("score", "-r", "my.py:spread", "samples.jsonl", "--out", "scores.jsonl", "--chunk", 3)
        assert "samples.jsonl:20 has the prompt of samples.jsonl:1 again" in err
        assert not (folder / "scores.jsonl").exists()

    def test_a_column_that_only_a_later_chunk_has_is_no_unknown_column(self, run, folder):
        (folder / "samples.jsonl").write_text(
            '{"completion": "x"}\n' * 2 + '{"completion": "x", "answer": "x"}\n' * 18
        )
        arguments = ("score", "-r", "my.py:right", "samples.jsonl", "--out")
        for chunk in (2, 20):
            assert run(*arguments, f"{chunk}.jsonl", "--chunk", chunk).exit_code == 0
        rows = without_seconds(rows_in(folder / "2.jsonl"))
        assert rows == without_seconds(rows_in(folder / "20.jsonl"))
        assert rows[0]["rewards"]["right"]["error"] == "the row has no column 'answer'"

    @given(st.lists(st.integers(0, 4)), st.integers(1, 9))
    def test_every_row_is_in_one_chunk_of_the_size(self, prompts, size):
        samples = [Sample("x", prompt) for prompt in prompts]
        ends = chunk_ends(samples, prompts, size, whole_groups=False)
        sizes = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
        assert sum(sizes) == len(samples)
        assert all(each == size for each in sizes[:-1])

    @given(st.lists(st.integers(0, 4)), st.integers(1, 9))
    def test_no_chunk_ends_inside_a_group(self, prompts, size):
        samples = [Sample("x", str(prompt)) for prompt in sorted(prompts)]
        ends = chunk_ends(samples, prompts, size, whole_groups=True)
        assert all(samples[end].prompt != samples[end - 1].prompt for end in ends[:-1])
        assert ends == sorted(set(ends))

    def test_prompts_that_cannot_be_compared_by_value_are_told_apart(self):
        with pytest.raises(RecordError, match="has the prompt of"):
            same = object()
            chunk_ends(
                [Sample("x", same), Sample("x", object()), Sample("x", same)], "abc", 1, whole_groups=True
            )


class TestResuming:
    @pytest.fixture
    def half(self, run, folder):
        """Leave what a run that was killed in the middle of a line leaves."""
        assert (
            run("score", "stack.toml", "samples.jsonl", "--out", "whole.jsonl", "--chunk", 4).exit_code == 0
        )
        assert (
            run("score", "stack.toml", "samples.jsonl", "--out", "scores.jsonl", "--chunk", 4).exit_code == 0
        )
        path = folder / "scores.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:10]) + lines[10][:25])
        sidecar = folder / "scores.jsonl.run.json"
        sidecar.write_text(sidecar.read_text().replace("true", "false"))
        return path

    def resume(self, run, *arguments, out="scores.jsonl", chunk=4):
        return run(
            "score", "stack.toml", "samples.jsonl", "--out", out, "--chunk", chunk, "--resume", *arguments
        )

    def test_it_goes_on_after_the_last_whole_chunk(self, run, half):
        before = half.read_bytes().splitlines()
        assert self.resume(run).exit_code == 0
        after = half.read_bytes().splitlines()
        assert after[:8] == before[:8], "what was scored stays as it was"
        assert without_seconds(rows_in(half)) == without_seconds(rows_in(half.with_name("whole.jsonl")))

    def test_what_is_complete_is_left_alone(self, run, half):
        self.resume(run)
        before = half.read_bytes()
        assert "is complete: 20 rows" in self.resume(run).stderr
        assert half.read_bytes() == before

    def test_nothing_to_go_on_with_is_a_fresh_start(self, run, folder):
        assert self.resume(run, out="new.jsonl").exit_code == 0
        assert len(rows_in(folder / "new.jsonl")) == 20

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (("stack.toml", "limit = 2", "limit = 3"), "another stack"),
            (("my.py", "2 - len", "3 - len"), "another stack, or other versions"),
            (("samples.jsonl", "word x", "word y"), "other samples"),
            (None, "another --step"),
        ],
    )
    def test_a_changed_run_is_refused(self, run, half, change, message):
        if change:
            path = half.with_name(change[0])
            path.write_text(path.read_text().replace(*change[1:]))
        before = half.read_bytes()
        result = self.resume(run, *([] if change else ["--step", 7]))
        assert result.exit_code == 2
        assert message in " ".join(result.stderr.split())
        assert half.read_bytes() == before

    def test_another_chunk_size_is_refused(self, run, half):
        assert "another --chunk" in " ".join(self.resume(run, chunk=5).stderr.split())

    def test_rows_of_other_samples_are_refused(self, run, half):
        half.write_bytes(half.read_bytes().replace(b'"id":"1"', b'"id":"one"'))
        assert "scores.jsonl:2 has the score of 'one' where that of '1' belongs" in " ".join(
            self.resume(run).stderr.split()
        )

    def test_an_interrupted_run_is_not_overwritten_unasked(self, told, run, half):
        err = told("score", "stack.toml", "samples.jsonl", "--out", "scores.jsonl")
        assert "holds the scores of an interrupted run. Go on with it with --resume" in err
        assert run("score", "stack.toml", "samples.jsonl", "--out", "scores.jsonl", "--force").exit_code == 0
        assert len(rows_in(half)) == 20

    def test_a_file_of_somebody_else_is_not_overwritten_unasked(self, told, folder):
        (folder / "mine.jsonl").write_text("mine")
        err = told("score", "stack.toml", "samples.jsonl", "--out", "mine.jsonl")
        assert "mine.jsonl exists, and no mine.jsonl.run.json says" in err
        assert (folder / "mine.jsonl").read_text() == "mine"

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            (("stack.toml", "limit = 2", "limit = 3"), "another stack"),
            (("samples.jsonl", "word x", "word y"), "other samples"),
        ],
    )
    def test_a_finished_run_of_other_things_is_not_overwritten_unasked(self, told, run, folder, change, why):
        arguments = ("score", "stack.toml", "samples.jsonl", "--out", "scores.jsonl")
        assert run(*arguments).exit_code == 0
        assert run(*arguments).exit_code == 0, "the same run again may be"
        name, old, new = change
        (folder / name).write_text((folder / name).read_text().replace(old, new))
        before = (folder / "scores.jsonl").read_bytes()
        err = told(*arguments)
        assert f"scores.jsonl holds the scores of a finished run, which are those of {why}" in err
        assert "overwrite it with --force" in err
        assert (folder / "scores.jsonl").read_bytes() == before
        assert run(*arguments, "--force").exit_code == 0

    def test_a_broken_sidecar_is_told_of(self, told, half):
        half.with_name("scores.jsonl.run.json").write_text("{}")
        err = told("score", "stack.toml", "samples.jsonl", "--out", "scores.jsonl", "--resume")
        assert "scores.jsonl.run.json is not what `rewards score` wrote" in err

    @pytest.mark.parametrize("out", ["scores.jsonl", "scores.parquet"])
    def test_an_interrupt_keeps_what_was_scored(self, run, folder, out):
        if out.endswith(".parquet"):
            pytest.importorskip("pyarrow")
        arguments = ["score", "-r", "my.py:slow", "samples.jsonl", "--out", out, "--chunk", "2"]
        lines = folder / (out if out.endswith(".jsonl") else f"{out}.partial.jsonl")
        process = subprocess.Popen(
            [sys.executable, "-m", "rewardstack.cli", *arguments],
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 30
        while not (lines.exists() and len(lines.read_bytes().splitlines()) >= 4):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        kept = lines.read_bytes()
        count = len(kept.splitlines())
        assert process.returncode == 130
        assert err.strip() == f"interrupted after {count} of 20 rows; --resume goes on"
        assert 4 <= count < 20
        assert run(*arguments, "--resume").exit_code == 0
        if out.endswith(".jsonl"):
            assert lines.read_bytes().startswith(kept)
        run(*arguments[:5], f"whole-{out}", "--chunk", 2)
        assert read_back(folder / out) == read_back(folder / f"whole-{out}")


def read_back(path):
    if path.suffix == ".jsonl":
        return without_seconds(rows_in(path))
    from pyarrow import parquet

    return without_seconds(parquet.read_table(path).to_pylist())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stack.toml", "samples.jsonl", "--out", "samples.jsonl"], "--out samples.jsonl would overwrite what is read"),
        (["stack.toml", "samples.jsonl", "--out", "scores.csv"], "must end in .jsonl, .jsonl.gz, .parquet"),
        (["stack.toml", "samples.jsonl", "--out", "-", "--resume"], "standard output keeps nothing"),
        (["stack.toml", "samples.jsonl", "--out", "s.jsonl", "--resume", "--force"], "take one of them"),
        (["stack.toml", "samples.jsonl", "--out", "no/s.jsonl"], "cannot write no/s.jsonl: No such file"),
        (["stack.toml", "--out", "s.jsonl"], "missing argument SAMPLES"),
        (["--out", "s.jsonl"], "missing argument STACK SAMPLES"),
        (["stack.toml", "samples.jsonl"], "error: missing option '--out'"),
        (["samples.jsonl", "stack.toml", "--out", "s.jsonl"], "the stack comes first, then the samples: stack.toml samples.jsonl"),
        (["-r", "my.py", "samples.jsonl", "--out", "s.jsonl"], "my.py is a file. Name a reward in it: my.py:brief or"),
        (["a", "b", "c", "--out", "s.jsonl"], "one argument too many: 'c'"),
        (["-r", "my.py:brief", "stack.toml", "samples.jsonl", "--out", "s.jsonl"], "-r stands in place of the stack"),
        (["stack.toml", "samples.jsonl", "-o", "limit=1", "--out", "s.jsonl"], "-o sets options of the reward given with -r"),
        (["format.tags", "samples.jsonl", "--out", "s.jsonl"], "a single reward is named with -r format.tags"),
        (["-r", "my.py:right", "samples.jsonl", "--out", "s.jsonl"], "reads the column 'answer', which the samples do not"),
        (["stack.toml", "gone.jsonl", "--out", "s.jsonl"], "cannot read gone.jsonl"),
    ],
)  # fmt: skip
def test_slips_are_told_of_and_write_no_scores(told, folder, arguments, message):
    before = (folder / "samples.jsonl").read_bytes()
    assert message in told("score", *arguments)
    assert (folder / "samples.jsonl").read_bytes() == before
    assert not list(folder.glob("s.jsonl*"))


def test_two_runs_do_not_write_one_file(folder):
    command = [
        sys.executable,
        "-m",
        "rewardstack",
        "score",
        "-r",
        "my.py:slow",
        "samples.jsonl",
        "--out",
        "s.jsonl",
        "--force",
        "--chunk",
        "1",
    ]
    first = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not (folder / "s.jsonl").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    second = subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, text=True, timeout=60)
    assert second.returncode == 2
    assert "another `rewards score` is writing s.jsonl" in " ".join(second.stderr.split())
    first.communicate(timeout=60)
    assert first.returncode == 0
    assert len((folder / "s.jsonl").read_text().splitlines()) == 20
    assert not list(folder.glob(".*.lock"))
