"""A place in a list of tokens, with the limits that keep parsing cheap."""

from fractions import Fraction

from rewardstack_math.nodes import Div, Mul, Node, Num
from rewardstack_math.normalisation import Unreadable
from rewardstack_math.tokens import Token

__all__ = ["END", "MAX_DEPTH", "Cursor", "divide", "multiply", "number"]

END: Token = ("", "", False)
MAX_DEPTH = 40  # one level takes about ten Python frames of the thousand there are
MAX_DIGITS = 4_000
MAX_EXPONENT = 5_000


def number(text: str) -> Num:
    """Return the exact value of a numeral, sizes refused before they are computed."""
    if len(text) > MAX_DIGITS:
        raise Unreadable(f"a number of {len(text)} characters, the limit is {MAX_DIGITS}")
    if text.isdecimal():
        return Num(Fraction(int(text)))
    head, _, exponent = text.lower().partition("e")
    if exponent and abs(int(exponent)) > MAX_EXPONENT:
        raise Unreadable(f"the exponent {exponent} is beyond {MAX_EXPONENT}")
    digits = len(head.replace(".", "").lstrip("0")) or 1
    return Num(Fraction(text), digits)


def multiply(left: Node, right: Node) -> Node:
    """Return the product, flat."""
    first = left.args if isinstance(left, Mul) else (left,)
    return Mul((*first, right))


def divide(top: Node, bottom: Node) -> Node:
    """Return the quotient."""
    return Div(top, bottom)


class Cursor:
    """The tokens of one text and the place reading has come to."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.bars = 0  # absolute values that wait for their closing bar

    @property
    def peek(self) -> Token:
        """The next token, `END` after the last."""
        return self.tokens[self.at] if self.at < len(self.tokens) else END

    def ahead(self, step: int) -> Token:
        """The token `step` places after the next."""
        at = self.at + step
        return self.tokens[at] if at < len(self.tokens) else END

    def next_is(self, *texts: str) -> bool:
        """Whether the next token is one of these operators."""
        kind, text, _ = self.peek
        return kind == "o" and text in texts

    def take(self) -> Token:
        """Return the next token and step over it."""
        token = self.peek
        self.at += 1
        return token

    def accept(self, *texts: str) -> bool:
        """Step over the next token if it is one of these operators."""
        if self.next_is(*texts):
            self.at += 1
            return True
        return False

    def expect(self, *texts: str) -> str:
        """Step over one of these operators and return which, or refuse."""
        kind, text, _ = self.peek
        if kind != "o" or text not in texts:
            raise Unreadable(f"expected {' or '.join(texts)}, found {text or 'the end'}")
        self.at += 1
        return text

    def enter(self) -> None:
        """Go one level deeper, or refuse."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable(f"nested more than {MAX_DEPTH} deep")

    def leave(self) -> None:
        """Come back up one level."""
        self.depth -= 1
