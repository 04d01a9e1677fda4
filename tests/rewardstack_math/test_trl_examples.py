"""The examples in the docstrings of TRL's accuracy rewards (Apache-2.0, TRL 1.16), judged by ours."""

import pytest

from rewardstack import Sample, Stack

THIRD = r"\frac{1}{3}"


def chat(text):
    return [{"role": "assistant", "content": text}]


@pytest.mark.parametrize(
    ("completion", "value"),
    [(r"My answer is \boxed{\frac{1}{3}}", 1.0), (r"My answer is \boxed{\frac{1}{2}}", 0.0)],
)
def test_accuracy_reward(completion, value):
    stack = Stack({"right": {"use": "math.equal", "columns": {"answer": "solution"}}})
    assert stack.score([Sample(chat(completion), columns={"solution": THIRD})])[0].total == value


@pytest.mark.parametrize(
    ("completion", "value"),
    [
        (r"<think> Reasoning content </think> The final answer is \boxed{\frac{1}{3}}", 1.0),
        (r"<think> Reasoning content </think> The final answer is \boxed{\frac{1}{2}}", 0.0),
        (r"<think> Reasoning content with partial answers \boxed{\frac{1}{3}} but no final answer", 0.0),
    ],
)
def test_reasoning_accuracy_reward(completion, value):
    stack = Stack({"right": "math.equal"})
    assert stack.score([Sample(chat(completion), columns={"answer": THIRD})])[0].total == value


def test_cosine_scaled_reward():
    words = {"use": "format.length_cosine", "maximum": 100}
    rows = [
        Sample(chat(text), columns={"correct": right, "completion_ids": [1] * 50})
        for text, right in ((r"\boxed{\frac{1}{3}}", 1.0), (r"\boxed{\frac{1}{2}}", 0.0))
    ]
    assert [score.total for score in Stack({"length": words}).score(rows)] == pytest.approx([0.75, -0.75])
