"""Rewards for the length of a completion: a limit, a cosine between two lengths, DAPO's soft overlong punishment."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from rewardstack import Score, StackError, find_answer, reward
from rewardstack_format.matching import Match, agrees, gold_answers
from rewardstack_format.wording import counted

__all__ = ["Unit", "length", "length_cosine", "length_overlong", "no_tokens"]

Unit = Literal["words", "characters", "tokens"]
Positive = Annotated[int, Meta(ge=1)]
Natural = Annotated[int, Meta(ge=0)]
Credit = Annotated[float, Meta(ge=-1, le=1)]

NO_TOKENS = "unit = 'tokens' needs the column completion_ids, which the row does not have; or count words"


def no_tokens(unit: Unit, completion_ids: Sequence[int] | None) -> Score | None:
    """Return the error of a row whose tokens should be counted and are not there."""
    return Score(error=NO_TOKENS) if unit == "tokens" and completion_ids is None else None


def measure(completion: str, completion_ids: Sequence[int] | None, unit: Unit) -> int:
    """Return a completion's length; words are what white space parts."""
    if unit == "characters":
        return len(completion)
    return len(completion.split()) if unit == "words" else len(completion_ids or ())


def fall(size: int, start: int, end: int, shape: str) -> float:
    """Return 1 up to `start`, 0 from `end` on, and between them a line or half a cosine wave."""
    if size <= start:
        return 1.0
    if size >= end:
        return 0.0
    share = (size - start) / (end - start)
    return 1 - share if shape == "linear" else (1 + math.cos(math.pi * share)) / 2


def check_limits(limit: int, maximum: int | None) -> int:
    """Return where a length is worth nothing; `StackError` where that lies below the limit."""
    end = 2 * limit if maximum is None else maximum
    if end < limit:
        raise StackError(f"format.length: maximum {end} is below the limit {limit}")
    return end


@reward(check=lambda options: check_limits(options["limit"], options["maximum"]))
def length(
    completion: str,
    completion_ids: Sequence[int] | None = None,
    *,
    limit: Positive = 512,
    maximum: Positive | None = None,
    least: Natural = 0,
    unit: Unit = "words",
    shape: Literal["linear", "cosine"] = "linear",
) -> Score:
    """1 up to a limit, falling to 0 at the maximum and beyond; an empty completion is worth 0.

    Options:
        limit: The length up to which all is well.
        maximum: The length from which on it is 0; twice the limit by default. Equal to the limit: a hard edge, where
            the limit itself is still well.
        least: Below this length the value is length / least.
        unit: `words` (parted by white space, so useless for scripts without spaces), `characters`, or `tokens`
            (of the column `completion_ids`; a row without it errs).
        shape: How it falls: `linear`, or `cosine` (slow at both ends).

    Range: 0 to 1. Does not tell short and right from short and wrong: see `format.length_cosine`, or gate it with
    `requires`.
    """
    end = check_limits(limit, maximum)
    if (error := no_tokens(unit, completion_ids)) is not None:
        return error
    size = measure(completion, completion_ids, unit)
    details = {"length": size}
    if size == 0:
        return Score(0.0, "nothing is there", details)
    if size < least:
        return Score(size / least, f"{counted(size, unit)}, at least {least} are wanted", details)
    return Score(fall(size, limit, end, shape), f"{counted(size, unit)}, the limit is {limit}", details)


@reward(range=(-1.0, 1.0))
def length_cosine(
    completion: str,
    answer: Any = None,
    completion_ids: Sequence[int] | None = None,
    correct: Any = None,
    *,
    maximum: Positive,
    unit: Unit = "tokens",
    right: tuple[Credit, Credit] = (1.0, 0.5),
    wrong: tuple[Credit, Credit] = (-1.0, -0.5),
    exceeded: Credit | None = None,
    match: Match = "number",
) -> Score:
    """The cosine length reward: right answers earn more when short, wrong ones lose less when long.

    value(0) + (value(maximum) - value(0)) · (1 - cos(π · length / maximum)) / 2, with one pair of end values for
    right and one for wrong completions. At the maximum and beyond the value is `exceeded`; it never climbs again.

    The column `correct` says which completions are right (true, or a number above 0.5). Without it the committed
    answer is compared with the column `answer` as `format.answer` does. With neither the row abstains.

    Options:
        maximum: The length at which the wave ends.
        unit: `tokens` (of the column `completion_ids`), `words` or `characters`.
        right: The value of a right completion at length 0 and at the maximum.
        wrong: The same of a wrong one.
        exceeded: The value at the maximum and beyond; by default the end of the pair.
        match: How answers are compared: `exact`, `case` or `number`.

    Range: -1 to 1, whatever the options; scale it by the term's weight. Source: Yeo et al. 2025, "Demystifying long
    chain-of-thought reasoning" (arXiv:2502.03373), whose values are `right = [0.2, 0.1]`, `wrong = [-1.0, 0.0]`,
    `exceeded = -1.0` at weight 10; the defaults are those of open-r1. Does not compare mathematics: give `correct`.
    """
    if (error := no_tokens(unit, completion_ids)) is not None:
        return error
    judged = judge(completion, answer, correct, match)
    if judged is None:
        return Score(reason="the row has neither a gold answer nor a column 'correct'")
    size = measure(completion, completion_ids, unit)
    first, last = right if judged else wrong
    ends = f"{'right' if judged else 'wrong'}, {size} of at most {counted(maximum, unit)}"
    if size >= maximum:
        return Score(last if exceeded is None else exceeded, ends, {"length": size, "correct": judged})
    wave = (1 - math.cos(math.pi * size / maximum)) / 2
    return Score(first + (last - first) * wave, ends, {"length": size, "correct": judged})


def judge(completion: str, answer: Any, correct: Any, match: Match) -> bool | None:
    """Return whether a completion is right, by the column that says so or by its gold; None without either."""
    if correct is not None:
        return float(correct) > 0.5
    golds = gold_answers(answer)
    if not golds:
        return None
    return agrees(completion, find_answer(completion), golds, match)


def check_zone(maximum: int, cache: int) -> None:
    """Raise `StackError` where the zone of punishment is wider than all that is allowed."""
    if cache > maximum:
        raise StackError(f"format.length_overlong: the cache {cache} is wider than the maximum {maximum}")


@reward(range=(-1.0, 0.0), check=lambda options: check_zone(options["maximum"], options["cache"]))
def length_overlong(
    completion: str,
    completion_ids: Sequence[int] | None = None,
    *,
    maximum: Positive,
    cache: Natural,
    unit: Unit = "tokens",
) -> Score:
    """DAPO's soft overlong punishment: 0, then falling over the last `cache` before the maximum, then -1.

    0 up to maximum - cache; (maximum - cache - length) / cache up to the maximum; -1 beyond it.

    Options:
        maximum: The greatest length (20480 in the paper; the trainer's `max_completion_length`).
        cache: The width of the zone before it in which the punishment grows (4096 in the paper); 0 is a hard edge.
        unit: `tokens` (of the column `completion_ids`), `words` or `characters`.

    Range: -1 to 0. Source: Yu et al. 2025, "DAPO" (arXiv:2503.14476), equation 13. Where the trainer cuts completions
    at the maximum, -1 itself is never reached by more than rounding.
    """
    check_zone(maximum, cache)
    if (error := no_tokens(unit, completion_ids)) is not None:
        return error
    size = measure(completion, completion_ids, unit)
    details = {"length": size}
    if size <= maximum - cache:
        return Score(0.0, f"{counted(size, unit)}, free up to {maximum - cache}", details)
    if size > maximum:
        return Score(-1.0, f"{counted(size, unit)}, more than the maximum {maximum}", details)
    return Score(
        (maximum - cache - size) / cache, f"{counted(size, unit)}, close to the maximum {maximum}", details
    )
