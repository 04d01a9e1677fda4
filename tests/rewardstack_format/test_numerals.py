from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack_format.numerals import Numeral, read_numeral

decimals = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30, places=6)


def read(text):
    numeral = read_numeral(text)
    assert numeral is not None, text
    return numeral


@given(decimals)
def test_a_number_is_read_for_what_it_is(value):
    numeral = read(format(value, "f"))
    size = int(numeral.digits or 0) * Fraction(10) ** numeral.exponent
    assert (-size if numeral.negative else size) == Fraction(value)


@given(decimals)
def test_thousands_groups_change_nothing(value):
    plain = read(format(value, "f"))
    for mark in (",", " ", "'", "_", "\u202f", "’", "，", "{,}", "\\,", ",\\!"):
        assert read(format(value, ",f").replace(",", mark)) == plain


@given(decimals)
def test_digits_of_other_scripts_change_nothing(value):
    plain = format(value, "f")
    for zero in ("０", "٠", "०", "𝟎"):
        other = "".join(chr(ord(zero) + int(digit)) if digit.isdigit() else digit for digit in plain)
        assert read(other) == read(plain)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,000", "1000"), ("42.0", "42"), ("42.", "42"), (".5", "0.50"), ("007", "7"), ("-0", "0"), ("-0.00", "0e5"),
        ("−5", "-5"), ("–5", "-5"), ("＋5", "5"), ("1e3", "1000"), ("1.5E-1", "0.15"), ("12,34,567", "1234567"),
        ("$42", "42"), ("-$5", "$-5"), ("\\$5.00", "5"), ("5 €", "€5"), ("US$7", "$7"), ("50%", "50"), ("50\\%", "50 %"),
        ("1e400", "1" + "0" * 400), ("4" * 50_000, "4" * 50_000 + ".0"),
    ],
)  # fmt: skip
def test_equal_numbers_are_equal_however_written(one, other):
    assert read(one).equals(read(other))
    assert read(other).equals(read(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "-1"), ("1", "10"), ("0.1", "0.01"), ("50%", "0.5"), ("$50", "50%"), ("$5", "€5"),
     ("0.1", "0.1000000000000000055"), ("9" * 5000, "9" * 4999 + "8")],
)  # fmt: skip
def test_different_numbers_differ(one, other):
    assert not read(one).equals(read(other))


@pytest.mark.parametrize(
    "text",
    ["", " ", "-", ".", "+-5", "1,00", "1,0000", "1000,000", "1.000,50", "1,000 000", "1 2", "inf", "nan", "Infinity",
     "1/2", "½", "²", "10^3", "0x10", "1e", "1e9999999999", "42 apples", "forty-two", "$", "%", "$5%", "5$ 6", "1_0",
     "\ud800", "\0"],
)  # fmt: skip
def test_what_is_no_plain_number_is_not_read(text):
    assert read_numeral(text) is None


def test_whole_numbers_are_known_however_written():
    whole = {"42", "42.0", "1e3", "1,000", "-7", "0", "0.00", "2.50e1"}
    assert {text for text in (*whole, "0.5", "1e-1", "42.01") if read(text).is_integer} == whole


def test_zero_has_one_form():
    assert read("-0.000e7") == read("0") == Numeral(negative=False, digits="", exponent=0)
