"""Values as bytes: what crosses comes back equal and of the same type; nothing else crosses."""

import collections
import datetime as dt
import decimal
import fractions

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardstack_sandbox.values import Codec, Malformed, Unsupported

CODEC = Codec()
Point = collections.namedtuple("Point", "x y")  # noqa: PYI024
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.complex_numbers(allow_nan=False),
    st.text(),
    st.binary(),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.dates(),
    st.datetimes(timezones=st.none() | st.just(dt.UTC)),
    st.timedeltas(),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner), st.lists(inner).map(tuple), st.lists(inner).map(collections.deque),
        st.sets(scalars), st.frozensets(scalars), st.dictionaries(scalars, inner),
        st.dictionaries(scalars, inner).map(collections.OrderedDict),
    ),
    max_leaves=20,
)  # fmt: skip


@given(values)
@settings(max_examples=60)
def test_round_trip(value):
    back = CODEC.decode(CODEC.encode(value))
    assert back == value
    assert type(back) is type(value)


def decodes_or_is_malformed(data):
    """Whether bytes are read or refused; anything else they raise fails the test."""
    try:
        CODEC.decode(data)
    except Malformed as refused:
        return isinstance(refused, Malformed)
    return True


@given(st.binary(max_size=200))
@settings(max_examples=300)
def test_any_bytes_are_a_value_or_malformed(data):
    assert decodes_or_is_malformed(data)


@settings(max_examples=60)
@given(values, st.integers(0, 10**6), st.integers(0, 255))
def test_changed_bytes_are_a_value_or_malformed(value, place, byte):
    data = bytearray(CODEC.encode(value))
    data[place % len(data)] = byte
    assert decodes_or_is_malformed(bytes(data))


@pytest.mark.parametrize(
    "value",
    [range(1, 9, 2), slice(1, None, 2), collections.Counter("aab"), Point(1, [2]), int, dict, ..., NotImplemented,
     decimal.Decimal("NaN"), fractions.Fraction(1, 3), dt.time(1, 2, tzinfo=dt.UTC), "\ud800",
     bytearray(b"x"), 1 << 5000, -(1 << 63), float("inf")],
)  # fmt: skip
def test_special_values(value):
    assert repr(CODEC.decode(CODEC.encode(value))) == repr(value)


def test_a_default_dict_keeps_its_items():
    back = CODEC.decode(CODEC.encode(collections.defaultdict(list, a=[1])))
    assert back == {"a": [1]}
    assert type(back) is collections.defaultdict


class Friendly(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class FriendlyTuple(tuple):  # noqa: SLOT001
    _fields = ("x",)

    def __eq__(self, other):
        return True

    __hash__ = tuple.__hash__


def test_subclasses_of_built_in_types_do_not_cross():
    for value in (Friendly(3), [Friendly(3)], {"a": (Friendly(3),)}, object(), lambda: 1, iter([])):
        with pytest.raises(Unsupported):
            CODEC.encode(value)


def test_of_what_looks_like_a_named_tuple_the_content_crosses():
    back = CODEC.decode(CODEC.encode(FriendlyTuple([3])))
    assert back == (3,)
    assert back != (4,)


def test_depth_is_bounded():
    value: list = []
    for _ in range(10_000):
        value = [value]
    with pytest.raises(Unsupported):
        CODEC.encode(value)
    cyclic: list = []
    cyclic.append(cyclic)
    with pytest.raises(Unsupported):
        CODEC.encode(cyclic)
    with pytest.raises(Malformed):
        CODEC.decode(b"l\x01\0\0\0" * 10_000 + b"n")


def test_a_length_takes_no_memory_until_it_is_true():
    with pytest.raises(Malformed):
        CODEC.decode(b"l\xff\xff\xff\xff")
    with pytest.raises(Malformed):
        CODEC.decode(b"s\xff\xff\xff\x7fabc")


def test_paths_and_identifiers_cross(sandbox):
    program = "import pathlib, uuid\ndef up(path): return path.parent\ndef pure(text): return pathlib.PurePosixPath(text)\ndef new(): return uuid.uuid4()\ndef same(one): return one"
    tests = """
import uuid
from pathlib import Path, PurePosixPath
assert up(Path('a/b.txt')) == Path('a') and pure('a//b') == PurePosixPath('a/b')
assert isinstance(new(), uuid.UUID) and new() != new() and same(uuid.UUID(int=5)).int == 5
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_views_of_dictionaries_are_compared_as_such(sandbox):
    program = "def views(d): return d.keys(), d.values(), d.items()"
    tests = """
keys, values, items = views({'a': 1, 'b': 2})
assert keys == {'a', 'b'} and keys == {'a': 0, 'b': 0}.keys() and 'a' in keys and len(keys) == 2
assert sorted(values) == [1, 2] and items == {('a', 1), ('b', 2)}
assert list(views({3: 0, 1: 0})[0]) == [3, 1]
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_objects_are_found_by_their_own_hash(sandbox):
    program = """
from dataclasses import dataclass
@dataclass(frozen=True)
class Point:
    x: int
def table(): return {Point(1): 'a', Point(2): 'b'}, {Point(3)}
def names(function): return function({Point(4): 'd'})
"""
    tests = """
found, points = table()
assert found[Point(1)] == 'a' and Point(3) in points and Point(9) not in points
assert names(lambda given: given[Point(4)]) == 'd'
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_streams_in_memory_are_read_and_written(sandbox):
    program = """
import csv, io
def rows(file): return [dict(row) for row in csv.DictReader(file)]
def rest(file): return file.read()
def write(file, text): file.write(text + '\\n')
def made(): return io.BytesIO(b'ab')
"""
    tests = """
import io
file = io.StringIO('a,b\\n1,2\\n')
assert rows(file) == [{'a': '1', 'b': '2'}] and rest(file) == ''
file.seek(4)
assert rest(file) == '1,2\\n'
out = io.StringIO()
write(out, 'x')
write(out, 'y')
assert out.getvalue() == 'x\\ny\\n' and made().read() == b'ab'
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_a_container_in_two_places_is_one_again():
    row, table = [0, 0], {"a": 1}
    value = {"rows": [row, row, ([row], table)], "table": table, "pair": (1, 2), "again": (1, 2)}
    back = CODEC.decode(CODEC.encode(value))
    assert back == value
    rows = back["rows"]
    assert rows[0] is rows[1] is rows[2][0][0]
    assert rows[2][1] is back["table"]


@given(st.recursive(st.integers(), lambda inner: st.lists(inner, max_size=4), max_leaves=12), st.data())
@settings(max_examples=60)
def test_which_places_hold_the_same_container_is_kept(value, data):
    lists = [value] if isinstance(value, list) else []
    for one in lists:
        lists += [item for item in one if isinstance(item, list)]
    chosen = [data.draw(st.sampled_from(lists)) for _ in range(3)] if lists else [[], [], []]
    back = CODEC.decode(CODEC.encode([chosen, value]))
    assert back == [chosen, value]
    same = [[one is other for other in chosen] for one in chosen]
    assert [[one is other for other in back[0]] for one in back[0]] == same


def test_containers_within_themselves_do_not_cross():
    value = [1]
    value.append(value)
    with pytest.raises(Unsupported):
        CODEC.encode(value)


def test_few_bytes_are_not_many_values():
    value = [0] * 16
    for _ in range(20):
        value = [value] * 16
    with pytest.raises(Malformed):
        CODEC.decode(CODEC.encode(value))
