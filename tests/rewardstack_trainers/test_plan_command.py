"""`rewards plan` on the command line."""

import json

import pytest
from click.testing import CliRunner

from rewardstack.cli import rewards


def plan(*arguments):
    return CliRunner().invoke(rewards, ["plan", *arguments])


def test_a_size_has_terms_cards_and_advice():
    done = plan("--size", "3B", "--card", "24")
    assert done.exit_code == 1, "it does not fit as it is"
    assert "activations" in done.output
    assert "to fit on 24 GB: activation_checkpointing = true" in done.output


def test_what_fits_exits_with_0_and_needs_no_advice():
    done = plan("--size", "0.5B", "--card", "80", "--json")
    assert done.exit_code == 0
    facts = json.loads(done.output)
    assert facts["changes"] == []
    assert facts["peak"] == pytest.approx(sum(facts["training"].values()))


def test_the_table_has_every_size():
    rows = json.loads(plan("--table", "--json").output)
    assert set(rows["full"]) >= {"0.5B", "70B"}
    assert all(rows["QLoRA"][size] < rows["full"][size] for size in rows["full"])


def test_the_table_says_what_it_holds_for():
    shown = plan("--table", "--generations", "8").output
    assert "8 sequences at a time, prompts of 256 tokens, completions of 786" in " ".join(shown.split())


def test_a_training_file(write, monkeypatch):
    pytest.importorskip("trl")
    path = write(
        "run.toml",
        'preset = "gsm8k-lora"\n[model]\nname = "Qwen/Qwen2.5-0.5B"\ndtype = "bfloat16"\n[rewards.form]\nuse = "format.tags"\n',
    )
    facts = json.loads(plan(str(path), "--json").output)
    assert facts["parameters"] == 494032768
    assert facts["fits"]["RTX 4090"]


def test_how_it_is_trained_can_be_said():
    long = ["--size", "8B", "--generations", "8", "--completion", "20000", "--json"]
    peaks = [
        json.loads(plan(*long, *more).output)["peak"]
        for more in (
            ["--trainer", "old-trl", "--method", "lora"],
            ["--trainer", "old-trl", "--method", "lora", "--checkpointing"],
            ["--method", "lora", "--checkpointing"],
            ["--method", "qlora", "--checkpointing"],
            ["--method", "qlora", "--checkpointing", "--trainer", "unsloth"],
        )
    ]
    assert peaks == sorted(peaks, reverse=True)
    shared = json.loads(plan("--size", "1B", "--colocate", "0.5", "--card", "24", "--json").output)
    assert shared["training"]["vLLM"] == 12


@pytest.mark.parametrize("arguments", [[], ["--size", "9Q"], ["x.toml", "--table"]])
def test_usage(arguments):
    assert plan(*arguments).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "option", "source"),
    [
        (["--table", "--card", "24"], "--card", "--table"),
        (["--table", "--method", "lora"], "--method", "--table"),
        (["run.toml", "--generations", "8"], "--generations", "CONFIG"),
    ],
)
def test_options_that_would_be_passed_over_are_refused(arguments, option, source):
    result = plan(*arguments)
    assert result.exit_code == 2
    assert f"{option} has no meaning beside {source}" in result.output
