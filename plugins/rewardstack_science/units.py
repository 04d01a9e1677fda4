"""Units of measure: read from text by an own small grammar, sized by pint one name at a time.

Powers and the number of factors are bounded before anything is computed.
"""

import re
from math import isfinite, prod

import msgspec

from rewardstack_science.unit_names import ENGLISH, POWERS, Dimensions, Name, unit_word

__all__ = ["ENGLISH", "NONE", "Unit", "parse_unit"]

MOST_FACTORS = 12
MOST_POWER = 12


class Unit(msgspec.Struct, frozen=True):
    """The size of a unit in base units, what it measures, and for a temperature scale where its zero lies in kelvin.

    `ways` are other readings of the same text ("J/mol K", "ms^-1"), and `rate` says what it counts a second: `hertz`
    for cycles, `radian` for angles.
    """

    factor: float = 1.0
    dimensions: Dimensions = ()
    offset: float | None = None
    text: str = ""
    rate: str = ""
    ways: tuple["Unit", ...] = ()


NONE = Unit()
BEYOND = Unit(1.0, (("beyond all size", 1.0),), text="?")

_SPLIT = re.compile(r"(k?N|k?W|k?V|m?A|k?J|kg|g|mol)(m|s|h|cm|mm|K)")


class _Factor(msgspec.Struct):
    name: Name
    power: float
    word: str


_SCALE = re.compile(r"\s(?:C|F|K|(?i:celsius|centigrade|fahrenheit|kelvin))(?![A-Za-z])")
_TOKEN = re.compile(
    r"\s*(?:(?P<power>\^\s*\(?\s*(?P<exp>[-+]?\d{1,3}(?:[./]\d{1,2})?)\s*\)?|\*\*\s*\(?(?P<stars>[-+]?\d{1,3})\)?|(?<=[A-Za-zμΩ])(?P<digit>-?[1-9])(?![\d.]))"
    r"|(?P<per>/|\bper\b|\bin each\b|\ban?(?=\s(?:hour|second|minute|day|year)\b)|÷)|(?P<times>[·⋅*×•-](?=\s*[A-Za-zμΩÅ°(])|(?<=[A-Za-z])\.(?=[A-Za-zμΩ]))"
    r"|(?P<open>\()|(?P<close>\))|(?P<word>°\s?[CFK](?![A-Za-z])|[A-Za-zμΩÅℓ]+|[°º%‰′″¤€£]))"
)


def parse_unit(text: str, at: int = 0, counts: frozenset[str] = frozenset()) -> tuple[Unit | None, int]:
    """Read the unit that stands at a place of a plain text; None where none does, and where it ends.

    `counts` are words that count things ("photon") and measure nothing. Reads at most `MOST_FACTORS` factors.
    """
    reader = _Reader(text[at : at + 200], counts)
    reader.read()
    return (reader.unit(), at + reader.end) if reader.factors or reader.counted else (None, at)


class _Reader:
    """Reads one unit from the start of a text."""

    def __init__(self, text: str, counts: frozenset[str]) -> None:
        self.text, self.counts = text, counts
        self.factors: list[_Factor] = []
        self.counted = False
        self.end = 0
        self.beyond = False  # a power that no unit has
        self.ambiguous = False  # a product behind a slash: J/mol K
        self.slash = -1

    def read(self) -> None:
        """Read factors as long as they are units."""
        at, sign, group, pending = 0, 1, 0, 1
        signs: list[int] = []
        previous: str | None = None
        while len(self.factors) < MOST_FACTORS and (token := _TOKEN.match(self.text, at)):
            kind = token.lastgroup if token.lastgroup not in ("exp", "stars", "digit") else "power"
            if kind == "power" and not self._raise(token):
                self.beyond = bool(self.factors)
                break
            if kind == "per":
                sign = -1
                self.slash = len(self.factors) if self.slash < 0 else self.slash
            elif kind == "open":
                if self.factors and previous not in ("per", "times"):
                    break  # "6 newtons (N)"
                signs.append(sign)
                group, sign = signs[0] if len(signs) == 1 else group, 1
            elif kind == "close":
                if not signs:
                    break
                signs.pop()
                self.end = token.end()
            elif kind == "word":
                word = " ".join(token["word"].split()).replace("° ", "°")
                if word in POWERS:
                    if word in ("squared", "cubed"):
                        if not self.factors:
                            break
                        self.factors[-1].power *= POWERS[word]
                        self.end = token.end()
                    else:
                        pending = POWERS[word]
                    at = token.end()
                    continue
                outer = prod(signs)
                if not self._take(word, sign * outer * pending, token):
                    break
                if outer > 0 and sign > 0 and 0 <= self.slash < len(self.factors) - 1 and not signs:
                    self.ambiguous = True
                sign, pending = 1, 1
            at, previous = token.end(), kind
            if kind == "power":
                self.end = at

    def _raise(self, token: re.Match[str]) -> bool:
        """Raise the last factor to a power; False where there is none or the power is no sensible one."""
        text = token["exp"] or token["stars"] or token["digit"]
        top, _, bottom = text.partition("/")
        power = float(top) / float(bottom or 1) if float(bottom or 1) else 0.0
        if not self.factors or abs(power) > MOST_POWER or self.factors[-1].word == "°":
            return False
        factor = self.factors[-1]
        if factor.word == "ms" and power < 0:  # ms^-1 is m/s where it is not written as 1/ms
            self.ambiguous = True
        factor.power *= power
        return True

    def _take(self, word: str, power: float, token: re.Match[str]) -> bool:
        """Add a factor; False where the word is no unit and counts nothing."""
        following = self.text[token.end() : token.end() + 8]
        if word.lower() in ("degree", "degrees", "deg") and (scale := _SCALE.match(self.text, token.end())):
            name = {"c": "°C", "f": "°F", "k": "K"}[scale[0].strip()[0].lower()]
            found = unit_word(name)
            if found is not None:
                self.factors.append(_Factor(found, power, name))
                self.end = scale.end()
                self.text = f"{self.text[: token.end()]}{' ' * len(scale[0])}{self.text[self.end :]}"
            return found is not None
        if (
            word == "in"
            and re.match(r"\s+(?!(?:tall|long|wide|high|deep|thick)\b)[a-z]{2,}", following)
            and not re.match(r"\s+(?:per|sq)\b", following)
        ):
            return False
        if word in self.counts or word.rstrip("s") in self.counts:
            self.counted, self.end = True, token.end()
            return True
        found = unit_word(word, forgiving=False)
        split = _SPLIT.fullmatch(word) if found is None else None
        parts = [unit_word(part) for part in split.groups()] if split else [found or unit_word(word)]
        if all(parts):
            self.factors += [_Factor(part, power, word) for part in parts if part is not None]
            self.end = token.end()
            return True
        if word not in ENGLISH and re.match(r"\s*(?:/|per\b)", following) and not self.factors:
            self.counted = True  # "3 photons per second"
            return True
        return False

    def unit(self) -> Unit:
        """Return the unit read, with its other readings."""
        text = self.text[: self.end].strip()
        if self.beyond:
            return BEYOND
        ways = []
        if self.ambiguous:
            flipped = [
                _Factor(each.name, -abs(each.power) if place >= self.slash >= 0 else each.power, each.word)
                for place, each in enumerate(self.factors)
            ]
            ways.append(_combine(_spread(flipped), text))
        if len(self.factors) == 1 and self.factors[0].power == 1 and self.factors[0].word in ("C", "F"):
            scale = unit_word(f"°{self.factors[0].word}")
            ways += [_combine([_Factor(scale, 1, text)], text)] if scale else []
        pounds = [each for each in self.factors if each.name.canonical == "pound"]
        feet = [each for each in self.factors if each.name.canonical in ("foot", "inch")]
        force = unit_word("lbf") if pounds and feet else None
        if force is not None:  # ft-lb, lb/in^2
            changed = [
                _Factor(force, each.power, each.word) if each in pounds else each for each in self.factors
            ]
            ways.append(_combine(changed, text))
        return msgspec.structs.replace(_combine(self.factors, text), ways=tuple(ways))


def _spread(factors: list[_Factor]) -> list[_Factor]:
    """Read "ms^-1" as metres per second."""
    metre, second = unit_word("m"), unit_word("s")
    spread = []
    for each in factors:
        if each.word == "ms" and each.power < 0 and metre and second:
            spread += [_Factor(metre, 1, "m"), _Factor(second, each.power, "s")]
        else:
            spread.append(each)
    return spread


def _combine(factors: list[_Factor], text: str) -> Unit:
    """Multiply factors into one unit; one whose size passes all bounds measures nothing that anything equals."""
    if len(factors) == 1 and factors[0].power == 1:
        only = factors[0].name
        return Unit(only.factor, _bare(only.dimensions), only.offset, text, _rate(factors))
    size, powers = 1.0, dict[str, float]()
    for each in factors:
        try:
            size *= each.name.factor**each.power
        except (OverflowError, ZeroDivisionError):
            size = float("inf")
        for base, rank in each.name.dimensions:
            powers[base] = powers.get(base, 0.0) + rank * each.power
    dimensions = tuple(sorted((base, round(rank, 6)) for base, rank in powers.items() if abs(rank) > 1e-9))
    if not isfinite(size) or size == 0:
        return BEYOND
    return Unit(size, _bare(dimensions), None, text, _rate(factors))


def _bare(dimensions: Dimensions) -> Dimensions:
    """Dimensions without angles, which are pure numbers."""
    return tuple(pair for pair in dimensions if pair[0] not in ("radian", "count"))


def _rate(factors: list[_Factor]) -> str:
    """Whether a unit counts cycles or angles."""
    if any(each.name.canonical == "hertz" for each in factors):
        return "hertz"
    return "radian" if any(base == "radian" for each in factors for base, _ in each.name.dimensions) else ""
