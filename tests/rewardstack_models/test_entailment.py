"""`models.entails` with a tiny classifier whose labels stand in any order."""

import pytest

pytest.importorskip("transformers")

from rewardstack import Stack
from rewardstack_models.entailment import split_claims

ROW = {
    "completion": "Paris is the capital. It has 2 rivers!",
    "reference": "Paris, on one river, is the capital of France.",
}
ORDERS = [
    ("contradiction", "neutral", "entailment"),
    ("ENTAILMENT", "NEUTRAL", "CONTRADICTION"),
    ("entailment", "not_entailment"),
]


def one(model, row=ROW, **options):
    return Stack({"it": {"use": "models.entails", "model": model, **options}}).score([row])[0].rewards["it"]


@pytest.fixture
def make(tiny, tmp_path):
    def make_model(labels):
        words = tiny.tokenizer(chat=False, pad="<|pad|>", pair=True)
        return tiny.save(tmp_path / "-".join(labels), tiny.bert(words, labels), words)

    return make_model


def probabilities(folder, premise, hypothesis):
    import torch
    import transformers

    words = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        return model(**words(premise, hypothesis, return_tensors="pt")).logits.softmax(-1)[0].tolist()


@pytest.mark.parametrize("labels", ORDERS)
def test_the_label_is_found_by_its_name_wherever_it_stands(make, labels):
    folder = make(labels)
    place = [name.lower() for name in labels].index("entailment")
    claims = ["Paris is the capital.", "It has 2 rivers!"]
    expected = [probabilities(folder, ROW["reference"], claim)[place] for claim in claims]
    score = one(folder)
    assert score.error is None, score.error
    assert score.details["claims"] == pytest.approx(expected, abs=1e-5)
    assert score.value == pytest.approx(min(expected), abs=1e-5)
    assert one(folder, aggregate="mean").value == pytest.approx(sum(expected) / 2, abs=1e-5)


def test_the_whole_reply_may_be_asked_about_at_once(make):
    folder = make(ORDERS[0])
    expected = probabilities(folder, ROW["reference"], ROW["completion"])
    assert one(folder, by="whole").value == pytest.approx(expected[2], abs=1e-5)
    assert one(folder, by="whole", pays="consistency").value == pytest.approx(1 - expected[0], abs=1e-5)


def test_labels_that_say_nothing_must_be_named(make):
    folder = make(("LABEL_0", "LABEL_1", "LABEL_2"))
    assert "name one in the option label" in one(folder).error
    assert one(folder, label="LABEL_1").value is not None
    assert one(folder, label=1).value == one(folder, label="LABEL_1").value


def test_rows_without_text_or_reference(make):
    folder = make(ORDERS[0])
    assert one(folder, {**ROW, "completion": ""}).value == 0.0
    assert one(folder, {**ROW, "completion": "..."}).value == 0.0
    assert one(folder, {**ROW, "reference": ""}).abstained


def test_a_long_reference_loses_its_beginning_and_a_long_claim_earns_nothing(make):
    folder = make(ORDERS[0])
    assert one(folder, {**ROW, "reference": "word " * 500 + ROW["reference"]}).value is not None
    assert "the model reads 128" in one(folder, {**ROW, "completion": "word " * 500}).reason


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("A. B? C!", ["A.", "B?", "C!"]),
        ("a\n\n- b\n---", ["a", "- b"]),
        ("甲。乙。", ["甲。", "乙。"]),
        ("3.5 is it", ["3.5 is it"]),
        ("...", []),
    ],
)
def test_replies_are_cut_into_claims(text, claims):
    assert split_claims(text) == claims
    assert len(split_claims("A. " * 1000)) == 200
