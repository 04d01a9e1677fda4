"""The committed answer, by law, in linear time, and on real completions."""

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack.answer import beside, find_answer, find_boxes, find_phrases, find_tags

DATA = Path(__file__).parents[1] / "data" / "answers"


def rows(name):
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


# --- laws ---

PIECES = st.sampled_from(
    [
        *(
            "<think>",
            "</think>",
            "<answer>",
            "</answer>",
            "\\boxed{",
            "\\fbox{",
            "{",
            "}",
            "\\{",
            "\\",
            "####",
        ),
        *(
            "the answer is ",
            "Answer:",
            "A:",
            "答案是",
            "not ",
            " or ",
            " and ",
            "$",
            "$$",
            "\\[",
            "\\)",
            "*",
            "_",
        ),
        *(
            "\n",
            " ",
            ".",
            "?",
            "4",
            "x",
            "\x00",
            "\ud800",
            "é",
            "<|im_end|>",
            "</s>",
            "```",
            "B: ",
            "i.e. ",
            ")",
        ),
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))
NUMBERS = st.integers(-999, 999).map(str)


@given(TEXTS, st.booleans(), st.booleans())
def test_never_raises_and_the_text_stands_at_its_span(text, unique, thinking):
    answer = find_answer(text, unique=unique, thinking=thinking)
    assert answer.reason
    assert (answer.text is None) == (answer.span is None)
    if answer.text is not None:
        assert answer.text == text[slice(*answer.span)]
        assert answer.text.strip() == answer.text != ""
    beside(text, answer)
    find_phrases(text)
    for slot in find_boxes(text) + find_tags(text):
        assert slot.content == text[slice(*slot.span)]
        assert slot.start <= slot.span[0] <= slot.span[1] <= slot.end


@pytest.mark.parametrize(
    "form", ["<answer>{}</answer>", "\\boxed{{{}}}", "\n#### {}\n", "\nThe answer is {}.\n"]
)
@given(st.lists(NUMBERS, min_size=1, max_size=5))
def test_a_later_commitment_of_the_same_form_wins(form, numbers):
    text = " First. Then again. ".join(form.format(number) for number in numbers)
    answer = find_answer(text)
    assert (answer.text, answer.count) == (numbers[-1], len(numbers))


@pytest.mark.parametrize("form", ["<answer>{}</answer>", "\\boxed{{{}}}", "\n#### {}\n"])
@given(st.text("abc .,\n$*é答", max_size=60), NUMBERS)
def test_leading_chatter_changes_no_slot(form, chatter, number):
    assert find_answer(chatter + form.format(number)).text == number


@given(st.text("abc xyz,+", min_size=1).map(str.strip).filter(bool))
def test_emphasis_around_a_slot_changes_nothing(content):
    plain = find_answer(f"\\boxed{{{content}}}")
    for dressed in (
        "**\\boxed{%s}**",
        "$\\boxed{%s}$",
        "\\boxed{ **%s** }",
        "\\[ \\boxed{%s} \\].<|im_end|>",
    ):
        answer = find_answer(dressed % content)
        assert (answer.text, answer.alternatives) == (plain.text, plain.alternatives)


# --- linear time ---

MEGA = 1_000_000
FLOODS = {
    "open braces": "\\boxed" + "{" * 10 * MEGA,
    "open boxes": "\\boxed{" * MEGA,
    "boxes without braces": "\\boxed " * MEGA,
    "joined boxes": "\\boxed{1}, " * MEGA,
    "deep braces": "\\boxed{" + "{" * 5 * MEGA + "}" * 5 * MEGA + "}",
    "open tags": "<answer>" * MEGA,
    "tags": "<answer>1</answer>" * (MEGA // 2),
    "open thinking": "<think>" * MEGA,
    "closed thinking": "</think>" * MEGA,
    "angles": "<" * 10 * MEGA,
    "hashes": "#" * 10 * MEGA,
    "hash answers": "#### 1\n" * MEGA,
    "phrases": "the answer is " * MEGA,
    "phrases in Chinese": "答案是" * MEGA,
    "labels": "\nA:" * MEGA,
    "headings": "\nFinal Answer\n" * (MEGA // 2),
    "newlines": "\n" * 10 * MEGA,
    "spaces": "x" + " " * 10 * MEGA + "y",
    "backslashes": "\\" * 10 * MEGA,
    "dollars": "Answer: " + "$$" * 5 * MEGA,
    "open formulas": "Answer: " + "\\[ " * 3 * MEGA,
    "dots": "Answer: " + ". " * 5 * MEGA,
    "brackets": "Answer: x" + ")" * 10 * MEGA,
    "alternatives": "\\boxed{" + "1 or " * 2 * MEGA + "}",
    "special tokens": "x" + "<|im_end|>" * MEGA,
    "remarks": "the answer is rounded. " * (MEGA // 2),
    "judgements": "The answer is 5. " + "The answer is wrong. " * (MEGA // 2),
    "questions": "Is it \\boxed{5}? " * (MEGA // 2),
    "factorials": "The answer is 5" + "! = 5" * MEGA,
    "closing hashes": "#### 5 ####\n" * (MEGA // 2),
    "afterthoughts": "The answer is 5" + ", but" * MEGA,
    "surrogates": "\ud800" * 10 * MEGA,
    "nul": "\0" * 10 * MEGA,
}


@pytest.mark.parametrize("flood", FLOODS)
def test_linear_in_the_length_of_the_text(flood):
    started = time.process_time()
    find_answer(FLOODS[flood])
    assert time.process_time() - started < 4  # each takes 0.1 to 0.9 s here; the quadratic ones took hours


# --- real completions ---


def plain(text):
    """A gold or an answer without LaTeX's dress, for a comparison of texts; mathematics comes elsewhere."""
    text = re.sub(r"\\(?:text|mbox|textnormal|mathrm)\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\\[dt]frac", r"\\frac", text)
    text = re.sub(
        r"\\left|\\right|\\[{}]|\\!|\\,|\\ |\^?\\circ|\\?%|\\?\$|[\s{}]|\.$", "", text.replace("\\\\", "\\")
    )
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    return text.replace("−", "-").strip("()").lower()


def states(gold, answer):
    """Whether an answer's text is the gold's; of phrases and lines, which plugins narrow, whether it holds it."""
    if answer.text is None:
        return False
    if answer.parts and sorted(map(plain, answer.parts)) == sorted(plain(gold).replace("(", "").split(",")):
        return True
    text, wanted = plain(answer.text), plain(gold)
    return wanted == text or (answer.form in ("phrase", "line") and wanted in text)


def test_right_completions_state_their_gold():
    right = [row for row in rows("math.jsonl") if row["label"]]
    missing = [row["gold"] for row in right if not states(row["gold"], find_answer(row["completion"]))]
    # of 131; looked at one by one: all are written otherwise (0.75 for 3/4) and want mathematics, none is misread
    assert len(missing) <= 24, missing


def test_right_completions_always_commit_to_something():
    right = [row for row in rows("math.jsonl") if row["label"]]
    assert [row["id"] for row in right if find_answer(row["completion"]).text is None] == []


def test_wrong_completions_do_not_state_their_gold_alone():
    """Hedges, thinking and empty slots: no answer, alternatives, or another answer."""
    kinds = {
        "hedged",
        "think-answer",
        "no-answer",
        "boxed-malformed",
        "boxed-flood",
        "precedence",
        "gsm8k-hash",
    }
    wrong = [row for row in rows("math.jsonl") if not row["label"] and row["kind"] in kinds]
    committed = [(row, find_answer(row["completion"])) for row in wrong]
    assert len(wrong) > 20
    assert [
        row["id"] for row, answer in committed if states(row["gold"], answer) and not answer.alternatives
    ] == []


def test_grade_school_completions_agree_with_their_labels():
    def number(text):
        numbers = re.findall(r"-?\d+(?:\.\d+)?", (text or "").replace(",", ""))
        return float(numbers[-1]) if numbers else None

    graded = rows("gsm8k.jsonl")
    wrong = [
        r for r in graded if (number(find_answer(r["completion"]).text) == number(r["answer"])) != r["label"]
    ]
    assert wrong == []
