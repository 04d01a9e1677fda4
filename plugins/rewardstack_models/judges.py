"""`models.judge`: a language model's verdict on a completion, alone or against a reference reply."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rewardstack import Score, completion_text, reward
from rewardstack_models.errors import EndpointError
from rewardstack_models.judging.asking import Asker, Opinion, check_asker, count_votes, nothing
from rewardstack_models.judging.questions import Shot, Subject, ask_about, ask_control, ask_pair
from rewardstack_models.judging.verdicts import check_labels
from rewardstack_models.wording import text_of

__all__ = ["judge"]

PAIR = {"A": 1.0, "B": 0.0, "TIE": 0.5}
SWAPPED = {"A": "B", "B": "A", "TIE": "TIE"}
INNOCENT = "The weather was mild that day, and the train left on time."


def check(options: Mapping[str, Any]) -> None:
    """Raise `ValueError` for options that do not go together."""
    check_asker(options)
    check_labels(options["labels"])
    if not options["rubric"].strip():
        raise ValueError("rubric must say what a good reply is")
    known = set(options["labels"])
    for shot in options["shots"]:
        if shot.label not in known:
            raise ValueError(
                f"a shot has the label {shot.label!r}, which is none of: {', '.join(options['labels'])}"
            )
    if options["pair"] and options["shots"]:
        raise ValueError("shots show verdicts on one reply; they do not go with pair")
    if options["pair"] and options["control"]:
        raise ValueError("control asks about one reply alone; it does not go with pair")


@reward(deterministic=False, check=check)
@dataclass
class judge(Asker):  # noqa: N801 - the name of the reward
    """What a language model says of the reply by a rubric: the value of its label, by default CORRECT or INCORRECT.

    Asks any chat endpoint of OpenAI's protocol (vLLM, llama.cpp's server, a hosted one). The judge sees the prompt, the
    row's `reference` where there is one, and what follows closed thinking, in which markup is made harmless. Its own
    answer must end in exactly one label. Replies that are empty, only open a solution or speak to their judge earn 0
    and cost nothing. With `pair` the reply is compared with `reference` in both orders.

    Options:
        rubric: What a good reply is, in plain words.
        labels: Every label with its value, 0 to 1: `{ GOOD = 1.0, FAIR = 0.5, BAD = 0.0 }`.
        shots: Examples for the judge, tables of `completion`, `label` and perhaps `prompt`, `reference`, `reason`.
        pair: Ask which is better, the reply or `reference`, in both orders; verdicts that differ are a tie, 0.5.
        vote: What several judges come to: "majority" (of equally many the mean) or "mean".
        control: Ask once more whenever a verdict pays, with a criterion that the reply must fail; a judge that pays
            again was talked into it, and the reply earns 0. Independent of wording; doubles the cost of good replies.

    Range: 0 to 1. What the judge's side does (no answer, no verdict, no budget) is an error, which masks the row. A
    judge is a model with tastes: measure it with `rewards judge-report` before you trust it.
    """

    rubric: str = (
        "The reply answers the task rightly and completely. Where there is a reference, it says the same."
    )
    labels: dict[str, float] = field(default_factory=lambda: {"CORRECT": 1.0, "INCORRECT": 0.0})
    shots: tuple[Shot, ...] = ()
    pair: bool = False
    vote: Literal["majority", "mean"] = "majority"
    control: bool = False

    async def __call__(self, completion: str, prompt: str = "", reference: Any = "") -> Score:
        """Score one reply."""
        other = completion_text(reference) if isinstance(reference, list) else text_of(reference)
        reply, fault = self.refusal(
            completion, "" if self.pair else other, list(PAIR if self.pair else self.labels)
        )
        if fault:
            return nothing(0.0, fault)
        if self.pair:
            if not other.strip():
                return Score(None, reason="the row has no reference to compare with")
            return await self.compare(prompt, reply, other)
        subject = Subject(prompt, other, reply)
        messages = ask_about(subject, self.rubric, list(self.labels), self.shots)
        opinions = await self.ask_all(messages, list(self.labels))
        value, shown = count_votes(
            [(each.usage.label, self.labels[each.usage.label]) for each in opinions], self.vote
        )
        details: dict[str, Any] = {"asked": True, "judges": [each.data() for each in opinions]}
        if self.control and self.pays(value):
            answers = await self.ask_controls(subject)
            details["control"] = [each.data() for each in answers]
            if any(self.pays(self.labels[each.usage.label]) for each in answers):
                return Score(
                    0.0,
                    reason="the reply talks its judge into paying: it pays whatever is asked",
                    details=details,
                )
        return Score(value, reason=f"the judge says {shown}", details=details)

    def pays(self, value: float) -> bool:
        """Whether a value is nearer to the best label than to the worst."""
        low, high = min(self.labels.values()), max(self.labels.values())
        return value - low >= (high - low) / 2

    async def ask_controls(self, subject: Subject) -> list[Opinion]:
        """Return what the judges say to a question that only the worst verdict answers.

        Raises `EndpointError` where a judge pays for an innocent reply too: then it is the judge that is at fault.
        """
        rubric, names = self.rubric, list(self.labels)
        answers = await self.ask_all(ask_control(subject, rubric, self.labels), names)
        if any(self.pays(self.labels[each.usage.label]) for each in answers):
            innocent = Subject(subject.task, subject.reference, INNOCENT)
            for each in await self.ask_all(ask_control(innocent, rubric, self.labels), names):
                if self.pays(self.labels[each.usage.label]):
                    raise EndpointError(
                        f"the judge {each.model!r} pays for anything: it said {each.usage.label} where the criteria "
                        f"allow only the worst verdict. Take a stronger judge, or control = false"
                    )
        return answers

    async def compare(self, task: str, reply: str, other: str) -> Score:
        """Return the score of a reply against another one, each judge asked in both orders."""
        both = await asyncio.gather(
            self.ask_all(ask_pair(task, reply, other, self.rubric), tuple(PAIR)),
            self.ask_all(ask_pair(task, other, reply, self.rubric), tuple(PAIR)),
        )
        swapped = {each.place: each for each in both[1]}
        pairs = [(each, swapped[each.place]) for each in both[0] if each.place in swapped]
        if not pairs:
            raise EndpointError("no judge gave a verdict in both orders")
        agreed = [agreement(one.usage.label, SWAPPED[two.usage.label]) for one, two in pairs]
        value, _ = count_votes([(label, PAIR[label]) for label in agreed], self.vote)
        orders = [[one.usage.label, SWAPPED[two.usage.label]] for one, two in pairs]
        details = {"asked": True, "orders": orders, "judges": [each.data() for each in (*both[0], *both[1])]}
        return Score(value, reason=f"the judge prefers {described(agreed, orders)}", details=details)


def agreement(first: str, second: str) -> str:
    """Return the verdict that both orders give, a tie where they differ."""
    return first if first == second else "TIE"


def described(agreed: Sequence[str], orders: Sequence[Sequence[str]]) -> str:
    """Return in words what pairs came to."""
    words = {"A": "the reply", "B": "the reference", "TIE": "neither"}
    texts = [words[label] for label in agreed]
    split = sum(one != two for one, two in orders)
    return ", ".join(texts) + (" (its verdict follows the order)" if split else "")
