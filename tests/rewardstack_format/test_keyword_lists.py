import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack import Stack, StackError
from rewardstack_format import keywords


@given(st.text(min_size=1).filter(str.strip), st.text(), st.text())
def test_a_keyword_is_found_literally_whatever_it_holds(word, before, after):
    assert keywords(f"{before} {word} {after}", required=(word,)).value == 1.0


@pytest.mark.parametrize(
    ("keyword", "text", "value"),
    [
        ("art", "modern art.", 1), ("art", "a party", 0), ("art", "artful", 0), ("art", "smart", 0), ("art", "ART", 1), ("art", "state-of-the-art", 1),
        ("C++", "in C++ or Rust", 1), ("C++", "in C", 0), ("a.b", "axb", 0), ("(", "f(x)", 1), ("$5", "costs $5 now", 1),
        ("Ms Jones", "Ms\n  Jones", 1), ("Straße", "STRASSE", 1), ("答案", "正确答案是", 1), ("答案", "A答案B", 1), ("né", "née", 0),
    ],
)  # fmt: skip
def test_whole_words_are_found_and_parts_are_not(keyword, text, value):
    assert keywords(text, required=(keyword,)).value == value


def test_whole_and_case_can_be_changed():
    assert keywords("a party", required=("art",), whole=False).value == 1.0
    assert keywords("ART", required=("art",), case=True).value == 0.0


def test_credit_is_all_any_or_a_share():
    def values(text):
        return [
            keywords(text, required=("red", "blue"), credit=credit).value
            for credit in ("all", "any", "share")
        ]

    assert values("red and blue") == [1.0, 1.0, 1.0]
    assert values("red and green") == [0.0, 1.0, 0.5]
    assert values("green") == [0.0, 0.0, 0.0]
    assert keywords("green", required=("red", "blue")).reason == "missing: red, blue"


def test_a_forbidden_keyword_makes_it_nothing():
    score = keywords("red and cheap", required=("red",), forbidden=("cheap", "free"))
    assert (score.value, score.reason) == (0.0, "forbidden: cheap")
    assert keywords("red", forbidden=("cheap",)).value == 1.0
    assert keywords("red", forbidden=("cheap",), credit="any").value == 1.0


def test_stuffing_does_not_pay():
    score = keywords("invoice " * 5, required=("invoice",), at_most=3)
    assert (score.value, score.reason) == (0.0, "more than 3 times: invoice")
    assert keywords("invoice " * 3, required=("invoice",), at_most=3).value == 1.0


def test_keywords_of_the_row_join_those_of_the_stack():
    stack = Stack(
        {"names": {"use": "format.keywords", "required": ["Dear"], "columns": {"keywords": "recipient"}}}
    )
    assert stack.score_one("Dear Ann", recipient="Ann").total == 1.0
    assert stack.score_one("Dear Ann", recipient=["Ann", "Bob"]).total == 0.0
    assert stack.score_one("Dear Ann", recipient=None).total == 1.0


def test_without_any_keyword_the_row_abstains():
    for given_keywords in (None, "", " ", []):
        assert keywords("text", given_keywords).abstained


def test_keywords_may_be_regular_expressions():
    text = "Order 66 was given on 2026-11-30."
    assert keywords(text, required=(r"\d{4}-\d\d-\d\d", "ORDER"), regex=True).value == 1.0
    assert keywords(text, required=("ORDER",), regex=True, case=True).value == 0.0
    assert keywords(text, forbidden=(r"order \d+",), regex=True).value == 0.0
    assert keywords(text, required=("x*",), regex=True).value == 0.0, "an empty match is no match"


def test_a_keyword_pattern_that_never_ends_hits_the_deadline_and_harms_nobody():
    words = {"use": "format.keywords", "required": ["(a+)+$"], "regex": True, "timeout": 0.5}
    stack = Stack({"words": words})
    hanging, fine = stack.score([{"completion": "a" * 40 + "!"}, {"completion": "aaa"}])
    assert hanging.rewards["words"].error == "timed out after 0.5 s"
    assert fine.total == 1.0


def test_a_keyword_that_is_no_pattern_is_refused_when_the_stack_is_loaded():
    with pytest.raises(StackError, match="term 'words': format.regex: '\\(' is not a regular expression"):
        Stack({"words": {"use": "format.keywords", "required": ["("], "regex": True}})
    assert not Stack({"words": {"use": "format.keywords", "required": ["("]}}).terms[0].isolated


@pytest.mark.parametrize("name", ["required", "forbidden"])
@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
@pytest.mark.parametrize("regex", [True, False])
def test_a_blank_keyword_is_refused_when_the_stack_is_loaded(name, blank, regex):
    with pytest.raises(
        StackError, match=rf"term 'words': format.keywords: {name} = .* holds a blank keyword"
    ):
        Stack({"words": {"use": "format.keywords", name: ["Dear", blank], "regex": regex}})


def test_blank_keywords_of_a_row_are_none():
    assert keywords("text", ["", " "]).abstained
    assert keywords("text", ["", "text"]).details["required"] == {"text": 1}
    assert keywords("text", required=(" ",), forbidden=("",)).abstained
