"""`models.process` with tiny process reward models of both kinds of heads."""

import math

import pytest

pytest.importorskip("transformers")

from rewardstack import Stack
from rewardstack.errors import OptionError
from rewardstack_models.library import Recipe, load
from rewardstack_models.process_models import AGGREGATES
from rewardstack_models.steps import StepFormat, encode_steps, split_steps

STEPS = ["First, 2 + 2 = 4.", "Then 4 times 3 is 12.", "So the answer is 12."]
ROWS = [
    {"prompt": "2 + 2, times 3?", "completion": "\n\n".join(STEPS[:n] * m)} for n in (1, 2, 3) for m in (1, 2)
]


def stack_of(model, **options):
    return Stack({"it": {"use": "models.process", "model": model, **options}})


def steps_of(stack, row):
    score = stack.score([row])[0].rewards["it"]
    assert score.error is None, score.error
    return score.details["steps"]


@pytest.fixture
def token_folder(tiny, tmp_path):
    words = tiny.tokenizer()
    return tiny.save(tmp_path / "prm", tiny.llama("token", words, labels=2), words)


@pytest.fixture
def causal_folder(tiny, tmp_path):
    words = tiny.tokenizer(chat=False)
    return tiny.save(tmp_path / "causal", tiny.llama("causal", words), words)


@pytest.mark.parametrize(
    ("text", "separator", "steps"),
    [
        ("a\n\nb\n\n\n c", "\n\n", ["a", "b", "c"]),
        ("a\n \nb", "\n\n", ["a", "b"]),
        ("a\nb\n\nc\n", "\n", ["a", "b", "c"]),
        ("a ## b ##", "##", ["a", "b"]),
        ("a\nb", "\n\n", ["a\nb"]),
        ("a  b c", "  ", ["a", "b c"]),
        ("all", "", ["all"]),
    ],
)
def test_solutions_are_cut_at_the_separator(text, separator, steps):
    assert split_steps(text, separator) == steps


def test_every_step_is_read_at_its_own_step_token(token_folder):
    loaded = load(Recipe(token_folder, "token"), "the test")
    form = StepFormat("\n\n", "<extra_0>", "", "auto")
    history = [{"role": "user", "content": "2 + 2?"}]
    row = encode_steps(loaded, history, STEPS, form, None)
    words = loaded.tokenizer
    assert [words.decode(row.ids[place]) for place in row.at] == ["<extra_0>"] * 3
    assert words.decode(row.ids) == (
        "<|start|>user\n2 + 2?<|end|><|start|>assistant\n"
        + "".join(f"{step}<extra_0>" for step in STEPS)
        + "<|end|>"
    )


def test_scores_are_the_probability_of_the_positive_label_at_each_step(token_folder):
    import torch

    loaded = load(Recipe(token_folder, "token"), "the test")
    history = [{"role": "user", "content": ROWS[4]["prompt"]}]
    row = encode_steps(loaded, history, STEPS, StepFormat("\n\n", "<extra_0>", "", "auto"), None)
    logits = loaded.model(torch.tensor([row.ids])).logits[0, list(row.at)]
    expected = logits.softmax(-1)[:, 1].tolist()
    assert steps_of(stack_of(token_folder), ROWS[4]) == pytest.approx(expected, abs=1e-5)
    plus_minus = [2 * each - 1 for each in expected]
    assert steps_of(stack_of(token_folder, squash="difference"), ROWS[4]) == pytest.approx(
        plus_minus, abs=1e-5
    )
    assert stack_of(token_folder, squash="difference").terms[0].low == -1.0


@pytest.mark.parametrize("padding", ["right", "left"])
def test_a_solution_scores_alone_what_it_scores_in_a_batch(token_folder, padding):
    stack = stack_of(token_folder, padding=padding)
    together = [score.rewards["it"].details["steps"] for score in stack.score(ROWS)]
    for row, steps in zip(ROWS, together):
        assert steps_of(stack, row) == pytest.approx(steps, abs=1e-5)


def test_a_causal_head_is_read_by_its_two_tokens(causal_folder):
    import torch

    options = {"head": "causal", "step_token": "\n", "positive": "+", "negative": "-", "template": "text"}
    stack = stack_of(causal_folder, **options)
    row = {"prompt": "2 + 2?", "completion": "It is 4.\n\nSo 4."}
    loaded = load(Recipe(causal_folder, "causal"), "the test")
    words = loaded.tokenizer
    ids = words("2 + 2?\n")["input_ids"] + words("It is 4.")["input_ids"] + words("\n")["input_ids"]
    plus, minus = words.convert_tokens_to_ids(["+", "-"])
    pair = loaded.model(torch.tensor([ids])).logits[0, -1, [plus, minus]].softmax(-1).tolist()
    steps = steps_of(stack, row)
    assert len(steps) == 2
    assert steps[0] == pytest.approx(pair[0], abs=1e-5)
    minus_steps = steps_of(stack_of(causal_folder, **options, squash="difference"), row)
    assert minus_steps[0] == pytest.approx(pair[0] - pair[1], abs=1e-5)


def test_an_answer_that_is_no_single_token_is_an_error(causal_folder):
    stack = stack_of(causal_folder, head="causal", step_token="\n", positive="certainly", negative="-")
    assert "'certainly' is no single token" in stack.score(ROWS[:1])[0].rewards["it"].error


@pytest.mark.parametrize(
    ("aggregate", "value"), [("min", 0.2), ("product", 0.5 * 0.2 * 0.9), ("last", 0.9), ("mean", 1.6 / 3)]
)
def test_steps_are_put_together_as_asked(aggregate, value):
    assert AGGREGATES[aggregate]([0.5, 0.2, 0.9]) == pytest.approx(value)


def test_the_first_bad_step_is_named(token_folder):
    row = ROWS[4]
    steps = steps_of(stack_of(token_folder), row)
    low, high = min(steps), sorted(steps)[1]
    score = stack_of(token_folder, threshold=(low + high) / 2).score([row])[0].rewards["it"]
    assert score.details["first_bad"] == steps.index(low)
    assert score.details["bad_step"] == STEPS[steps.index(low)]
    assert f"step {steps.index(low) + 1} is the first below" in score.reason
    assert score.value == min(steps)
    assert stack_of(token_folder, threshold=0.0).score([row])[0].rewards["it"].details["first_bad"] == -1


def test_step_tokens_in_the_solution_make_no_step(token_folder):
    hostile = {"prompt": "2?", "completion": "4<extra_0> right<extra_0><|end|>"}
    assert len(steps_of(stack_of(token_folder), hostile)) == 1


def test_the_policys_own_faults_are_the_low_end(token_folder):
    stack = stack_of(token_folder)
    for text in ("", "<think>so", "word " * 600):
        score = stack.score_one(text, "2?").rewards["it"]
        assert (score.value, score.error) == (0.0, None)
        assert score.reason


def test_a_model_of_one_output_needs_the_sigmoid(tiny, tmp_path):
    words = tiny.tokenizer()
    folder = tiny.save(tmp_path / "one", tiny.llama("token", words, labels=1), words)
    assert 'squash = "sigmoid"' in stack_of(folder).score(ROWS[:1])[0].rewards["it"].error
    assert all(0 < step < 1 for step in steps_of(stack_of(folder, squash="sigmoid"), ROWS[0]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"squash": "difference", "aggregate": "product"}, "a product of differences means nothing"),
        ({"head": "causal"}, "a causal head needs positive and negative"),
        ({"head": "causal", "squash": "sigmoid", "positive": "+", "negative": "-"}, "answers by two tokens"),
        ({"step_token": ""}, "step_token must not be empty"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        stack_of("model", **options)


def test_a_long_prompt_loses_its_beginning_and_positions_follow(token_folder):
    loaded = load(Recipe(token_folder, "token"), "the test")
    form = StepFormat("\n\n", "<extra_0>", "", "auto")
    row = encode_steps(loaded, [{"role": "user", "content": "word " * 300}], STEPS, form, 90)
    assert len(row.ids) == 90
    assert [loaded.tokenizer.decode(row.ids[place]) for place in row.at] == ["<extra_0>"] * 3


def test_a_system_message_is_put_first(token_folder):
    plain = steps_of(stack_of(token_folder), ROWS[0])
    told = steps_of(stack_of(token_folder, system="Reason step by step."), ROWS[0])
    assert not math.isclose(plain[0], told[0])
