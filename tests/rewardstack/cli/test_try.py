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
    assert "error  raised ValueError: cannot judge this" in result.stdout
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
def test_slips_are_told_of(told, arguments, message):
    assert message in told("try", *arguments)
