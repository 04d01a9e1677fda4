"""The check at the start: a row must score alone what it scores in a batch, or padding is read as text."""

from itertools import chain

from rewardstack_models.errors import ModelError
from rewardstack_models.forward import read_rows
from rewardstack_models.library import Loaded
from rewardstack_models.padding import Row

__all__ = ["check_batching"]

TEXTS = ("Yes.", "The sum of 2 and 2 is 4, so the answer is 4.", "No, " * 24 + "it is not.")
EXACT, HALF = 1e-4, 0.05  # of values of size 1; half precision has three digits


def check_batching(loaded: Loaded) -> None:
    """Raise `ModelError` when texts of three lengths score otherwise in a batch than alone."""
    rows = [trial_row(loaded, text) for text in TEXTS]
    alone = [read_rows(loaded, [row])[0] for row in rows]
    together = read_rows(loaded, rows)
    allowed = HALF if loaded.half else EXACT
    for text, one, other in zip(TEXTS, alone, together, strict=True):
        for first, second in zip(chain(*one), chain(*other), strict=True):
            if abs(first - second) > allowed * max(
                1.0, abs(first)
            ):  # never so for NaN: that is told row by row
                raise ModelError(
                    f"the model {loaded.recipe.model!r} scores {text[:20]!r} {first:.6g} alone and {second:.6g} in a "
                    f"batch: it reads its padding. Try padding = {other_side(loaded)!r}, or batch = 1"
                )


def other_side(loaded: Loaded) -> str:
    """Return the side that is not padded now."""
    return "left" if loaded.recipe.padding == "right" else "right"


def trial_row(loaded: Loaded, text: str) -> Row:
    """Return a text as a row, read at its last token by heads that give an output for each, a turn's end included."""
    ids = list(loaded.tokenizer(text)["input_ids"])[: loaded.limit]
    eos = loaded.tokenizer.eos_token_id
    if eos is not None and len(ids) < loaded.limit:
        ids.append(int(eos))
    per_token = loaded.recipe.head in ("token", "causal")
    columns = tuple(range(8)) if loaded.recipe.head == "causal" else ()
    return Row(ids, at=(len(ids) - 1,) if per_token else (), columns=columns)
