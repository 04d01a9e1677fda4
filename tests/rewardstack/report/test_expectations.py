import pytest

from rewardstack.errors import RecordError
from rewardstack.report.expectations import Bounds, judge, read_expected
from rewardstack.sample import Sample
from rewardstack.score import Score, StackScore


def verdicts(expected, score, **options):
    """Return the mismatches of one row, as text."""
    found = judge(
        [Sample("x", None, {"expected": expected})], [score], ["s.jsonl:1"], list(score.rewards), **options
    )
    return None if found is None else [str(mismatch) for mismatch in found.mismatches]


GOOD = StackScore("0", 1.2, {"correct": Score(1.0, "42 is 42"), "format": Score(0.4)})
MASKED = StackScore("0", None, {"correct": Score(None, "no gold")}, "no term scored")
ERRED = StackScore("0", None, {"correct": Score(error="broke")}, "correct erred: broke")


@pytest.mark.parametrize(
    ("expected", "score"),
    [
        (1.2, GOOD),
        (1.2 + 9e-7, GOOD),
        ({"min": 1}, GOOD),
        ({"min": 1, "max": None}, GOOD),
        ({"max": 1.2}, GOOD),
        ({"correct": 1.0, "format": {"min": 0.4}}, GOOD),
        ({"total": 1.2, "correct": 1}, GOOD),
        (None, MASKED),
        ({"correct": None}, MASKED),
    ],
)
def test_what_is_as_expected(expected, score):
    assert verdicts(expected, score) == []


@pytest.mark.parametrize(
    ("expected", "score", "message"),
    [
        (1.0, GOOD, "total expected 1, got 1.2: correct 1 (42 is 42); format 0.4"),
        (1.2 + 1.1e-6, GOOD, "total expected 1.2, got 1.2: correct 1 (42 is 42); format 0.4"),
        ({"min": 1.3, "max": 2}, GOOD, "total expected 1.3 to 2, got 1.2: correct 1 (42 is 42); format 0.4"),
        ({"correct": {"max": 0.5}}, GOOD, "correct expected at most 0.5, got 1: 42 is 42"),
        ({"format": None}, GOOD, "format expected none, got 0.4"),
        (1.0, MASKED, "total expected 1, got none: no term scored"),
        (None, GOOD, "total expected none, got 1.2: correct 1 (42 is 42); format 0.4"),
        (None, ERRED, "total expected none, got none: correct erred: broke"),
        ({"correct": None}, ERRED, "correct expected none, got none: erred: broke"),
    ],
)
def test_what_is_not_as_expected_says_why(expected, score, message):
    assert verdicts(expected, score) == [message]


def test_a_term_that_routing_left_out_has_no_value():
    score = StackScore("0", 1.0, {"correct": Score(1.0)})
    samples = [Sample("x", None, {"expected": {"code": 1}})]
    (mismatch,) = judge(samples, [score], ["s:1"], ["correct", "code"]).mismatches
    assert str(mismatch) == "code expected 1, got none: `when` leaves it out"


def test_in_columnar_files_null_is_no_expectation():
    assert verdicts(None, GOOD, null_is_absent=True) is None
    assert verdicts({"correct": 1.0, "format": None}, GOOD, null_is_absent=True) == []


@pytest.mark.parametrize("value", ["1.0", True, [], {}, {"min": None}, {"min": "a"}, float("nan")])
def test_what_is_no_expectation_is_told(value):
    with pytest.raises(RecordError, match=r"^s\.jsonl:7: expected (is|names) "):
        read_expected(value, ["correct"], "s.jsonl:7")


def test_an_unknown_term_is_named_with_the_nearest():
    with pytest.raises(RecordError) as caught:
        read_expected({"corect": 1}, ["correct", "format"], "s.jsonl:7")
    assert str(caught.value) == (
        "s.jsonl:7: expected names 'corect', which is no term of the stack (did you mean 'correct'?). "
        "It has: correct, format"
    )


def test_rows_without_the_column_expect_nothing():
    assert judge([Sample("x")], [GOOD], ["s:1"], ["correct"]) is None


def test_bounds_read_like_speech():
    assert [str(Bounds(*ends)) for ends in [(1, 1), (0, 1), (None, 1), (1, None), (None, None)]] == [
        "1", "0 to 1", "at most 1", "at least 1", "none",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("bounds", "value", "off"),
    [((0, 1), 3, 2), ((0, 1), -1, 1), ((0, 1), 0.5, 0), ((None, 1), -9, 0), ((1, None), 0.5, 0.5), ((1, 1), None, None), ((None, None), 3, None)],
)  # fmt: skip
def test_how_far_off_a_value_is(bounds, value, off):
    assert Bounds(*bounds).off(value) == off
