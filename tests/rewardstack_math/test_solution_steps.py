"""`check_steps`: the first wrong step of a solution."""

import pytest

from rewardstack_math import check_steps


def first_error(*steps, **given):
    return check_steps(steps, **given).first_error


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        (["2 + 2 = 4", "4 * 3 = 12"], -1),
        (["2 + 2 = 4", "4 * 3 = 13"], 1),
        (["6/8 = 3/4", "3/4 + 1/4 = 4/8"], 1),
        (["3 + 4 = 7 = 8"], 0),
        (["She has 9 books * 2 = <<9*2=18>>18 books", "18 - 3 = <<18-3=16>>16 left"], 1),
        (["10/3 = 3.33"], -1),
        (["1.25 hours = 75 minutes"], -1),
        (["25% of 40 is 10"], -1),
        (["25% of 40 is 12"], 0),
        (["An antiderivative of 2x is 2x^2"], 0),
        (["0/0 = 0"], 0),
        (["d/dx 2x = 2x"], 0),
        (["32 = 2^5", "log2(2^5) = 5"], -1),
    ],
)
def test_links(steps, wrong):
    assert first_error(*steps) == wrong


def test_equations_against_the_solutions_before_them():
    assert first_error("3x = 15", "x = 5", problem="Solve 3x + 5 = 20.") == -1
    assert first_error("3x = 15", "x = 6", problem="Solve 3x + 5 = 20.") == 1
    assert first_error("2x - x = 7 + 3", "x = 10", problem="Solve 2x + 3 = x + 7.") == 0
    assert first_error("c^2 = 9 + 16 = 25", "c = 12.5") == 1
    assert first_error("c^2 = 9 + 16 = 25", "c = 5") == -1


def test_identities_only_where_the_problem_asks_to_rewrite():
    assert first_error("(a + b)^2 = a^2 + b^2", problem="Expand (a + b)^2.") == 0
    assert first_error("(a + b)^2 = a^2 + 2ab + b^2", problem="Expand (a + b)^2.") == -1
    assert first_error("7 + x = 2x", problem="How old is Tom?") == -1


def test_a_wrong_result_is_blamed_on_the_step_that_set_it_up():
    steps = ("25% of 40 is 10", "The new price is 40 + 10 = 50")
    assert first_error(*steps, gold="30") == 1
    assert first_error(*steps) == -1


def test_share_and_reason():
    checked = check_steps("2 + 2 = 4\n4 + 4 = 9\n9 + 1 = 10")
    assert checked.share == pytest.approx(1 / 3)
    assert checked.reason == "step 2: 4 + 4 = 9 does not hold"
    assert [step.right for step in checked.steps] == [True, False, True]


def test_no_steps():
    assert check_steps("").share == 0.0
    assert check_steps("").first_error == -1


def test_sentences_of_one_line_are_steps():
    assert len(check_steps("First 2 + 2 = 4. Then 4 * 2 = 8. So 8.").steps) == 3
