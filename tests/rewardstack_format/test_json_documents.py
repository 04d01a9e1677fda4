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


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        (5, "a schema is an object (or true or false), not 5"),
        ("null", "a schema is an object (or true or false), not null"),
        ([1], "a schema is an object (or true or false), not [1]"),
        (object(), "the schema cannot be written as JSON"),
        ({"$schema": 5}, "unknown $schema 5; it may be https://json-schema.org/draft/2020-12/schema, "),
        ({"$schema": "http://json-schema.org/draft-99"}, "unknown $schema 'http://json-schema.org/draft-99'"),
        ({"$ref": "#"}, "the schema refers to itself without end"),
        ({"allOf": [{"$ref": "#"}]}, "the schema refers to itself without end"),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "the schema refers to itself without end"),
        ({"$ref": "#/$defs/a"}, "the schema refers to what is not there: PointerToNowhere: '/$defs/a'"),
    ],
)
def test_what_is_wrong_with_a_schema_is_said(schema, complaint):
    with pytest.raises(StackError) as caught:
        json('{"a": 1}', schema)
    assert str(caught.value).startswith(f"format.json: {complaint}")


def test_a_schema_that_refers_to_itself_without_end_is_refused_when_the_stack_is_loaded():
    with pytest.raises(StackError, match="term 'json': format.json: the schema refers to itself without end"):
        Stack({"json": {"use": "format.json", "schema": {"$ref": "#"}}})


def test_a_schema_of_trees_is_fine_and_a_tree_too_deep_for_it_is_the_completions_fault():
    tree = {"type": "array", "items": {"$ref": "#"}}
    assert json("[[], [[]]]", tree).value == 1.0
    score = json("[" * 500 + "]" * 500, tree)
    assert (score.value, score.reason) == (0.0, "breaks the schema as it is nested too deeply")


@pytest.mark.parametrize("draft", ["draft/2020-12", "draft/2019-09", "draft-07", "draft-04"])
@pytest.mark.parametrize("hash", ["", "#"])
def test_the_drafts_are_known_by_their_names(draft, hash):
    scheme = "https" if "/" in draft else "http"
    schema = {"$schema": f"{scheme}://json-schema.org/{draft}/schema{hash}", "type": "array"}
    assert json("[1]", schema).value == 1.0
    assert json('{"a": 1}', schema).value == 0.0


def test_true_and_false_are_schemas():
    assert [json("[1]", schema).value for schema in (True, False, "true", "false")] == [1.0, 0.0, 1.0, 0.0]
