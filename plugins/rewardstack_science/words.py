"""Words made comparable: case, accents, articles, plurals, Greek letters and two spellings of English."""

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

from rewardstack_science.wording import clean, word_list, word_set

__all__ = ["FUNCTION_WORDS", "NUMBER_WORDS", "POWERS", "Token", "singular", "spelled_number", "tokens"]

Token = tuple[str, int, int]
"""A word as it is compared, and where it stands in the cleaned text."""

_ARTICLES = frozenset(("a", "an", "the"))
FUNCTION_WORDS = word_set(
    "a an the of after before in on at by for from to with within into onto over under between among through during "
    "per via as is are was were be been being has have had does do did can could will would may might "
    "must should shall it its this that these those they them their he she his her which who whom whose "
    "where when while because since if then so thus hence therefore and but yet also called named known "
    "namely due than there here we i you my our your mainly mostly usually typically primarily actually "
    "simply just process answer i'd i'm it's that's used"
)
_IRREGULAR = {
    "mitochondria": "mitochondrion", "bacteria": "bacterium", "nuclei": "nucleus", "fungi": "fungus", "stimuli": "stimulus", "radii": "radius",
    "phenomena": "phenomenon", "criteria": "criterion", "spectra": "spectrum", "quanta": "quantum", "ova": "ovum", "algae": "alga", "larvae": "larva",
    "vertebrae": "vertebra", "antennae": "antenna", "formulae": "formula", "nebulae": "nebula", "supernovae": "supernova", "mice": "mouse", "men": "man",
    "feet": "foot", "teeth": "tooth", "geese": "goose", "women": "woman", "children": "child", "people": "person", "leaves": "leaf", "halves": "half",
    "wolves": "wolf", "hypotheses": "hypothesis", "axes": "axis", "mitoses": "mitosis", "analyses": "analysis", "crises": "crisis", "vertices": "vertex",
    "matrices": "matrix", "indices": "index", "genera": "genus", "strata": "stratum", "media": "medium", "alveoli": "alveolus", "bronchi": "bronchus",
    "gas": "gas", "gases": "gas", "lens": "lens", "series": "series", "species": "species", "physics": "physics", "mars": "mars", "venus": "venus",
}  # fmt: skip
_KEPT = ("ss", "us", "is", "ous", "ics")
_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("xes", "x"),
    ("zes", "z"),
    ("s", ""),
)
_BRITISH = (("sulph", "sulf"), ("aluminium", "aluminum"), ("caesium", "cesium"), ("haem", "hem"), ("oestr", "estr"), ("isation", "ization"),
            ("colour", "color"), ("vapour", "vapor"), ("fibre", "fiber"), ("metre", "meter"), ("litre", "liter"), ("centre", "center"))  # fmt: skip
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_LETTERS = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe"}
)
_GREEK = re.compile(r"[α-ωΑ-Ω]")


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Return a folded word without its plural, in American spelling."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for british, american in _BRITISH:
        word = word.replace(british, american)
    if len(word) < 4 or word.endswith(_KEPT):
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            return word[: -len(ending)] + instead
    return word


def tokens(text: str, *, articles: bool = False) -> list[Token]:
    """Return the words of a text as they are compared, with their places in `clean(text)`; articles are left out."""
    found = []
    for match in _WORD.finditer(clean(text)):
        folded = _fold(match[0])
        if articles or folded not in _ARTICLES:
            found.append((singular(folded), match.start(), match.end()))
    return found


@lru_cache(maxsize=4096)
def _fold(word: str) -> str:
    word = _GREEK.sub(lambda found: unicodedata.name(found[0]).rsplit(" ", 1)[-1].lower(), word)
    if not word.isascii():
        word = "".join(
            char
            for char in unicodedata.normalize("NFKD", word.translate(_LETTERS))
            if not unicodedata.combining(char)
        )
    word = word.casefold().replace("’", "'")
    return word.removesuffix("'s")


_UNITS = {
    word: value
    for value, word in enumerate(
        word_list(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
            " seventeen eighteen nineteen"
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(word_list("twenty thirty forty fifty sixty seventy eighty ninety"), 2)
}
POWERS = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
NUMBER_WORDS = frozenset((*_UNITS, *_TENS, *POWERS, "hundred"))


def spelled_number(words: list[str]) -> Fraction | None:
    """Return a number in folded words: forty six, two hundred and five; None where they are not one number."""
    total, part, room = 0, 0, 100  # room: what the next word must stay below
    words = [word for word in words if word != "and"]
    if not words or len(words) > 12:
        return None
    for word in words:
        value = _UNITS.get(word, _TENS.get(word))
        if value is not None and value < room:
            part, room = part + value, 10 if word in _TENS else 0
        elif word == "hundred" and part < 100:
            part, room = (part or 1) * 100, 100
        elif word in POWERS:
            total, part, room = total + (part or 1) * POWERS[word], 0, 100
        else:
            return None
    return Fraction(total + part)
