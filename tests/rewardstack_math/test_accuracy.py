"""The verifier against labelled answers: the thresholds of the benchmark table."""

from rewardstack_math import check_steps, compare
from rewardstack_math.verification import verify

PUBLISHED = ("rewrite", "perturb", "model-output")


def wrong(rows):
    return [row for row in rows if (compare(row["gold"], row["pred"]).equal is True) != row["label"]]


def show(rows):
    return [(row.get("id", ""), row["gold"], row.get("pred", "")) for row in rows]


def test_pairs(labelled):
    rows = labelled("pairs")
    assert len(wrong(rows)) <= 0.01 * len(rows), show(wrong(rows))


def test_published_answers(labelled):
    rows = [row for row in labelled("pairs") if row["kind"].partition(":")[0] in PUBLISHED]
    assert len(rows) > 100
    assert len(wrong(rows)) <= 0.003 * len(rows), show(wrong(rows))


def test_false_positives(labelled):
    negatives = [row for row in labelled("pairs") if not row["label"]]
    assert len(wrong(negatives)) <= 0.005 * len(negatives), show(wrong(negatives))


def test_kinds(labelled):
    assert show(wrong(labelled("kinds"))) == []


def test_completions(labelled):
    rows = labelled("completions")
    failed = [
        row["id"]
        for row in rows
        if (verify(row["gold"], row["completion"]).comparison.equal is True) != row["label"]
    ]
    assert len(failed) <= 0.02 * len(rows), failed


def test_kinds_of_completions(labelled):
    rows = labelled("kind_completions")
    assert [
        row["completion"]
        for row in rows
        if (verify(row["gold"], row["completion"]).comparison.equal is True) != row["label"]
    ] == []


def test_first_wrong_step(labelled):
    rows = labelled("steps")
    failed = []
    for row in rows:
        texts = [step["text"] for step in row["steps"]]
        if check_steps(texts, problem=row["problem"], gold=row["gold"]).first_error != row["first_error"]:
            failed.append(row["id"])
    assert len(failed) <= 0.1 * len(rows), failed


def test_verdicts_are_symmetric(labelled):
    for row in [*labelled("pairs"), *labelled("kinds")]:
        one, other = compare(row["gold"], row["pred"]).equal, compare(row["pred"], row["gold"]).equal
        if one is not None and other is not None:
            assert one == other, (row["gold"], row["pred"])


def test_an_answer_equals_itself(labelled):
    """All but what has no value: 1/0 equals nothing."""
    for row in labelled("pairs"):
        verdict = compare(row["gold"], row["gold"])
        assert verdict.equal or "0}" in row["gold"], row["gold"]
