"""Statistics of agreement, against values known from elsewhere and laws that hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack_models.agreement import accuracy, kappa, spearman, wilson, within

pairs_of = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


def test_kappa_of_a_known_table():
    """Cohen's 2x2 example of many textbooks: 20, 5, 10, 15 of 50 give 0.4."""
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    assert kappa(pairs).value == pytest.approx(0.4)
    assert kappa(pairs).low < 0.4 < kappa(pairs).high
    assert accuracy(pairs).value == pytest.approx(0.7)


def test_wilsons_interval_of_known_counts():
    found = wilson(7, 10)
    assert (found.low, found.high) == (pytest.approx(0.3968, abs=1e-4), pytest.approx(0.8922, abs=1e-4))
    assert wilson(0, 10).low == 0.0
    assert wilson(0, 10).high == pytest.approx(0.2775, abs=1e-4)
    assert wilson(0, 0) is None


def test_kappa_is_none_where_nothing_varies():
    assert kappa([(True, True)] * 5) is None
    assert kappa([(True, False), (True, True)]).value == 0.0


@given(pairs_of)
def test_kappa_is_symmetric_and_at_most_one(pairs):
    found, other = kappa(pairs), kappa([(b, a) for a, b in pairs])
    assert (found is None) == (other is None)
    if found is not None:
        assert found.value == pytest.approx(other.value)
        assert found.low <= found.value <= found.high <= 1.0 + 1e-9


def test_spearman_of_known_ranks():
    assert spearman([1, 2, 3, 4], [10, 20, 30, 99]) == pytest.approx(1.0)
    assert spearman([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]) == pytest.approx(0.8208, abs=1e-4)
    assert spearman([1, 1, 1], [1, 2, 3]) is None


def test_within_groups_leaves_out_what_sets_them_apart():
    groups, lengths = ["a"] * 4 + ["b"] * 4, [1, 2, 3, 4, 101, 102, 103, 104]
    values = [4.0, 3.0, 2.0, 1.0, 14.0, 13.0, 12.0, 11.0]
    assert spearman(lengths, values) > 0.5
    assert within(groups, spearman, lengths, values) == pytest.approx(-1.0)
