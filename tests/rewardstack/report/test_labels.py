import pytest

from rewardstack import Stack, reward
from rewardstack.errors import RecordError
from rewardstack.report.labels import compare, threshold_of
from rewardstack.sample import Sample
from rewardstack.score import Score


def against(labels, scores, threshold=0.5):
    samples = [
        Sample("x", None, {} if label == "absent" else {"ok": label}, str(row))
        for row, label in enumerate(labels)
    ]
    return compare("it", threshold, "ok", samples, scores, [f"s:{row + 1}" for row in range(len(labels))])


def test_the_confusion_matrix_counts_every_judged_row_once():
    found = against([True, True, False, False, 1, "no"], [Score(value) for value in (1, 0, 1, 0, 0.5, 0.4)])
    counts = (found.true_positives, found.false_positives, found.false_negatives, found.true_negatives)
    assert counts == (2, 1, 1, 2)
    assert (found.accuracy, found.precision, found.recall) == (4 / 6, 2 / 3, 2 / 3)


def test_disagreements_have_place_value_and_reason():
    found = against([True, False], [Score(0.2, "no answer"), Score(0.5, "half right")])
    assert [(each.place, each.kind, each.value, each.reason) for each in found.disagreements] == [
        ("s:1", "false negative", 0.2, "no answer"),
        ("s:2", "false positive", 0.5, "half right"),
    ]


def test_rows_without_a_label_or_a_value_are_in_no_measure():
    found = against(
        [None, "absent", True, True, True, True],
        [Score(1.0), Score(1.0), Score(None, "no gold"), Score(error="broke"), None, Score(1.0)],
    )
    assert (found.unlabelled, found.judged) == (2, 1)
    assert found.not_judged == {"s:3": "abstained: no gold", "s:4": "erred: broke", "s:5": "left out"}


def test_measures_of_nothing_are_undefined():
    found = against([False], [Score(0.0)])
    assert (found.precision, found.recall, found.accuracy) == (None, None, 1.0)


@pytest.mark.parametrize("label", ["maybe", 2, [True]])
def test_a_label_that_is_no_truth_is_told_with_its_place(label):
    with pytest.raises(RecordError) as caught:
        against([True, label], [Score(1.0)] * 2)
    assert str(caught.value) == f"s:2: the label 'ok' is {label!r}; it must be true, false or null"


def test_the_threshold_is_the_middle_of_the_range():
    signed = reward(range=(-1, 3))(lambda completion: 1.0)
    stack = Stack({"a": signed, "b": lambda completion: 1.0, "c": {"use": signed, "clip": [0.0, 1.0]}})
    assert [threshold_of(term) for term in stack.terms] == [1.0, 0.5, 0.5]
