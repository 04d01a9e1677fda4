"""A reward against completions that were cut off."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from rewardstack import Score, reward

__all__ = ["truncated"]


@reward(range=(-1.0, 0.0))
def truncated(
    completion_ids: Sequence[int],
    *,
    eos: int | Annotated[tuple[int, ...], Meta(min_length=1)],
    pad: int | None = None,
) -> Score:
    """-1 when the token ids do not end in an end-of-sequence id: the completion was cut off; else 0.

    Options:
        eos: The end-of-sequence id or ids: `tokenizer.eos_token_id`, and what else `generation_config.eos_token_id`
            lists (Qwen2.5 has 151645 and 151643).
        pad: A padding id to leave out at the end, where the trainer has not. One that is an `eos` too is kept.

    Range: -1 to 0. Reads the column `completion_ids` (TRL hands it in) and no text. A completion without tokens was
    not ended and counts as cut off. Does not see a stop string or a limit of tool calls.
    """
    ends = (eos,) if isinstance(eos, int) else eos
    last = len(completion_ids)
    while last and completion_ids[last - 1] == pad and pad not in ends:
        last -= 1
    if not last:
        return Score(-1.0, "there are no tokens")
    if completion_ids[last - 1] in ends:
        return Score(0.0, f"ends in token {completion_ids[last - 1]}", {"tokens": last})
    return Score(-1.0, f"cut off: the last token is {completion_ids[last - 1]}", {"tokens": last})
