"""What `rewards test` writes: JSON, JUnit XML, one line, everything, and the sections of plugins."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.rewardstack.cli.sums import ROWS, expecting, run, run_json

from rewardstack.hookspecs import hookimpl
from rewardstack.registry import registry


def test_json_is_pure_and_keeps_its_shape(here):
    result = run("-r", "my.py:broken", "samples.jsonl", "--json", "--advantages")
    data = json.loads(result.stdout)
    assert list(data) == [
        "stack", "samples", "terms", "total", "errors", "expectations", "labels", "contract", "groups", "sections",
        "outcome",
    ]  # fmt: skip
    assert "a reward that prints" not in result.stdout
    assert data["errors"][0]["error"] == "raised ValueError: broken \x1b[31m \\ud800"
    assert data["groups"]["advantages"] == [0.0, 0.0, 0.0]
    assert data["outcome"]["exit_code"] == result.exit_code == 3


def test_json_lists_labels_with_their_measures(here):
    data, _ = run_json("stack.toml", "samples.jsonl", "--label", "label", "--of", "right")
    labels = data["labels"]
    assert (labels["accuracy"], labels["true_positives"], labels["judged"]) == (2 / 3, 1, 3)
    assert labels["disagreements"][0]["place"] == "samples.jsonl:3"


def test_junit_has_a_case_for_every_expectation_measure_and_check(here):
    path = expecting(1.5, 0.0, row={**ROWS[0], "completion": "\x00\ud800 A: 2"})
    result = run(
        "stack.toml", path, "--junit", "j.xml", "--label", "label", "--of", "right", "--min-recall", "1"
    )
    assert result.exit_code == 1
    root = ET.parse("j.xml").getroot()
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert cases["expecting.jsonl:1"].find("failure") is None
    assert cases["expecting.jsonl:2"].find("failure").text == (
        "total expected 0, got 1.5: right 1 (ends on ' 2', expected '2'); short 1"
    )
    assert cases["recall of right"].find("failure") is None
    assert cases["right: same twice"].find("failure") is None
    assert (
        cases["right: duplicates keep the length"].find("skipped").get("message") == "it is called row by row"
    )
    assert root.attrib == root.attrib | {"tests": str(len(cases)), "failures": "1", "errors": "0"}


def test_junit_tells_errors_from_failures(here):
    run("-r", "my.py:broken", expecting(1.0), "--junit", "j.xml")
    (case,) = ET.parse("j.xml").getroot().iterfind(".//testsuite[@name='broken.expectations']/testcase")
    assert "raised ValueError: broken \\x1b[31m \\ud800" in case.find("error").text


def test_quiet_is_one_line(here):
    assert run("stack.toml", "samples.jsonl", "-q").stdout == "sums: good: 3 rows, total 1.000\n"
    failed = run("stack.toml", expecting(9), "-q").stdout
    assert failed == (
        "sums: failed: 1 row, total 1.500, 0 of 1 as expected; 1 of 1 row with expectations missed them\n"
    )


def test_quiet_counts_the_rows_passed_over(here):
    Path("bad.jsonl").write_text(json.dumps(ROWS[0]) + "\n{broken\n", "utf-8")
    shown = run("stack.toml", "bad.jsonl", "-q", "--skip-bad").stdout
    assert shown == "sums: good: 1 row (1 skipped), total 1.500\n"


def test_no_line_ends_in_blanks(here):
    for arguments in (["-v"], ["-v", "--advantages", "--label", "label", "--of", "right"]):
        lines = run("stack.toml", expecting(9), *arguments).stdout.splitlines()
        assert [line for line in lines if line != line.rstrip()] == []


def test_verbose_shows_every_disagreement(here):
    path = expecting(*range(10, 20))
    assert "5 more (-v shows all)" in run("stack.toml", path).stdout
    assert run("stack.toml", path, "-v").stdout.count("  total expected") == 10


class Sections:
    @hookimpl
    def rewards_report_sections(self, run):
        return [("lengths", f"{len(run.samples)} rows\nof {run.source}")]


class BrokenSections:
    @hookimpl
    def rewards_report_sections(self, run):
        raise ValueError("no sections today")


@pytest.fixture
def plugin():
    """Return a function that registers a hook plugin for the next command."""
    added = []

    def add(monkeypatch, plugin):
        from rewardstack.cli import options

        start = options.block_plugins

        def start_with_plugin(*arguments):
            start(*arguments)
            registry().add(plugin, "added")
            added.append(plugin)

        monkeypatch.setattr(options, "block_plugins", start_with_plugin)

    yield add
    if added:
        registry().hooks.unregister(name="added")


def test_plugins_add_sections(here, plugin, monkeypatch):
    plugin(monkeypatch, Sections())
    assert "\nlengths\n3 rows\nof samples.jsonl\n" in run("stack.toml", "samples.jsonl").stdout
    data, _ = run_json("stack.toml", "samples.jsonl")
    assert data["sections"] == [{"title": "lengths", "text": "3 rows\nof samples.jsonl"}]


def test_a_broken_section_harms_nobody(here, plugin, monkeypatch, caplog):
    plugin(monkeypatch, BrokenSections())
    assert run("stack.toml", "samples.jsonl").exit_code == 0
    assert "rewards_report_sections hook of plugin 'added' failed" in caplog.text
