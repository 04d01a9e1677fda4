"""Faults that well-known reward functions have; none of them may return."""

import pytest

from rewardstack import Stack
from rewardstack_format import answer, length_cosine, length_overlong, tags, xml_answer, xmlcount

CREDITS = ("strict", "soft", "partial")
GOOD = "<think>48 / 2 = 24</think><answer>72</answer>"


@pytest.mark.parametrize("credit", CREDITS)
@pytest.mark.parametrize("inside", ["", " \n\t", "\u200b\u2060", "\xa0", "...", "…"], ids=repr)
def test_empty_think_and_answer_are_not_paid(credit, inside):
    text = f"<think>{inside}</think><answer>{inside}</answer>"
    assert tags(text, credit=credit).value == 0.0
    assert tags(GOOD, credit=credit).value == 1.0


def test_empty_think_before_a_real_answer_is_not_paid_in_full():
    text = "<think></think><answer>72</answer>"
    assert [tags(text, credit=credit).value for credit in CREDITS] == [0.0, 0.0, 0.5]
    assert tags(text).reason == "<think> is empty"


def test_empty_blocks_earn_no_xml_count():
    assert xmlcount("<reasoning>\n\n</reasoning>\n<answer>\n\n</answer>\n").value == 0.0


@pytest.mark.parametrize("credit", CREDITS)
def test_repeated_blocks_are_not_paid(credit):
    score = tags(GOOD * 2, credit=credit)
    assert score.value == 0.0
    assert score.reason == "<think> stands 2 times"


def test_a_repeated_answer_alone_is_not_paid_in_full():
    text = f"{GOOD}<answer>144</answer>"
    assert [tags(text, credit=credit).value for credit in CREDITS] == [0.0, 0.0, 0.5]


@pytest.mark.parametrize(
    "text",
    [
        "<think>48 / 2 = 24</answer><answer>72</think>",
        "<think>48 / 2 = 24</thinking><answer>72</answer>",
        "<think>48 / 2 = 24</think><answer>72</think>",
        "<think>48 / 2 = 24<think><answer>72<answer>",
    ],
)
def test_a_mismatched_closing_tag_is_not_accepted(text):
    assert tags(text).value == tags(text, credit="soft").value == 0.0
    assert tags(text, credit="partial").value <= 0.5


@pytest.mark.parametrize("inside", ["", " ", "\n"], ids=repr)
def test_an_empty_answer_is_not_accepted_because_the_gold_contains_it(inside):
    assert xml_answer(f"<answer>{inside}</answer>", "72").value == 0.0
    assert answer(f"<answer>{inside}</answer>", "72").value == 0.0


def test_a_part_of_the_gold_is_not_accepted():
    assert xml_answer("<answer>7</answer>", "72").value == 0.0
    assert xml_answer("<answer>72 or 144 or 7</answer>", "72").value == 0.0


def test_an_empty_gold_is_not_matched_by_anything():
    for gold in ("", "  ", "...", "\u200b", None, []):
        assert xml_answer(f"<answer>{gold}</answer>", gold).abstained
        assert answer("nothing", gold).abstained


def test_the_prompts_own_tags_are_not_counted():
    stack = Stack({name: f"format.{name}" for name in ("tags", "xmlcount", "xml_answer", "boxed")})
    prompt = f"Answer as in this example: {GOOD} or \\boxed{{72}}"
    as_text = {"prompt": prompt, "completion": "72", "answer": "72"}
    as_chat = {
        "prompt": [{"role": "user", "content": prompt}],
        "completion": [{"role": "user", "content": prompt}, {"role": "assistant", "content": "72"}],
        "answer": "72",
    }
    for score in stack.score([as_text, as_chat]):
        assert {name: each.value for name, each in score.rewards.items()} == {
            "tags": 0.0, "xmlcount": 0.0, "xml_answer": 0.0, "boxed": 0.0
        }  # fmt: skip


@pytest.mark.parametrize("correct", [True, False])
def test_a_cosine_does_not_climb_again_past_the_maximum(correct):
    values = [
        length_cosine("word " * size, correct=correct, maximum=100, unit="words").value
        for size in range(0, 301, 10)
    ]
    within, beyond = values[:11], values[10:]
    assert within == sorted(within, reverse=correct)
    assert set(beyond) == {0.5 if correct else -0.5}


def test_an_overlong_punishment_does_not_go_below_its_end():
    values = [
        length_overlong("w " * size, maximum=10, cache=4, unit="words").value for size in (11, 20, 10**6)
    ]
    assert values == [-1.0, -1.0, -1.0]


def test_reasoning_of_several_lines_is_paid():
    text = "<reasoning>\nfirst\nsecond\n</reasoning>\n<answer>\n72\n</answer>\n"
    assert tags(text, tags=("reasoning", "answer"), lines=True).value == 1.0
