import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack.audit.forms import form_of, other_form
from rewardstack.sample import Sample, completion_text, prompt_text

USER = [{"role": "user", "content": "?"}]


@given(st.text(min_size=1), st.none() | st.text(min_size=1))
def test_both_forms_say_the_same_and_lead_back(completion, prompt):
    sample = Sample(completion, prompt, {"answer": "1"}, "7")
    other = other_form(sample)
    if other is None:  # text that templates have dressed up
        assert (
            prompt_text([{"role": "user", "content": prompt}]) != prompt
            or completion_text(completion) != completion
        )
        return
    assert (form_of(sample), form_of(other)) == ("text", "chat messages")
    assert completion_text(other.completion) == completion_text(completion)
    assert prompt_text(other.prompt) == prompt_text(prompt)
    assert other_form(other) == sample


@pytest.mark.parametrize(
    "sample",
    [
        Sample(""),
        Sample("fine", "<|im_start|>user dressed up"),
        Sample([{"role": "assistant", "content": [{"type": "text", "text": "parts"}]}], USER),
        Sample([{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}], USER),
        Sample([{"role": "assistant", "content": None, "tool_calls": []}], USER),
        Sample([{"role": "assistant", "content": "a"}], [{"role": "system", "content": "s"}, *USER]),
    ],
)
def test_what_has_no_other_form_is_left_alone(sample):
    assert other_form(sample) is None
