"""The rewards `math.equal`, `math.close` and `math.steps`."""

import pytest

from rewardstack_math import close, equal, steps


def test_equal():
    assert equal("The answer is \\boxed{0.5}.", "\\frac{1}{2}").value == 1.0
    wrong = equal("The answer is \\boxed{0.6}.", "\\frac{1}{2}")
    assert wrong.value == 0.0
    assert wrong.reason == "answer 0.6 does not equal \\frac{1}{2}"
    assert wrong.details["extracted"] == "0.6"


def test_equal_takes_numbers_and_several_golds():
    assert equal("so 42", 42).value == 1.0
    assert equal("so \\boxed{4}", ["3", "4"]).value == 1.0
    assert equal("so \\boxed{5}", ["3", "4"]).value == 0.0


def test_equal_abstains_where_gold_cannot_be_read():
    score = equal("so \\boxed{4}", "\\frac{1}{")
    assert score.abstained
    assert "gold" in score.reason
    assert equal("so 4", []).abstained


def test_equal_options():
    assert equal("\\boxed{5}", "5 km", units="required").value == 0.0
    assert equal("\\boxed{2, 1}", "1, 2", ordered=True).value == 0.0
    assert equal("\\boxed{1} \\boxed{2}", "2", unique=True).value == 0.0


def test_close_is_graded():
    values = [close(f"The answer is {number}.", "10").value for number in (10, 9, 5, 3, -40)]
    assert values == pytest.approx([1.0, 0.9, 0.5, 0.3, 0.0])


def test_close_shapes():
    assert close("so 9", 10, shape="exponential").value == pytest.approx(0.9048374)
    assert close("so 9", 10, shape="threshold", scale=0.2).value == 1.0
    assert close("so 7", 10, shape="threshold", scale=0.2).value == 0.0
    assert close("so 9", 10, kind="absolute", scale=2).value == pytest.approx(0.5)
    assert close("so 1", 0).value == 0.0


def test_close_reads_all_kinds_of_numbers():
    assert close("\\boxed{\\frac{1}{3}}", "0.3333").value == pytest.approx(1.0, abs=1e-3)
    assert close("\\boxed{\\sqrt{2}}", "1.41421356").value == pytest.approx(1.0)
    assert close("\\boxed{5 km}", "5000 m").value == 1.0
    assert close("\\boxed{25\\%}", "0.25").value == 1.0
    assert close("\\boxed{25\\%}", "25").value == 1.0


def test_close_without_a_number():
    assert close("\\boxed{x+1}", "10").value == 0.0
    assert close("no idea", "10").value == 0.0
    assert close("\\boxed{9^{9^{9^9}}}", "10").value == 0.0
    assert close("\\boxed{3} or \\boxed{4}", "3").value == 0.0
    assert close("so 5", "\\text{red}").abstained


def test_steps():
    score = steps("6 * 7 = 42\n42 + 1 = 44\nSo 44", "43")
    assert score.value == pytest.approx(1 / 3)
    assert score.details["first_error"] == 1
    assert score.details["wrong"] == "42 + 1 = 44"
    assert steps("6 * 7 = 42\nThe answer is 42.", "42").value == 1.0


def test_steps_gated():
    assert steps("6 * 7 = 42\nThe answer is 42.", "43", gated=True).value == 0.0
    assert steps("6 * 7 = 42\nThe answer is 42.", "42", gated=True).value == 1.0


def test_right_answer_by_a_wrong_process_is_found_out():
    assert steps("16/64 = 1/4\n19/95 = 1/6\nThe answer is 1/4", "1/4", gated=True).value < 1.0


def test_steps_abstains_where_nothing_can_be_checked():
    assert steps("I think about it.\nIt must be Paris.").abstained


@pytest.mark.parametrize(
    ("completion", "solution", "value"),
    [
        ("My answer is \\boxed{\\frac{1}{3}}", "\\frac{1}{3}", 1.0),
        ("My answer is \\boxed{\\frac{1}{2}}", "\\frac{1}{3}", 0.0),
        ("<think> Reasoning content </think> The final answer is \\boxed{\\frac{1}{3}}", "\\frac{1}{3}", 1.0),
        ("<think> Reasoning content </think> The final answer is \\boxed{\\frac{1}{2}}", "\\frac{1}{3}", 0.0),
        (
            "<think> Reasoning content with partial answers \\boxed{\\frac{1}{3}} but no final answer",
            "\\frac{1}{3}",
            0.0,
        ),
    ],
)
def test_examples_of_trl_accuracy_rewards(completion, solution, value):
    assert equal(completion, solution).value == value
