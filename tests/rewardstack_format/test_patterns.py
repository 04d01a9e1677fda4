import time

import pytest

from rewardstack import Stack, StackError
from rewardstack_format import regex

EVIL = {"use": "format.regex", "pattern": r"(a+)+$"}


def test_full_asks_that_the_whole_completion_matches():
    assert regex("a=1", pattern=r"\w=\d").value == 1.0
    assert regex("a=1 ", pattern=r"\w=\d").value == 0.0
    assert regex("a=1\n", pattern=r"\w=\d$").value == 0.0


def test_search_finds_it_somewhere():
    score = regex("so a=1.", pattern=r"\w=\d", mode="search")
    assert (score.value, score.details) == (1.0, {"span": (3, 6)})
    assert regex("so a.", pattern=r"\w=\d", mode="search").reason == "nothing matches"


def test_count_pays_by_share_and_not_for_empty_matches():
    assert regex("a=1, b=2", pattern=r"\w=\d", mode="count", least=4).value == 0.5
    assert regex("a=1, b=2", pattern=r"\w=\d", mode="count").value == 1.0
    assert regex("abc", pattern=r"x*", mode="count").value == 0.0


def test_flags_are_named():
    assert regex("A\nb", pattern="a.b").value == 0.0
    assert regex("A\nb", pattern="a.b", flags=("ignorecase", "dotall")).value == 1.0
    assert regex("x\ny", pattern="^y$", mode="search", flags=["multiline"]).value == 1.0
    assert regex("xy", pattern="x  # first\n y", flags=("verbose",)).value == 1.0
    assert regex("é", pattern=r"\w", flags=("ascii",)).value == 0.0
    with pytest.raises(StackError, match="ignorecase|invalid enum value 'caseless'"):
        Stack({"r": {"use": "format.regex", "pattern": "a", "flags": ["caseless"]}})


@pytest.mark.parametrize("pattern", ["(", "[", "*", "(?P<a>x)(?P<a>y)", "a{99999999999}"])
def test_what_is_no_pattern_is_said(pattern):
    with pytest.raises(StackError, match="is not a regular expression"):
        regex("text", pattern=pattern)


def test_a_pattern_that_never_ends_hits_the_deadline_and_harms_nobody():
    stack = Stack({"evil": {**EVIL, "timeout": 0.5}, "tame": {"use": "format.regex", "pattern": "a*b?"}})
    stack.score_one("warm")
    began = time.perf_counter()
    scores = stack.score([{"completion": text} for text in ("aaa", "a" * 60 + "b", "aab", "aaaa")])
    assert time.perf_counter() - began < 5
    evil = [score.rewards["evil"] for score in scores]
    assert [score.value for score in evil] == [1.0, None, 0.0, 1.0]
    assert evil[1].timed_out
    assert [score.rewards["tame"].value for score in scores] == [1.0] * 4


def test_a_pattern_that_never_ends_is_stopped_though_the_stack_sets_no_timeout():
    stack = Stack({"evil": EVIL})
    began = time.perf_counter()
    score = stack.score_one("a" * 60 + "b").rewards["evil"]
    assert score.timed_out
    assert 4 < time.perf_counter() - began < 20


def test_who_may_be_blamed_for_the_deadline_is_the_stacks_choice():
    stack = Stack({"evil": {**EVIL, "timeout": 0.3, "on_timeout": "low"}})
    assert stack.score_one("a" * 60 + "b").rewards["evil"].value == 0.0
