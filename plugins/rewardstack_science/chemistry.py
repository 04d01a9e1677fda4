"""`science.chemistry` and `science.balanced`: formulae and equations, as gold and for what they conserve."""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Literal

from rewardstack import Answer, Score, find_answer, reward, visible_text
from rewardstack_science.commitments import find_rival
from rewardstack_science.equations import (
    Equation,
    find_equations,
    imbalance,
    nothing_happens,
    same_equation,
    same_species,
)
from rewardstack_science.formulas import Formula, notation, read_formula
from rewardstack_science.wording import HEDGED, behind_correction, denied_before, shorten

__all__ = ["balanced", "chemistry", "find_formula", "looks_like_formula"]

Writing = Literal["composition", "order"]


@reward(equal_forms=("spacing",))
def chemistry(
    completion: str,
    answer: str | list[str],
    *,
    writing: Writing = "composition",
    states: Literal["optional", "required"] = "optional",
    scaled: bool = True,
    thinking: bool = False,
    tag: str = "answer",
) -> Score:
    r"""1 when the reply states gold's chemical formula, or gold's reaction.

    Formulae are equal in composition and charge: SO₄²⁻ is `\ce{SO4^2-}`, CuSO4·5H2O is CuSO4.5H2O, CO is not Co.
    Equations are equal when they have the same species on the same sides with coefficients in the same ratio, in any
    order and with any arrow. `answer` may be a list of which any counts.

    Options:
        writing: `composition`: HOH is H2O, and isomers are one; `order`: the elements must come in gold's order.
        states: (aq), (g) may be left out, yet must not contradict gold; `required`: those of gold must be there.
        scaled: 2 H2 + O2 may be written as H2 + 1/2 O2.
        thinking: An answer inside thinking counts too.
        tag: The tag that holds answers.

    Range: 0 or 1. Does not know names ("sulfate": use `science.text`), structures or conditions. Abstains where gold
    is neither a formula nor an equation.
    """
    golds = [answer] if isinstance(answer, str) else answer
    found = find_answer(completion, thinking=thinking, tag=tag)
    shown = shorten(found.text or "")
    details = {"form": found.form or "", "answer": shown, "gold": [shorten(str(gold)) for gold in golds]}
    text = completion if thinking else visible_text(completion).text
    rival = (
        find_rival(text, tag, _agreement(found)) if found.text is not None and found.form != "line" else None
    )
    readable = False
    for gold in map(str, golds):
        wanted, formula = find_equations(gold), read_formula(notation(gold))
        readable = readable or bool(wanted) or formula is not None
        if rival is not None:
            continue
        if wanted:
            said = stated_equation(found, text)
            if said and same_equation(wanted[0], said, states=states == "required", scaled=scaled):
                return Score(1.0, f"the reaction {shorten(said.text)}, as expected", details)
        elif formula is not None:
            other = find_formula(found, formula)
            if other and same_formula(formula, other, writing, states=states == "required"):
                return Score(1.0, f"the formula {other.text}, as expected", details)
    if not readable:
        return Score(None, reason=f"the gold answer {shorten(str(answer))} is no formula and no equation")
    if found.text is None:
        return Score(0.0, f"no answer: {found.reason}", details)
    if rival is not None:
        return Score(
            0.0, f"no answer: several different answers, {shorten(rival.content)} and {shown}", details
        )
    return Score(0.0, f"answer {shown}, expected {shorten(str(golds[0]))}", details)


def _agreement(found: Answer) -> Callable[[str], bool | None]:
    """Tell of other commitments whether they are the same formula or reaction; None where they are neither."""
    own, equations = _bare_formula(found.text or ""), find_equations(found.text or "")

    def agrees(content: str) -> bool | None:
        formula, others = _bare_formula(content), find_equations(content)
        if equations and others:
            return same_equation(equations[-1], others[-1])
        return None if own is None or formula is None else own.substance == formula.substance

    return agrees


def _bare_formula(text: str) -> Formula | None:
    """Return the formula that a text is, a final stop aside."""
    written = notation(text)
    return read_formula(written.strip(" .,;:!?\"'")) or read_formula(written)


@reward
def balanced(
    completion: str,
    answer: str | None = None,
    *,
    smallest: bool = False,
    thinking: bool = False,
    tag: str = "answer",
) -> Score:
    """1 when the reply's chemical equation conserves every element and the charge.

    The committed answer is looked through for the equation, then the last lines of the reply. Where the column
    `answer` holds an equation, balanced or not, the reply's must have its species on its sides: otherwise "H2 -> H2"
    would earn as much as the reaction that was asked for. An equation whose sides are the same is none.

    Options:
        smallest: The coefficients must be whole numbers without a common factor.
        thinking: An equation inside thinking counts too.
        tag: The tag that holds answers.

    Range: 0 or 1. Does not judge whether the reaction takes place.
    """
    found = find_answer(completion, thinking=thinking, tag=tag)
    said = stated_equation(found, completion if thinking else visible_text(completion).text)
    if said is None:
        return Score(
            0.0, "the reply states no chemical equation" if found.text else f"no answer: {found.reason}"
        )
    details = {"equation": shorten(said.text, 200)}
    wanted = find_equations(answer or "")
    if answer and not wanted:
        return Score(None, reason=f"the column answer holds no equation: {shorten(answer)}")
    if wanted and not same_species(wanted[0], said):
        return Score(0.0, f"{shorten(said.text)} is not the reaction {shorten(wanted[0].text)}", details)
    if nothing_happens(said):
        return Score(0.0, f"in {shorten(said.text)} both sides are the same: nothing reacts", details)
    lost = imbalance(said)
    if lost:
        return Score(0.0, f"{shorten(said.text)} is not balanced: {lost}", details)
    counts = [count for count, _ in said.left + said.right]
    if smallest and not _smallest(counts):
        return Score(
            0.0, f"{shorten(said.text)} has coefficients that are not the smallest whole numbers", details
        )
    return Score(1.0, f"{shorten(said.text)} is balanced", details)


def _smallest(counts: list[Fraction]) -> bool:
    whole = [count.numerator for count in counts if count.denominator == 1]
    return len(whole) == len(counts) and math.gcd(*whole) == 1


def stated_equation(found: Answer, text: str) -> Equation | None:
    """Return the equation that a committed answer states, else the last one of the reply's last lines."""
    if found.text is None or found.alternatives:
        return None
    committed = find_equations(found.text)
    if committed:
        return committed[-1]
    if found.form in ("phrase", "line"):
        later = find_equations(text[-3_000:])
        return later[-1] if later else None
    return None


def same_formula(gold: Formula, other: Formula, writing: Writing, *, states: bool) -> bool:
    """Whether two formulae are one substance."""
    if gold.substance != other.substance:
        return False
    if gold.state and gold.state != other.state and (states or other.state):
        return False
    return writing == "composition" or _written(gold) == _written(other)


_SYMBOL = re.compile(r"[A-Z][a-z]?")


def _written(formula: Formula) -> list[str]:
    return _SYMBOL.findall(formula.text)


_WORD = re.compile(
    r"(?<![A-Za-z])[\[(]*[A-Z][\w()\[\]^·+.*-]*(?:\s\d?[+-](?=\s|\Z|[.,;]))?(?:\s?\((?:s|l|g|aq)\))?"
)
_AFTER_VERB = re.compile(
    r".*\b(?:is|are|be|equals|called|formula|namely|gives|forms|produces)\b:?|.*[:=]", re.DOTALL
)
_JOINS = re.compile(r"\s*(?:,|/|;|\bor\b|\band\b)+\s*\Z")


def find_formula(found: Answer, gold: Formula) -> Formula | None:
    """Return the one formula that a committed answer states, None where it states none or several.

    Words that happen to be element symbols (I, He, No) are formulae only where they are the whole answer, end it, or
    follow "is".
    """
    if found.text is None or found.alternatives or len(found.parts) > 1:
        return None
    corrected = behind_correction(found.text)  # "CO2, no wait, H2O"
    text, whole = notation(corrected), _bare_formula(corrected)
    if whole is not None:
        return whole
    if HEDGED.search(text):
        return None
    said = [
        (match, formula)
        for match in _WORD.finditer(text[:1_000])
        if (formula := _formula_of(match, text, gold))
    ]
    if not said:
        return None
    verb = _AFTER_VERB.match(text)
    behind = [each for each in said if verb and each[0].start() >= verb.end()]
    said = behind or said
    match, first = said[0]
    if denied_before(text, match.start()):
        return None
    for other, formula in said[1:]:
        if _JOINS.match(text[match.end() : other.start()]) and formula.substance != first.substance:
            return None
        match = other
    return first


def _formula_of(match: re.Match[str], text: str, gold: Formula) -> Formula | None:
    written = match[0].rstrip(".,;:!?")
    formula = read_formula(written) or (read_formula(written[:-1]) if written.endswith(")") else None)
    if formula is None:
        return None
    plain = len(formula.atoms) == 1 and not formula.charge and not any(char.isdigit() for char in written)
    if plain and len(gold.atoms) > 1:
        return None
    ends = not text[match.end() :].strip(" .,;:!?")
    return formula if not plain or ends or text[: match.start()].rstrip().endswith(("is", ":", "=")) else None


def looks_like_formula(text: str) -> bool:
    """Whether a gold text is meant as a formula: it can be read as one, and it is no ordinary word or acronym."""
    formula = read_formula(text)
    if formula is None:
        return False
    mixed = len(formula.atoms) > 1 and any(char.islower() for char in text)
    return (
        mixed
        or any(char.isdigit() for char in text)
        or formula.charge != 0
        or text in ("CO", "NO")
        or (len(text) == 2 and text[1].islower())
    )
