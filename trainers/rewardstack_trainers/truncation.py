"""Whether a completion was cut off: told from its token ids, since the text does not show it."""

from collections.abc import Collection, Sequence
from typing import Any

__all__ = ["cut_off", "end_ids"]


def end_ids(processing_class: Any, model: Any = None) -> frozenset[int]:
    """Return the ids that end a completion: the tokenizer's, its padding, and the model's generation config's.

    Padding counts as an end, as in TRL: what is padded had ended before.
    """
    tokenizer = getattr(processing_class, "tokenizer", processing_class)
    found: set[int] = set()
    for value in (
        getattr(tokenizer, "eos_token_id", None),
        getattr(tokenizer, "pad_token_id", None),
        getattr(getattr(model, "generation_config", None), "eos_token_id", None),
    ):
        found.update(value if isinstance(value, (list, tuple)) else () if value is None else (value,))
    return frozenset(found)


def cut_off(completion_ids: Sequence[Sequence[int]], ends: Collection[int]) -> list[bool]:
    """Return, for each completion, whether its last token is none that ends it; one without tokens was cut off."""
    return [not len(ids) or ids[-1] not in ends for ids in completion_ids]
