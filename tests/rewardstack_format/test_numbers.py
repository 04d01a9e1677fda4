import pytest

from rewardstack_format import boxed, number

KINDS = ("number", "integer", "digits")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("42", [1, 1, 1]), ("42.0", [1, 1, 0]), ("1,000", [1, 1, 0]), ("-7", [1, 1, 0]), ("+7", [1, 1, 0]),
        ("0.5", [1, 0, 0]), ("1e400", [1, 1, 0]), ("１２", [1, 1, 0]), ("9" * 50_000, [1, 1, 1]), ("-0", [1, 1, 0]),
        ("1/2", [0, 0, 0]), ("inf", [0, 0, 0]), ("nan", [0, 0, 0]), ("²", [0, 0, 0]), ("7 km", [0, 0, 0]),
        ("3 or 4", [0, 0, 0]), ("", [0, 0, 0]),
    ],
    ids=lambda case: repr(case)[:12],
)  # fmt: skip
def test_an_answer_is_a_number_an_integer_or_digits(text, values):
    assert [number(f"<answer>{text}</answer>", kind=kind).value for kind in KINDS] == values


def test_the_number_must_stand_where_it_is_asked_for():
    assert number("The answer is 42.").value == 1.0
    score = number("The answer is 42.", where="tag")
    assert (score.value, score.reason) == (0.0, "the answer is in the form 'phrase', not 'tag'")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("so \\boxed{72}", 1), ("<answer>\\boxed{72}</answer>", 1), ("\\boxed{\\frac{1}{2}}.", 1), ("$\\boxed{72}$", 1),
        ("<think>\\boxed{24}</think>\\boxed{72}", 1),
        ("72", 0), ("<answer>72</answer>", 0), ("\\boxed{}", 0), ("\\boxed{ }", 0), ("\\boxed{...}", 0), ("\\boxed{72", 0),
        ("\\boxed{72} \\boxed{}", 0), ("<think>\\boxed{72}</think>so it is", 0), ("\\boxed{3} or \\boxed{4}", 0), ("\\boxed{3 or 4}", 0),
        ("\\boxed{72} <answer>71</answer>", 0), ("I put it into \\boxed", 0),
    ],
)  # fmt: skip
def test_the_committed_answer_stands_in_a_filled_box(text, value):
    assert boxed(text).value == value


def test_unique_asks_for_one_box():
    assert boxed("\\boxed{24}, so in the end it is \\boxed{72}").value == 1.0
    assert boxed("\\boxed{24}, so in the end it is \\boxed{72}", unique=True).value == 0.0
