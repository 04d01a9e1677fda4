"""The examples made of format rewards only: examples/gsm8k_notebook and examples/email."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardstack import Stack

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOK = Stack.load(EXAMPLES / "gsm8k_notebook" / "stack.toml")

STRICT = r"^<reasoning>\n.*?\n</reasoning>\n<answer>\n.*?\n</answer>\n$"
SOFT = r"<reasoning>.*?</reasoning>\s*<answer>.*?</answer>"


def notebook_total(text, gold):
    """The five rewards as the notebooks have them, but for `re.DOTALL`, which they lack."""
    answer = text.split("<answer>")[-1].split("</answer>")[0].strip()
    total = 2.0 * (answer == gold) + 0.5 * answer.isdigit()
    total += 0.5 * bool(re.match(STRICT, text, re.DOTALL)) + 0.5 * bool(re.match(SOFT, text, re.DOTALL))
    total += 0.125 * (text.count("<reasoning>\n") == 1) + 0.125 * (text.count("\n</reasoning>\n") == 1)
    if text.count("\n<answer>\n") == 1:
        total += 0.125 - len(text.split("\n</answer>\n")[-1]) * 0.001
    if text.count("\n</answer>") == 1:
        total += 0.125 - (len(text.split("\n</answer>")[-1]) - 1) * 0.001
    return total


def well_formed(thought, answer, after=""):
    return f"<reasoning>\n{thought}\n</reasoning>\n<answer>\n{answer}\n</answer>\n{after}"


thoughts = st.text("abc 0123+=*/.\n", min_size=1, max_size=80).filter(lambda text: text.strip(" .\n"))
answers = st.sampled_from(["72", "144", "7.5", "72 rolls", "-3", "0"])
afters = st.text("abc !", max_size=40).filter(lambda text: not text or text.strip())


@settings(max_examples=60)
@given(st.lists(st.tuples(thoughts, answers, afters), min_size=1, max_size=8))
def test_the_notebook_stack_gives_the_notebooks_totals_on_well_formed_rows(parts):
    texts = [well_formed(*part) for part in parts]
    rows = [{"completion": text, "answer": "48 / 2 = 24\n#### 72"} for text in texts]
    totals = [score.total for score in NOTEBOOK.score(rows)]
    assert totals == pytest.approx([notebook_total(text, "72") for text in texts])


@pytest.mark.parametrize(
    ("text", "theirs", "ours"),
    [
        (well_formed("", ""), 1.5, 0.0),
        ("72", 2.5, 0.0),
        ("<reasoning>\n24\n</reasoning>\n<answer>\n72", 2.836, 0.375),
        (well_formed("24", "72").rstrip(), 3.452, 4.0),
        (well_formed("<reasoning>24", "72"), 4.0, 3.0),
    ],
)
def test_the_notebook_stack_differs_on_purpose(text, theirs, ours):
    assert notebook_total(text, "72") == pytest.approx(theirs)
    assert NOTEBOOK.score_one(text, answer="72").total == pytest.approx(ours)


@pytest.mark.parametrize("name", ["gsm8k_notebook", "email"])
def test_every_sample_of_an_example_has_the_total_it_expects(name):
    rows = [json.loads(line) for line in (EXAMPLES / name / "samples.jsonl").read_text("utf-8").splitlines()]
    scores = Stack.load(EXAMPLES / name / "stack.toml").score(rows)
    assert len(rows) >= 8
    assert {score.id: score.total for score in scores} == pytest.approx(
        {row["id"]: row["expected"] for row in rows}
    )
