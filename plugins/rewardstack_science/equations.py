"""Chemical equations: two sides of species with coefficients, compared up to a factor, and checked for balance."""

import re
from collections import defaultdict
from fractions import Fraction

import msgspec

from rewardstack_science.formulas import Formula, notation, read_formula

__all__ = ["Equation", "find_equations", "imbalance", "same_equation", "same_species"]

LONGEST = 1_000
MOST_TERMS = 24

Side = tuple[tuple[Fraction, Formula], ...]


class Equation(msgspec.Struct, frozen=True):
    """A reaction as written: its reactants and its products."""

    left: Side
    right: Side
    text: str


_EQUATES = re.compile(r"\s*->\s*|\s+=\s+|(?<=[\w)\]])=(?=[\w(\[])")
_PLUS = re.compile(r"\s+\+\s*|(?<=[^\s+^])\+(?=\s*\d*\s?(?:[A-Z\[]|\((?!(?:s|l|g|aq)\))))")
_TERM = re.compile(
    r"\s*\(?(\d{1,6}\s?/\s?\d{1,6}|\d{0,6}\.\d{1,6}|\d{0,6})\)?\s*(?=[A-Z(\[e])(.*?)\s*\Z", re.DOTALL
)
_NOISE = " \t\n.,;:!?*$\"'"
_ENERGY = re.compile(
    r"\s*\+\s*(?:energy|heat|light)\s*\Z|\s*[;,]?\s*(?:Δ|\\Delta|delta)\s?H.*\Z", re.IGNORECASE
)


def find_equations(text: str) -> list[Equation]:
    """Return the equations in a text, line by line, at most 20; words around them are left out."""
    found = []
    for line in notation(text.replace("\n", " ¶ ")).split("¶"):
        if len(line) <= LONGEST and ("->" in line or "=" in line) and (equation := _read(line)):
            found.append(equation)
            if len(found) == 20:
                break
    return found


def _read(line: str) -> Equation | None:
    """Read the equation in a line."""
    sides = _EQUATES.split(_ENERGY.sub("", line))
    if len(sides) != 2:
        return None
    left, right = _side(sides[0], from_end=True), _side(sides[1], from_end=False)
    return Equation(left, right, line.strip(_NOISE)) if left and right else None


def _side(text: str, *, from_end: bool) -> Side:
    """Read one side; words are passed over where they stand before the first or behind the last species."""
    terms = _PLUS.split(text.strip(_NOISE))
    if len(terms) > MOST_TERMS:
        return ()
    read = []
    for place, term in enumerate(terms):
        outer = place == (0 if from_end else len(terms) - 1)
        found = _term(term.strip(_NOISE)) or (
            _within_words(term.strip(_NOISE), from_end=from_end) if outer else None
        )
        if found is None:
            return ()
        read.append(found)
    return tuple(read)


def _within_words(term: str, *, from_end: bool) -> tuple[Fraction, Formula] | None:
    """Read a species at the end (or start) of a few words: "the equation is 2 H2"."""
    words = term.split(" ")
    for count in range(min(4, len(words) - 1), 0, -1):
        part = words[-count:] if from_end else words[:count]
        found = _term(" ".join(part).strip(_NOISE))
        if found is not None:
            return found
    return None


def _term(text: str) -> tuple[Fraction, Formula] | None:
    match = _TERM.match(text) if len(text) < 250 else None
    if match is None:
        return None
    formula = read_formula(match[2])
    count = match[1].replace(" ", "")
    if formula is None or (count and not count.strip("0./")):
        return None
    try:
        return Fraction(count or 1), formula
    except ZeroDivisionError:
        return None


def imbalance(equation: Equation) -> str:
    """Return what an equation does not conserve, with both counts; empty where it is balanced."""
    left, right = _totals(equation.left), _totals(equation.right)
    for element in sorted({*left, *right}):
        if left[element] != right[element]:
            name = "charge" if element == "" else element
            return f"{name}: {left[element]} on the left, {right[element]} on the right"
    return ""


def _totals(side: Side) -> dict[str, Fraction]:
    """Atoms of each element on a side, and under the empty name the charge."""
    total: dict[str, Fraction] = defaultdict(Fraction)
    for count, formula in side:
        total[""] += count * formula.charge
        for element, atoms in formula.atoms:
            total[element] += count * atoms
    return total


def same_equation(gold: Equation, other: Equation, *, states: bool = False, scaled: bool = True) -> bool:
    """Whether two equations are one reaction: the same species with coefficients in the same ratio.

    The order within a side is free. A state that both give must agree; with `states` gold's must be given.
    """
    ratios = set()
    for one, two in ((gold.left, other.left), (gold.right, other.right)):
        first, second = _amounts(one), _amounts(two)
        if first.keys() != second.keys():
            return False
        ratios |= {second[species] / first[species] for species in first}
        if not _states_agree(one, two, required=states):
            return False
    return len(ratios) == 1 and (scaled or ratios == {Fraction(1)})


def nothing_happens(equation: Equation) -> bool:
    """Whether both sides have the same species in the same states: "H2 -> H2" conserves all and says nothing."""
    left, right = (
        {(formula.substance, formula.state) for _, formula in side}
        for side in (equation.left, equation.right)
    )
    return left == right


def same_species(gold: Equation, other: Equation) -> bool:
    """Whether two equations have the same species on the same sides, whatever their coefficients."""
    pairs = ((gold.left, other.left), (gold.right, other.right))
    return all(_amounts(one).keys() == _amounts(two).keys() for one, two in pairs)


def _amounts(side: Side) -> dict[object, Fraction]:
    amounts: dict[object, Fraction] = {}
    for count, formula in side:
        amounts[formula.substance] = amounts.get(formula.substance, Fraction(0)) + count
    return amounts


def _states_agree(one: Side, two: Side, *, required: bool) -> bool:
    wanted = {formula.substance: formula.state for _, formula in one}
    return all(
        wanted[formula.substance] in ("", formula.state) or (not formula.state and not required)
        for _, formula in two
    )
