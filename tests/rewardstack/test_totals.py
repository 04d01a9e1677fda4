"""Totals: weights, abstentions, masks, and the laws that hold for all of them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack import Score, Stack, reward
from rewardstack.totals import total_rows


def terms(**words):
    """Return the terms of a stack with one reward per keyword; the value is the term's table."""

    @reward(range=(-1, 1))
    def any_value(completion: str) -> float:
        return 0.0

    stack = Stack({name: {"use": any_value, **table} for name, table in words.items()})
    return stack.terms, [term.weight() for term in stack.terms]


def total(scores, **words):
    made, weights = terms(**words)
    return total_rows(made, [[score] for score in scores], weights, ["0"])[0]


ERRED, ABSTAINED = Score(error="down"), Score()


def test_a_total_is_the_weighted_sum():
    assert total([Score(1.0), Score(0.5)], a={"weight": 2.0}, b={"weight": -1.0}).total == 1.5


def test_terms_left_out_leave_sum_and_weights():
    scored = total([Score(1.0), None], a={"weight": 1.0}, b={"weight": 5.0})
    assert scored.total == 1.0
    assert list(scored.rewards) == ["a"]


def test_an_abstaining_term_neither_pays_nor_punishes():
    assert total([Score(0.5), ABSTAINED], a={"weight": 3.0}, b={"weight": 1.0}).total == pytest.approx(2.0)


@pytest.mark.parametrize("weight", [1.0, -1.0, 2.0])
def test_half_of_the_weight_abstaining_masks_the_row(weight):
    scored = total([Score(1.0), ABSTAINED], a={"weight": 1.0}, b={"weight": weight})
    assert (scored.total, scored.reason) == (None, "terms with half of the weight or more abstained")


def test_a_row_that_no_term_scored_is_masked():
    assert total([ABSTAINED], a={}).reason == "no term scored"
    assert total([None], a={}).total is None


@pytest.mark.parametrize(
    ("policy", "expected"), [("mask", None), ("low", 1.0 * 3 - 1.0), ("abstain", 3.0 * 4 / 3)]
)
def test_an_error_masks_unless_on_error_says_otherwise(policy, expected):
    scored = total([Score(1.0), ERRED], a={"weight": 3.0}, b={"weight": 1.0, "on_error": policy})
    assert scored.total == (None if expected is None else pytest.approx(expected))
    assert scored.rewards["b"].error == "down", "the record keeps the error whatever the total makes of it"


def test_a_term_of_weight_0_masks_nothing():
    assert total([Score(0.5), ERRED], a={"weight": 2.0}, b={"weight": 0.0}).total == 1.0
    assert total([ERRED], a={"weight": 0.0}).total is None


def test_a_total_too_large_for_a_float_is_masked():
    scored = total([Score(1.0)] * 2, a={"weight": 1e308}, b={"weight": 1e308})
    assert (scored.total, scored.reason) == (None, "the total is inf")


def test_clip_moves_the_low_end():
    assert total([ERRED], a={"clip": [-0.25, 0.5], "on_error": "low"}).total == -0.25


values = st.floats(-1, 1)
weights = st.floats(-10, 10)
scores = st.one_of(values.map(Score), st.just(ABSTAINED), st.none())


@given(st.lists(st.tuples(scores, weights), min_size=1, max_size=6), st.floats(0.125, 8))
def test_scaling_all_weights_scales_the_total(row, factor):
    def of(factor):
        tables = {f"t{place}": {"weight": weight * factor} for place, (_, weight) in enumerate(row)}
        return total([score for score, _ in row], **tables).total

    one, scaled = of(1.0), of(factor)
    assert (one is None) == (scaled is None)
    if one is not None:
        assert math.isclose(scaled, one * factor, rel_tol=1e-9, abs_tol=1e-9)


@given(st.lists(st.tuples(values, weights), min_size=1, max_size=6), values)
def test_if_all_scored_terms_agree_an_abstention_changes_nothing(row, value):
    positive = {f"t{place}": {"weight": abs(weight) + 1} for place, (_, weight) in enumerate(row)}
    full = total([Score(value)] * (len(row) + 1), **positive, last={"weight": 0.5}).total
    part = total([Score(value)] * len(row) + [ABSTAINED], **positive, last={"weight": 0.5}).total
    assert math.isclose(full, part, rel_tol=1e-9, abs_tol=1e-9)
