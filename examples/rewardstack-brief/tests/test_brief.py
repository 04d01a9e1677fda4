"""The reward as a plain function, and as a term of a stack that finds it by its name."""

import pytest
from rewardstack_brief import brief

from rewardstack import Stack, StackError


@pytest.mark.parametrize(("words", "value"), [(0, 1.0), (10, 1.0), (15, 0.5), (20, 0.0), (1000, 0.0)])
def test_it_falls_from_the_limit_to_twice_the_limit(words: int, value: float) -> None:
    assert brief("word " * words, limit=10).value == value


def test_it_says_what_it_counted() -> None:
    assert brief("two words").reason == "2 words, 200 are free"


def test_a_stack_finds_it_by_the_name_of_its_entry_point() -> None:
    stack = Stack({"brief": {"use": "brief", "limit": 2, "weight": 3.0}})
    assert stack.score_one("one two three").total == 1.5


def test_a_limit_of_nothing_is_refused_before_anything_is_scored() -> None:
    with pytest.raises(StackError, match="limit"):
        Stack({"brief": {"use": "brief", "limit": 0}})
