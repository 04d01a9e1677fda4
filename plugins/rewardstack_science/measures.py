r"""Quantities in text: numbers with their units, from plain text, LaTeX, superscripts and words.

`plain` makes one notation of all; `read_measures` lists the quantities in it. Numbers are read by rewardstack_math,
which refuses what is too large before computing it.
"""

import re
import unicodedata
from functools import lru_cache

import msgspec

from rewardstack_math import numeric_value
from rewardstack_science.units import ENGLISH, Unit, parse_unit
from rewardstack_science.words import FUNCTION_WORDS, spelled_number

__all__ = ["Measure", "plain", "read_measures", "read_quantity"]

LONGEST = 2_000  # characters of a commitment that are read
MOST_MEASURES = 40


class Measure(msgspec.Struct, frozen=True):
    """A value with its unit, where it stands in the text, and half the place of its last digit (for `figures`).

    `noun` is the word behind a value without a unit, where it may be meant for one: "5 apples".
    """

    value: float
    unit: Unit | None
    start: int
    end: int
    text: str
    place: float = 0.0
    noun: str = ""


_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_VULGAR = re.compile(r"(\d?)\s?([¼½¾⅐-⅞])")
_MARKS = str.maketrans({"−": "-", "–": "-", "‐": "-", "‑": "-", "⋅": "·", "∙": "·", "•": "·", "\u2009": " ", "\u202f": " ", "\xa0": " ",
                        "µ": "μ", "Ω": "Ω", "Å": "Å", "⁄": "/", "∕": "/", "～": "≈", "˚": "°", "º": "°", "ﾟ": "°", "☉": " "})  # fmt: skip
_LATEX = (
    (re.compile(r"\\(?:times|ast)(?![a-zA-Z])"), "×"), (re.compile(r"\\(?:cdot|bullet)(?![a-zA-Z])"), "·"), (re.compile(r"\\pm(?![a-zA-Z])"), "±"),
    (re.compile(r"\\hat\s*\{(?:[^{}]|\{[^{}]*\})*\}|\\hat\s*\\?[a-z]+|\\(?:quad|qquad|displaystyle|left|right|rm|bf)(?![a-zA-Z])|\\[,;:!> \\]"), " "),
    (re.compile(r"\{?\s*\}?\s*\^\s*\{?\s*\\circ\s*\}?|\\(?:degree|circ)(?![a-zA-Z])"), "°"),
    (re.compile(r"\\(?:mu|micro)(?![a-zA-Z])"), "μ"), (re.compile(r"\\(?:Omega|ohm)(?![a-zA-Z])"), "Ω"), (re.compile(r"\\(?:AA|angstrom)(?![a-zA-Z])|\\mathring\s*\{?A\}?"), "Å"),
    (re.compile(r"\\(?:approx|simeq|sim|cong)(?![a-zA-Z])"), "≈"), (re.compile(r"\\(?:leq?|lesssim)(?![a-zA-Z])"), "≤"), (re.compile(r"\\(?:geq?|gtrsim)(?![a-zA-Z])"), "≥"),
    (re.compile(r"\\lt(?![a-zA-Z])"), "<"), (re.compile(r"\\gt(?![a-zA-Z])"), ">"),
    (re.compile(r"\\ell(?![a-zA-Z])"), "L"), (re.compile(r"\\%"), "%"), (re.compile(r"\\\$"), "¤"), (re.compile(r"\\[()\[\]]|&"), " "), (re.compile(r"\\pi(?![a-zA-Z])"), "π"),
    (re.compile(r"\\(?:prime)(?![a-zA-Z])"), "′"), (re.compile(r"\\deg(?![a-zA-Z])"), "°"),
)  # fmt: skip
_WRAPPER = re.compile(
    r"\\(?:text[a-z]*|math(?:rm|bf|it|sf|tt|normal)|operatorname|mbox|boxed|fbox|unit|si|ce)\s*\*?\s*\{([^{}]*)\}"
)
_MIXED = re.compile(r"(?<![\w.^])(\d{1,4})\s?\\[dt]?frac\s*\{\s*(\d{1,3})\s*\}\s*\{\s*(\d{1,3})\s*\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_SQRT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_BRACED_POWER = re.compile(r"\^\s*\{\s*([^{}]{1,12}?)\s*\}")
_WORDS = (
    (re.compile(r"\blight[ -]?years?\b"), "ly"), (re.compile(r"\b(?:electron[ -]?volts?)\b"), "eV"), (re.compile(r"\bnautical miles?\b"), "nmi"),
    (re.compile(r"\bmm\s?(?:of\s)?Hg\b|\bmillimet(?:er|re)s of mercury\b"), "mmHg"), (re.compile(r"\bstandard atmospheres?\b|\batmospheres?\b"), "atm"),
    (re.compile(r"\bmetric tons?\b"), "tonne"), (re.compile(r"\bhours?\b"), "h"), (re.compile(r"\bparts per million\b"), "ppm"),
    (re.compile(r"\bparts per billion\b"), "ppb"), (re.compile(r"\bper\s?cent\b"), "%"), (re.compile(r"\bRs\.?\s(?=\d)|[$＄](?=\d)"), "¤"),
    (re.compile(r"\b(?:times|by)\s(?:ten|10)\sto\sthe\s(?:power\s(?:of\s)?)?(?=[-\d]|minus)"), "× 10^"), (re.compile(r"\^\s?minus\s"), "^-"),
    (re.compile(r"(?i:\b(?:minus|negative)\s)(?=[\d.])"), "-"), (re.compile(r"(?<=[\d)]) (?:1|\(1\))\s?/\s?(?=[A-Za-zμΩÅ°(])"), " per "), (re.compile(r"\ban?\sdozen\b"), "12"),
    (re.compile(r"(?<=\d°)(\s?\d{1,2}(?:\.\d+)?\s?)['’]"), r"\1′"), (re.compile(r"(?<=′)(\s?\d{1,2}(?:\.\d+)?\s?)(?:\"|''|”|′′)"), r"\1″"),
)  # fmt: skip
_GLUED_POWER = re.compile(r"(\d)\s*(?:×|x|X|\*|·)\s*10\s*([-+]\d{1,3})(?![\d.])")
_SPACED_POWER = re.compile(r"(\d)\s+(10\s*\^)")
_BRACKETED_UNIT = re.compile(r"(?<=\d)(\s?)\[\s?([A-Za-zμΩ°%][^\[\]]{0,20})\]")
_SPACED_MICRO = re.compile(r"μ\s+(?=(?:m|s|g|C|F|A|V|T|W|J|L|l|N|H|mol|M|Pa|Sv|Ω)(?![A-Za-z]))")
_SPACED_OHM = re.compile(r"(?<=\s)([kMG])\s+(?=Ω)")
_UNCERTAIN = re.compile(r"(?:±|\+/-|\+-)\s*[\d.]+(?:\s*[eE][-+]?\d+)?\s*%?")
_UNIT_BEFORE = re.compile(r"[A-Za-zμΩ°%]\s*\Z")
_PARENTHESIS = re.compile(r"\(\s*([-+]?[\d.,]+)\s*\)\s*(?=[×x*·]|\d*[A-Za-zμΩ°%])")
_SPACES = re.compile(r"\s+")


_COUNTED = r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred)"
_NUMBER_WORDS = re.compile(
    rf"(?i:\b(?:an?\s(?=hundred\b))?{_COUNTED}(?:(?:[ -]|\sand\s){_COUNTED}){{0,5}}\b)(?=\s[A-Za-z\d]|\Z)"
)
_HALF_MORE = re.compile(rf"(?i:\b({_COUNTED}|\d{{1,4}}) and a half\b)")  # "two and a half kilograms"
_HALF_BEHIND = re.compile(r"(?i:\b(?:an?|one) ([a-z]{1,12}) and a half\b)")  # "an hour and a half"
_PART = re.compile(  # "half an hour", "three quarters of a mile"
    r"(?i:\b(?:(an?|one|two|three|four|\d)[ -])?(half|third|quarter|fifth|tenth)s?(?: of)? an? (?=[a-z]))"
)
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_HOW_MANY = {"two": 2, "three": 3, "four": 4}
_BELOW_ZERO = re.compile(
    r"(?<![\d.,-])(\d[\d.,]*(?:\s?(?:°|degrees?\b|deg\b)?(?:\s?[CF]\b|\s(?i:celsius|centigrade|fahrenheit)\b)?))"
    r"\s(?:below|under)\s(?:zero|0)\b"
)


def _spelled(words: re.Match[str]) -> str:
    """Number words in digits, where they are one number; not the "one" that ends a sentence."""
    if words.start() and words.end() == len(words.string):
        return words[0]
    value = spelled_number(words[0].casefold().replace("-", " ").removeprefix("a ").split())
    return words[0] if value is None else f"{value}"


def _part(found: re.Match[str]) -> str:
    """Part of a unit in digits."""
    many = (found[1] or "1").lower()
    return f"{many if many.isdigit() else _HOW_MANY.get(many, 1)}/{_PARTS[found[2].lower()]} "


@lru_cache(maxsize=256)
def plain(text: str) -> str:
    """Return a text in one notation: LaTeX, superscripts, look-alikes and number words undone, spaces single."""
    text = _SUPERSCRIPT.sub(
        lambda found: f"^({found[0].translate(_RAISED)})", text[:LONGEST].translate(_MARKS)
    )
    text = _VULGAR.sub(lambda found: f"{found[1]} {_fraction(found[2])}", text)
    text = unicodedata.normalize("NFKC", text).translate(_MARKS)
    if "\\" in text or "{" in text:
        text = _unlatex(text)
    text = text.replace("$", "¤") if text.count("$") % 2 and not text.count("¤") else text.replace("$", " ")
    text = text.replace("**", "^") if re.search(r"[\w)]\*\*[-(\d]", text) else text.replace("**", " ")
    text = _SPACED_MICRO.sub("μ", _SPACED_OHM.sub(r"\1", _BRACKETED_UNIT.sub(r" \2", text)))
    text = _HALF_MORE.sub(r"\1 1/2", _HALF_BEHIND.sub(r"1 1/2 \1", text))
    text = _NUMBER_WORDS.sub(_spelled, _PART.sub(_part, text))
    for pattern, by in _WORDS:
        text = pattern.sub(by, text)
    text = _BELOW_ZERO.sub(r"-\1", text)
    text = _GLUED_POWER.sub(r"\1×10^(\2)", _SPACED_POWER.sub(r"\1×\2", text))
    return _SPACES.sub(" ", _certain(text)).strip()


def _fraction(char: str) -> str:
    return unicodedata.normalize("NFKC", char).replace("⁄", "/")


def _unlatex(text: str) -> str:
    text = _MIXED.sub(r"\1 \2/\3", text)
    for _ in range(4):
        before = text
        text = _WRAPPER.sub(r" \1 ", text)
        text = _BRACED_POWER.sub(r"^(\1)", text) if "circ" not in text else text
        text = _SQRT.sub(r"√(\1)", _FRACTION.sub(r"(\1)/(\2)", text))
        if text == before:
            break
    for pattern, by in _LATEX:
        text = pattern.sub(by, text)
    return (
        _BRACED_POWER.sub(r"^(\1)", text)
        .replace("{,}", ",")
        .replace("{", " ")
        .replace("}", " ")
        .replace("~", " ")
    )


def _certain(text: str) -> str:
    """Leave uncertainties out: "(2.0 ± 0.1) kg" is 2.0 kg, and so is "2.0 kg ± 0.1 kg"."""
    found = _UNCERTAIN.search(text)
    if found is None:
        return text
    head, tail = text[: found.start()], text[found.end() :]
    if _UNIT_BEFORE.search(head):
        tail = tail[parse_unit(tail)[1] :]
    if head.count("(") > head.count(")") and tail.lstrip().startswith(")"):
        opened = head.rindex("(")
        head, tail = head[:opened] + head[opened + 1 :], tail.lstrip()[1:]
    return f"{head.rstrip()} {tail.lstrip()}"


_NUM = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d{1,3}(?: \d{3})+(?![\d.])(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,6}(?![\w.]))?"
_POWER = r"(?:\s?\^\s?(?:\(\s?[-+]?[\d./]{1,12}\s?\)|[-+]?\d{1,9}(?:\.\d+)?))"
_ATOM = rf"(?:{_NUM}(?:\(\d{{1,4}}\)(?=\s?[×x*·A-Za-zμΩ°%]|\Z))?|π|√\s?\(?\s?{_NUM}\s?\)?|\(\s?[-+]?\s?(?:{_NUM}\s?π?|π|(?:{_NUM}\s?)?√\s?\(?\s?{_NUM}\s?\)?)\s?\)){_POWER}?"
_OPERATOR = r"(?:\s?[×*·+/-]\s?(?=[\d.(√π])|\s?x\s?(?=\d)|\s(?=\d{1,3}/\d{1,3}(?![\d/]))|\s?(?=[π√]))"
_VALUE = re.compile(
    rf"(?<![\w.^,])(?<![A-Za-z]_)(?P<cur>[¤€£]\s?)?(?P<sign>[-+]\s?)?(?P<num>{_ATOM}(?:{_OPERATOR}{_ATOM}){{0,8}})(?P<more>{_POWER})?"
)
_INFINITE = re.compile(r"(?i:\b(?:inf(?:inity|inite)?|nan)\b|∞|\\infty)")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])(\d+),(\d{1,2}|\d{4,})(?![\d.,])")
_DOTTED = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+),(\d+)(?![\d.,])")  # 1.234,5
_MANTISSA = re.compile(r"(\d*)\.?(\d*)(?:[×x*·]10\^\(?([-+]?\d{1,4})\)?|[eE]([-+]?\d{1,4}))?")
_UNCERTAIN_DIGITS = re.compile(r"(?<=\d)\(\d{1,4}\)")  # 9.81(2)
_BEHIND = re.compile(r"[\s-]([^\W\d_]{2,})")
_NO_NOUNS = FUNCTION_WORDS | ENGLISH
_MILLION = re.compile(r"\s(thousand|million|billion|trillion)\b")
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


def read_measures(text: str, counts: frozenset[str] = frozenset()) -> list[Measure]:
    """Return the quantities of a plain text in order, at most 40; values too large for a float are left out."""
    found: list[Measure] = []
    text = _DOTTED.sub(lambda number: number[1].replace(".", "") + "." + number[2], text)
    text = _DECIMAL_COMMA.sub(r"\1.\2", text)
    at = 0
    while len(found) < MOST_MEASURES and (match := _VALUE.search(text, at)):
        value = _value(match["num"] + (match["more"] or ""), negative="-" in (match["sign"] or ""))
        end = match.end()
        place = _place(match["num"]) if not match["more"] else 0.0
        if scale := _MILLION.match(text, end):
            value = None if value is None else value * _SCALES[scale[1]]
            place, end = place * _SCALES[scale[1]], scale.end()
        unit, stop = parse_unit(text, _skip(text, end), counts)
        if match["cur"]:
            unit, stop = parse_unit(match["cur"].strip())[0], end
        elif unit is None:
            stop = end
        at = max(stop, match.end())
        if value is not None:
            found.append(
                Measure(
                    value,
                    unit,
                    match.start(),
                    stop,
                    text[match.start() : stop].rstrip(" .,"),
                    place,
                    "" if unit else _noun(text, stop),
                )
            )
    return _summed(found, text)


def _noun(text: str, at: int) -> str:
    """The word right behind a value that has no unit, where it is more than a word of grammar: "5 exactly"."""
    word = _BEHIND.match(text, at)
    if word is None or word[1].lower() in _NO_NOUNS or word[1].endswith("ly"):
        return ""
    return word[1]


def _skip(text: str, at: int) -> int:
    """Where a unit may begin behind a value: behind spaces, a product sign, a hyphen ("5-kg"), an opening bracket."""
    lead = re.compile(r"\s?[·*×-]?\s?(?=[A-Za-zμΩÅ°%¤€£(′″‰])").match(text, at)
    return lead.end() if lead else at


def _value(number: str, *, negative: bool) -> float | None:
    """Return a number's value, None where it has none that a float can hold."""
    number = _UNCERTAIN_DIGITS.sub("", number)
    number = re.sub(r"(?<=\d) (?=\d{3}(?:\D|\Z))", "", number).replace("√", "\\sqrt").replace("π", "\\pi ")
    number = re.sub(r"\\sqrt\s?\(?\s?([\d.]+)\s?\)?", r"\\sqrt{\1}", number)
    try:
        value = float(number)
    except ValueError:
        exact = numeric_value(number.replace("×", "*").replace("·", "*"))
        if exact is None:
            return None
        value = float(exact)
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - not a number
        return None
    return -value if negative else value


def _place(number: str) -> float:
    """Half of what the last digit of a number stands for: 0.05 for 9.8, 5e5 for 3 × 10^6; 0 for 1/2 and √2."""
    match = _MANTISSA.fullmatch(_UNCERTAIN_DIGITS.sub("", number.replace(",", "").replace(" ", "")))
    if match is None:
        return 0.0
    exponent = int(match[3] or match[4] or 0) - len(match[2])
    return 0.5 * 10.0**exponent if abs(exponent) < 300 else 0.0


_JOINED = re.compile(r"\s?(?:,|and|,\s?and|&)?\s?\Z")


def _summed(found: list[Measure], text: str) -> list[Measure]:
    """Add up compound quantities: 1 h 30 min, 5 ft 3 in, 2 minutes and 5 seconds."""
    summed: list[Measure] = []
    for previous, each in zip((None, *found), found, strict=False):  # 30 s behind the 2 min of "1 h 2 min"
        last = summed[-1] if summed else None
        if last and last.unit and each.unit and _compounds(previous, each, text):
            share = each.unit.factor / last.unit.factor
            value, place = last.value + each.value * share, each.place * share
            summed[-1] = Measure(value, last.unit, last.start, each.end, text[last.start : each.end], place)
        else:
            summed.append(each)
    return summed


def _compounds(last: Measure | None, each: Measure, text: str) -> bool:
    first, second = last.unit if last else None, each.unit
    if (
        last is None
        or first is None
        or second is None
        or first.dimensions != second.dimensions
        or not _JOINED.match(text[last.end : each.start])
    ):
        return False
    if first.offset is not None or len(first.dimensions) > 1 or text[last.start] == "-" != text[each.start]:
        return False
    small = each.value * second.factor < first.factor * 1.0000001  # 30 min in an hour, 3 in in a foot
    return second.factor < first.factor and small and each.value >= 0 and last.value == int(last.value)


def read_quantity(text: str, counts: frozenset[str] = frozenset()) -> Measure | None:
    """Return the one quantity that a text is, such as a gold answer; None where it is none, or several."""
    found = read_measures(plain(text), counts)
    return found[0] if len(found) == 1 else None
