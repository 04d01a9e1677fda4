"""The levels of an answer, loosest first: lists, relations, ratios, set operations, sums, products, powers.

A precedence-climbing (Pratt) parser over the tokens of `tokens.py`; each level is one method.
"""

from fractions import Fraction

from rewardstack_math.atoms import Atoms
from rewardstack_math.cursor import divide, multiply, number
from rewardstack_math.lexicon import LEADING, MAGNITUDES, NUMBER_WORDS, PROGRAM_WORDS, STOCK, words
from rewardstack_math.nodes import (
    Add,
    Apply,
    Based,
    Call,
    Const,
    Group,
    Node,
    Num,
    PlusMinus,
    Pow,
    Quantity,
    Relation,
    SetOp,
    Sym,
    Text,
    Unit,
    negate,
    symbols,
)
from rewardstack_math.normalisation import Unreadable
from rewardstack_math.tokens import Token
from rewardstack_math.units import CELSIUS, DEGREE, PERCENT, UNIT_LETTERS, currency, is_unit, read_unit

__all__ = ["parse"]

_SIGNS = frozenset(words("= < > <= >= != ~ in notin -> => == === sub par perp prop iff"))
_SEPARATORS = frozenset((",", ";", "and", "or"))
_STARTS = frozenset(("(", "{", "[", "|", "||", "lvert", "lfloor", "lceil", "<<", "{{"))
_AFTER_CLOSING = frozenset(("", ")", "]", "}", "}}", "cup", "cap", ",", ";", "and", "or"))  # after `]0, 1[`
_AFTER_UNIT = frozenset(("", ",", ";", "and", "or"))
_IMPLICIT = frozenset("sktfagq")
_ARTICLES = frozenset(("a", "an", "the"))
_PLAIN_FUNCTIONS = frozenset(("frac", "sqrt", "binom"))


class Parser(Atoms):
    """Reads a whole answer."""

    def whole(self) -> Node:
        """Read all tokens."""
        node = self.sequence()
        if self.at < len(self.tokens):
            raise Unreadable(f"found {self.peek[1]} after the answer")
        return node

    def sequence(self) -> Node:
        items = [self.relation()]
        seps: list[str] = []
        while self.next_is(*_SEPARATORS):
            sep = self.take()[1]
            while self.next_is(*_SEPARATORS):
                further = self.take()[1]  # "2, 3, and 5"
                sep = further if sep == "," else sep
            if self.at >= len(self.tokens) or self.next_is(")", "]", "}", "}}"):
                break
            seps.append(sep)
            items.append(Sym("...") if self.accept("...") else self.relation())
        return items[0] if len(items) == 1 else _arranged(items, seps)

    def relation(self) -> Node:
        if self.next_is("=", "~", "=>", "==") and self.at == 0:
            self.take()
        members = [self.ratio()]
        signs: list[str] = []
        while self.next_is(*_SIGNS):
            sign = self.take()[1]
            if sign in ("==", "=") and self.accept(">", "<"):
                sign = ">=" if self.tokens[self.at - 1][1] == ">" else "<="
            signs.append("=" if sign == "==" and not self._modular() else sign)
            members.append(self.ratio())
        if (signs and signs[-1] == "=>") or "=>" in signs:
            last = len(signs) - signs[::-1].index("=>")
            members, signs = members[last:], signs[last:]
        if self.accept("pmod"):
            members[-1] = Call("mod class", (members[-1], self.argument()))
        elif self.next_is("(") and self.ahead(1)[1] == "mod":
            self.at += 2
            members[-1] = Call("mod class", (members[-1], self.sum()))
            self.expect(")")
        return Relation(tuple(signs), tuple(members)) if signs else members[0]

    def _modular(self) -> bool:
        return any(token[1] in ("pmod", "mod") for token in self.tokens[self.at :])

    def ratio(self) -> Node:
        items = [self.union()]
        while self.accept(":"):
            items.append(self.union())
        return items[0] if len(items) == 1 else Group("ratio", tuple(items))

    def union(self) -> Node:
        node = self.intersection()
        while self.next_is("cup", "minus"):
            node = SetOp(self.take()[1], node, self.intersection())
        return node

    def intersection(self) -> Node:
        node = self._over()
        while self.accept("cap"):
            node = SetOp("cap", node, self._over())
        return node

    def _over(self) -> Node:
        node = self.sum()
        if self.accept("over"):
            return divide(node, self.sum())
        if self.accept("choose"):
            return Call("binom", (node, self.sum()))
        return node

    def sum(self) -> Node:
        terms = [self.product()]
        while self.next_is("+", "-", "±", "∓"):
            sign = self.take()[1]
            term = self.product()
            terms.append(term if sign == "+" else negate(term) if sign == "-" else PlusMinus(term, _pm(sign)))
        return terms[0] if len(terms) == 1 else Add(tuple(terms))

    def product(self, *, tight: bool = False) -> Node:
        start = self.at
        node = self._signed()
        while True:
            kind, text, spaced = self.peek
            if kind == "o":
                if text in _STARTS and not (text in ("|", "||") and self.bars):
                    if text == "[" and (spaced or self.ahead(1)[1] in _AFTER_CLOSING):
                        break
                    node = multiply(node, self.power())
                elif tight or not self._operator(text):
                    if tight or not self._unit_sign(text):
                        break
                    node = Quantity(node, self._signed_unit())
                elif text == "*":
                    self.take()
                    node = multiply(node, self._signed())
                elif text == "/":
                    self.take()
                    node = divide(node, self._signed())
                else:
                    self.take()
                    node = Call("mod", (node, self._signed()))
            elif (
                kind == "w"
                or (kind == "t" and text in UNIT_LETTERS and not symbols(node))
                or (kind == "s" and spaced and self._unit_ahead(node))
            ):
                if tight:
                    break
                node = self._measured(node)
            elif kind in _IMPLICIT:
                if tight and kind == "f" and text not in _PLAIN_FUNCTIONS:
                    break
                node = multiply(node, self.power())
            elif kind == "n" and isinstance(node, Quantity):
                node = self._compound(node)
            elif (kind == "n" and self._after_power(start)) or kind == "b":
                node = multiply(node, self.power())
            else:
                break
        return node

    @staticmethod
    def _operator(text: str) -> bool:
        return text in ("*", "/", "mod")

    def _after_power(self, start: int) -> bool:
        """Whether a number may follow as a factor: after a power or a bracket, not after another number."""
        before = self.tokens[self.at - 1]
        return (
            before[1] in (")", "}", "|", "!", "]")
            or before[0] in ("s", "k")
            or (self.at - start > 1 and self.tokens[self.at - 2][1] == "^")
        )

    def _signed(self) -> Node:
        sign = 1
        while self.next_is("+", "-"):
            sign = -sign if self.take()[1] == "-" else sign
        if self.next_is("±", "∓"):
            mark = self.take()[1]
            node: Node = PlusMinus(self.power(), _pm(mark) * sign)
            return node
        node = self.power()
        return node if sign == 1 else negate(node)

    def power(self) -> Node:
        node = self.primary()
        while True:
            kind, text, _ = self.peek
            if kind != "o":
                return node
            if text == "^":
                self.take()
                node = self._raised(node)
            elif text == "!":
                self.take()
                node = Call("fact", (node,)) if not self.accept("!") else Call("fact2", (node,))
            elif text == "%":
                self.take()
                node = Quantity(node, PERCENT)
            elif text == "°":
                self.take()
                node = Quantity(node, self._degree())
            elif text == "'" and isinstance(node, Num):
                self.take()
                node = Quantity(node, read_unit((("in" if self.accept("'") else "ft", 1),)))
            elif text == "'" and isinstance(node, Sym | Apply | Call):
                self.take()
                node = Sym(f"{node!r}'")
            elif text == "_" and isinstance(node, Num) and not node.digits:
                self.take()  # (1101)_2; without brackets it is the numeral's own
                node = Based(str(node.value), self._base())
            elif text == "_" and isinstance(node, Pow) and isinstance(node.base, Sym):
                self.take()
                node = Pow(self._indexed(node.base.name), node.exponent)
            else:
                return node

    def _raised(self, base: Node) -> Node:
        if self.next_is("°") or (self.next_is("{") and self.ahead(1)[1] == "°" and self.ahead(2)[1] == "}"):
            self.at += 1 if self.next_is("°") else 3
            return Quantity(base, self._degree())
        if self.next_is("'") or (self.next_is("{") and self.ahead(1)[1] == "'"):
            primes = 0
            braced = self.accept("{")
            while self.accept("'"):
                primes += 1
            if braced:
                self.expect("}")
            return Sym(f"{base.name if isinstance(base, Sym) else base!r}" + "'" * primes)
        self.enter()
        exponent = self.argument() if not self.next_is("(") else self.primary()
        if self.next_is("^"):
            self.take()
            exponent = self._raised(exponent)
        elif self.next_is("!") and self.tokens[self.at - 1][1] != "}":
            self.take()
            exponent = Call("fact", (exponent,))
        self.leave()
        return Pow(base, exponent)

    # units

    def _degree(self) -> Unit:
        """Read what follows a degree sign: C or F, or nothing."""
        kind, text, _ = self.peek
        if kind in ("s", "t") and text in CELSIUS:
            self.take()
            return CELSIUS[text]
        return DEGREE

    def _unit_sign(self, text: str) -> bool:
        return currency(text) is not None

    def _signed_unit(self) -> Unit:
        return currency(self.take()[1]) or DEGREE

    def _unit_ahead(self, node: Node) -> bool:
        """Whether a lone letter after a number and a space is a unit: the last of its value, or before / as in m/s."""
        unit, after = self.peek[1], self.ahead(1)[1]
        if unit == "mu" and not symbols(node):
            kind, after = self.ahead(1)[0], self.ahead(2)[1]
            return kind in ("t", "w") or (self.ahead(1)[1] in UNIT_LETTERS and after in _AFTER_UNIT)
        if unit not in UNIT_LETTERS or symbols(node):
            return False
        if after == "^" and self.ahead(2)[0] == "n":
            after = self.ahead(3)[1]
        return after in _AFTER_UNIT or (after == "/" and self.ahead(2)[1] in UNIT_LETTERS)

    def _measured(self, node: Node) -> Node:
        if self.peek[1] in MAGNITUDES:
            return multiply(node, Num(Fraction(10 ** MAGNITUDES[self.take()[1]])))
        return Quantity(node, self._unit_words(numeric=not symbols(node)))

    def _compound(self, first: Quantity) -> Node:
        """Read what follows a quantity at once as its smaller part: 2 hours 30 minutes."""
        value = self.power()
        unit = self._unit_words(numeric=True)
        if first.unit.dimensions != unit.dimensions:
            raise Unreadable("two quantities side by side with different units")
        return Quantity(Add((first.value, multiply(value, Num(unit.factor / first.unit.factor)))), first.unit)

    def _unit_words(self, *, numeric: bool) -> Unit:
        parts: list[tuple[str, int]] = []
        sign = 1
        while True:
            kind, text, _ = self.peek
            if kind in ("w", "t", "s") and (kind != "s" or text in UNIT_LETTERS or text == "mu"):
                self.take()
                if text == "mu" and self.peek[0] in ("w", "t", "s"):
                    text = f"u{self.take()[1]}"
                if text.lower() == "per":
                    sign = -1
                    continue
                power = self._unit_power()
                parts.append((text, sign * power))
            elif kind == "o" and text in ("/", "*") and self.ahead(1)[0] in ("w", "t", "s") and parts:
                self.take()
                sign = -1 if text == "/" else sign
            else:
                break
        words = [word for word, _ in parts]
        if any(word.lower() in PROGRAM_WORDS and not is_unit(word) for word in words) or len(words) > 8:
            raise Unreadable(f"words after a value that are no unit: {' '.join(words)}")
        if not numeric and not all(is_unit(word) for word in words):
            raise Unreadable(f"words after an expression: {' '.join(words)}")
        if self.next_is("(", ".", "_", "'"):
            raise Unreadable("program text after a value")
        return read_unit(tuple(parts))

    def _unit_power(self) -> int:
        if not self.next_is("^"):
            return 1
        self.take()
        node = self.argument()
        if not isinstance(node, Num) or node.value.denominator != 1 or abs(node.value) > 9:
            raise Unreadable("a unit with an odd power")
        return int(node.value)


def _pm(sign: str) -> int:
    return 1 if sign == "±" else -1


def _arranged(items: list[Node], seps: list[str]) -> Node:
    """Group values by their separators: `a,b;c,d` and `x=1,y=2 or x=2,y=1` are lists of lists."""
    for outer in (";", "or"):
        if (
            outer in seps
            and "," in seps
            and (outer == ";" or sum(isinstance(i, Relation) for i in items) > 2)
        ):
            groups: list[list[Node]] = [[items[0]]]
            for sep, item in zip(seps, items[1:], strict=True):
                groups.append([item]) if sep == outer else groups[-1].append(item)
            parts = (group[0] if len(group) == 1 else Group("list", tuple(group)) for group in groups)
            return Group("or" if outer == "or" else "list", tuple(parts))
    return Group("or" if "or" in seps else "list", tuple(items))


def _phrase(tokens: list[Token]) -> str:
    return " ".join(token[1].lower() for token in tokens if token[0] in ("w", "s", "t", "n", "f", "k", "o"))


def _text(tokens: list[Token]) -> Text:
    said = [token[1].lower() for token in tokens if token[1] not in ("{", "}", ",", ".", ";", "'")]
    return Text(" ".join(said[1:] if len(said) > 1 and said[0] in _ARTICLES else said))


def _stock(tokens: list[Token]) -> Node | None:
    """Return the symbol of a stock phrase or number word, else None."""
    if len(tokens) > 2 and tokens[-2][1] == ":":  # "no solution: \\emptyset"
        node = _stock(tokens[:-2])
        return node if node == Const(tokens[-1][1]) else None
    if len(tokens) == 3 and tokens[1][1] == "to" and tokens[0][0] == tokens[2][0] == "n":
        return Group("ratio", (number(tokens[0][1]), number(tokens[2][1])))
    kind, text = STOCK.get(_text(tokens).words, ("", ""))
    if kind:
        return Const(text) if kind == "k" else Text(text)
    if len(tokens) == 1 and tokens[0][1].lower() in NUMBER_WORDS:
        return Num(Fraction(NUMBER_WORDS[tokens[0][1].lower()]))
    return None


def _without_lead(tokens: list[Token]) -> list[Token]:
    """Drop words before the value that say nothing about it: "Answer", "so we get", and a colon after them."""
    start = 1 if len(tokens) > 1 and tokens[0][:2] == ("t", "a") and tokens[1][0] == "w" else 0
    while start < len(tokens) and tokens[start][0] in ("w", "t", "s") and tokens[start][1].lower() in LEADING and (
            tokens[start][0] == "w" or (tokens[start][1] == "a" and start > 0)):  # fmt: skip
        start += 1
    if start < len(tokens) - 1 and tokens[start][0] == "w" and tokens[start][1][-1] in "为是得有共约":
        start += 1  # 周长为12
    while start and start < len(tokens) and tokens[start][:2] in (("o", ":"), ("o", ",")):
        start += 1
    return tokens[start:] if start < len(tokens) else tokens


def _without_brackets(tokens: list[Token]) -> list[Token]:
    """Read a unit in brackets as one without: "48 (square cm)"."""
    opening = next((at for at in range(len(tokens) - 2, 0, -1) if tokens[at][1] == "("), 0)
    inside = tokens[opening + 1 : -1]
    if (
        not opening
        or tokens[-1][1] != ")"
        or not (tokens[opening - 1][0] == "n" or tokens[opening - 1][1] in ("}", "%"))
        or not all(token[0] in "wt" or token[1] in ("-", ",") for token in inside)
    ):
        return tokens
    return [*tokens[:opening], *(token for token in inside if token[0] in "wt")]


def parse(tokens: list[Token]) -> Node:
    """Return the tree of an answer's tokens; text that is no mathematics comes back as `Text`.

    Raises `Unreadable` when there is nothing to read, or when a limit of size is hit.
    """
    while tokens and tokens[-1][:2] in (("o", "."), ("o", ",")):
        tokens = tokens[:-1]
    if not tokens:
        raise Unreadable("nothing to read")
    words = any(token[0] == "w" for token in tokens)
    if words:
        stock = _stock(tokens)
        if stock is not None:
            return stock
        tokens = _without_brackets(_without_lead(tokens))
        stock = _stock(tokens)
        if stock is not None:
            return stock
    parser = Parser(list(tokens))
    try:
        return parser.whole()
    except (Unreadable, RecursionError, ValueError, IndexError) as fault:
        return _fallback(tokens, fault)


def _fallback(tokens: list[Token], fault: Exception) -> Node:
    """Read as text what is no mathematics but has words; refuse the rest."""
    if any(token[0] == "w" or token[1] in ("...", ":", "=", "in") for token in tokens):
        return _text(tokens)
    raise Unreadable(str(fault) or "the text is no mathematics") from fault
