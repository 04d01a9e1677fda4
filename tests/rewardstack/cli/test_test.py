"""`rewards test`, from the arguments to the exit code."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.commands import make_runner

from rewardstack.cli import rewards
from rewardstack.hookspecs import hookimpl
from rewardstack.registry import registry

EXAMPLE = Path(__file__).parents[3] / "examples" / "gsm8k"
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


@pytest.fixture
def here(tmp_path, monkeypatch, write):
    """A folder with rewards, a stack and samples, which is the current one."""
    write("my.py", REWARDS)
    write("stack.toml", STACK)
    samples("samples.jsonl", ROWS, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


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


def test_the_example_ends_on_its_confusion_matrix():
    result = run(EXAMPLE / "stack.toml", EXAMPLE / "completions.jsonl", "--label", "label", "--of", "correct")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-5:] == [
        "correct against label  yes is a value of 0.5 or more",
        "              label true   label false",
        "correct yes           85             0",
        "correct no             0           155",
        "accuracy 1.000  precision 1.000  recall 1.000",
    ]
    assert result.stdout.startswith("gsm8k  240 rows of completions.jsonl in ")
    assert "60 prompts of 4 rows each" in result.stdout


def test_the_example_fits_into_80_columns(here):
    result = run(
        EXAMPLE / "stack.toml",
        EXAMPLE / "completions.jsonl",
        "--advantages",
        "-v",
        "--label=label",
        "--of=brief",
    )
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "\x1b" not in result.stdout


def test_a_stack_and_samples_are_all_it_takes(here):
    result = run("stack.toml", "samples.jsonl")
    assert result.exit_code == 0
    assert "right       1  0.667" in result.stdout
    assert "total  mean 1.000, std 0.866, masked 0" in result.stdout


def test_one_reward_with_an_option_from_the_command_line(here):
    data, code = run_json("-r", "my.py:short", "-o", "limit=1", "samples.jsonl")
    assert (data["terms"][0]["name"], data["terms"][0]["mean"], code) == ("short", 0.0, 0)


def test_columns_are_renamed(here):
    samples("other.jsonl", [{"completion": "A: 2", "solution": "2"}])
    assert run("-r", "my.py:right", "other.jsonl").exit_code == 2
    assert run("-r", "my.py:right", "-c", "answer=solution", "other.jsonl").exit_code == 0


def test_samples_come_from_standard_input(here):
    result = run("stack.toml", "-", input=json.dumps(ROWS[0]) + "\n")
    assert result.exit_code == 0
    assert result.stdout.startswith("sums  1 row of standard input in ")


def test_met_expectations_are_good(here):
    result = run("stack.toml", expecting(1.5, {"min": 1}, {"right": 1, "short": {"min": 0.5}}))
    assert result.exit_code == 0
    assert "expectations  3 of 3 rows as expected" in result.stdout


def test_missed_expectations_fail_and_show_row_tail_and_reason(here):
    result = run("stack.toml", expecting(1.5, {"right": 0}))
    assert result.exit_code == 1
    assert "expectations  1 of 2 rows as expected" in result.stdout
    assert (
        "expecting.jsonl:2  right expected 0, got 1.000\n  A: 2\n  ends on ' 2', expected '2'\n"
        in result.stdout
    )
    assert result.stdout.endswith("\nfailed: 1 of 2 rows with expectations missed them\n")


def test_null_expects_an_abstention(here):
    path = samples(
        "skip.jsonl", [{"completion": "skip", "expected": None}, {"completion": "go", "expected": None}]
    )
    data, code = run_json("-r", "my.py:picky", path)
    assert code == 1
    assert [(each["row"], each["expected"], each["got"]) for each in data["expectations"]["mismatches"]] == [
        (1, "none", 1.0)
    ]


def test_a_bad_expectation_is_a_file_error(here):
    result = run("stack.toml", expecting(1.5, "high"))
    assert result.exit_code == 2
    assert "expecting.jsonl:2: expected is 'high'; it must be a number" in " ".join(result.stderr.split())


def test_rewards_do_not_see_what_is_expected_of_them(here):
    data, _ = run_json("-r", "my.py:all_columns", expecting(0.0))
    assert data["expectations"]["met"] == 1


def test_a_column_that_a_reward_reads_holds_no_expectations(here, write):
    write("gold.py", "def gold(completion, expected):\n    return float(completion == expected)\n")
    data, code = run_json("-r", "gold.py:gold", samples("gold.jsonl", [{"completion": "a", "expected": "a"}]))
    assert (data["expectations"], data["total"]["mean"], code) == (None, 1.0, 0)


def test_labels_are_compared_and_disagreements_shown(here):
    result = run("stack.toml", "samples.jsonl", "--label", "label", "--of", "right")
    assert result.exit_code == 0
    assert (
        "disagreements  1 of 3 rows\nsamples.jsonl:3  false positive, right gave 1\n  A: 4\n  ends on ' 4'"
        in result.stdout
    )
    assert "accuracy 0.667  precision 0.500  recall 1.000" in result.stdout


@pytest.mark.parametrize(
    ("option", "code"),
    [("--min-accuracy=0.6", 0), ("--min-accuracy=0.7", 1), ("--min-precision=0.6", 1), ("--min-recall=1", 0)],
)
def test_measures_fail_only_below_what_is_asked_for(here, option, code):
    result = run("stack.toml", "samples.jsonl", "--label", "label", "--of", "right", option)
    assert result.exit_code == code
    if code:
        assert "at least 0." in result.stdout.splitlines()[-1]


def test_the_threshold_of_a_yes_can_be_moved(here):
    data, _ = run_json(
        "stack.toml", "samples.jsonl", "--label", "label", "--of", "short", "--threshold", "1.5"
    )
    assert (data["labels"]["true_positives"], data["labels"]["false_positives"]) == (0, 0)


def test_labels_without_any_value_cannot_be_judged(here):
    path = samples("skip.jsonl", [{"completion": "skip", "label": True}])
    result = run("-r", "my.py:picky", path, "--label", "label")
    assert result.exit_code == 3
    assert "skip.jsonl:1  abstained: does not apply" in result.stdout
    assert "cannot judge: no row has both a label 'label' and a value of 'picky'" in result.stdout


USAGE = [
    (["stack.toml", "samples.jsonl", "--label", "label"], "--label needs --of TERM, the term to compare. The stack has: right, short"),
    (["stack.toml", "samples.jsonl", "--label", "label", "--of", "rihgt"], "--of: the stack has no term 'rihgt' (did you mean 'right'?). It has: right, short"),
    (["stack.toml", "samples.jsonl", "--label", "lable", "--of", "right"], "--label: the samples have no column 'lable' (did you mean 'label'?). They have: answer, label"),
    (["stack.toml", "samples.jsonl", "--of", "right"], "--of needs --label COLUMN, the column of truths"),
    (["stack.toml", "samples.jsonl", "--min-recall", "1"], "--min-recall needs --label COLUMN, the column of truths"),
    (["stack.toml", "samples.jsonl", "--yes"], "--yes answers the question of --update"),
    (["stack.toml", "samples.jsonl", "--junit", "no/such/j.xml"], "--junit no/such/j.xml: there is no folder no/such"),
    (["stack.toml", "-", "--update"], "--update edits files of JSON lines (.jsonl, .jsonl.gz); convert the samples first"),
    (["stack.toml", "samples.jsonl", "--update", "-c", "answer=expected"], "--update would overwrite the column 'expected', which -c reads as another"),
    (["stack.toml"], "missing argument SAMPLES"),
    (["stack.toml", "nowhere.jsonl"], "cannot read nowhere.jsonl: No such file or directory"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), USAGE)
def test_what_cannot_be_meant_is_told(here, arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_too_many_errors_cannot_be_judged_and_are_told_once(here):
    result = run("-r", "my.py:broken", "samples.jsonl")
    assert result.exit_code == 3
    assert "broken, samples.jsonl:1 and 2 more: raised ValueError: broken \\x1b[31m \\ud800" in result.stdout
    assert "cannot judge: 3 of 3 rows erred, more than max_error_share = 0.2 allows" in result.stdout
    assert "warning" not in result.stderr


def test_few_errors_are_shown_and_judged(here):
    rows = [{"completion": "A: 2", "answer": "2"}] * 5 + [{"completion": "A: 2"}]
    result = run("-r", "my.py:right", samples("some.jsonl", rows))
    assert result.exit_code == 0
    assert "right, some.jsonl:6: the row has no column 'answer'" in result.stdout


def test_time_outs_do_not_make_a_run_unjudgeable(here, write):
    write("slow.toml", '[rewards.slow]\nuse = "my.py:slow"\ntimeout = 0.3\n')
    data, code = run_json("slow.toml", samples("slow.jsonl", [{"completion": "hang"}, {"completion": "go"}]))
    assert (data["terms"][0]["timed_out"], data["terms"][0]["scored"], code) == (1, 1, 0)
    assert {check["name"]: check["rows"] for check in data["contract"]}["same twice"] == 1


def test_a_violated_contract_fails(here):
    result = run("-r", "my.py:all_columns", "samples.jsonl")
    assert result.exit_code == 0
    rows = [*ROWS * 3, {"completion": "x", "answer": "2"}]
    result = run("-r", "my.py:text", samples("some.jsonl", rows))
    assert (
        "text: returns numbers\n  some.jsonl:1 and 9 more: returned str '1.0', expected a number"
        in result.stdout
    )


def test_the_contract_can_be_left_alone(here):
    data, code = run_json("-r", "my.py:text", "samples.jsonl", "--contract", "0")
    assert (data["contract"], code) == ([], 3)


def test_json_is_pure_and_keeps_its_shape(here):
    result = run("-r", "my.py:broken", "samples.jsonl", "--json", "--advantages")
    data = json.loads(result.stdout)
    assert list(data) == [
        "stack", "samples", "terms", "total", "errors", "expectations", "labels", "contract", "groups", "sections",
        "verdict",
    ]  # fmt: skip
    assert "a reward that prints" not in result.stdout
    assert data["errors"][0]["error"] == "raised ValueError: broken \x1b[31m \\ud800"
    assert data["groups"]["advantages"] == [0.0, 0.0, 0.0]
    assert data["verdict"]["exit_code"] == result.exit_code == 3


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


def test_verbose_shows_every_disagreement(here):
    path = expecting(*range(10, 20))
    assert "5 more (-v shows all)" in run("stack.toml", path).stdout
    assert run("stack.toml", path, "-v").stdout.count("  total expected") == 10


def test_a_bad_row_is_told_or_skipped(here):
    Path("bad.jsonl").write_text(json.dumps(ROWS[0]) + "\n{broken\n", "utf-8")
    result = run("stack.toml", "bad.jsonl")
    assert result.exit_code == 2
    assert "bad.jsonl:2" in result.stderr
    result = run("stack.toml", "bad.jsonl", "--skip-bad")
    assert result.exit_code == 0
    assert "skipped bad.jsonl:2: " in result.stdout


def test_chat_hands_text_over_as_messages(here, write):
    write(
        "chat.py",
        "def chat(completions, **kwargs):\n    return [float(len(each[0]['content'])) for each in completions]\n",
    )
    refused = run("-r", "chat.py:chat", "samples.jsonl", "-v")
    assert refused.exit_code == 3
    assert "`--chat` hands text" in " ".join(refused.stdout.split())
    assert run("-r", "chat.py:chat", "samples.jsonl", "--chat").exit_code == 0


def test_the_step_moves_scheduled_weights(here, write):
    write(
        "moving.toml", '[rewards.short]\nuse = "my.py:short"\nweight = { from = 0.0, to = 1.0, steps = 10 }\n'
    )
    assert run_json("moving.toml", "samples.jsonl", "--step", "5")[0]["terms"][0]["weight"] == 0.5


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
    assert "rewards_report_sections hook of 'added' failed" in caplog.text


def test_help_tells_the_exit_codes():
    shown = run("--help").stdout
    for line in ("1    an expectation or a --min-... is not met", "3    cannot judge", "130  interrupted"):
        assert line in shown


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupt_ends_with_130(here):
    command = [
        sys.executable,
        "-c",
        "from rewardstack.cli import main; main()",
        "test",
        "-r",
        "my.py:patient",
        "samples.jsonl",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not Path("begun").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in errors
