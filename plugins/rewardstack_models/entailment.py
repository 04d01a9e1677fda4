"""`models.entails`: whether a text follows from another, by a classifier of natural-language inference."""

import asyncio
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from rewardstack import Score, reward, visible_text
from rewardstack_models.conversations import break_tokens, encode_texts
from rewardstack_models.errors import AnswerTooLong, ModelError
from rewardstack_models.hosting import Hosted
from rewardstack_models.library import Loaded
from rewardstack_models.padding import Row
from rewardstack_models.scales import softmax
from rewardstack_models.wording import empty_reason, text_of

__all__ = ["entails"]

ENTAILMENT, CONTRADICTION = re.compile(r"^entail", re.IGNORECASE), re.compile(r"^contra", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")
MOST_SENTENCES = 200


@reward
@dataclass
class entails(Hosted):  # noqa: N801 - the name of the reward
    """The probability that what the reply says follows from `reference`, by an entailment classifier.

    Factual consistency: `reference` is the source (a document, a gold answer in words), the reply what is claimed. A
    reply of several sentences is as good as its worst one, unless asked otherwise. Which label means entailment is
    read from the model's config. Needs a model trained for it (MNLI, ANLI, and kin), such as
    `cross-encoder/nli-deberta-v3-base`. Rows without a reference abstain.

    Options:
        by: "sentence" asks about each sentence of the reply, "whole" about all at once.
        aggregate: "min" or "mean" of the sentences' probabilities.
        pays: "entailment" pays for what follows; "consistency" for what does not contradict.
        label: The label that means entailment (or contradiction, for "consistency") where its name does not say so.
        most_tokens: A longer reference loses its beginning; the reply nothing.

    Range: 0 to 1. Repeating the reference follows from it, and so does saying little: pair it with a reward for content.
    """

    by: Literal["sentence", "whole"] = "sentence"
    aggregate: Literal["min", "mean"] = "min"
    pays: Literal["entailment", "consistency"] = "entailment"
    label: str | int | None = None
    most_tokens: Annotated[int, Meta(ge=8)] | None = None

    def __post_init__(self) -> None:
        self.shared = self.share("sequence")

    async def __call__(self, completion: str, reference: Any = "") -> Score:
        """Score one reply; sentences of rows that arrive together share batches."""
        source = "\n".join(map(str, reference)) if isinstance(reference, list) else text_of(reference)
        visible = visible_text(completion)
        if fault := empty_reason(visible):
            return Score(0.0, reason=fault)
        if not source.strip():
            return Score(None, reason="the row has no reference")
        claims = split_claims(visible.text) if self.by == "sentence" else [visible.text.strip()]
        if not claims:
            return Score(0.0, reason="the reply states nothing")
        try:
            values = await asyncio.gather(*(self.probability(source, claim) for claim in claims))
        except AnswerTooLong as error:
            return Score(0.0, reason=str(error))
        worst = min(range(len(values)), key=values.__getitem__)
        value = values[worst] if self.aggregate == "min" else math.fsum(values) / len(values)
        reason = f"{self.pays} of {len(claims)} claim{'s' * (len(claims) != 1)}; the weakest, {values[worst]:.3g}: {claims[worst][:80]!r}"
        return Score(
            min(1.0, max(0.0, value)),
            reason=reason,
            details={"claims": list(values), "weakest": claims[worst][:200]},
        )

    async def probability(self, source: str, claim: str) -> float:
        """Return what one claim is worth."""
        place = 0

        def prepare(loaded: Loaded) -> Row:
            nonlocal place
            place = inference_label(loaded, self.pays, self.label)
            special, limit = loaded.special_tokens(), min(loaded.limit, self.most_tokens or loaded.limit)
            return encode_texts(loaded, break_tokens(source, special), break_tokens(claim, special), limit)

        outputs = await asyncio.wrap_future(self.shared.ask(prepare, self.batch))
        found = softmax(outputs[0])[place]
        return found if self.pays == "entailment" else 1.0 - found


def split_claims(text: str) -> list[str]:
    """Return the sentences of a text that hold a letter or digit; the last one takes all beyond the 200th."""
    parts = [part.strip() for part in SENTENCE.split(text) if any(map(str.isalnum, part))]
    return (
        [*parts[: MOST_SENTENCES - 1], " ".join(parts[MOST_SENTENCES - 1 :])]
        if len(parts) > MOST_SENTENCES
        else parts
    )


def inference_label(loaded: Loaded, pays: str, label: str | int | None) -> int:
    """Return the place of the label that means entailment (contradiction, where consistency pays)."""
    names: dict[int, str] = {
        int(place): str(name) for place, name in (loaded.model.config.id2label or {}).items()
    }
    wanted = ENTAILMENT if pays == "entailment" else CONTRADICTION
    places: Sequence[int]
    if label is not None:
        places = [place for place, name in names.items() if label in (place, name)]
    else:
        places = [place for place, name in names.items() if wanted.match(name.strip())]
    if len(places) != 1 or len(names) < 2:
        raise ModelError(
            f"which label of {loaded.recipe.model!r} means {wanted.pattern[1:]}...? It has: {', '.join(names.values())}; "
            f"name one in the option label"
        )
    return places[0]
