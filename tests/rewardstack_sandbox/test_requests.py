"""Calls with plain arguments as bytes."""

import collections
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack_sandbox.requests import PLAIN_CALL, decode_request, encode_plain_call
from rewardstack_sandbox.values import Codec

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text() | st.binary()
)
HASHABLE = st.recursive(SCALARS, lambda inner: st.tuples(inner, inner), max_leaves=4)
VALUES = st.recursive(
    HASHABLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HASHABLE, inner, max_size=3),
    max_leaves=12,
)


class Text(str):
    __slots__ = ()


def shown(value):
    """Return a text that tells types, signs of zero and not-a-numbers apart."""
    kind = type(value)
    if kind in (list, tuple):
        return f"{kind.__name__}({[shown(item) for item in value]})"
    if kind is dict:
        return f"dict({[(shown(key), shown(item)) for key, item in value.items()]})"
    return repr(value)


@given(st.lists(VALUES, max_size=3), st.dictionaries(st.text(), VALUES, max_size=2))
def test_plain_calls_come_as_they_were(arguments, keywords):
    message = encode_plain_call(7, tuple(arguments), keywords)
    assert message is not None
    what, function, found, named = decode_request(Codec(), message, lambda function: ("found", function))
    assert (what, function) == (PLAIN_CALL, ("found", 7))
    assert shown(list(found)) == shown(arguments)
    assert shown(named) == shown(keywords)


def test_lone_surrogates_and_signed_zeros_cross():
    message = encode_plain_call("f", ("\ud800", -0.0, True, 1), {})
    assert message is not None
    _, _, (text, zero, truth, one), _ = decode_request(Codec(), message, str)
    assert (text, math.copysign(1, zero), truth, type(one)) == ("\ud800", -1.0, True, int)


@pytest.mark.parametrize(
    "value",
    [
        bytearray(b"x"),
        {8, 0},  # whose order would be another
        frozenset([8, 0]),
        Text("x"),
        collections.Counter("x"),
        collections.OrderedDict(),
        range(3),
        ...,
        compile("1", "", "eval"),
    ],
)
def test_other_values_are_for_the_codec(value):
    for arguments in ((value,), ([1, (value,)],), ({"a": value},)):
        assert encode_plain_call(1, arguments, {}) is None
    assert encode_plain_call(1, (), {"a": value}) is None


def test_deep_values_are_for_the_codec():
    value = []
    for _ in range(100_000):
        value = [value]
    assert encode_plain_call(1, (value,), {}) is None


def test_equal_arguments_are_equal_bytes():
    shared = ["a" * 3, 5000]
    twice = encode_plain_call("f", (shared, shared), {})
    assert twice == encode_plain_call("f", (["aaa", 5000], ["a" + "aa", 5000]), {})
