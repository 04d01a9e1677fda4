"""`rewards test`, from the arguments to the exit code."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.rewardstack.cli.sums import ROWS, expecting, run, run_json, samples

EXAMPLE = Path(__file__).parents[3] / "examples" / "gsm8k"


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


OPTIONAL = "def gold(completion, expected=None):\n    return 1.0\n"


@pytest.mark.parametrize(
    ("expected", "warned"), [(0.0, True), ({"gold": 0.0}, True), ([0.0], False), (None, False)]
)
def test_expectations_that_a_term_takes_for_its_own_are_told(here, write, expected, warned):
    write("gold.py", OPTIONAL)
    path = samples("gold.jsonl", [{"completion": "a", "expected": expected}])
    result = run("-r", "gold.py:gold", path)
    told = "the column 'expected' is read by gold, so it holds no expectations" in " ".join(
        result.stderr.split()
    )
    assert (told, result.exit_code) == (warned, 0)


def test_a_term_that_reads_another_column_leaves_the_expectations_to_be_judged(here, write):
    write("gold.py", OPTIONAL)
    write("gold.toml", '[rewards.gold]\nuse = "gold.py:gold"\ncolumns = { expected = "outputs" }\n')
    result = run("gold.toml", samples("gold.jsonl", [{"completion": "a", "expected": 0.0}]))
    assert (result.stderr, result.exit_code) == ("", 1)
    assert "failed: 1 of 1 row with expectations missed them" in result.stdout


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
    (["samples.jsonl"], "missing argument STACK (or -r REWARD) before samples.jsonl"),
    (["samples.jsonl", "stack.toml"], "the stack comes first, then the samples: stack.toml samples.jsonl"),
    (["my.py", "samples.jsonl"], "my.py is no stack, which is a TOML file. Name a reward in it: -r my.py:right or"),
    (["stack.toml", "samples.jsonl", "-q", "--advantages"], "--advantages asks for a table, -q for one line"),
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
