"""`science.consistent`: the quantities of a reply against those of a reference passage, without a model."""

import re

import msgspec

from rewardstack import Score, reward, visible_text
from rewardstack_science.measures import Measure, plain, read_measures
from rewardstack_science.quantities import compare_quantities
from rewardstack_science.units import NONE
from rewardstack_science.wording import shorten
from rewardstack_science.words import FUNCTION_WORDS, tokens

__all__ = ["Contradiction", "consistent", "find_contradictions"]

LONGEST = 20_000  # characters of the reply and of the passage that are read
MOST_CLAIMS = 200


class Claim(msgspec.Struct, frozen=True):
    """A quantity in a sentence: what is said of it in words, and the symbol that stands for it, if any."""

    measure: Measure
    words: frozenset[str]
    symbol: str
    sentence: str
    denied: bool = False
    rough: bool = False


class Contradiction(msgspec.Struct, frozen=True):
    """A sentence of the reply, and the quantity of the passage that it contradicts."""

    sentence: str
    stated: str
    reference: str


@reward
def consistent(
    completion: str,
    reference: str,
    *,
    tolerance: float = 0.02,
    each: float = 1.0,
    unsupported: bool = False,
) -> Score:
    """1 when no quantity in the reply contradicts the passage in the column `reference`.

    Quantities are compared where both texts speak of the same thing: under the same symbol ("g = 9.8 m/s^2"), or in
    sentences that name it with the same words ("the boiling point of water is 100 °C"). Units are converted, rounding
    is no contradiction, denying what the passage says is one. `details` list the sentences that contradict. Abstains
    where the reply states nothing that the passage speaks of.

    Options:
        tolerance: How far a value may be from the passage's, as a share of it.
        each: What a contradiction takes off.
        unsupported: A quantity that the passage does not hold at all counts as a contradiction.

    Range: 0 to 1. Compares quantities, not meanings: "water boils early" contradicts nothing here. Claims in other
    words than the passage's are not found.
    """
    known, stated = _claims(reference[:LONGEST]), _claims(visible_text(completion).text[:LONGEST])
    wrong, checked = find_contradictions(known, stated, tolerance=tolerance, unsupported=unsupported)
    details = {
        "checked": checked,
        "contradictions": [
            {"sentence": one.sentence, "stated": one.stated, "reference": one.reference} for one in wrong
        ],
    }
    if not checked:
        return Score(None, "no quantity of the reply is one that the passage speaks of", details)
    if not wrong:
        return Score(1.0, f"{checked} quantities agree with the passage", details)
    first = wrong[0]
    reason = f"{len(wrong)} of {checked} quantities contradict the passage: {shorten(first.sentence)} has {first.stated}"
    return Score(
        max(0.0, 1.0 - each * len(wrong)),
        f"{reason}, the passage {first.reference or 'nothing like it'}",
        details,
    )


_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-ZÀ-Ý\d(\"'*\\$]|\Z)|\n+")
_SYMBOL = re.compile(r"(?<![A-Za-z])([A-Za-zα-ωΑ-Ω](?:_?\{?\w{1,6}\}?)?)\s?[=≈]\s?\Z")
_ROUGH = re.compile(
    r"(?i:\b(?:about|approximately|roughly|around|nearly|almost|some|circa|over|under|more than|less than|at least|at most)\s|[~≈<>≤≥]\s?)\Z"
)
_DENIED = re.compile(r"(?i:(?:\bnot(?! only)|n't|\bnever)\b[^,;.]{0,40})\Z")
_CLAUSE = re.compile(r",\s|;\s|\s(?:and|while|whereas|but|which)\s")
_ONLY_WORD = re.compile(r"[^\W\d_]")


def _claims(text: str) -> list[Claim]:
    """List the quantities of a text with the words of their clauses, at most 200."""
    claims: list[Claim] = []
    for sentence in _SENTENCE.split(text):
        if not any(char.isdigit() for char in sentence):
            continue
        claims += _sentence_claims(plain(sentence.replace("**", "")), sentence.strip())
        if len(claims) >= MOST_CLAIMS:
            break
    return claims[:MOST_CLAIMS]


def _sentence_claims(text: str, sentence: str) -> list[Claim]:
    found = []
    measures = read_measures(text)
    for each in measures:
        before, start, end = text[: each.start], 0, len(text)
        for other in (
            measures
        ):  # the clause reaches from the quantity before to the one behind, unless they are one list
            if other.end <= each.start and (cut := _CLAUSE.search(text, other.end, each.start)):
                start = max(start, cut.end())
            if other.start >= each.end and (cut := _CLAUSE.search(text, each.end, other.start)):
                end = min(end, cut.start())
        own = _names(text[start : each.start] + " " + text[each.end : end]) or _names(text)
        symbol = _SYMBOL.search(before)
        found.append(
            Claim(each, own, symbol[1] if symbol else "", shorten(sentence, 200),
                  _DENIED.search(before[-60:]) is not None, _ROUGH.search(before) is not None)
        )  # fmt: skip
    return found


def _names(text: str) -> frozenset[str]:
    """The words that say what a quantity is of."""
    return frozenset(
        word
        for word, _, _ in tokens(text)
        if word not in FUNCTION_WORDS and _ONLY_WORD.match(word) and len(word) > 1
    )


def find_contradictions(
    known: list[Claim], stated: list[Claim], *, tolerance: float, unsupported: bool = False
) -> tuple[list[Contradiction], int]:
    """Return what of a reply's claims contradicts those known, and how many of them could be compared."""
    wrong, checked = [], 0
    for claim in stated:
        rivals = [other for other in known if _same_thing(claim, other)]
        if not rivals and unsupported and not any(_agree(claim, other, tolerance) for other in known):
            checked += 1
            wrong.append(Contradiction(claim.sentence, claim.measure.text, ""))
        if not rivals:
            continue
        checked += 1
        agreeing = [other for other in rivals if _agree(claim, other, tolerance)]
        if (not agreeing) != claim.denied:
            other = (agreeing or rivals)[0]
            stated_as = f"not {claim.measure.text}" if claim.denied else claim.measure.text
            wrong.append(Contradiction(claim.sentence, stated_as, other.measure.text))
    return wrong, checked


def _same_thing(one: Claim, other: Claim) -> bool:
    """Whether two claims speak of one quantity: its symbol, or nearly all the words of the shorter clause."""
    if other.denied or (one.measure.unit or NONE).dimensions != (other.measure.unit or NONE).dimensions:
        return False
    if one.symbol and other.symbol:
        return one.symbol == other.symbol
    common, least = one.words & other.words, min(len(one.words), len(other.words))
    return least > 0 and len(common) >= max(1, 0.75 * least) and (len(common) >= 2 or least == 1)


def _counts(measure: Measure) -> bool:
    return measure.unit is None and measure.value.is_integer() and measure.place == 0.5


def _agree(one: Claim, other: Claim, tolerance: float) -> bool:
    """Whether two quantities agree: within the tolerance, or one is the other rounded."""
    first, second = one.measure, other.measure
    if _counts(first) and _counts(second) and not one.rough and not other.rough:
        return first.value == second.value  # years and numbers of things are exact
    allowed = max(tolerance, 0.1) if one.rough or other.rough else tolerance
    if compare_quantities(second, first, allowed).kind == "equal":
        return True
    coarse = any(
        each.place > 0.06 * abs(each.value) for each in (first, second)
    )  # one digit alone says little
    return not coarse and "equal" in {
        compare_quantities(first, second, "figures").kind,
        compare_quantities(second, first, "figures").kind,
    }
