"""`rewards try`: what one reward says of one completion."""

import json

import pytest


def test_it_prints_value_reason_details_and_what_was_read(run):
    result = run("try", "my.py:right", "--completion", "It is 42.", "--answer", "42")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:-1] == [
        "value    1",
        "reason   42 is there",
        "details  answer = '42'",
        "read     completion = 'It is 42.'",
        "         answer = '42'",
        "lacks    hint (optional)",
    ]


def test_json_is_all_there_is_on_standard_output(run, capfd):
    result = run("try", "my.py:loud", "--completion", "x", "--json")
    facts = json.loads(result.stdout)
    assert (facts["value"], facts["read"], facts["error"]) == (1.0, {"completion": "x"}, None)
    assert "printed" in result.stderr
    written = capfd.readouterr()
    assert written.out == ""
    assert {"written", "spawned"} <= set(written.err.split())


def test_options_are_json_where_that_fits_and_text_where_text_is_asked_for(run):
    result = run("try", "my.py:brief", "--completion", "a b c", "-o", "limit=2", "-o", "unit=7", "--json")
    facts = json.loads(result.stdout)
    assert facts["value"] == 0.5
    assert facts["options"] == {"limit": 2, "unit": "7"}


def test_columns_are_json_where_they_parse(run):
    turns = '[{"role": "assistant", "content": "It is 42."}]'
    result = run("try", "my.py:right", "-c", f"completion={turns}", "-c", 'answer="42"', "--json")
    assert json.loads(result.stdout)["value"] == 1.0


def test_text_that_seems_to_be_json_and_is_none_is_told_of(run):
    arguments = ("try", "my.py:right", "--completion", "[Ada, Bob]", "-c", "answer=[Ada, Bob]")
    result = run(*arguments)
    assert "value    1" in result.stdout
    assert result.stderr == "warning: -c answer: '[Ada, Bob]' is no JSON, so it is taken as text\n"
    assert run(*arguments, "-q").stderr == ""


def test_columns_that_nobody_reads_are_told_of(run):
    result = run("try", "my.py:brief", "--completion", "x", "--answer", "4", "-c", "task=math")
    assert result.exit_code == 0
    assert result.stderr == "warning: -c: my.py:brief reads no column 'task'. It reads: completion\n"


def test_options_that_are_numbers_of_either_kind_take_both(run, write):
    write("scaled.py", "def scaled(completion, *, scale: int | float = 1):\n    return float(scale)\n")
    for scale in ("2", "2.5"):
        shown = run("try", "scaled.py:scaled", "--completion", "x", "-o", f"scale={scale}", "--json").stdout
        assert json.loads(shown)["options"] == {"scale": float(scale)}


def test_a_negative_nought_is_nought(run, write):
    write("nought.py", "def nought(completion):\n    return -0.0\n")
    assert run("try", "nought.py:nought", "--completion", "x").stdout.startswith("value  0\n")


def test_trl_rewards_get_chat_messages(run):
    result = run("try", "my.py:trl_style", "--completion", "42", "--answer", "42", "--chat", "--json")
    assert json.loads(result.stdout)["value"] == 1.0


def test_texts_come_from_files_and_standard_input(run, folder):
    (folder / "text").write_text("It is @42.")
    assert "value    1" in run("try", "my.py:right", "--completion", "@text", "--answer", "@@42").stdout
    assert "value    1" in run("try", "my.py:right", "--completion", "-", "--answer", "7", input="7").stdout


def test_a_reward_that_fails_cannot_judge(run):
    result = run("try", "my.py:fails", "--completion", "bad")
    assert result.exit_code == 3
    assert "error  raised ValueError: cannot judge this\nwhere  my.py:33\n" in result.stdout
    assert result.stderr == ""


def test_what_a_model_wrote_cannot_steer_the_terminal(run):
    result = run("try", "my.py:right", "--completion", "\x1b]0;x\x07", "--answer", "\x1b[2J")
    assert "\x1b" not in result.stdout
    assert r"\x1b[2J is not there" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["my.py:right", "--completion", "x"], "my.py:right reads 'answer', which was not given. Add --answer TEXT"),
        (["my.py:brief"], "missing --completion TEXT"),
        ([], "error: missing argument 'REWARD'"),
        (["my.py", "--completion", "x"], "my.py is a file. Name a reward in it: my.py:brief or my.py:right or"),
        (["empty.py", "--completion", "x"], "empty.py is a file. There is no function in it"),
        (["my:brief", "--completion", "x"], "there is no module 'my'. A reward in the file my.py is named 'my.py:brief'"),
        (["my.py:right", "--completion", "x", "-c", "anwser=4"], "my.py:right reads no column 'anwser' (did you mean 'answer'?)"),
        (["my.py:right", "--completion", "x", "--answer", "x", "-c", "hnit=4"], "(did you mean 'hint'?). It reads: completion, answer, hint"),
        (["my.py:brief", "--completion", "x", "-c", "completion=y"], "the completion is given twice: by --completion and by -c"),
        (["my.py:brief", "--completion", "x", "-o", "limit=2.5"], "limit: expected int, got float (given: 2.5)"),
        (["my.py:brif", "--completion", "x"], "my.py:brif: there is no 'brif' (did you mean 'brief'?)"),
        (["my.py:brief", "--completion", "x", "-o", "limt=3"], "-o: my.py:brief has no option 'limt' (did you mean"),
        (["my.py:brief", "--completion", "x", "-o", "limit=few"], "limit: expected int, got str (given: 'few')"),
        (["my.py:brief", "--completion", "x", "-o", "limit"], "'limit' is not of the form NAME=VALUE"),
        (["my.py:brief", "--completion", "x", "-o", "limit=1", "-o", "limit=2"], "'limit' is given twice"),
        (["my.py:brief", "--completion", "@gone"], "--completion: cannot read gone: No such file"),
        (["my.py:brief", "-c", "completion=3"], "the completion must be text or a list of chat messages, not a number"),
        (["gone.py:brief", "--completion", "x"], "cannot read"),
        (["fromat.tags", "--completion", "x"], "no plugin called 'fromat' (did you mean 'format'?)"),
    ],
)  # fmt: skip
def test_slips_are_told_of(told, folder, arguments, message):
    (folder / "empty.py").write_text("NOTHING = 1\n")
    assert message in told("try", *arguments)
