"""Cuts samples into chunks to score one after another; the same samples and size always give the same cuts."""

from collections.abc import Sequence
from typing import Any

from rewardstack.errors import RecordError
from rewardstack.sample import Sample, prompt_key

__all__ = ["chunk_ends"]


def chunk_ends(
    samples: Sequence[Sample], places: Sequence[str], size: int, *, whole_groups: bool
) -> list[int]:
    """Return where each chunk ends: after `size` rows, or a few more where a prompt's group must stay whole.

    Raises `RecordError` when groups must be whole and a prompt comes back in a later chunk.
    """
    ends: list[int] = []
    begin = 0
    while begin < len(samples):
        end = min(begin + size, len(samples))
        while whole_groups and end < len(samples) and samples[end].prompt == samples[end - 1].prompt:
            end += 1
        ends.append(end)
        begin = end
    if whole_groups:
        check_groups(samples, places, ends)
    return ends


def check_groups(samples: Sequence[Sample], places: Sequence[str], ends: Sequence[int]) -> None:
    """Raise `RecordError` when a prompt's rows fall into several chunks."""
    first: dict[Any, tuple[int, int]] = {}
    begin = 0
    for chunk, end in enumerate(ends):
        for row in range(begin, end):
            seen, where = first.setdefault(prompt_key(samples[row].prompt), (chunk, row))
            if seen != chunk:
                raise RecordError(
                    f"{places[row]} has the prompt of {places[where]} again, with others between. A reward of this "
                    f"stack looks at a prompt's whole group: sort the rows by prompt, or take --chunk {len(samples)}"
                )
        begin = end
