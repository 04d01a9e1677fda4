"""Forward passes: rows in buckets of like length, each read in one batch, smaller ones where memory runs out."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rewardstack import import_extra
from rewardstack_models.errors import ModelError
from rewardstack_models.library import Loaded
from rewardstack_models.padding import Row, pad_rows

__all__ = ["Output", "buckets", "most_tokens", "read_rows"]

NO_LIMIT = 1 << 62

Output = list[list[float]]
"""What a model gave for a row: for each position that was asked for (or the one sequence) its outputs."""


def buckets(lengths: Sequence[int], size: int, tokens: int = NO_LIMIT) -> Iterator[list[int]]:
    """Yield places in batches of at most `size` rows and `tokens` tokens, padding included: like lengths together.

    The longest come first, so that what is too big for the memory shows at once. A row longer than `tokens` is read
    alone.
    """
    bucket: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: (-lengths[place], place)):
        if bucket and (len(bucket) == size or (len(bucket) + 1) * lengths[bucket[0]] > tokens):
            yield bucket
            bucket = []
        bucket.append(place)
    if bucket:
        yield bucket


def most_tokens(device: str) -> int:
    """Return how many tokens a batch may have: more than a CPU's cache holds make it slower than rows alone."""
    return 1024 if device == "cpu" else 32_768


def read_rows(loaded: Loaded, rows: Sequence[Row]) -> list[Output]:
    """Return the outputs of one batch; a batch that does not fit into memory is read in halves.

    Raises `ModelError` for outputs that are no finite numbers.
    """
    torch = import_extra("torch", "models", "a model")
    try:
        return read_batch(torch, loaded, rows)
    except torch.OutOfMemoryError:
        if len(rows) == 1:
            raise
    half = len(rows) // 2
    return [*read_rows(loaded, rows[:half]), *read_rows(loaded, rows[half:])]


def read_batch(torch: Any, loaded: Loaded, rows: Sequence[Row]) -> list[Output]:
    """Return the outputs of rows read together."""
    side = loaded.recipe.padding
    given = pad_rows(torch, rows, loaded.pad, side, loaded.device)
    with torch.inference_mode():
        output = loaded.model(**given)
        embeds = loaded.recipe.head == "embedding"
        values = (output.last_hidden_state if embeds else output.logits).float()
    width = given["input_ids"].shape[1]
    found: list[Output] = []
    for place, row in enumerate(rows):
        start = width - len(row.ids) if side == "left" else 0
        if row.at:
            taken = values[place, [start + position for position in row.at]]
        elif embeds:
            taken = values[place, start : start + len(row.ids)].mean(0, keepdim=True)
        else:
            taken = values[place].reshape(1, -1)
        found.append((taken[:, list(row.columns)] if row.columns else taken).tolist())
    return found


def check_finite(output: Output, model: str) -> Output:
    """Return an output as it is; `ModelError` where it holds NaN or an infinity."""
    if not all(math.isfinite(value) for values in output for value in values):
        raise ModelError(f"the model {model!r} gave a value that is no finite number")
    return output
