import time

import pytest

from rewardstack import Stack, StackError
from rewardstack_format import json

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
}


def test_a_container_is_json():
    assert json('{"name": "Ann"}').value == json("[1, 2]").value == json(' \r\n[{"a": []}]\n').value == 1.0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there is no text"),
        ("Sure! {}", "not JSON: expecting value at line 1, column 1"),
        ('{"a": 1}}', "not JSON: extra data at line 1, column 9"),
        ('{"a": 1,}', "not JSON: "),
        ("{'a': 1}", "not JSON: "),
        ('{"a": NaN}', "not JSON: NaN is no JSON value"),
        ("[-Infinity]", "not JSON: -Infinity is no JSON value"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "not JSON: the name 'c' stands twice in one object"),
        ("[" * 100_000, "not JSON: it is nested too deeply"),
        ('{"a":' * 100_000, "not JSON: it is nested too deeply"),
        ("[" + "1" * 5000 + "]", "not JSON: it holds a whole number of more digits than Python reads"),
        ('["\0"]', "not JSON: invalid control character"),
        ("{}", "empty JSON"),
        (" [] ", "empty JSON"),
        ("42", "JSON of type int, where container is wanted"),
        ('```json\n{"a": 1}\n```', "not JSON: "),
    ],
    ids=lambda case: repr(case)[:20],
)
def test_what_is_no_json_is_said(text, reason):
    score = json(text)
    assert score.value == 0.0
    assert reason in score.reason or not text


def test_kind_says_what_the_value_must_be():
    texts = ['{"a": 1}', "[1]", '"a"', "null"]
    kinds = ("container", "object", "array", "any")
    values = {kind: [json(text, kind=kind).value for text in texts] for kind in kinds}
    assert values == {
        "container": [1, 1, 0, 0], "object": [1, 0, 0, 0], "array": [0, 1, 0, 0], "any": [1, 1, 1, 1]
    }  # fmt: skip


def test_within_says_where_it_stands():
    fence = 'As asked:\n```json\n{"a": 1}\n```\nDone.'
    assert json(fence, within="fence").value == 1.0
    assert (
        json('```\n{"a": 1}\n``` and ```[1', within="fence").reason
        == "not JSON: the last code fence is never closed"
    )
    assert json('{"a": 1}', within="fence").reason == "not JSON: there is no code fence"
    assert json('So <answer>{"a": 1}</answer>', within="tag").value == 1.0
    assert json('<answer>{"a": 1}', within="tag").reason == "not JSON: the last <answer> tag is cut off"
    assert json("<think>[1</think>[1]").value == 1.0
    assert json("<think>[1]").reason == "not JSON: the thinking never closes"


def test_a_schema_comes_inline_from_a_file_or_from_the_row(write):
    path = write("person.json", '{"type": "object", "required": ["name"]}')
    good, bad = '{"name": "Ann", "age": 3}', '{"age": 3}'
    for options in ({"schema": PERSON}, {"schema_file": str(path)}, {"json_schema": PERSON},
                    {"json_schema": '{"required": ["name"]}'}):  # fmt: skip
        assert json(good, **options).value == 1.0
        assert json(bad, **options).reason == "breaks the schema at $: 'name' is a required property"


def test_the_row_comes_before_the_options():
    assert json("[1]", {"type": "array"}, schema=PERSON).value == 1.0


def test_the_reason_names_the_place_in_the_document():
    score = json('{"name": "Ann", "age": "three"}', schema=PERSON)
    assert score.reason == "breaks the schema at $.age: 'three' is not of type 'integer'"
    assert len(json('{"name": "Ann", "age": "' + "x" * 100_000 + '"}', schema=PERSON).reason) < 200


def test_with_a_schema_an_empty_object_may_do():
    assert json("{}", schema={"type": "object"}).value == 1.0


def test_a_wrong_schema_is_no_fault_of_the_completion(write):
    with pytest.raises(StackError, match="the schema is wrong at"):
        json("[1]", schema={"type": "aray"})
    with pytest.raises(StackError, match="the schema is not JSON"):
        json("[1]", "{type: array}")
    with pytest.raises(StackError, match="cannot read the schema nowhere.json: No such file"):
        json("[1]", schema_file="nowhere.json")


def test_other_documents_are_not_fetched(monkeypatch):
    fetched = []
    monkeypatch.setattr("urllib.request.urlopen", lambda *request, **_: fetched.append(request))
    with pytest.raises(Exception, match="Unresolvable"):
        json("[1]", schema={"$ref": "http://localhost:1/schema.json"})
    assert not fetched


def test_a_schemas_pattern_that_never_ends_hits_the_deadline():
    schema = {"type": "array", "items": {"type": "string", "pattern": "^(a+)+$"}}
    stack = Stack({"json": {"use": "format.json", "schema": schema, "timeout": 0.5}})
    stack.score_one('["a"]')
    began = time.perf_counter()
    evil, good = stack.score([{"completion": '["' + "a" * 60 + 'b"]'}, {"completion": '["aaa"]'}])
    assert time.perf_counter() - began < 5
    assert evil.rewards["json"].timed_out
    assert good.total == 1.0
