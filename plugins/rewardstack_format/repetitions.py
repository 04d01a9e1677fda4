"""A reward against repetition."""

import re
from collections.abc import Hashable, Sequence
from typing import Annotated

from msgspec import Meta

from rewardstack import Score, reward
from rewardstack_format.lengths import Unit, no_tokens
from rewardstack_format.scripts import UNSPACED

__all__ = ["repetition"]

LONGEST = 500_000  # units that are looked at, the last ones: loops stand at the end
WORD = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]{{1,16}}")


def split_units(completion: str, completion_ids: Sequence[int] | None, unit: Unit) -> Sequence[Hashable]:
    """Return what n-grams are made of; a word is cut after 16 characters, so that a loop without spaces is seen."""
    if unit == "tokens":
        return list(completion_ids or ())[-LONGEST:]
    if unit == "characters":
        return completion[-LONGEST:]
    return WORD.findall(completion[-16 * LONGEST :].casefold())[-LONGEST:]


def repeated_share(units: Sequence[Hashable], size: int) -> float:
    """Return the share of n-grams that stood before: 1 - different n-grams / n-grams; 0 where there is none."""
    total = len(units) - size + 1
    if total < 1:
        return 0.0
    return 1 - len(set(zip(*(units[start:] for start in range(size)), strict=False))) / total


@reward(range=(-1.0, 0.0))
def repetition(
    completion: str,
    completion_ids: Sequence[int] | None = None,
    *,
    size: Annotated[int, Meta(ge=1, le=64)] = 4,
    unit: Unit = "words",
    free: Annotated[float, Meta(ge=0, lt=1)] = 0.0,
) -> Score:
    """The share of repeated n-grams as a punishment: 0 where nothing repeats, towards -1 in a loop.

    -(1 - different n-grams / all n-grams), over the whole completion, thinking included.

    Options:
        size: How many words make an n-gram (the paper has 40 tokens; small ones punish set phrases too).
        unit: `words` (by white space, case ignored; characters of scripts without spaces count singly),
            `characters`, or `tokens` (of the column `completion_ids`; a row without it errs).
        free: The share that costs nothing; the rest is stretched to reach -1. Sound worked solutions repeat some.

    Range: -1 to 0. Source: the repetition penalty of Yeo et al. 2025 (arXiv:2502.03373, appendix C) as TRL and open-r1
    apply it, to the completion as a whole and not to single tokens. Completions shorter than `size` earn 0. Does
    not see paraphrases; of more than 500,000 words the last ones count.
    """
    if (error := no_tokens(unit, completion_ids)) is not None:
        return error
    share = repeated_share(split_units(completion, completion_ids, unit), size)
    value = (free - share) / (1 - free) if share > free else 0.0
    return Score(value, f"{share:.0%} of the {size}-grams stood before", {"share": share})
