"""Numbers as they are written in answers, compared as text: no size limit, no rounding, no infinities."""

import re
import unicodedata
from typing import NamedTuple

__all__ = ["Numeral", "read_numeral"]

LONGEST_EXPONENT = 9

MARKS = {
    **dict.fromkeys("\u2212\u2013\u2010\u2011\ufe63\uff0d", "-"),
    **dict.fromkeys("\uff0b\ufe62", "+"),
    **dict.fromkeys("\xa0\u2007\u2009\u202f\u3000", " "),
    **dict.fromkeys("\u2019\u02bc\uff07", "'"),
    "\uff0c": ",", "\uff0e": ".", "\uff05": "%", "\ufe6a": "%", "\uff04": "$", "\ufe69": "$", "\uffe5": "¥", "\uffe1": "£",
}  # fmt: skip


class PlainCharacters(dict[int, str]):
    """A table for `str.translate`: marks and digits of every script as ASCII has them, filled as they are met."""

    def __missing__(self, code: int) -> str:
        digit = unicodedata.decimal(chr(code), None)
        plain = self[code] = chr(code) if digit is None else str(digit)
        return plain


PLAIN = PlainCharacters((ord(mark), plain) for mark, plain in MARKS.items())

LATEX = re.compile(r"\{,\}|,\\!|\\[,;: ]|\\([$%])")
LATEX_PLAIN = {"{,}": ",", ",\\!": ","}

CURRENCIES = ("$", "US$", "€", "£", "¥", "₹", "₽", "₩")
CURRENCY = "|".join(re.escape(sign) for sign in sorted(CURRENCIES, key=len, reverse=True))
NUMERAL = re.compile(
    rf"(?P<sign>[-+]?)(?P<before>(?:{CURRENCY})\ ?)?(?P<inner>[-+]?)"
    r"(?:(?P<whole>[0-9]{1,3}(?P<mark>[,\ '_])[0-9]{3}(?:(?P=mark)[0-9]{3})*"  # 1,000 and 1'000'000
    r"|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}|[0-9]+)(?:\.(?P<fraction>[0-9]*))?"  # 12,34,567 and 1234.5
    r"|\.(?P<bare>[0-9]+))"
    rf"(?:[eE](?P<exponent>[-+]?[0-9]{{1,{LONGEST_EXPONENT}}}))?(?P<after>\ ?(?:%|{CURRENCY}))?"
)
NOT_DIGITS = str.maketrans("", "", ", '_")


class Numeral(NamedTuple):
    """A written number: `digits` (no zeros at either end) times ten to `exponent`, and the sign beside it, if any.

    Zero has no digits, exponent 0 and is never negative.
    """

    negative: bool
    digits: str
    exponent: int
    unit: str = ""

    @property
    def is_integer(self) -> bool:
        """Whether it is a whole number, however written: 42.0 and 1e3 are."""
        return self.exponent >= 0

    def equals(self, other: "Numeral") -> bool:
        """Whether both are the same number; a currency or percent sign on one side only is decoration."""
        return self[:3] == other[:3] and (self.unit == other.unit or not (self.unit and other.unit))


def read_numeral(text: str) -> Numeral | None:
    r"""Return the number that a text is, None for anything else; linear in the length of the text.

    Reads signs (− and – too), thousands in groups of three set off by `,`, `'`, `_` or a space (also LaTeX's `{,}`
    and `\,`), Indian groups, a decimal point, an exponent, digits of every script, one currency sign before or
    after, and a percent sign. Not read, since they would be a guess or another field's work: a decimal comma,
    fractions, words, units, powers such as `10^3`, `inf` and `nan`.
    """
    plain = text.strip()
    if "\\" in plain or "{" in plain:
        plain = LATEX.sub(lambda found: found[1] or LATEX_PLAIN.get(found[0], " "), plain)
    if not plain.isascii():
        plain = plain.translate(PLAIN).strip()
    found = NUMERAL.fullmatch(plain)
    if found is None or (found["sign"] and found["inner"]) or (found["before"] and found["after"]):
        return None
    whole = (found["whole"] or "").translate(NOT_DIGITS)
    fraction = found["fraction"] or found["bare"] or ""
    significant = (whole + fraction).lstrip("0")
    digits = significant.rstrip("0")
    if not digits:
        return Numeral(negative=False, digits="", exponent=0, unit=unit_in(found))
    exponent = int(found["exponent"] or 0) - len(fraction) + len(significant) - len(digits)
    return Numeral("-" in found["sign"] + found["inner"], digits, exponent, unit_in(found))


def unit_in(found: re.Match[str]) -> str:
    """Return the currency or percent sign of a matched number."""
    return (found["before"] or found["after"] or "").strip().removeprefix("US")
