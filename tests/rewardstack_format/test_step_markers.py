import pytest

from rewardstack_format import steps


@pytest.mark.parametrize(
    "text",
    [
        "Step 1: add\nStep 2: halve\nStep 3: done",
        "1. add\n2. halve\n3. done",
        "(1) add\n(2) halve\n(3) done",
        "**Step 1:** add\n\n### Step 2: halve\nmore text\n> 3) done",
        "Step 1\r\nadd\r\nStep 2\r\nhalve\r\nStep 3\r\ndone",
        "Schritt 1: a\nSchritt 2: b\nSchritt 3: c",
        "第1步：加\n第2步：减\n第3步：完",
        "First, add. Next, halve.\nFinally, stop.",
        "To begin, we add.\nThen we halve.\nThus it is 3.",
    ],
)
def test_three_steps_earn_all(text):
    assert steps(text).value == 1.0


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0), ("We just add them.", 0), ("1.5 apples\n2.5 pears", 0), ("In 1. and 2. we see", 0),
        ("1. add\n1. halve\n1. done", 1), ("1. add\n3. halve\n5. done", 1), ("2. add\n3. halve", 0),
        ("1.\n2.\n3.", 0), ("Step 1: ...\nStep 2: ...", 0), ("1. add\n2. add\n3. ADD", 1), ("- add\n- halve\n- done", 0),
        ("First, First, First, add.", 1), ("Next, add.\nNext, halve.\nNext, stop.", 1), ("First add.\nNext add.", 1),
        ("The first. The second one next.", 0), ("1. a\n2. b\n1. x\n2. y\n3. z", 3), ("1. a\n2. b\n1. c\n3. d", 2),
    ],
)  # fmt: skip
def test_only_a_run_of_steps_that_say_something_new_counts(text, count):
    score = steps(text, least=10)
    assert max(score.details.values()) == count
    assert score.value == pytest.approx(count / 10)


def test_kind_chooses_what_counts():
    text = "1. Add.\n2. Halve.\nFirst, we look. Next, we add. Finally, we stop."
    assert [steps(text, least=4, kind=kind).value for kind in ("numbered", "sequenced", "any")] == [
        0.5,
        0.75,
        0.75,
    ]
