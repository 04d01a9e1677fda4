"""The rewards of this plugin: `math.equal`, `math.close` and `math.steps`."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

from rewardstack import Score, reward
from rewardstack_math.extraction import Extraction, extract
from rewardstack_math.leaves import DECIMAL_TOLERANCE
from rewardstack_math.numeric import numeric_value
from rewardstack_math.options import Rules
from rewardstack_math.solution_steps import check_steps
from rewardstack_math.verification import verify

__all__ = ["close", "equal", "steps"]

FORMS = ("spacing", "thousands", "decimal")


def _details(found: Extraction) -> dict[str, Any]:
    return {"extracted": found.text, "form": found.form or "", "alternatives": list(found.alternatives)}


@reward(equal_forms=FORMS)
def equal(
    completion: str,
    answer: str | float | list[str],
    *,
    tolerance: float = DECIMAL_TOLERANCE,
    percent: Literal["either", "fraction"] = "either",
    units: Literal["optional", "required", "ignored"] = "optional",
    ordered: bool = False,
    intervals: bool = True,
    simplified: bool = False,
    case: Literal["exact", "any"] = "exact",
    text: bool = True,
    unique: bool = False,
    thinking: bool = False,
    tag: str = "answer",
) -> Score:
    """1 when the completion's final answer equals `answer` as mathematics, else 0.

    The committed answer is found as `rewardstack.find_answer` does; of a sentence the final expression or quantity
    counts. `answer` may be a number, or a list of answers any of which is right. Where gold cannot be read the row
    abstains, and says so; an answer that cannot be read is wrong.

    Options:
        tolerance: How far, relatively, a decimal may be from a value that has no finite decimal (1/3, pi).
        percent: `either`: 10% is 0.1 and may stand for a bare 10; `fraction`: it is 0.1 alone.
        units: `optional`: a missing unit is no fault, a converted one right, another one wrong; `required`: it must
            be there; `ignored`: only the number counts.
        ordered: The order of bare lists (`1, 2`) counts, not only that of tuples.
        intervals: An inequality equals its interval: x > 3 and (3, oo).
        simplified: A right answer must be worked out: `6*7` and `4/8` are worth nothing.
        case: `any`: X is x.
        text: Golds in words count; without it such rows abstain.
        unique: The answer must be the only commitment of its form.
        thinking: An answer inside thinking counts too.
        tag: The tag that holds answers.

    Range: 0 or 1. Executes nothing and takes a bounded time; what cannot be shown equal is not equal. The page "What
    counts as equal" has a table for every option.
    """
    rules = Rules(tolerance, percent, units, ordered, intervals, simplified, case, text)
    golds = answer if isinstance(answer, list) else [answer]
    score = Score(None, reason="there is no gold answer")
    for gold in golds:
        result = verify(str(gold), completion, rules, unique=unique, thinking=thinking, tag=tag)
        verdict = result.comparison
        details: Mapping[str, Any] = {
            **_details(result.extraction),
            "gold": str(gold),
            "stage": verdict.stage,
        }
        if verdict.equal:
            return Score(1.0, reason=verdict.reason, details=details)
        if verdict.equal is not None or score.value is None:
            value = None if verdict.equal is None else 0.0
            score = Score(value, reason=verdict.reason, details=details)
    return score


@reward(equal_forms=FORMS)
def close(
    completion: str,
    answer: str | float,
    *,
    shape: Literal["linear", "exponential", "threshold"] = "linear",
    scale: float = 1.0,
    kind: Literal["relative", "absolute"] = "relative",
    unique: bool = False,
    thinking: bool = False,
    tag: str = "answer",
) -> Score:
    """1 for gold's number, less the further the answer is from it: 9 for 10 earns more than 3.

    The distance is |answer - gold|, divided by |gold| when `kind` is relative (and gold is not 0), and by `scale`.
    Abstains when gold is no number. A unit counts by its size where both have one; it is not required.

    Options:
        shape: `linear` falls to 0 at distance 1, `exponential` is e^-distance, `threshold` is 1 up to distance 1.
        scale: The distance that counts as 1.
        kind: `relative` to gold's size, or `absolute`.
        unique: The answer must be the only commitment of its form.
        thinking: An answer inside thinking counts too.
        tag: The tag that holds answers.

    Range: 0 to 1. Does not reward a right answer written as mathematics that has no number, such as x + 1.
    """
    gold = numeric_value(str(answer))
    if gold is None:
        return Score(None, reason=f"the gold answer {answer} is no number")
    found = extract(completion, unique=unique, thinking=thinking, tag=tag)
    details = {**_details(found), "gold": str(answer)}
    value = None if found.text is None or found.alternatives else numeric_value(found.text, like=str(answer))
    if value is None:
        why = found.reason if found.text is None or found.alternatives else f"{found.text[:80]} is no number"
        return Score(0.0, reason=f"no number: {why}", details=details)
    distance = _distance(gold, value, kind, scale)
    shown = math.exp(-min(distance, 700.0)) if shape == "exponential" else 1.0 - distance
    earned = float(distance <= 1.0) if shape == "threshold" else max(0.0, min(1.0, shown))
    reason = f"answer {float(value):.6g}, expected {float(gold):.6g}: {distance:.3g} {kind} scales away"
    return Score(earned, reason=reason, details={**details, "distance": distance})


def _distance(gold: Fraction, value: Fraction, kind: str, scale: float) -> float:
    gap = abs(value - gold)
    if kind == "relative" and gold:
        gap /= abs(gold)
    try:
        return float(gap / Fraction(scale)) if scale > 0 else math.inf * bool(gap)
    except OverflowError:
        return math.inf


@reward
def steps(
    completion: str,
    answer: str | float | None = None,
    problem: str = "",
    *,
    gated: bool = False,
) -> Score:
    """The share of solution steps before the first wrong one: 1 when none is wrong.

    Checks every link of chains (`a = b = c`, GSM8K's `<<48/2=24>>`) and each equation against the solutions of those
    before it. The columns `answer` and `problem`, where there are any, help to tell a wrong set-up. Abstains when
    there is no step that can be checked. `details` name the first wrong step, counted from 0.

    Options:
        gated: A wrong final answer earns 0 whatever the steps.

    Range: 0 to 1. Does not judge steps in words, nor whether right steps lead anywhere.
    """
    gold = "" if answer is None else str(answer)
    checked = check_steps(completion, problem=problem, gold=gold)
    details: dict[str, Any] = {
        "first_error": checked.first_error,
        "steps": len(checked.steps),
        "checked": sum(step.right is not None for step in checked.steps),
    }
    if gated and gold:
        verdict = verify(gold, completion).comparison
        details["answer_right"] = verdict.equal
        if verdict.equal is False:
            return Score(0.0, reason=f"the final answer is wrong: {verdict.reason}", details=details)
    if checked.first_error >= 0:
        details["wrong"] = checked.steps[checked.first_error].text[:200]
        return Score(checked.share, reason=checked.reason, details=details)
    if not details["checked"]:
        return Score(None, reason="no step states an equation that can be checked", details=details)
    return Score(1.0, reason=checked.reason, details=details)
