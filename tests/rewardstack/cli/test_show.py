"""`rewards show`: a stack as it is understood."""

import json

from rewardstack import Stack

SHOWN = """\
stack        demo
total        0 to 2 at step 0
total        0 to 2.5 at step 50
errors       a run stops when more than 20% of the last 200 rows erred
fingerprint  {fingerprint}

term         right  my.py:right
             1 when the answer stands in the completion.
weight       2 at step 0, 2 at step 50
range        0 to 1
when         task is 'math' or 'logic'
reads        completion, gold (as answer), hint (optional)
runs         sample by sample, equal rows once
on error     abstain

term         brief  my.py:brief
             1 at or under `limit` words, falling to 0 at twice that.
weight       0 at step 0, 0.5 at step 50
range        0 to 1
requires     right of 1 or more
reads        completion
option       limit = 2 *
option       unit = 'words'
runs         sample by sample, equal rows once
"""


def test_terms_stand_in_the_order_they_are_scored(run):
    result = run("show", "stack.toml", "--step", 0, "--step", 50)
    assert result.stdout == SHOWN.format(fingerprint=Stack.load("stack.toml").fingerprint())


def test_json_holds_what_is_shown(run):
    facts = json.loads(run("show", "stack.toml", "--step", 50, "--json").stdout)
    assert (facts["name"], facts["total"]) == ("demo", {"50": [0.0, 2.5]})
    right, brief = facts["terms"]
    assert (right["name"], right["use"], right["on_error"]) == ("right", "my.py:right", "abstain")
    assert right["columns"] == {
        "completion": {"column": "completion", "required": True},
        "answer": {"column": "gold", "required": True},
        "hint": {"column": "hint", "required": False},
    }
    assert brief["weight"] == {"50": 0.5}
    assert brief["options"]["limit"] == {"type": "whole number", "value": 2, "set": True}
    assert brief["options"]["unit"] == {"type": "text", "value": "words", "set": False}


def test_limits_forms_and_factories_are_shown(run, write):
    write(
        "other.toml",
        """
        prefill = "<think>"
        [rewards.group]
        use = "my.py:spread"
        weight = 0.5
        clip = [0.1, 0.4]
        timeout = 3
        on_timeout = "low"
        [rewards.all]
        use = "my.py:trl_style"
        """,
    )
    shown = run("show", "other.toml").stdout
    for line in (
        "total        a term promises no range",
        "prefill      '<think>'",
        "weight       0.5",
        "range        0.1 to 0.4 (clipped)",
        "runs         one prompt's group a call, in a worker process, stopped after 3 s",
        "on timeout   low",
        "reads        completions, answer, all other columns",
        "runs         a batch a call",
    ):
        assert line in shown.splitlines()


def test_a_negative_weight_turns_the_range_of_the_total(run, write):
    write("minus.toml", '[rewards.brief]\nuse = "my.py:brief"\nweight = -2\n')
    assert "total        -2 to 0" in run("show", "minus.toml").stdout.splitlines()


def test_a_single_reward(run):
    shown = run("show", "-r", "my.py:brief", "-o", "limit=7").stdout
    assert "option       limit = 7 *" in shown.splitlines()


def test_verbosely_with_what_each_option_takes(run):
    shown = run("show", "-r", "my.py:brief", "-o", "limit=7", "-v").stdout.splitlines()
    assert "option       limit = 7 * (whole number)" in shown
    assert "option       unit = 'words' (text)" in shown


def test_slips_are_told_of(told):
    assert "missing argument STACK (or -r REWARD)" in told("show")
    assert "cannot read the stack gone.toml: No such file" in told("show", "gone.toml")
    assert "a single reward is named with -r format.tags" in told("show", "format.tags")
    assert "my.py is no stack, which is a TOML file. Name a reward in it: -r my.py:brief or -r" in told(
        "show", "my.py"
    )
    assert "'stack.toml' (-r stands in place of the stack)" in told("show", "stack.toml", "-r", "my.py:brief")
    assert "sets options of the reward given with -r" in told("show", "stack.toml", "-o", "limit=3")
