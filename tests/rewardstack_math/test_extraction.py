"""`extract`: the committed answer, and in prose its final expression."""

import pytest

from rewardstack_math import extract
from rewardstack_math.verification import verify


def right(gold, completion, **options):
    return verify(gold, completion, **options).comparison.equal


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("so the answer is \\boxed{42}.", "42"),
        ("<think>5</think><answer>\\boxed{7}</answer>", "7"),
        ("2+2=4\n#### 4", "4"),
        ("The final answer is $x+1$. I hope it is correct.", "x+1"),
        ("Therefore $x \\geq 5$ is the solution.", "x \\geq 5"),
        ("So the perimeter is 12 cm.", "12 \\text{cm}"),
        ("The error increases by 100%.", "100%"),
        ("The number of points in the domain of $f(x)$ is 19.", "19"),
        ("therefore I think it's B", "B"),
        ("Haley总共有99颗弹珠。", "99"),
        ("Le coût final est donc de 100 - 30 = 70", "100 - 30 = 70"),
        ("not it's not 10 it's 1,000.99m²", "1,000.99 \\text{m²}"),
    ],
)
def test_the_committed_answer(completion, text):
    assert extract(completion).text == text


@pytest.mark.parametrize(
    "completion",
    ["\\boxed{}", "earlier \\boxed{42} but \\boxed{", "", "1 2 3 4 5 6 7 8 9", "I cannot solve this problem.",
     "<think>\\boxed{42}", "<think>\\boxed{42}</think>"],
)  # fmt: skip
def test_no_answer_has_a_reason(completion):
    found = extract(completion)
    assert found.text is None
    assert found.reason


def test_a_hedge_is_wrong_unless_gold_has_the_alternatives():
    assert not right("3", "\\boxed{3} or \\boxed{4}")
    assert not right("3", "The answer is 3 or 4.")
    assert right("3, 4", "\\boxed{3} or \\boxed{4}")
    assert right("\\pm 3", "\\boxed{x = 3 \\text{ or } x = -3}")


def test_boxes_together_answer_a_gold_of_several_values():
    assert right("-2, 1", "The roots are \\boxed{-2} and \\boxed{1}.")
    assert right("(1,2),(2,1)", "\\boxed{(1, 2)}, \\boxed{(2, 1)}")
    assert not right("42", "\\boxed{42}\\boxed{43}")


def test_the_last_box_counts():
    assert right("9", "Part (a): \\boxed{3}. So $3^2 = \\boxed{9}$.")
    assert not right("3", "Part (a): \\boxed{3}. So $3^2 = \\boxed{9}$.")


def test_a_unit_beside_the_box_belongs_to_the_answer():
    assert right("50\\%", "so \\boxed{50}\\% of them")
    assert right("5 km", "\\boxed{5} kilometers")
    assert not right("5 km", "\\boxed{5} miles")
    assert right("189", "\\(\\boxed{189}\\) square centimeters")
    assert right("2", "There are $\\boxed{2}$ distinct values")


def test_answers_in_words():
    assert right("odd", "So the function is odd.")
    assert not right("odd", "So the function is not odd.")
    assert right("odd $n$", "odd $n$")
    assert right("Evelyn", "Therefore, $\\boxed{\\text{Evelyn}}$ is our answer.")


def test_only_one_commitment_on_request():
    text = "\\boxed{30} \\boxed{31} \\boxed{42}"
    assert right("42", text)
    assert not right("42", text, unique=True)


def test_thinking_counts_on_request():
    assert not right("42", "<think>\\boxed{42}")
    assert right("42", "<think>\\boxed{42}", thinking=True)


def test_gold_that_cannot_be_read_is_no_verdict():
    assert right("", "\\boxed{3}") is None
    assert right("", "no idea") is None
