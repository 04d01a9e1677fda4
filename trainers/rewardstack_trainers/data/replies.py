"""Many questions put to an endpoint: several at a time, each once, and what came back is kept for the next start."""

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rewardstack.errors import RecordError
from rewardstack_trainers.appending import append_lines, read_lines
from rewardstack_trainers.data.rephrasing import Rephrase

__all__ = ["rephrase_all"]

AT_ONCE = 8
"""How many questions wait for their replies together: more would be a burden for a small server."""


def rephrase_all(
    rephrase: Rephrase, how: str, questions: Sequence[str], chance: random.Random, kept: Path | None
) -> list[str]:
    """Return the questions in other words; those that the file `kept` knows by `how` are not asked again.

    Every reply is added to the file as it comes, so what an endpoint has answered before it broke down is not lost.
    Raises `RecordError` where the endpoint does not answer or the file cannot be written.
    """
    known = read_kept(kept, how)
    new = [question for question in dict.fromkeys(questions) if question not in known]
    chances = [
        random.Random(chance.getrandbits(32)) for _ in new
    ]  # no order of replies may change what is drawn
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for question, text in zip(new, pool.map(rephrase, new, chances), strict=True):
            known[question] = text
            keep(kept, {"how": how, "question": question, "text": text})
    return [known[question] for question in questions]


def read_kept(kept: Path | None, how: str) -> dict[str, str]:
    """Return what a file knows by that endpoint and model."""
    if kept is None or not kept.exists():
        return {}
    return {row["question"]: row["text"] for row in read_lines(kept) if row["how"] == how}


def keep(kept: Path | None, row: dict[str, Any]) -> None:
    """Add a row to a file, where there is to be one."""
    if kept is None:
        return
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordError(f"cannot write {kept}: {error.strerror or error}") from error
    append_lines(kept, [row])
