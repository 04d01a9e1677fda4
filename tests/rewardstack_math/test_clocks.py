"""Times of day."""

import pytest

from rewardstack_math.clocks import same_time


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("16:30", "4:30 PM", True),
        ("4:30\\text{ p.m.}", "4:30\\text{ a.m.}", False),
        ("20:34", "20:34:00", True),
        ("12:00", "1:00", False),
        ("12:00 AM", "0:00", True),
        ("4:30", "4:30 PM", True),
        ("3:45", "6:90", None),
        ("11:21", "22:42", None),
        ("3:4", "6:8", None),
    ],
)
def test_same_time(one, other, same):
    assert same_time(one, other) is same
    assert same_time(other, one) is same
