"""The reward that this plugin is about."""

from typing import Annotated

from msgspec import Meta

from rewardstack import Score, reward

__all__ = ["brief"]


@reward
def brief(completion: str, *, limit: Annotated[int, Meta(ge=1)] = 200) -> Score:
    """1 at or under `limit` words, falling to 0 at twice that.

    Options:
        limit: How many words are free of charge.

    Range: 0 to 1. Words are what white space separates; thinking counts like any other text.
    """
    words = len(completion.split())
    return Score(max(0.0, min(1.0, 2 - words / limit)), f"{words} words, {limit} are free", {"words": words})
