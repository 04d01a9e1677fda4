import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack import Stack, StackError
from rewardstack_format import length, length_cosine, length_overlong

sizes = st.integers(0, 400)


def words(count):
    return "word " * count


def test_length_is_all_up_to_the_limit_and_nothing_from_the_maximum_on():
    values = [length(words(size), limit=100).value for size in (0, 1, 100, 150, 200, 201, 10_000)]
    assert values == [0.0, 1.0, 1.0, 0.5, 0.0, 0.0, 0.0]


def test_a_cosine_shape_is_slow_at_both_ends():
    values = [length(words(size), limit=100, shape="cosine").value for size in (100, 125, 150, 175, 200)]
    assert values == pytest.approx([1.0, (1 + math.sqrt(0.5)) / 2, 0.5, (1 - math.sqrt(0.5)) / 2, 0.0])


@given(sizes, sizes, st.sampled_from(["linear", "cosine"]))
def test_beyond_the_limit_longer_is_never_better(one, other, shape):
    shorter, longer = sorted((one + 50, other + 50))
    values = [length(words(size), limit=50, maximum=200, shape=shape).value for size in (shorter, longer)]
    assert values[0] >= values[1]


def test_a_maximum_at_the_limit_is_a_hard_edge():
    assert [length(words(size), limit=100, maximum=100).value for size in (100, 101)] == [1.0, 0.0]


def test_too_short_earns_its_share():
    assert length(words(5), limit=100, least=20).value == 0.25


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        (length("one", limit=2), "1 word, the limit is 2"),
        (length("one two", limit=2), "2 words, the limit is 2"),
        (length("a", limit=2, least=2, unit="characters"), "1 character, at least 2 are wanted"),
        (length_overlong("", [7], maximum=1, cache=0), "1 token, free up to 1"),
    ],
)
def test_one_is_not_many(score, reason):
    assert score.reason == reason


def test_units_are_words_characters_and_tokens():
    options = {"limit": 4, "maximum": 4}
    assert length("one two", **options).value == 1.0
    assert length("one two", **options, unit="characters").value == 0.0
    assert length("one two", [1, 2, 3], **options, unit="tokens").value == 1.0
    assert length("one two", [1, 2, 3, 4, 5], **options, unit="tokens").value == 0.0


def test_tokens_that_are_not_there_are_an_error_and_no_score():
    stack = Stack({"length": {"use": "format.length", "unit": "tokens"}})
    assert "needs the column completion_ids" in stack.score_one("one two").rewards["length"].error
    assert stack.score_one("one two", completion_ids=[1, 2]).total == 1.0
    for reward, options in ((length_cosine, {"correct": True}), (length_overlong, {"cache": 2})):
        assert "needs the column completion_ids" in reward("one", maximum=10, **options).error


def test_limits_that_contradict_each_other_are_said():
    with pytest.raises(StackError, match="maximum 50 is below the limit 100"):
        length("a", limit=100, maximum=50)
    with pytest.raises(StackError, match="the cache 20 is wider than the maximum 10"):
        length_overlong("a", maximum=10, cache=20, unit="words")


def cosine(size, **options):
    return length_cosine(words(size), maximum=100, unit="words", **options).value


def test_cosine_goes_from_one_end_value_to_the_other():
    assert [cosine(size, correct=True) for size in (0, 50, 100)] == pytest.approx([1.0, 0.75, 0.5])
    assert [cosine(size, correct=False) for size in (0, 50, 100)] == pytest.approx([-1.0, -0.75, -0.5])


def test_cosine_gives_the_papers_values():
    paper = {"right": (0.2, 0.1), "wrong": (-1.0, 0.0), "exceeded": -1.0}

    def formula(size, at_zero, at_end):  # CosFn of section 4.1, divided by the weight 10
        return at_end + 0.5 * (at_zero - at_end) * (1 + math.cos(size * math.pi / 100))

    for size in range(0, 100, 7):
        assert cosine(size, correct=True, **paper) == pytest.approx(formula(size, 0.2, 0.1))
        assert cosine(size, correct=False, **paper) == pytest.approx(formula(size, -1.0, 0.0))
    assert cosine(100, correct=True, **paper) == cosine(500, correct=False, **paper) == -1.0


@given(st.integers(0, 99))
def test_cosine_falls_with_length_when_right_and_rises_when_wrong(size):
    assert cosine(size, correct=True) > cosine(size + 1, correct=True)
    assert cosine(size, correct=False) < cosine(size + 1, correct=False)


def test_cosine_knows_right_from_wrong_by_column_or_by_gold():
    text = "A: 72"
    assert length_cosine(text, "72.0", maximum=10, unit="words").value > 0
    assert length_cosine(text, "73", maximum=10, unit="words").value < 0
    assert length_cosine(text, "73", correct=1, maximum=10, unit="words").value > 0
    assert length_cosine(text, "72", correct=0.0, maximum=10, unit="words").value < 0
    assert length_cosine(text, maximum=10, unit="words").abstained


def test_end_values_outside_the_declared_range_are_refused_when_the_stack_is_loaded():
    with pytest.raises(StackError, match="term 'cosine', wrong"):
        Stack({"cosine": {"use": "format.length_cosine", "maximum": 10, "wrong": [-10.0, 0.0]}})


def test_overlong_has_a_free_zone_and_a_zone_of_growing_punishment():
    def value(size):
        return length_overlong("", range(size), maximum=20480, cache=4096).value

    assert [value(size) for size in (0, 16384, 16385, 18432, 20480, 20481)] == [
        0.0, 0.0, -1 / 4096, -0.5, -1.0, -1.0
    ]  # fmt: skip


def test_overlong_without_a_cache_is_a_hard_edge():
    values = [length_overlong(words(size), maximum=3, cache=0, unit="words").value for size in (2, 3, 4)]
    assert values == [0.0, 0.0, -1.0]


@given(st.integers(1, 50), st.data())
def test_overlong_never_rewards_length(maximum, data):
    cache = data.draw(st.integers(0, maximum))
    values = [length_overlong(words(n), maximum=maximum, cache=cache, unit="words").value for n in range(60)]
    assert all(sooner >= later for sooner, later in pairwise(values))
    assert min(values) == -1.0


def test_several_boxes_are_not_right_for_one_of_them():
    score = length_cosine("\\boxed{3} and \\boxed{4}", "4", maximum=100, unit="words")
    assert not score.details["correct"]
