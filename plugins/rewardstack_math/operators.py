"""Reads functions, fractions and roots, big operators, matrices and systems."""

import abc
from fractions import Fraction

from rewardstack_math.cursor import divide, multiply, number
from rewardstack_math.lexicon import TRIG, words
from rewardstack_math.nodes import (
    Add,
    Big,
    Call,
    Const,
    Div,
    Group,
    Matrix,
    Mul,
    Node,
    Num,
    Pow,
    Quantity,
    Relation,
    Sym,
    rebuild,
)
from rewardstack_math.normalisation import Unreadable
from rewardstack_math.numerals import Numerals
from rewardstack_math.units import DEGREE

__all__ = ["Operators"]

HALF = Num(Fraction(1, 2))
ONE = Num(Fraction(1))
_ROWS = frozenset(words("matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix array"))
_LINES = frozenset(words("cases dcases aligned align gather gathered split equation eqnarray alignat"))


class Operators(Numerals, abc.ABC):
    """Reads what begins with a function, a big operator or an environment."""

    @abc.abstractmethod
    def sum(self) -> Node:
        """Read a sum."""

    @abc.abstractmethod
    def product(self, *, tight: bool = False) -> Node:
        """Read a product; a tight one, a function's argument, ends before the next function."""

    @abc.abstractmethod
    def relation(self) -> Node:
        """Read one value or relation."""

    def function(self) -> Node:
        """Read a function with its power, base and arguments."""
        name = self.take()[1]
        special = _SPECIAL.get(name)
        if special is not None:
            return special(self)
        base: Node | None = None
        power: Node | None = None
        derived = ""
        while self.next_is("^", "_", "'"):
            sign = self.take()[1]
            if sign == "^":
                power = self.argument()
            elif sign == "_":
                base = self.argument()
            else:
                derived += "'"
        if (
            name == "log"
            and base is None
            and self.peek[0] == "n"
            and not self.peek[2]
            and self.ahead(1)[1] == "("
        ):
            base = number(self.take()[1])
        if self.at >= len(self.tokens):
            raise Unreadable(f"{name} without its argument")
        args = self._arguments()
        if power == Num(Fraction(-1)) and name in TRIG:
            name, power = f"arc{name}", None
        node = _call(name + derived, args, base)
        return node if power is None else Pow(node, power)

    def _arguments(self) -> tuple[Node, ...]:
        if self.next_is("(", "[", "{{") or (self.next_is("{") and self.ahead(1)[1] != "("):
            inner = self.primary()
            return inner.items if isinstance(inner, Group) and inner.kind in ("()", "[]", "set") else (inner,)
        return (self.product(tight=True),)

    def fraction(self) -> Node:
        r"""Read a fraction, or `\frac{d}{dx}` of what follows."""
        top = self.argument()
        at = self.at
        bottom = self.argument()
        if top == Sym("d") and isinstance(bottom, Mul) and bottom.args[0] == Sym("d") and self.at > at:
            var = bottom.args[1]
            return Big("diff", var.name if isinstance(var, Sym) else "x", None, None, self.product())
        return divide(top, bottom)

    def root(self) -> Node:
        """Read a square root or one of another degree."""
        degree: Node | None = None
        if self.next_is("["):
            self.take()
            degree = self.sum()
            self.expect("]")
        inner = self.argument()
        if degree is None or degree == Num(Fraction(2)):
            return Pow(inner, HALF)
        if isinstance(degree, Num) and degree.value.denominator == 1 and degree.value > 0:
            return Pow(inner, Num(1 / degree.value))
        return Pow(inner, divide(ONE, degree))

    def binomial(self) -> Node:
        """Read a binomial coefficient."""
        return Call("binom", (self.argument(), self.argument()))

    def big(self) -> Node:
        """Read a sum, product, integral or limit."""
        kind = self.take()[1]
        low: Node | None = None
        high: Node | None = None
        while self.next_is("_", "^"):
            sign = self.take()[1]
            bound = self._bound()
            low, high = (bound, high) if sign == "_" else (low, bound)
        if kind == "int":
            return self._integral(low, high)
        if not isinstance(low, Relation) or not isinstance(low.members[0], Sym | Const):
            raise Unreadable(f"{kind} without its index")
        name = low.members[0].name
        body = self.product()
        if name in ("i", "e"):
            body = _rename(body, Const(name), Sym(name))
        return Big(kind, name, low.members[1], high, body)

    def _bound(self) -> Node:
        if not self.accept("{"):
            return self.argument()
        node = self.relation()
        while self.accept("^") and self.next_is("+", "-"):
            self.take()
        self.accept("+", "-")
        self.expect("}")
        return node

    def _integral(self, low: Node | None, high: Node | None) -> Node:
        depth = 0
        for at in range(self.at, len(self.tokens) - 1):
            kind, text, _ = self.tokens[at]
            depth += (text in ("{", "(", "[")) - (text in ("}", ")", "]")) if kind == "o" else 0
            if (
                kind in ("s", "t")
                and text == "d"
                and depth == 0
                and self.tokens[at + 1][0] == "s"
                and at > self.at
            ):
                rest = self.tokens[at + 2 :]
                name = self.tokens[at + 1][1]
                self.tokens = [*self.tokens[:at], ("o", "end of integrand", False), *rest]
                body = self.sum()
                self.expect("end of integrand")
                return Big("int", name, low, high, body)
        return self._integral_of_fraction(low, high)

    def _integral_of_fraction(self, low: Node | None, high: Node | None) -> Node:
        r"""Read an integral whose differential stands in a fraction: `\int \frac{dx}{1+x^2}`."""
        for at in range(self.at, len(self.tokens) - 3):
            window = [token[1] for token in self.tokens[at : at + 4]]
            if window[0] == "{" and window[1] == "d" and window[3] == "}" and self.tokens[at + 2][0] == "s":
                self.tokens = [*self.tokens[: at + 1], ("n", "1", False), *self.tokens[at + 3 :]]
                return Big("int", window[2], low, high, self.product())
        raise Unreadable("an integral without its differential")

    def environment(self) -> Node:
        """Read a matrix, a determinant, or the lines of a system."""
        name = self.take()[1]
        if name in _LINES:
            lines = self._lines()
            return lines[0] if len(lines) == 1 else Group("list", tuple(lines))
        if name not in _ROWS:
            raise Unreadable(f"environment {name}")
        rows: list[tuple[Node, ...]] = []
        row: list[Node] = []
        while self.peek[0] != "e":
            if self.accept("\\\\"):
                rows.append(tuple(row))
                row = []
            elif not self.accept("&"):
                row.append(self.relation())
        self.take()
        rows += [tuple(row)] if row else []
        if not rows or len({len(r) for r in rows}) != 1:
            raise Unreadable("a matrix with rows of different lengths")
        matrix = Matrix(tuple(rows))
        return Call("det", (matrix,)) if name in ("vmatrix", "Vmatrix") else matrix

    def _lines(self) -> list[Node]:
        self.tokens = [token for at, token in enumerate(self.tokens) if at < self.at or token[1] != "&"]
        items: list[Node] = []
        while self.peek[0] != "e":
            if self.accept("\\\\", ",", "."):
                continue
            if items and self.next_is("=", "~", "<", ">", "<=", ">="):  # a line that goes on from the last
                items[-1] = _chained(items[-1], self.take()[1], self.relation())
            else:
                items.append(self.relation())
        self.take()
        return items


def _chained(node: Node, sign: str, more: Node) -> Node:
    """Return `a = b` and `= c` as `a = b = c`."""
    signs: tuple[str, ...] = node.signs if isinstance(node, Relation) else ()
    members = node.members if isinstance(node, Relation) else (node,)
    if isinstance(more, Relation):
        return Relation((*signs, sign, *more.signs), (*members, *more.members))
    return Relation((*signs, sign), (*members, more))


def _rename(node: Node, old: Node, new: Node) -> Node:
    return new if node == old else rebuild(node, lambda part: _rename(part, old, new))


def _radians(node: Node) -> Node:
    """Inside a trigonometric function a degree is pi/180."""
    if isinstance(node, Quantity) and node.unit == DEGREE:
        return divide(multiply(node.value, Const("pi")), Num(Fraction(180)))
    return rebuild(node, _radians) if isinstance(node, Add | Mul | Div) else node


def _call(name: str, args: tuple[Node, ...], base: Node | None) -> Node:
    if name == "log" and base is not None:
        return Call("log", (args[0], base))
    if name == "log" and len(args) == 2:
        return Call("log", args)
    if name in ("lg", "log", "ln"):
        return Call(name, args[:1]) if name != "lg" else Call("log", (args[0], Num(Fraction(10))))
    if name == "exp":
        return Pow(Const("e"), args[0])
    if name.rstrip("'") in TRIG or name == "cis":
        args = tuple(map(_radians, args))
    if name == "cis":
        return Add((Call("cos", args), Mul((Const("i"), Call("sin", args)))))
    return Call(name, args)


_SPECIAL = {"frac": Operators.fraction, "sqrt": Operators.root, "binom": Operators.binomial}
