"""The first rung of science.choice says what the whole way says, and is taken by the replies it is made for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack_science.choices import Chosen, find_choice, weigh_reply
from rewardstack_science.menus import read_menu
from rewardstack_science.plain_replies import read_plain

PLANETS = {"A": "Mars", "B": "Saturn", "C": "Jupiter", "D": "Neptune"}
MENUS = [
    PLANETS,
    ["AA", "Aa", "A", "a"],  # texts that are labels too
    ["B", "A", "D", "C"],
    ["1", "2", "3", "12"],
    {"1": "iron", "2": "gold", "3": "no", "10": "tin"},
    {"a": "It increases", "b": "either", "c": "I", "d": "None of the above"},
    dict.fromkeys("ABCDEFGHIJ", ""),
]


def whole_way(reply, menu, several="refuse", *, thinking=False):
    return weigh_reply(reply, menu, several=several, thinking=thinking, tag="answer")


labels = st.sampled_from([*"ABCDEFIJKabcdiz", "1", "2", "10", "12"])
dresses = st.sampled_from(["{}", "({})", "[{}]", "**{}**", "**({})**", "{})", "({}", "{}.", "**{}", "{}**", "[{})", "{}!", "{},", "`{}`", "\\text{{{}}}", "\\textbf{{({})}}"])  # fmt: skip
frames = st.sampled_from([
    "{}", "Answer: {}", "answer: {}", "answer is {}", "The answer is {}", "The answer is: {}.", "My answer is {}.", "The final answer is {}.", "Final answer: {}",
    "**Answer:** {}", "**Final Answer:** {}", "**Answer: {}", "The correct answer is {}", "The correct option is {}.", "Correct choice: {}", "So the answer is {}.",
    "Therefore, the answer is {}.", "Hence the correct option is {}.", "So, my answer: {}", "The answer {}", "Answer {}", "The option is {}", "\\boxed{{{}}}",
    "$\\boxed{{{}}}$", "$\\boxed{{{}}}", "\\boxed{{\\text{{{}}}}}", "\\boxed{{\\mathbf{{{}}}", "The answer is \\boxed{{{}}}.", "The answer is $\\boxed{{{}}}$.",
    "<answer>{}</answer>", "<answer> {} </answer>", "<answer>\n{}\n</answer>", "<answer>{}", "Answer: <answer>{}</answer>", "\\boxed{{}} {}",
])  # fmt: skip
endings = st.sampled_from(["", ".", "..", " .", "!", "?", "\n", "  ", " or", ", no", "<|im_end|>"])


@given(st.sampled_from(MENUS), st.sampled_from(["", " ", "\n"]), frames, dresses, labels, endings)
def test_the_first_rung_says_what_the_whole_way_says(options, opening, frame, dress, label, ending):
    menu = read_menu(options)
    reply = opening + frame.format(dress.format(label)) + ending
    assert find_choice(reply, menu) == whole_way(reply, menu)
    assert find_choice(reply, menu, several="last") == whole_way(reply, menu, "last")
    assert find_choice(reply, menu, thinking=True) == whole_way(reply, menu, thinking=True)


pieces = st.sampled_from(["A", "C", "a", "I", "(", ")", "[", "]", "**", "*", "$", "\\boxed{", "\\text{", "}", "<answer>", "</answer>", "The answer is", "Answer:",
                          "correct option", "is", "not", ":", ".", ",", " ", "\n", "12", "or", "think"])  # fmt: skip


@given(st.sampled_from(MENUS), st.lists(pieces, max_size=8).map("".join))
def test_on_any_pieces_the_first_rung_says_what_the_whole_way_says(options, reply):
    menu = read_menu(options)
    assert find_choice(reply, menu) == whole_way(reply, menu)


def test_on_real_replies_the_first_rung_says_what_the_whole_way_says(labelled):
    rows = labelled("mcq")
    plain = 0
    for row in rows:
        menu = read_menu(row["options"])
        assert find_choice(row["completion"], menu) == whole_way(row["completion"], menu)
        plain += read_plain(row["completion"], menu) is not None
    assert plain > len(rows) / 8


@pytest.mark.parametrize(
    "reply",
    [
        "C",
        "(c)",
        " C.\n",
        "Answer: C",
        "The answer is (C).",
        "\\boxed{C}",
        "\\boxed{\\text{C}}",
        "<answer>C</answer>",
    ],
)
def test_replies_that_the_first_rung_takes(reply):
    assert read_plain(reply, read_menu(PLANETS)).place == 2


@pytest.mark.parametrize(
    "reply",
    ["C or D", "C?", "not C", "K", "C Saturn", "<answer>C", "\\boxed{C} \\boxed{D}", "<think>C</think>"],
)
def test_replies_that_the_first_rung_leaves_to_the_whole_way(reply):
    assert read_plain(reply, read_menu(PLANETS)) is None


def test_another_tag_is_left_to_the_whole_way():
    menu = read_menu(PLANETS)
    assert find_choice("<answer>C</answer>", menu, tag="final") == weigh_reply(
        "<answer>C</answer>", menu, several="refuse", thinking=False, tag="final"
    )
    assert find_choice("C", menu) == Chosen(frozenset([2]), "a sentence names it", "line")
