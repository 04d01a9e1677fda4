import json
from pathlib import Path

import pytest

from rewardstack import Stack
from rewardstack_format import answer, exact, xml_answer

COMPLETIONS = Path(__file__).parents[1] / "data" / "answers" / "gsm8k.jsonl"


def test_every_gsm8k_completion_is_judged_as_its_source_labels_it():
    rows = [json.loads(line) for line in COMPLETIONS.read_text("utf-8").splitlines()]
    assert {row["label"] for row in rows} == {True, False}
    wrong = [
        row["completion"][-60:]
        for row in rows
        if answer(row["completion"], row["answer"]).value != row["label"]
    ]
    assert not wrong


@pytest.mark.parametrize(
    "completion",
    ["<answer>180</answer>", "A: 180", "so 90 * 2 = 180\n#### 180", "Hence \\boxed{180}.", "The answer is 180.",
     "<think>90 or 70?</think>180", "<answer>\\boxed{180}</answer>"],
)  # fmt: skip
def test_the_answer_is_found_in_whatever_form_it_has(completion):
    assert answer(completion, "180").value == 1.0
    assert answer(completion, "181").value == 0.0


def test_where_asks_for_one_form():
    assert answer("A: 180", "180", where="phrase").value == 1.0
    score = answer("A: 180", "180", where="box")
    assert (score.value, score.reason) == (0.0, "the answer is not in a box: phrase")
    assert answer("So 8.", "8", where="tag").reason.startswith("the answer is not in an <answer> tag: ")
    assert answer("So 8.", "8", where="tag", tag="result").reason.startswith(
        "the answer is not in a <result> tag: "
    )
    assert xml_answer("The answer is 180.", "180").value == 0.0


@pytest.mark.parametrize(
    ("match", "equal"),
    [
        ("exact", {"Paris"}),
        ("case", {"Paris", "PARIS", " paris "}),
        ("number", {"Paris", "PARIS", " paris "}),
    ],
)
def test_match_says_what_counts_as_the_same_text(match, equal):
    texts = {"Paris", "PARIS", " paris ", "Paris, France", "Pari", ""}
    assert {
        text for text in texts if xml_answer(f"<answer>{text}</answer>", "Paris", match=match).value
    } == equal


def test_match_says_what_counts_as_the_same_number():
    def judge(match):
        return [xml_answer(f"<answer>{text}</answer>", "1000", match=match).value for text in texts]

    texts = ["1000", "1,000", "1000.0", "$1,000", "1e3", "10,00", "1000 apples"]
    assert judge("exact") == judge("case") == [1, 0, 0, 0, 0, 0, 0]
    assert judge("number") == [1, 1, 1, 1, 1, 0, 0]


def test_accents_may_be_composed_or_not():
    assert xml_answer("<answer>Ame\u0301lie</answer>", "amélie").value == 1.0
    assert xml_answer("<answer>Ame\u0301lie</answer>", "amélie", match="exact").value == 0.0


def test_golds_may_be_numbers_lists_and_worked_solutions():
    for gold in (72, 72.0, "72", ["71", "72"], "48 / 2 = 24, 48 + 24 = 72\n#### 72"):
        assert xml_answer("<answer>72</answer>", gold).value == 1.0


def test_a_choice_matches_only_a_gold_that_says_so():
    score = answer("The answer is 3 or 4.", "3")
    assert (score.value, score.reason) == (0.0, "answer 3 or 4, a choice between answers, expected 3")
    assert answer("The answer is 3 or 4.", "3 or 4").value == 1.0


def test_an_unclosed_or_later_emptied_tag_is_no_answer():
    assert xml_answer("<answer>72", "72").reason == "the last answer tag is cut off"
    assert (
        xml_answer("<answer>72</answer> no: <answer></answer>", "72").reason == "the last answer tag is empty"
    )


def test_unique_asks_for_one_commitment():
    twice = "<answer>71</answer><answer>72</answer>"
    assert xml_answer(twice, "72").value == 1.0
    assert xml_answer(twice, "72", unique=True).value == 0.0


def test_an_answer_inside_thinking_counts_only_where_asked():
    text = "<think>x</think>ok <think><answer>72</answer>"
    assert xml_answer(text, "72").value == 0.0
    assert xml_answer(text, "72", thinking=True).value == 1.0


def test_the_tag_can_have_another_name():
    assert xml_answer("<solution>72</solution>", "72", tag="solution").value == 1.0


def test_reason_and_details_stay_short_and_useful():
    score = answer("A: " + "9" * 50_000, "9" * 50_000)
    assert score.value == 1.0
    assert len(score.reason) < 120
    assert answer("A: 7 km", "7 m").details == {"answer": "7 km", "gold": ["7 m"], "form": "phrase"}


def test_exact_compares_the_whole_completion():
    assert exact(" Dear Ann,\nhi ", "Dear Ann,\nhi").value == 1.0
    assert exact("dear  ann, HI", "Dear Ann,\nhi").value == 0.0
    assert exact("dear  ann, HI", "Dear Ann,\nhi", match="case").value == 1.0
    assert exact("I say: Dear Ann,\nhi", "Dear Ann,\nhi").value == 0.0
    assert exact("5", "Dear Ann\n#### 5").value == 0.0


def test_a_row_without_a_gold_abstains_in_a_stack():
    stack = Stack({"correct": "format.answer", "boxed": {"use": "format.boxed", "weight": 2.0}})
    score = stack.score_one("\\boxed{5}", answer="")
    assert score.rewards["correct"].abstained
    assert score.total == 3.0


def test_several_boxes_are_one_answer_that_no_single_gold_equals():
    text = "So \\boxed{3} and \\boxed{4}."
    score = answer(text, "4")
    assert (score.value, score.reason) == (0.0, "answer 3, 4, expected 4")
    assert answer(text, "3").value == answer(text, ["3", "4"]).value == 0.0
    assert answer(text, "3, 4").value == 1.0
    assert answer("\\boxed{4}, that is \\boxed{4.0}", "4").value == 1.0
    assert answer("<answer>\\boxed{3} and \\boxed{4}</answer>", "4").value == 0.0


def test_boxes_that_say_the_same_are_one_answer():
    assert answer("\\boxed{4} and \\boxed{4.0}", "4").value == 1.0


def test_a_tag_replaces_the_one_right_before_it_and_joins_the_one_named_with_it():
    assert xml_answer("<answer>3</answer>\n<answer>4</answer>", "4").value == 1.0
    assert xml_answer("<answer>3</answer> and <answer>4</answer>", "4").value == 0.0
