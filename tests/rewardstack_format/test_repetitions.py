import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack_format import repetition

FOX = "the quick brown fox jumps over the lazy dog and runs away"


def test_text_that_says_new_things_is_not_punished():
    assert str(repetition(FOX).value) == "0.0"
    assert repetition("").value == repetition("one two").value == 0.0


@pytest.mark.parametrize(
    "text", [f"{FOX} " * 50, "no " * 400, "a" * 2000, "abc" * 700, "因为" * 400, "😀" * 900, "! ? " * 400]
)
def test_a_loop_is_punished_with_and_without_spaces(text):
    assert -1.0 <= repetition(text).value < -0.9


@given(st.lists(st.integers(0, 5), max_size=60), st.integers(1, 6))
def test_with_tokens_it_is_the_well_known_formula(ids, size):
    grams = [tuple(ids[at : at + size]) for at in range(len(ids) - size + 1)]
    expected = -(1 - len(set(grams)) / len(grams)) if grams else 0.0
    assert repetition("", ids, size=size, unit="tokens").value == pytest.approx(expected)


def test_case_and_line_ends_do_not_hide_a_loop():
    plain, dressed = "so it is\n" * 40, "".join(("So it is\r\n", "so  IT is ")[n % 2] for n in range(40))
    assert repetition(dressed).value == repetition(plain).value


def test_a_free_share_costs_nothing_and_the_rest_is_stretched():
    text = "one two three four one two three four five six"
    share = repetition(text).details["share"]
    assert 0 < share < 0.5
    assert repetition(text, free=share).value == 0.0
    assert repetition(text, free=share / 2).value == pytest.approx(-(share / 2) / (1 - share / 2))


def test_units_can_be_characters():
    assert repetition("abcdefgh", unit="characters").value == 0.0
    assert repetition("abababab", unit="characters", size=2).value == pytest.approx(-5 / 7)


def test_tokens_that_are_not_there_are_an_error():
    assert "needs the column completion_ids" in repetition("a", unit="tokens").error
