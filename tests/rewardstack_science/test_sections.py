"""science.sections: answers cut into parts, each scored by a reward of its own."""

import pytest

from rewardstack import Stack
from rewardstack.errors import RewardstackError
from rewardstack_science import split_sections

PARTS = {
    "method": {"use": "format.keywords", "required": ["mass"]},
    "result": {
        "use": "science.quantity",
        "columns": {"answer": "force"},
        "weight": 3,
        "headings": ["answer"],
    },
}


def total(completion, *, options=None, **columns):
    stack = Stack({"parts": {"use": "science.sections", "sections": PARTS, **(options or {})}})
    return stack.score_one(completion, force="6 N", **columns).rewards["parts"]


@pytest.mark.parametrize("answer", [
    "## Method\nmass\n## Result\n6 N", "**Method:** mass\n\n**Result:** 6 N", "Method: mass\nResult: 6 N", "1. Method\nmass\n2. Result\n6 N", "1. **Method**: mass\n2. **Result**: 6 N",
    "<method>mass</method>\n<result>6 N</result>", "# METHOD #\nmass\n# RESULT #\n6 N", "Hello!\n\n### Method\n#### Detail\nmass\n### Other\nx\n### Answer\n6 N\n### Remarks\n7 N",
    "<think>## Result\n5 N</think>\n## Method\nmass\n## Result\n6 N", "Result: 6 N\nMethod: mass",
])  # fmt: skip
def test_sections_are_found_under_headings_labels_and_in_tags(answer):
    assert total(answer).value == 1.0


def test_numbered_and_lettered_parts():
    assert split_sections("1. iron\n2) gold\n(3) lead", ["1", "2", "3"]) == {
        "1": "iron",
        "2": "gold",
        "3": "lead",
    }
    assert split_sections("Part 1: iron\nmore\nPart 2: gold", ["part 1", "part 2"]) == {
        "part 1": "iron\nmore",
        "part 2": "gold",
    }
    assert split_sections("(a) 5 m\n(b) 6 m", ["a", "b", "c"]) == {"a": "5 m", "b": "6 m"}


def test_the_last_of_two_sections_of_one_name_counts():
    assert split_sections("## Result\n5\n## Result\n6", ["result"]) == {"result": "6"}


def test_a_missing_section_counts_nothing_and_weights_weigh():
    assert total("## Result\n6 N").value == 0.75
    assert total("## Method\nmass").value == 0.25
    assert total("mass, 6 N").value == 0.0
    assert total("## Result\n6 N").details["sections"] == {"method": 0.0, "result": 1.0}


def test_the_final_answer_may_gate_the_sections():
    gate = {"final": {"use": "science.quantity", "columns": {"answer": "force"}}}
    assert total("## Method\nmass\n## Result\n6 N", options=gate).value == 1.0
    assert total("## Method\nmass\n## Result\n5 N", options=gate).value == 0.0


def test_a_gate_that_abstains_is_closed():
    gate = {"final": {"use": "science.quantity", "columns": {"answer": "none"}}}
    stack = Stack({"parts": {"use": "science.sections", "sections": {"a": {"use": "science.text"}}, **gate}})
    score = stack.score_one("a: iron", answer="iron", none="no quantity").rewards["parts"]
    assert score.value == 0.0
    assert "has no score" in score.reason


def test_sections_that_abstain_are_left_out_and_all_of_them_make_it_abstain():
    parts = {"a": {"use": "science.text"}, "b": {"use": "science.text", "columns": {"answer": "none"}}}
    stack = Stack({"parts": {"use": "science.sections", "sections": parts}})
    assert stack.score_one("a: iron\nb: gold", answer="iron", none="").rewards["parts"].value == 1.0
    assert stack.score_one("a: iron\nb: gold", answer="", none="").rewards["parts"].abstained


def test_maths_and_code_are_sections_too():
    parts = {"proof": {"use": "math.steps"}, "result": {"use": "math.equal"}}
    stack = Stack({"parts": {"use": "science.sections", "sections": parts}})
    assert (
        stack.score_one("## Proof\n2 + 3 = 5\n5 * 2 = 10\n## Result\n\\boxed{10}", answer="10").total == 1.0
    )
    assert (
        stack.score_one("## Proof\n2 + 3 = 6\n6 * 2 = 12\n## Result\n\\boxed{12}", answer="10").total == 0.0
    )


def test_a_range_that_is_not_0_to_1_is_mapped_to_it():
    parts = {"a": {"use": "format.length", "limit": 5, "maximum": 10, "clip": [0.5, 1.0]}}
    stack = Stack({"parts": {"use": "science.sections", "sections": parts}})
    assert stack.score_one("a: one two").total == 1.0
    assert stack.score_one(f"a: {'word ' * 20}").total == 0.0


@pytest.mark.parametrize(("options", "said"), [
    ({"sections": {}}, "at least one"), ({"sections": {"a": {"use": "science.quantitty"}}}, "section 'a'.*did you mean 'science.quantity'"),
    ({"sections": {"a": {"use": "science.quantity", "tolerence": 0.1}}}, "section 'a'.*did you mean 'tolerance'"), ({"sections": {"a": {}}}, "needs a `use`"),
    ({"sections": {"a": {"use": "science.text", "weight": 0}}}, "weight"), ({"sections": {"a": {"use": "science.text", "when": {"x": 1}}}}, "`when`"),
    ({"sections": {"a": {"use": "science.text", "headings": "b"}}}, "headings"), ({"sections": PARTS, "least": 2.0}, "least"), ({"sections": PARTS, "final": {"use": "no.such"}}, "final"),
])  # fmt: skip
def test_mistakes_are_told_when_the_stack_is_loaded(options, said):
    with pytest.raises(RewardstackError, match=f"(?s){said}"):
        Stack({"parts": {"use": "science.sections", **options}})


def test_a_column_that_a_section_lacks_is_an_error_of_the_row_and_no_score(caplog):
    stack = Stack({"parts": {"use": "science.sections", "sections": PARTS}})
    score = stack.score_one("## Result\n6 N").rewards["parts"]
    assert score.value is None
    assert "result" in score.error
    assert "'force'" in score.error
    assert "'force'" in caplog.text


def test_a_batch_scores_as_its_rows_do():
    stack = Stack({"parts": {"use": "science.sections", "sections": PARTS}})
    rows = [
        {"completion": f"## Method\n{word}\n## Result\n{force} N", "force": "6 N"}
        for word in ("mass", "time")
        for force in (5, 6)
    ]
    assert (
        [score.total for score in stack.score(rows)]
        == [stack.score([row])[0].total for row in rows]
        == [0.25, 1.0, 0.0, 0.75]
    )
