from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack.report.texts import number, printable, short_number, tail, xml_safe


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n\tb  c", "a b c"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\ud800", "\\ud800"),
        ("abc\u202edef", "abc\\u202edef"),
        ("\x00", "\\x00"),
        ("größer, 答案是", "größer, 答案是"),
    ],
)
def test_what_is_printed_cannot_steer_a_terminal(text, shown):
    assert printable(text) == shown


@given(st.text())
def test_printable_text_is_one_line_without_control_characters(text):
    shown = printable(text)
    assert not any(ord(each) < 32 or each in "\x7f\u2028\u2029" for each in shown)
    assert printable(shown) == shown


@given(st.text(), st.integers(10, 60))
def test_a_tail_fits(text, width):
    assert len(tail(text, width)) <= width


def test_a_tail_is_the_end():
    assert tail("the answer is 42", 30) == "the answer is 42"
    assert tail("word " * 100 + "A: 42", 12) == "...ord A: 42"


@given(st.text(alphabet=st.characters()))
def test_any_text_can_stand_in_xml(text):
    element = ET.Element("a", b=xml_safe(text))
    element.text = xml_safe(text)
    back = ET.fromstring(ET.tostring(element, encoding="utf-8"))
    assert (back.text or "").replace("\n", "") == xml_safe(text).replace("\r\n", "").replace(
        "\r", ""
    ).replace("\n", "")


def test_numbers_have_no_negative_nought():
    assert (number(-0.0001), number(None), number(-0.5)) == ("0.000", "-", "-0.500")


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(-0.0, 3, "0"), (0.0, 3, "0"), (1.5, 6, "1.5"), (1.00333, 3, "1"), (1.00333, 4, "1.003"), (-2, 3, "-2")],
)
def test_a_short_number_has_no_idle_digits_and_no_negative_nought(value, digits, shown):
    assert short_number(value, digits) == shown
