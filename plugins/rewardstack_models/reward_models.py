"""`models.reward` and `models.rank`: a reward model's opinion of a completion, alone or against its group."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

import rewardstack
from rewardstack import Score, completion_text, visible_text
from rewardstack_models.conversations import Template, encode, flatten
from rewardstack_models.errors import AnswerTooLong, ModelError
from rewardstack_models.hosting import Hosted
from rewardstack_models.library import Loaded
from rewardstack_models.padding import Row
from rewardstack_models.scales import Scale, bounds_of, check_scale, scaled, sigmoid
from rewardstack_models.scales import rank as ranks
from rewardstack_models.wording import empty_reason, text_of

__all__ = ["rank", "reward"]


@dataclass
class RewardModel(Hosted):
    """What both rewards share: the model, how it is run, and which of its outputs counts.

    Options:
        label: Which output counts, by name or number, where the model has several.
        template: "chat", "pair" (an encoder's two segments), "text" (one line after the other), or what fits.
        thinking: Show the model the thinking too.
        most_tokens: Longer conversations lose the beginning of the prompt; never of the answer. The model's own
            limit holds too.
        padding: The side that short rows are padded on.
    """

    label: str | int | None = None
    template: Template = "auto"
    thinking: bool = False
    most_tokens: Annotated[int, Meta(ge=8)] | None = None
    padding: Literal["right", "left"] = "right"

    def __post_init__(self) -> None:
        self.shared = self.share("sequence", self.padding)

    async def outputs(self, messages: Sequence[dict[str, Any]], answer: str) -> tuple[list[float], int]:
        """Return the model's outputs for an answer, and which of them counts."""
        column = 0

        def prepare(loaded: Loaded) -> Row:
            nonlocal column
            column = label_place(loaded, self.label)
            return encode(
                loaded, flatten(messages, answer, loaded.special_tokens()), self.template, self.most_tokens
            )

        outputs = await asyncio.wrap_future(self.shared.ask(prepare, self.batch))
        return outputs[0], column

    def answer_of(self, completion: str) -> tuple[str, str]:
        """Return the text to score and, where there is none, the reason."""
        if self.thinking:
            return completion, "" if completion.strip() else "the completion is empty"
        visible = visible_text(completion)
        return visible.text, empty_reason(visible)


def label_place(loaded: Loaded, label: str | int | None) -> int:
    """Return the place of a label among a model's outputs, by name or number."""
    names = {int(place): str(name) for place, name in (loaded.model.config.id2label or {}).items()}
    if label is None and len(names) == 1:
        return 0
    place = (
        label if isinstance(label, int) else next((at for at, name in names.items() if name == label), None)
    )
    if place is None or place not in names:
        asked = f"has no label {label!r}" if label is not None else "has several labels"
        raise ModelError(
            f"the model {loaded.recipe.model!r} {asked}; set the option label to one of: {', '.join(names.values())}"
        )
    return place


def check_anchor(options: Mapping[str, Any]) -> None:
    """Raise `ValueError` for options of `models.reward` that do not go together."""
    check_scale(options)
    if options["anchored"] and options["scale"] != "sigmoid":
        raise ValueError('anchored goes through the sigmoid: leave scale at "sigmoid"')


@rewardstack.reward(range=bounds_of, check=check_anchor)
@dataclass
class reward(RewardModel):  # noqa: N801 - the name of the reward
    """What a reward model says of the answer, on a fixed scale; by default its sigmoid.

    Any `AutoModelForSequenceClassification` will do: with one label (Skywork and its kin), or several of which
    `label` names one. The conversation goes through the model's chat template; what follows closed thinking counts.
    An empty answer, and one longer than the model reads, earn the low end. Optional column `reference`, for
    `anchored`: an answer to compare with.

    Options:
        scale: "sigmoid", "softmax" (over all labels), "none" (raw), "standard": (raw - mean) / deviation.
        mean: For "standard": measured on samples, by `rewards measure`.
        deviation: For "standard": measured likewise.
        bounds: The range for "none" (-100 to 100 by default) and "standard" (-5 to 5); values beyond are clamped.
        anchored: Score the margin over the row's `reference`: 0.5 is as good, through the sigmoid.

    Range: 0 to 1, or `bounds`. Nothing is scaled by what a batch or a run happened to hold: the same completion earns
    the same at every step, on every rank and after a resume. Says what people liked, not what is right: gate it.
    """

    scale: Scale = "sigmoid"
    mean: float | None = None
    deviation: float | None = None
    bounds: tuple[float, float] | None = None
    anchored: bool = False

    async def __call__(self, completion: str, messages: list[Any], reference: Any = "") -> Score:
        """Score one completion; rows that arrive together share a batch."""
        options: Mapping[str, Any] = {"scale": self.scale, "bounds": self.bounds}
        low, high = bounds_of(options)
        answer, fault = self.answer_of(completion)
        if fault:
            return Score(low, reason=fault)
        other = completion_text(reference) if isinstance(reference, list) else text_of(reference)
        if self.anchored and not other.strip():
            return Score(None, reason="the row has no reference to compare with")
        try:
            outputs, column = await self.outputs(messages, answer)
        except AnswerTooLong as error:
            return Score(low, reason=str(error))
        raw = outputs[column]
        if self.anchored:
            return await self.margin(messages, raw, other)
        value = scaled(outputs, column, self.scale, (self.mean or 0.0, self.deviation or 1.0), (low, high))
        return Score(value, reason=f"the reward model gives {raw:.4g}", details={"raw": raw})

    async def margin(self, messages: Sequence[dict[str, Any]], raw: float, reference: str) -> Score:
        """Return the score against a reference answer."""
        try:
            others, column = await self.outputs(messages, reference)
        except AnswerTooLong as error:
            raise ModelError(f"the reference: {error}") from error
        other = others[column]
        reason = f"the reward model gives {raw:.4g}, the reference {other:.4g}"
        return Score(sigmoid(raw - other), reason=reason, details={"raw": raw, "reference": other})


@rewardstack.reward(scope="group")
@dataclass
class rank(RewardModel):  # noqa: N801 - the name of the reward
    """The share of the prompt's other completions that a reward model puts below this one; ties count half.

    See `models.reward` for the model. A rank forgets how good the group is, and cannot be fooled by a scale that
    drifts. Empty answers and those too long rank last. Where a prompt has one completion alone it is 0.5.

    Range: 0 to 1. A call sees the group, so a gate saves no work.
    """

    async def __call__(self, completion: Sequence[str], messages: Sequence[list[Any]]) -> list[Score]:
        """Score one prompt's completions."""
        found = await asyncio.gather(*map(self.raw, messages, completion), return_exceptions=True)
        raws = [value if isinstance(value, float) else None for value in found]
        faulty = [isinstance(value, str) for value in found]
        lowest = min((raw for raw in raws if raw is not None), default=0.0)
        ranked = ranks([lowest - 1.0 if bad else raw for raw, bad in zip(raws, faulty, strict=True)])
        return [ranked_score(value, place) for value, place in zip(found, ranked, strict=True)]

    async def raw(self, messages: Sequence[dict[str, Any]], completion: str) -> float | str:
        """Return the model's output, or the policy's fault."""
        answer, fault = self.answer_of(completion)
        if fault:
            return fault
        try:
            outputs, column = await self.outputs(messages, answer)
        except AnswerTooLong as error:
            return str(error)
        return outputs[column]


def ranked_score(found: float | str | BaseException, place: float | None) -> Score:
    """Return the score of one completion of a group: its rank, or what kept it from having one."""
    if isinstance(found, BaseException):
        return Score(error=f"{type(found).__name__}: {found}")
    if isinstance(found, str):
        return Score(0.0, reason=found)
    return Score(
        place, reason=f"the reward model gives {found:.4g}: it beats {place:.0%}", details={"raw": found}
    )
