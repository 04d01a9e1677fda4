"""`models.process`: a process reward model's opinion of every step of a solution."""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from rewardstack import Score, reward, visible_text
from rewardstack_models.conversations import Template, flatten
from rewardstack_models.errors import AnswerTooLong, ModelError
from rewardstack_models.hosting import Hosted
from rewardstack_models.library import Loaded
from rewardstack_models.padding import Row
from rewardstack_models.reward_models import label_place
from rewardstack_models.scales import sigmoid, softmax
from rewardstack_models.steps import StepFormat, encode_steps, split_steps, token_id
from rewardstack_models.wording import empty_reason

__all__ = ["process"]

Squash = Literal["probability", "difference", "sigmoid"]
Aggregate = Literal["min", "product", "last", "mean"]
SHOWN = 200

SQUASHES: dict[Squash, Callable[[Sequence[float], int, int], float]] = {
    "probability": lambda outputs, positive, _: softmax(outputs)[positive],
    "difference": lambda outputs, positive, negative: softmax(outputs)[positive] - softmax(outputs)[negative],
    "sigmoid": lambda outputs, positive, _: sigmoid(outputs[positive]),
}
AGGREGATES: dict[Aggregate, Callable[[Sequence[float]], float]] = {
    "min": min,
    "product": math.prod,
    "last": lambda scores: scores[-1],
    "mean": lambda scores: math.fsum(scores) / len(scores),
}


def bounds_of(options: Mapping[str, Any]) -> tuple[float, float]:
    """Return the range for the option `squash`."""
    return (-1.0, 1.0) if options["squash"] == "difference" else (0.0, 1.0)


def check(options: Mapping[str, Any]) -> None:
    """Raise `ValueError` for options that do not go together."""
    if options["squash"] == "difference" and options["aggregate"] == "product":
        raise ValueError(
            'a product of differences means nothing: two bad steps would make a good one; take "min"'
        )
    if options["head"] == "causal" and options["squash"] == "sigmoid":
        raise ValueError('a causal head answers by two tokens: squash = "probability" or "difference"')
    if options["head"] == "causal" and not (options["positive"] and options["negative"]):
        raise ValueError("a causal head needs positive and negative, the tokens of its two answers")
    if not options["step_token"]:
        raise ValueError("step_token must not be empty: the scores are read there")


@reward(range=bounds_of, check=check)
@dataclass
class process(Hosted):  # noqa: N801 - the name of the reward
    r"""What a process reward model makes of the solution's steps; by default of the worst of them.

    What follows closed thinking is cut into steps, each is followed by the model's step token, and the score of a
    step is read there. Models differ in all of this: take the options from the model's card. Two that are common:
    Qwen2.5-Math-PRM (`<extra_0>` and the probability of the label 1, the default) and Math-Shepherd (a causal head;
    `step_token = " ки"`, `joiner = "\n"`, positive "+", negative "-", `template = "text"`).

    Options:
        head: "token" (a token classifier) or "causal" (a language model that answers by a token).
        separator: What divides the completion into steps; white space at its ends does not count.
        step_token: The token behind each step, where its score is read.
        joiner: Text between a step token and the next step.
        positive: The label (name or number) of a right step; with a causal head the token.
        negative: The label or token of a wrong step; a token classifier of two labels needs none.
        squash: "probability" of positive, the "difference" positive - negative, or "sigmoid" of one output.
        aggregate: "min", "product", "last" or "mean" of the steps' scores.
        threshold: A step below it is a bad one, for `details`; by default the middle of the range.
        template: "chat", "text" (one line after the other), or what fits.
        system: A system message put first, where the conversation has none.
        most_tokens: Longer solutions lose the beginning of the prompt; never of the steps.
        padding: The side that short rows are padded on.

    Range: 0 to 1, or -1 to 1 for "difference". `details` hold every step's score and the first bad step, counted
    from 0. Does not know whether steps lead to the right answer: gate it by a reward that does.
    """

    head: Literal["token", "causal"] = "token"
    separator: str = "\n\n"
    step_token: str = "<extra_0>"  # noqa: S105 - a token of a tokenizer
    joiner: str = ""
    positive: str | int | None = None
    negative: str | int | None = None
    squash: Squash = "probability"
    aggregate: Aggregate = "min"
    threshold: float | None = None
    template: Template = "auto"
    system: str = ""
    most_tokens: Annotated[int, Meta(ge=8)] | None = None
    padding: Literal["right", "left"] = "right"

    def __post_init__(self) -> None:
        self.shared = self.share(self.head, self.padding)
        self.low, self.high = bounds_of({"squash": self.squash})
        self.middle = (self.low + self.high) / 2 if self.threshold is None else self.threshold

    async def __call__(self, completion: str, messages: list[Any]) -> Score:
        """Score one solution; rows that arrive together share a batch."""
        visible = visible_text(completion)
        if fault := empty_reason(visible):
            return Score(self.low, reason=fault)
        steps = split_steps(visible.text, self.separator)
        places = (0, 0)

        def prepare(loaded: Loaded) -> Row:
            nonlocal places
            row = self.row(loaded, messages, steps)
            places = self.places(loaded)
            if self.head == "causal":
                row.columns, places = places, (0, 1)
            return row

        try:
            outputs = await asyncio.wrap_future(self.shared.ask(prepare, self.batch))
        except AnswerTooLong as error:
            return Score(self.low, reason=str(error))
        return self.score(steps, [SQUASHES[self.squash](each, *places) for each in outputs])

    def row(self, loaded: Loaded, messages: Sequence[dict[str, Any]], steps: Sequence[str]) -> Row:
        """Return the row of a solution."""
        history = flatten(messages, "", loaded.special_tokens())[:-1]
        if self.system and history[0]["role"] != "system":
            history = [{"role": "system", "content": self.system}, *history]
        form = StepFormat(self.separator, self.step_token, self.joiner, self.template)
        return encode_steps(loaded, history, steps, form, self.most_tokens)

    def places(self, loaded: Loaded) -> tuple[int, int]:
        """Return which outputs are the positive and the negative one."""
        if self.head == "causal":
            return token_id(loaded, str(self.positive)), token_id(loaded, str(self.negative))
        size = len(loaded.model.config.id2label or {})
        if size == 1:
            if self.squash != "sigmoid":
                raise ModelError(f'the model {self.model!r} has one output a token: squash = "sigmoid"')
            return 0, 0
        positive = size - 1 if self.positive is None and size == 2 else label_place(loaded, self.positive)
        negative = 1 - positive if self.negative is None and size == 2 else positive
        if self.negative is not None or (self.squash == "difference" and size > 2):
            negative = label_place(loaded, self.negative)
        return positive, negative

    def score(self, steps: Sequence[str], scores: Sequence[float]) -> Score:
        """Return the score of a solution by those of its steps."""
        bad = next((place for place, score in enumerate(scores) if score < self.middle), -1)
        details: dict[str, Any] = {"steps": list(scores), "first_bad": bad}
        reason = f"{self.aggregate} of {len(scores)} step{'s' * (len(scores) != 1)}"
        if bad >= 0:
            details["bad_step"] = steps[bad][:SHOWN]
            reason += f"; step {bad + 1} is the first below {self.middle:g}: {scores[bad]:.3g}"
        value = AGGREGATES[self.aggregate](scores)
        return Score(min(max(value, self.low), self.high), reason=reason, details=details)
