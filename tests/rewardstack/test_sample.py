"""Text, chat messages, multimodal parts and tool traces all become the same columns."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack import Sample, completion_text, prompt_text
from rewardstack.errors import RecordError
from rewardstack.sample import END_TOKENS, Batch, content_end, freeze, strip_special_tokens

TOOL_TRACE = [
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "add"}}]},
    {"role": "tool", "content": "4"},
    {"role": "assistant", "content": "It is 4.<|im_end|>"},
]


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("It is 4.", "It is 4."),
        ("It is 4.<|im_end|>", "It is 4."),
        ("It is 4.</s></s>\n", "It is 4."),
        ("<|im_start|>assistant\nIt is 4.<|im_end|>\n<|endoftext|>", "It is 4."),
        ([{"role": "assistant", "content": "It is 4."}], "It is 4."),
        ({"role": "assistant", "content": "It is 4."}, "It is 4."),
        ([{"content": "It is 4."}], "It is 4."),
        ([{"role": "assistant", "content": [{"type": "text", "text": "It is "}, {"type": "text", "text": "4."}]}],
         "It is 4."),
        ([{"role": "assistant", "content": [{"type": "image", "image": object()}, {"type": "text", "text": "4"}]}], "4"),
        (TOOL_TRACE, "It is 4."),
        (TOOL_TRACE[:2], ""),
        ([{"role": "user", "content": "4?"}], ""),
        ([], ""),
        (None, ""),
    ],
)  # fmt: skip
def test_completion_is_the_text_of_the_last_assistant_message(completion, text):
    assert completion_text(completion) == text


def test_tags_of_the_policy_are_no_special_tokens():
    assert strip_special_tokens("<think>a</think>") == "<think>a</think>"
    assert strip_special_tokens("a <|im_end|> b") == "a <|im_end|> b"
    assert strip_special_tokens("kept  \n") == "kept  \n"


@given(st.text(), st.lists(st.sampled_from([*END_TOKENS, " ", "\n"])))
def test_any_run_of_end_tokens_is_stripped_and_nothing_else(text, tail):
    bare = strip_special_tokens(text)
    assert strip_special_tokens(bare) == bare
    if any(part in END_TOKENS for part in tail):
        last = max(place for place, part in enumerate(tail) if part in END_TOKENS)
        assert strip_special_tokens(text + "".join(tail[: last + 1])).rstrip() == bare.rstrip()


def test_content_ends_before_the_tokens_and_the_white_space_between_them():
    assert content_end("4 <|im_end|>\n</s>") == 2
    assert [content_end(text) for text in ("", "4 \n", "a < b", "x[0]", "<s>")] == [0, 3, 5, 4, 3]
    assert content_end("x" + "</s> [EOS]" * 200_000) == 1


def test_stripping_is_linear():
    assert strip_special_tokens("x" + "</s>" * 500_000) == "x"
    assert strip_special_tokens("x" + " " * 2_000_000).startswith("x ")


def test_prompt_is_the_last_user_message():
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+2?"}]
    assert prompt_text(chat) == prompt_text("2+2?") == "2+2?"


def test_messages_hold_the_whole_conversation():
    batch = Batch.from_samples(
        [Sample("4", "2+2?"), Sample(TOOL_TRACE, [{"role": "user", "content": "2+2?"}])]
    )
    text, chat = batch.column("messages")
    assert text == [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]
    assert chat == [{"role": "user", "content": "2+2?"}, *TOOL_TRACE]


def test_a_prefilled_think_is_put_back_once():
    batch = Batch(["", ""], ["a</think>4", "<think>a</think>4"], {}, prefill="<think>\n")
    assert batch.column("completion") == ["<think>\na</think>4", "<think>a</think>4"]


def test_a_row_with_messages_alone_is_split_before_the_last():
    messages = [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]
    sample = Sample.from_row({"messages": messages, "answer": "4", "id": 7})
    assert (sample.prompt, sample.completion, sample.columns, sample.id) == (
        messages[:1], messages[1:], {"answer": "4", "id": 7}, "7",
    )  # fmt: skip


def test_a_row_without_completion_is_refused():
    with pytest.raises(RecordError, match="a sample needs a column 'completion'.*it has 'answer'"):
        Sample.from_row({"answer": "4"})


def test_values_no_reward_could_tell_apart_freeze_alike_and_others_do_not():
    distinct = [1, 1.0, True, "1", b"1", None, 0.0, -0.0, [1], (1,), [1.0], {"a": 1}, {"a": True}, [], {}, ""]
    frozen = [freeze(value) for value in distinct]
    assert len(set(frozen)) == len(distinct)
    assert frozen == [freeze(copy.deepcopy(value)) for value in distinct]
    with pytest.raises(TypeError, match="rows with a value of type object are not shared"):
        freeze([object()])
