"""Reads numerals: mixed numbers, recurring decimals, digits in another base."""

import abc
from fractions import Fraction

from rewardstack_math.cursor import Cursor, number
from rewardstack_math.lexicon import NUMBER_WORDS
from rewardstack_math.nodes import (
    Based,
    Div,
    Node,
    Num,
    Text,
)
from rewardstack_math.normalisation import Unreadable

__all__ = ["Numerals"]


class Numerals(Cursor, abc.ABC):
    """Reads what begins with a digit."""

    @abc.abstractmethod
    def primary(self) -> Node:
        """Read one operand without its powers."""

    @abc.abstractmethod
    def argument(self) -> Node:
        """Read what belongs to a command: a braced group or one character."""

    def numeral(self) -> Node:
        """Read a number: plain, mixed, recurring, or with the subscript of its base."""
        text = self.take()[1]
        value = number(text)
        kind, follow, spaced = self.peek
        if kind == "o" and follow == "_":
            self.take()
            return Based(text, self._base())
        if kind == "a" and "." in text:
            return self._repeating(text)
        if kind == "o" and follow == "..." and "." in text:
            self.take()
            return _continued(text)
        if kind == "o" and follow == "(" and "." in text and not spaced:
            return self._bracketed(text, value)
        if text.isdecimal():
            if kind == "f" and follow == "frac":
                return self._mixed(value)
            if kind == "n" and spaced and self.ahead(1)[1] == "/" and self.ahead(2)[0] == "n":
                part = Fraction(int(follow), int(self.ahead(2)[1]) or 1) if follow.isdecimal() and self.ahead(2)[
                    1].isdecimal() else None  # fmt: skip
                if part is not None and part < 1:
                    self.at += 3
                    return Num(value.value + part)
            if kind in ("s", "t") and follow in "ABCDEFabcdef" and self._based_letters():
                return self._hexadecimal(text)
        return value

    def _base(self) -> int:
        node = self.argument()
        if isinstance(node, Text) and node.words in NUMBER_WORDS:
            return NUMBER_WORDS[node.words]
        if not isinstance(node, Num) or node.value.denominator != 1:
            raise Unreadable("a number's subscript is its base, a whole number")
        return int(node.value)

    def _based_letters(self) -> bool:
        step = 0
        while self.ahead(step)[0] in ("s", "n", "t") and self.ahead(step)[1][0] in "ABCDEFabcdef0123456789":
            step += 1
        return self.ahead(step)[:2] == ("o", "_")

    def _hexadecimal(self, text: str) -> Node:
        while not self.next_is("_"):
            text += self.take()[1]
        self.take()
        return Based(text.upper(), self._base())

    def _repeating(self, text: str) -> Node:
        r"""Read `0.1\overline{6}`, `0.\dot{3}`, `0.\dot{1}4\dot{2}`."""
        start, period = self.at, ""
        while self.peek[0] in ("a", "n"):
            token = self.take()
            if token[0] == "n":
                period += token[1]
                continue
            inner = self.argument()
            if not isinstance(inner, Num) or inner.digits:
                self.at = start
                return number(text)
            period += (
                self.tokens[self.at - 2][1]
                if self.tokens[self.at - 1][1] == "}"
                else self.tokens[self.at - 1][1]
            )
        return _recurring(text, period)

    def _bracketed(self, text: str, value: Num) -> Node:
        """Read `0.(3)`."""
        digits, close = self.ahead(1), self.ahead(2)
        if digits[0] == "n" and digits[1].isdecimal() and close[1] == ")" and text.endswith("."):
            self.at += 3
            return _recurring(text, digits[1])
        return value

    def _mixed(self, value: Num) -> Node:
        start = self.at
        part = self.primary()
        if isinstance(part, Div) and isinstance(part.top, Num) and isinstance(part.bottom, Num):
            top, bottom = part.top.value, part.bottom.value
            if not (part.top.digits or part.bottom.digits) and 0 < top < bottom:
                return Num(value.value + top / bottom)
        self.at = start
        return value


def _recurring(text: str, period: str) -> Num:
    fixed = len(text.partition(".")[2])
    extra = Fraction(int(period or 0), (10 ** len(period) - 1) * 10**fixed) if period else Fraction(0)
    return Num(Fraction(text.rstrip(".") or "0") + extra)


def _continued(text: str) -> Num:
    """Read `0.333...` and `0.1212...` as recurring, `3.14159...` as the decimal it shows."""
    head, _, places = text.partition(".")
    for length in range(1, len(places) // 2 + 1):
        period = places[-length:]
        start = len(places)
        while places[:start].endswith(period):
            start -= length
        if len(places) - start >= max(3, 2 * length):
            return _recurring(f"{head}.{places[:start]}", period)
    return number(text)
