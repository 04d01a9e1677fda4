import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack.report.statistics import Bin, deviation, histogram, mean, quantile

numbers = st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=2, max_size=50)


@given(numbers)
def test_mean_and_deviation_are_those_of_the_standard_library(values):
    assert mean(values) == pytest.approx(statistics.fmean(values), abs=1e-6)
    assert deviation(values) == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-6)


def test_of_too_few_values_there_is_nothing_to_say():
    assert mean([]) is None
    assert deviation([3.0]) is None
    assert quantile([], 0.5) is None
    assert histogram([]) == []


@pytest.mark.parametrize(("share", "value"), [(0.0, 1), (0.5, 2), (0.51, 3), (0.95, 4), (1.0, 4)])
def test_a_quantile_is_one_of_the_values(share, value):
    assert quantile([4, 1, 3, 2], share) == value


def test_few_distinct_values_get_a_bar_each():
    assert histogram([0.0, 1.3, 0.1 + 0.2, 0.3]) == [Bin(0.0, 0.0, 1), Bin(0.3, 0.3, 2), Bin(1.3, 1.3, 1)]


def test_up_to_four_values_get_a_bar_each_though_all_differ():
    assert [each.count for each in histogram([1.0, 2.0, 3.0, 4.0])] == [1, 1, 1, 1]
    assert [each.count for each in histogram([1.0, 2.0, 3.0, 4.0, 4.5])] == [1, 1, 1, 2]


@given(numbers)
def test_no_value_is_lost_in_a_histogram(values):
    bars = histogram(values)
    assert sum(each.count for each in bars) == len(values)
    assert len(bars) <= 10
