import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack.report.updating import find_updates, set_member
from rewardstack.sample import ABSENT, Sample
from rewardstack.score import Score, StackScore

texts = st.text()
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(texts, values, max_size=5), st.floats(-9, 9), st.sampled_from([None, 1]), st.booleans()
)
def test_setting_a_member_changes_nothing_else(row, value, indent, escaped):
    line = json.dumps(row, ensure_ascii=escaped, indent=indent)
    assert json.loads(set_member(line, "expected", value)) == {**row, "expected": value}


def test_every_other_character_stays():
    line = '  {"a" : 1.0 ,"expected":{"min": 1e0},  "b":"\\u00e9 \\ud800 }"} \r\n'
    assert set_member(line, "expected", 0.5) == '  {"a" : 1.0 ,"expected":0.5,  "b":"\\u00e9 \\ud800 }"} \r\n'
    assert set_member('{"a":1 }\n', "expected", None) == '{"a":1, "expected": null }\n'
    assert set_member("{ }", "expected", 1) == '{ "expected": 1}'
    assert set_member('{"x":{"expected":1}}', "expected", 2) == '{"x":{"expected":1}, "expected": 2}'


def test_of_two_members_the_one_that_counts_is_set():
    assert set_member('{"expected":1,"expected":2}', "expected", 3) == '{"expected":1,"expected":3}'


def scored(total, **terms):
    scores = {name: Score(error="broke") if value == "err" else Score(value) for name, value in terms.items()}
    return StackScore("0", total, scores)


@pytest.mark.parametrize(
    ("old", "score", "new"),
    [
        (ABSENT, scored(0.1 + 0.2, it=0.3), 0.3),
        (ABSENT, scored(None, it=None), None),
        (1.0, scored(0.5, it=0.5), 0.5),
        ({"min": 1}, scored(0.5, it=0.5), 0.5),
        (
            {"it": 1, "other": {"min": 0.2}},
            scored(0.5, it=0.5, other=0.3),
            {"it": 0.5, "other": {"min": 0.2}},
        ),
        ({"it": 1, "total": 1}, scored(0.5, it=None), {"it": None, "total": 0.5}),
    ],
)
def test_what_is_not_met_is_replaced_by_what_was_observed(old, score, new):
    columns = {} if old is ABSENT else {"expected": old}
    (update,) = find_updates([Sample("x", None, columns)], [score], ["s:1"])
    assert update.new == new
    assert update.old is old or update.old == old


@pytest.mark.parametrize(
    ("old", "score"),
    [
        (0.5, scored(0.5 + 1e-7, it=0.5)),
        (None, scored(None, it=None)),
        ({"max": 1}, scored(0.5, it=0.5)),
        ({"it": 0.5}, scored(None, it=0.5)),
        (1.0, scored(None, it="err")),
    ],
)
def test_rows_that_are_met_or_erred_stay(old, score):
    assert find_updates([Sample("x", None, {"expected": old})], [score], ["s:1"]) == []
