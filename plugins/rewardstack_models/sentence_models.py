"""What a sentence-transformers folder says beside its weights: pooling, length, layers."""

import json
from pathlib import Path
from typing import Any, Literal

import msgspec

from rewardstack import import_extra
from rewardstack_models.errors import ModelError
from rewardstack_models.library import Loaded
from rewardstack_models.padding import Row

__all__ = ["Pooling", "SentenceShape", "cut_windows", "read_shape"]

Pooling = Literal["auto", "mean", "cls"]
APPLIED = ("Transformer", "Pooling", "Normalize")  # the cosine normalises anyway
MOST_WINDOWS = 64
NAMES = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


class SentenceShape(msgspec.Struct, frozen=True):
    """How token vectors become one: the pooling, and the most tokens that are read at a time."""

    cls: bool
    most: int


def read_file(loaded: Loaded, name: str) -> Any:
    """Return a JSON file beside a model's weights, in its folder or on the hub; `None` where there is none."""
    hub = import_extra("transformers.utils", "models", "models.similar")
    place = getattr(loaded.model, "name_or_path", "") or loaded.recipe.model
    found = hub.cached_file(
        place, name, revision=loaded.recipe.revision or None, _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_gated_repo=False, _raise_exceptions_for_connection_errors=False,
    )  # fmt: skip
    return None if found is None else json.loads(Path(found).read_text("utf-8"))


def read_shape(loaded: Loaded, wanted: Pooling) -> SentenceShape:
    """Return how a model's token vectors become one, as its folder says unless the option does.

    Raises `ModelError` for a pooling or a layer that is not applied here.
    """
    modules = read_file(loaded, "modules.json") or []
    unknown = [kind for each in modules if (kind := str(each["type"]).rpartition(".")[2]) not in APPLIED]
    if unknown:
        raise ModelError(
            f"the model {loaded.recipe.model!r} has a layer {unknown[0]}, which is not applied here"
        )
    length = (read_file(loaded, "sentence_bert_config.json") or {}).get("max_seq_length") or loaded.limit
    said = read_file(loaded, "1_Pooling/config.json") or {} if wanted == "auto" else {}
    on = [name for name, value in said.items() if name.startswith("pooling_mode_") and value]
    if said and (len(on) != 1 or on[0] not in NAMES):
        raise ModelError(
            f"the model {loaded.recipe.model!r} pools by {' and '.join(on)}, which is not done here"
        )
    pooling = NAMES[on[0]] if on else ("mean" if wanted == "auto" else wanted)
    return SentenceShape(pooling == "cls", min(int(length), loaded.limit))


def cut_windows(loaded: Loaded, text: str, shape: SentenceShape) -> list[Row]:
    """Return a text as rows the model can read whole, 64 at most; a longer text gives some from all over."""
    tokenizer = loaded.tokenizer
    room = shape.most - tokenizer.num_special_tokens_to_add()
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    at = (0,) if shape.cls else ()
    if len(ids) <= room:
        return [Row(list(tokenizer(text)["input_ids"]), at=at)]
    parts = [ids[start : start + room] for start in range(0, len(ids), room)]
    parts = parts[:: -(-len(parts) // MOST_WINDOWS)]
    rows = []
    for part in parts:
        given = tokenizer(tokenizer.decode(part), truncation=True, max_length=shape.most)
        rows.append(Row(list(given["input_ids"]), at=at))
    return rows
