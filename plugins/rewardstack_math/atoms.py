"""What an expression is built of: numbers, letters, words, groups, functions."""

import abc
from fractions import Fraction

from rewardstack_math.cursor import number
from rewardstack_math.lexicon import words
from rewardstack_math.nodes import (
    Apply,
    Based,
    Big,
    Call,
    Const,
    Group,
    Matrix,
    Mul,
    Node,
    Num,
    Pow,
    Quantity,
    Relation,
    Sym,
    Text,
    symbols,
)
from rewardstack_math.normalisation import Unreadable
from rewardstack_math.operators import Operators
from rewardstack_math.units import currency, is_currency, read_unit

__all__ = ["Atoms"]

_CLOSING = {"(": ")]", "[": "])[", "]": "[]", "<<": (">>",), "{{": ("}}", "}"), "{": ("}", "}}")}
_APPLIED = frozenset(words("f g h F G H Phi Psi phi psi zeta Gamma"))
_NAMED = frozenset(words("P Q p q y u v T S L R A B V E N r s x a b c d k M C D X Y"))
_FIGURE_END = frozenset("sqw")
_SIGNS = frozenset(words("< > <= >= != in"))
_INVERSE = ["^", "{", "-", "1", "}", "("]
_CONDITIONAL = frozenset("PE")
_INDEX = frozenset("ijklmnpqrt")
_CHOICES = {"C": "binom", "A": "perm"}
_FIXED = {"floor": ("lfloor", "rfloor"), "ceil": ("lceil", "rceil"), "abs": ("lvert", "rvert")}


class Atoms(Operators, abc.ABC):
    """Reads one operand; the levels above are in `parser.Parser`."""

    @abc.abstractmethod
    def sequence(self) -> Node:
        """Read values up to a closing bracket."""

    @abc.abstractmethod
    def power(self) -> Node:
        """Read an operand with its powers."""

    def primary(self) -> Node:
        """Read one operand without its powers."""
        kind, text, _ = self.peek
        read = _READERS.get(kind)
        if read is None:
            raise Unreadable(f"found {text or 'the end'} where a value should be")
        self.enter()
        node = read(self)
        self.leave()
        return node

    def argument(self) -> Node:
        """Read what belongs to a command: a braced group or one character."""
        kind, text, _ = self.peek
        if kind == "n" and len(text) > 1 and text.isdecimal() and self.tokens[self.at - 1][1] in ("frac", "}", "sqrt",
                "binom") and self.tokens[self.at - 1][0] != "n":  # fmt: skip
            self.tokens[self.at] = ("n", text[1:], False)
            return number(text[0])
        if kind == "o" and text in "+-":
            self.take()
            inner = self.argument()
            return Mul((Num(Fraction(-1)), inner)) if text == "-" and not isinstance(inner, Num) else (
                Num(-inner.value, inner.digits) if text == "-" and isinstance(inner, Num) else inner)  # fmt: skip
        if kind in ("n", "w"):
            self.take()
            return number(text) if kind == "n" else Text(text.lower())
        if kind == "f" and text in ("max", "min"):
            self.take()
            return Text(text)
        if kind in ("s", "t"):
            self.take()
            return Const(text) if text in ("e", "i") else Sym(text)
        return self.primary()

    def letter(self) -> Node:
        """Read a letter with its index, primes and arguments."""
        kind, name, _ = self.take()
        if name == "d" and self.next_is("/") and self.ahead(1)[1] == "d" and self.ahead(2)[0] == "s":
            self.take()
            self.take()
            return Big("diff", self.take()[1], None, None, self.product())
        if name in _APPLIED and [self.ahead(at)[1] for at in range(6)] == _INVERSE:
            self.at += 5
            return self._applied(Sym(f"{name}^-1"))
        power: Node | None = None
        if self.next_is("^") and self._index_after_power():
            self.take()
            power = self.argument()
        node: Node = Sym(name)
        if self.accept("_"):
            node = self._indexed(name)
            if (
                name in _CHOICES
                and isinstance(node, Sym)
                and self.next_is("^")
                and self.ahead(1)[0] in ("n", "o")
            ):
                return self._chosen(name, node)
        while self.next_is("'"):
            self.take()
            node = Sym(name + "'") if not isinstance(node, Sym) else Sym(node.name + "'")
        if kind == "s" and isinstance(node, Sym) and self.next_is("(") and not self.bars:
            if name in _CONDITIONAL:
                self._bar_as_colon()
            node = self._applied(node)
        if name in ("e", "i") and node == Sym(name):
            node = Const(name)
        return node if power is None else Pow(node, power)

    def _chosen(self, name: str, node: Sym) -> Node:
        """Read C_5^2 and A_5^2 as combinations and arrangements where both are numbers, else as a power."""
        self.take()
        top, bottom = node.name.partition("_")[2], self.argument()
        if top.isdecimal() and isinstance(bottom, Num) and bottom.value <= int(top):
            return Call(_CHOICES[name], (number(top), bottom))
        return Pow(node, bottom)

    def _index_after_power(self) -> bool:
        exponent, after = self.ahead(1), self.ahead(2)
        return exponent[0] == "n" and after[:2] == ("o", "_")

    def _indexed(self, name: str) -> Node:
        start = self.at
        if self.next_is("{") and self.ahead(1)[0] in ("f", "w"):
            while not self.accept("}"):
                if self.take()[0] == "":
                    raise Unreadable("a subscript that does not end")
            return Sym(f"{name}_{self._written(start)}")
        index = self.argument()
        if isinstance(index, Num) and index.value.denominator == 1:
            return Sym(f"{name}_{index.value}")
        free = symbols(index)
        if free and free <= _INDEX and not isinstance(index, Text):
            return Apply(name + "_", (index,))
        return Sym(f"{name}_{self._written(start)}")

    def _written(self, start: int) -> str:
        return "".join(token[1] for token in self.tokens[start : self.at] if token[1] not in "{}")

    def _applied(self, node: Sym) -> Node:
        start = self.at
        inner = self.primary()
        items = inner.items if isinstance(inner, Group) and inner.kind == "()" else (inner,)
        head = node.name.partition("_")[0].removesuffix("^-1").rstrip("'")
        if node.name == "C" and len(items) == 2:
            return Call("binom", items)
        if node.name == "P" and len(items) == 2 and all(isinstance(item, Num) for item in items):
            return Call("perm", items)
        simple = all(isinstance(item, Sym | Num | Const | Relation) or (isinstance(item, Group) and item.kind == "ratio")
                     for item in items)  # fmt: skip
        if (
            head in _APPLIED
            or "'" in node.name
            or len(items) > 1
            or (head in _NAMED and simple and self.next_is("="))
        ):
            return Apply(node.name, items)
        self.at = start
        return node

    def words(self) -> Node:
        """Read consecutive words as one."""
        parts: list[str] = []
        while self.peek[0] == "w" or (parts and self.peek[0] == "t"):
            parts.append(self.take()[1])
        if len(parts) == 1 and self.peek[0] == "n" and is_currency(parts[0]):
            return Quantity(self.product(), read_unit(((parts[0], 1),)))
        if self.next_is("_") and len(parts) == 1 and set(parts[0]) <= set("ABCDEF"):
            self.take()
            return Based(parts[0], self._base())
        if self.next_is("(") and not self.peek[2]:
            raise Unreadable(f"{parts[-1]}( is a call, which is program text")
        return Text(" ".join(parts).lower())

    def constant(self) -> Node:
        """Read a named constant or set."""
        name = self.take()[1]
        if self.next_is("^") and name in "RZNQ" and self.ahead(1)[1] in ("+", "-", "*"):
            self.take()
            return Const(name + self.take()[1])
        return Const(name)

    def figure(self) -> Node:
        r"""Read `\angle ABC`, `\triangle ABC` as one name."""
        name = self.take()[1]
        letters = ""
        while self.peek[0] in _FIGURE_END:
            letters += self.take()[1]
        return Sym(f"{name} {letters}")

    def accent(self) -> Node:
        r"""Read `\overline{AB}` as a name, `\bar{z}` as a conjugate."""
        accent = self.take()[1]
        start = self.at
        inner = self.argument()
        written = self._written(start)
        if accent in ("overline", "bar") and not (
            written.isalpha() and len(written) > 1 and written.isupper()
        ):
            return Call("conj", (inner,))
        return (
            inner
            if accent in ("vec", "overrightarrow") and isinstance(inner, Sym)
            else Sym(f"{accent} {written}")
        )

    def group(self) -> Node:
        """Read a bracket of any kind; one value in round, square or LaTeX brackets is that value."""
        opening = self.take()[1]
        reader = _GROUPS.get(opening)
        if reader is not None:
            return reader(self, opening)
        closing = _CLOSING.get(opening)
        if closing is None:
            raise Unreadable(f"found {opening} where a value should be")
        bars, self.bars = self.bars, 0
        if not self.next_is("[") and self.accept(*closing):
            self.bars = bars
            if opening in ("{{", "{"):
                return Const("empty")
            raise Unreadable("an empty bracket")
        inner = None
        if opening == "{{" or (opening == "{" and self.at == 1 and any(t[1] in _SIGNS for t in self.tokens)):
            self._bar_as_colon()
            inner = self._builder()
        if inner is None:
            inner = self.sequence()
        end = self.expect(*closing)
        self.bars = bars
        return _grouped(opening, end, inner)

    def _bar_as_colon(self) -> None:
        r"""Read the one bar of `\{2k | k \in Z\}` as a colon; absolute values have two."""
        bars = [at for at in range(self.at, len(self.tokens)) if self.tokens[at][:2] == ("o", "|")]
        if len(bars) == 1:
            self.tokens[bars[0]] = ("o", ":", False)

    def _builder(self) -> Node | None:
        r"""Read `\{x \in R : x > 3\}` as its condition."""
        if self.peek[0] != "s" or not (self.ahead(1)[1] in ("|", ":") or (self.ahead(1)[1] == "in" and self.ahead(3)[
                1] in ("|", ":"))):  # fmt: skip
            return None
        self.at += 2 if self.ahead(1)[1] in ("|", ":") else 4
        return self.sequence()

    def bar(self, opening: str) -> Node:
        """Read an absolute value, of a matrix its determinant."""
        self.bars += 1
        inner = self.sum()
        self.expect(opening)
        self.bars -= 1
        return Call("det" if isinstance(inner, Matrix) else "abs", (inner,))

    def fixed(self, opening: str) -> Node:
        """Read a floor or ceiling."""
        name, closing = next((n, pair[1]) for n, pair in _FIXED.items() if pair[0] == opening)
        bars, self.bars = self.bars, 0
        inner = self.sum()
        self.expect(closing)
        self.bars = bars
        return Call("det" if isinstance(inner, Matrix) else name, (inner,))

    def money(self, opening: str) -> Node:
        """Read an amount with its currency sign before it."""
        unit = currency(opening)
        if unit is None:
            raise Unreadable(f"found {opening} where a value should be")
        return Quantity(self.product(), unit)

    def combination(self, _opening: str) -> Node:
        """Read `_5C_2` or `^5C_2`."""
        top = self.argument()
        letter = self.take()[1]
        if letter not in "CP" or not self.accept("_"):
            raise Unreadable("a subscript without a base")
        return Call("binom" if letter == "C" else "perm", (top, self.argument()))


def _grouped(opening: str, end: str, inner: Node) -> Node:
    """Return what a bracket holds: a set, a tuple or interval, or the one value itself."""
    several = isinstance(inner, Group) and inner.kind in ("list", "or")
    items = inner.items if several and isinstance(inner, Group) else (inner,)
    if opening == "{{" or (opening == "{" and several):
        return Group("set", items)
    if several:
        return Group(
            "()" if opening == "<<" else _OPEN_LEFT.get(opening, opening) + _OPEN_RIGHT.get(end, end), items
        )
    if opening == "]" or end == "[" or (opening in "([" and opening + end not in ("()", "[]")):
        raise Unreadable("brackets that do not match around one value")
    return inner


_OPEN_LEFT = {"]": "("}  # ]0, 1[ is the open interval
_OPEN_RIGHT = {"[": ")"}
_READERS = {
    "n": Atoms.numeral, "s": Atoms.letter, "t": Atoms.letter, "w": Atoms.words, "k": Atoms.constant,
    "f": Atoms.function, "a": Atoms.accent, "g": Atoms.big, "q": Atoms.figure, "b": Atoms.environment,
    "o": Atoms.group,
}  # fmt: skip
_GROUPS = {
    "|": Atoms.bar, "||": Atoms.bar, "lfloor": Atoms.fixed, "lceil": Atoms.fixed, "lvert": Atoms.fixed, "_": Atoms.combination,
    "^": Atoms.combination, "cur": Atoms.money, "€": Atoms.money, "£": Atoms.money, "¥": Atoms.money,
    "₹": Atoms.money,
}  # fmt: skip
