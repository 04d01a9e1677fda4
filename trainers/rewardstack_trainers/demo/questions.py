"""The demo's tasks: questions in 18 tokens, each with its right answer and the bad habit that training must break."""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

__all__ = ["TASKS", "VOCABULARY", "Question", "Task", "split_questions", "supervised_text"]

VOCABULARY = ("<pad>", "<eos>", "<answer>", "</answer>", *"0123456789", ",", "+", "=", "?")
"""Eighteen tokens, the two special ones first."""


class Question(NamedTuple):
    """A prompt, its right answer, and what the habit answers."""

    prompt: str
    answer: str
    habit: str


class Task(NamedTuple):
    """A kind of question and how it is trained.

    `summary` says what it is in words, `questions` makes all of them; `supervised` are the steps for which the bad
    start is taught, `start` the percentages of right and well-formed answers that it may end with. `watch` is the
    term whose held-out mean the alarms watch.
    """

    summary: str
    questions: Callable[[], list[Question]]
    supervised: Sequence[int]
    start: tuple[float, float]
    learning_rate: float
    watch: str
    seed: int = 0


def larger() -> list[Question]:
    """Return all pairs of different numbers below 100: the larger is right, the habit is the smaller."""
    pairs = [(first, second) for first in range(100) for second in range(100) if first != second]
    return [Question(f"{a},{b}?", str(max(a, b)), str(min(a, b))) for a, b in pairs]


def addition() -> list[Question]:
    """Return all sums of two-digit numbers; the habit forgets the carry."""
    pairs = [(first, second) for first in range(10, 100) for second in range(10, 100)]
    return [Question(f"{a}+{b}=", str(a + b), without_carry(a, b)) for a, b in pairs]


def without_carry(first: int, second: int) -> str:
    """Return a sum whose digits are added one by one, carries forgotten."""
    tens, ones = (first // 10 + second // 10) % 10, (first + second) % 10
    return str(tens * 10 + ones)


TASKS = {
    "larger": Task(
        "the larger of two numbers; the habit names the smaller", larger, (300,), (10, 25), 3e-4, "solved"
    ),
    "addition": Task(
        "two-digit addition, the lesson: harder, and trained too fast", addition, (250,) * 4, (0, 35), 1e-3,
        "right", seed=2,
    ),
}  # fmt: skip
"""Of `larger` the bad start knows what it was taught, 40 % right times half with form: 15 to 22 % over ten seeds and
three samples of 512 each. `addition` hardly learns to add, 2 to 25 % over six seeds; see examples/train_demo."""


def split_questions(task: Task, seed: int, held_out: int = 512) -> tuple[list[Question], list[Question]]:
    """Return the questions to train on and those held out, shuffled by the seed."""
    questions = task.questions()
    random.Random(seed).shuffle(questions)
    return questions[held_out:], questions[:held_out]


def supervised_text(question: Question, chance: random.Random) -> tuple[str, str]:
    """Return prompt and completion of the bad start: right 40 %, the habit 50 %, random 10 %; half without format."""
    drawn = chance.random()
    answer = question.answer if drawn < 0.4 else question.habit if drawn < 0.9 else str(chance.randrange(100))
    return question.prompt, f"<answer>{answer}</answer>" if chance.random() < 0.5 else answer


def prompts_of(questions: Sequence[Question]) -> list[dict[str, str]]:
    """Return questions as rows for the trainer."""
    return [question._asdict() for question in questions]
