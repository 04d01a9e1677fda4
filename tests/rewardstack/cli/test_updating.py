"""`rewards test --update`: what is observed becomes what is expected, and nothing else in the file changes."""

import gzip
import json
from pathlib import Path

import pytest
from tests.rewardstack.cli.sums import ROWS, expecting, run, run_json, samples


def test_update_shows_asks_and_writes(here):
    before = Path("samples.jsonl").read_bytes()
    result = run("stack.toml", "samples.jsonl", "--update", input="n\n")
    assert "new expectations for 3 rows\nsamples.jsonl:1 none -> 1.5\n" in result.stdout
    assert Path("samples.jsonl").read_bytes() == before

    result = run("stack.toml", "samples.jsonl", "--update", input="y\n")
    assert result.exit_code == 0
    assert "expectations  3 of 3 rows as expected" in result.stdout
    lines = Path("samples.jsonl").read_bytes().splitlines()
    for old, new, total in zip(before.splitlines(), lines, (1.5, 0.0, 1.5), strict=True):
        assert new == old[:-1] + f', "expected": {total}}}'.encode()
    assert run("stack.toml", "samples.jsonl").exit_code == 0


def test_update_touches_only_what_is_not_met(here):
    path = expecting(1.5, {"right": 0, "short": {"min": 0.5}})
    before = Path(path).read_bytes().splitlines(keepends=True)
    assert run("stack.toml", path, "--update", "--yes").exit_code == 0
    after = Path(path).read_bytes().splitlines(keepends=True)
    assert after[0] == before[0]
    assert json.loads(after[1])["expected"] == {"right": 1.0, "short": {"min": 0.5}}


def test_update_keeps_bad_lines_blank_lines_and_rows_that_erred(here):
    text = f"{json.dumps(ROWS[0])}\n\n{{bad\r\n{json.dumps({'completion': 'A: 2'})}"
    Path("odd.jsonl").write_bytes(text.encode())
    result = run("-r", "my.py:right", "odd.jsonl", "--skip-bad", "--update", "-y")
    assert "1 row erred: left as before" in result.stdout
    expected = text.replace('"label": true}', '"label": true, "expected": 1.0}')
    assert Path("odd.jsonl").read_bytes().decode() == expected


def test_update_writes_under_the_name_the_file_has(here):
    samples("own.jsonl", [{"completion": "A: 2", "answer": "2", "wanted": 0}])
    assert run("-r", "my.py:right", "own.jsonl", "-c", "expected=wanted", "--update", "-y").exit_code == 0
    assert json.loads(Path("own.jsonl").read_text()) == {"completion": "A: 2", "answer": "2", "wanted": 1.0}


def test_update_of_a_gzip_file(here):
    Path("z.jsonl.gz").write_bytes(gzip.compress((json.dumps(ROWS[0]) + "\n").encode()))
    assert run("stack.toml", "z.jsonl.gz", "--update", "-y").exit_code == 0
    assert json.loads(gzip.decompress(Path("z.jsonl.gz").read_bytes()))["expected"] == 1.5


def test_columnar_samples_expect_nothing_where_they_hold_null(here):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(
        arrow.Table.from_pylist([{**ROWS[0], "expected": 1.5}, {**ROWS[1], "expected": None}]), "s.parquet"
    )
    data, code = run_json("stack.toml", "s.parquet")
    assert (data["expectations"]["rows"], code) == (1, 0)
    assert run("stack.toml", "s.parquet", "--update").exit_code == 2
