"""What holds for every reward of the plugin; a new one is covered as soon as it is in `__all__`."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plugins import assert_described, loaded_by_importing

import rewardstack_format
from rewardstack import Score
from rewardstack.contract import is_marked
from rewardstack.registry import registry

REWARDS = {name: registry().find(f"format.{name}")[0] for name in rewardstack_format.__all__}

# options of those that cannot do without
OPTIONS = {
    "length_cosine": {"maximum": 100, "unit": "words"},
    "length_overlong": {"maximum": 100, "cache": 20, "unit": "words"},
    "regex": {"pattern": r"(?:[^<>]|<[^<>]*>)*"},
    "truncated": {"eos": 2},
}
GOLD = "1,000"
# these do not look at what a text says (the pattern above matches any text)
UNCONCERNED = {"length", "length_overlong", "regex", "repetition", "truncated"}

FRAGMENTS = (
    "<think>", "</think>", "<answer>", "</answer>", "<Answer >", "<answer a='b'>", "<reasoning>\n", "\n</answer>\n",
    "\\boxed{", "}", "{", "[", "]", '"', ":", ",", "#### ", "A: ", "The answer is ", "```json\n", "```", "`", "$", "\\(",
    "\\[", "1,000", "1e400", "-", "−", "inf", "nan", "9" * 5000, "１", "½", "Step 1: ", "\n1. ", "First, ", "\r\n", "\0",
    "\ud800", "\u200b", "e\u0301", "因为", "да", "the quick brown fox ", " or ", "not ", "http://", "<|im_end|>", "\ufeff",
)  # fmt: skip
texts = st.text(st.characters(exclude_categories=()), max_size=200)
hostile = st.lists(st.one_of(st.sampled_from(FRAGMENTS), texts), max_size=20).map("".join)
all_rewards = pytest.mark.parametrize("name", REWARDS)


def call(name, text):
    """Call a reward with the columns it reads and the options it needs."""
    reward = REWARDS[name]
    columns = {"completion": text, "completion_ids": [len(text), 2], "answer": GOLD, "keywords": GOLD}
    arguments = {column: columns[column] for column in reward.columns if column in columns}
    returned = reward.target(**arguments, **OPTIONS.get(name, {}))
    assert isinstance(returned, Score)
    return returned


def seconds(name, text):
    began = time.process_time()  # of this process alone: others may be busy
    call(name, text)
    return time.process_time() - began


def test_the_plugin_lists_all_its_rewards():
    found = {name for name, value in vars(rewardstack_format).items() if is_marked(value)}
    assert found == set(rewardstack_format.__all__)


@all_rewards
def test_the_registry_finds_each_by_its_name(name):
    assert REWARDS[name].target is getattr(rewardstack_format, name)


@all_rewards
@settings(max_examples=60)
@given(text=hostile)
def test_no_text_makes_it_raise_or_leave_its_range(name, text):
    score = call(name, text)
    assert score.error is None
    low, high = REWARDS[name].contract.range
    assert score.value is None or low <= score.value <= high
    assert score == call(name, text), "the same twice"
    json.dumps([score.reason, dict(score.details)])


@all_rewards
@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "\u200b" * 9, "\n" * 9], ids=repr)
def test_a_text_that_says_nothing_earns_nothing(name, text):
    score = call(name, text)
    best = REWARDS[name].contract.range[1]
    assert name in UNCONCERNED or score.value is None or score.value < best


HOSTILE = {  # repeated to a megabyte; what has a colon in its name follows an answer phrase

    "open tags": "<think>", "pairs": "<think></answer>", "answers": "<answer>\n", "closers": "</answer>",
    "angles": "<", "boxes": "\\boxed{", "hashes": "#### 5\n", "phrases": "the answer is 5. ", "brackets": "[",
    "objects": '{"a":', "formulae": "\\[", "round": "\\(", "dollars": "$a ", "fences": "```a\n`", "commands": "\\a{",
    "one word": "a", "words": "a ", "lines": "1. a\n", "first": "First, a. ", "A: digits": "9", "A: groups": ",000",
    "A: choices": "3 or ", "A: marks": "\u0301\u0316", "A: dollars": "$ ", "A: thin spaces": "\u2009", "Chinese": "因为", "surrogates": "\ud800", "NUL": "\0", "spaces": " ",
    "CRLF": "\r\n", "dots": ".", "backslashes": "\\", "addresses": "http://a ",
}  # fmt: skip


@all_rewards
def test_a_megabyte_of_hostile_text_takes_under_a_second(name):
    call(name, "The model of languages is read on first use. " * 5)
    slow = {}
    for kind, piece in HOSTILE.items():
        text = ("A: 1" if ":" in kind else "") + piece * (1_000_000 // len(piece))
        spent = seconds(name, text)
        if spent > 1.0:
            slow[kind] = spent
    assert not slow


def test_rewards_that_run_patterns_from_outside_are_isolated_and_have_a_deadline():
    limits = {name: each.contract.timeout for name, each in REWARDS.items() if each.contract.isolated}
    assert limits == {"json": 10.0, "regex": 5.0}


@pytest.mark.slow
@all_rewards
def test_ten_megabytes_are_scored_too(name):
    text = "<think>" + "We add 1 and 2. " * 640_000 + "</think><answer>1000</answer>"
    assert call(name, text).error is None


@all_rewards
def test_its_docstring_serves_listing_and_manual(name):
    assert_described(REWARDS[name])


def test_importing_the_plugin_imports_nothing_big():
    assert not loaded_by_importing(
        "rewardstack_format", ["jsonschema", "py3langid", "numpy", "asyncio", "rich"]
    )
