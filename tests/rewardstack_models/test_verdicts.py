"""Reading verdicts: from the end, and exactly one label."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack_models.judging.replies import Reply, Unreadable
from rewardstack_models.judging.verdicts import read_verdict

LABELS = ["CORRECT", "INCORRECT"]


@pytest.mark.parametrize(
    "text",
    [
        "VERDICT: CORRECT", "Fine.\nVERDICT: CORRECT\n", "verdict: correct", "**VERDICT: CORRECT**", "Verdict: **Correct**.",
        "CORRECT", "It is not INCORRECT.\n\nFinal verdict: CORRECT", "VERDICT - CORRECT", "The verdict is: `CORRECT`",
        "VERDICT: INCORRECT\nNo, wait.\nVERDICT: CORRECT", '{"reasoning": "INCORRECT?", "verdict": "CORRECT"}',
        "<think>INCORRECT</think>\nCORRECT", "VERDICT: [[CORRECT]]", "VERDICT: CORRECT\n```\n", "Label: CORRECT",
        'So:\n{\n"verdict": "CORRECT"\n}',
    ],
)  # fmt: skip
def test_a_label_at_the_end_is_the_verdict(text):
    assert read_verdict(Reply(text), LABELS) == "CORRECT"


@pytest.mark.parametrize(
    "text",
    [
        "", "...", "I cannot say.", "CORRECT or INCORRECT", "VERDICT: CORRECT/INCORRECT", "VERDICT: NOT CORRECT", "VERDICT:",
        "VERDICT: CORRECT\nBut I am not sure.", "The reply is CORRECT.", "VERDICT: INCORRECTLY", "VERDICT: CORRECTED",
        "VERDICT: PARTLY", '{"verdict": "MAYBE"}', '{"verdict": "CORRECT", "verdict": "INCORRECT"}', '{"verdict": ["CORRECT"]}',
        '{"verdict": "CORRECT"', "[]", '{"a": ' * 5000, "VERDICT: CORRECT, not INCORRECT", "COR RECT",
    ],
)  # fmt: skip
def test_what_is_not_exactly_one_label_is_no_verdict(text):
    with pytest.raises(Unreadable):
        read_verdict(Reply(text), LABELS)


def test_incorrect_does_not_say_correct():
    assert read_verdict(Reply("VERDICT: INCORRECT"), LABELS) == "INCORRECT"


@pytest.mark.parametrize("reply", [
    Reply("VERDICT: CORRECT", finish="content_filter"), Reply("<think>It could be\nCORRECT"), Reply("<think>\nVERDICT: CORRECT\n</think>"),
])  # fmt: skip
def test_a_reply_with_parts_left_out_or_only_thinking_is_no_verdict(reply):
    with pytest.raises(Unreadable):
        read_verdict(reply, LABELS)


def test_a_reply_that_is_cut_off_is_no_verdict():
    with pytest.raises(Unreadable, match="cut off"):
        read_verdict(Reply("CORRECT", finish="length"), LABELS)


def test_numbers_are_labels_like_any_other():
    scale = [str(number) for number in range(11)]
    assert read_verdict(Reply("Rating: 10"), scale) == "10"
    assert read_verdict(Reply("Rating: [[7]]"), scale) == "7"
    with pytest.raises(Unreadable):
        read_verdict(Reply("Rating: 10/10"), scale)


@given(st.text())
def test_any_text_gives_a_label_or_none(text):
    with contextlib.suppress(Unreadable):
        assert read_verdict(Reply(text), LABELS) in LABELS
