"""Compares two answers by their shape: lists as sets, tuples in order, equations up to a factor, and so on."""

from collections.abc import Callable
from fractions import Fraction

from rewardstack_math.leaves import describe, same_value
from rewardstack_math.names import WRONG, Bindings, Named, may_name, same_options, spelled
from rewardstack_math.nodes import (
    Add,
    Apply,
    Based,
    Call,
    Const,
    Div,
    Group,
    Matrix,
    Mul,
    Node,
    Num,
    Quantity,
    Relation,
    SetOp,
    Sym,
    Text,
    rebuild,
    symbols,
    walk,
)
from rewardstack_math.number import METER, TooLarge, Undefined, rational
from rewardstack_math.options import Rules
from rewardstack_math.relations import ascending, letters, one_sided, proportion
from rewardstack_math.sets import INEQUALITIES, difference, read_set, same_sets
from rewardstack_math.units import DEGREE

__all__ = ["Comparer", "undefined"]

MAX_ITEMS = 300
_LISTS = frozenset(("list", "or", "set"))
_BRACKETS = frozenset(("()", "[]", "[)", "(]"))

Undecided = Callable[[Node, Node], bool | None]


def _never(_left: Node, _right: Node) -> bool | None:
    return None


class Comparer:
    """One comparison under some rules; `stage` and `reason` tell how the last verdict was found.

    `undecided` is asked when neither exact arithmetic nor sampling can tell (sympy, in `comparison.py`).
    """

    def __init__(self, rules: Rules, undecided: Undecided = _never) -> None:
        self.rules = rules
        self.undecided = undecided
        self.stage = "shape"
        self.reason = ""
        self.work = 3_000  # pairs of nodes looked at for one verdict

    def same(self, left: Node, right: Node) -> bool:
        """Return whether two settled answers are equal."""
        self.work -= 1
        if self.work < 0:
            self.reason = "too many parts to compare"
            return False
        if left == right and left is not WRONG:
            return not undefined(left)
        if _RANK.get(type(left), 99) > _RANK.get(type(right), 99):
            left, right = right, left
        for mine, theirs in ((left, right), (right, left)):
            rule = _RULES.get(type(mine))
            if rule is not None:
                verdict = rule(self, mine, theirs)
                if verdict is not None:
                    return verdict
        return self.leaf(left, right)

    def leaf(self, left: Node, right: Node) -> bool:
        """Return whether two expressions have the same value."""
        if not (_expression(left) and _expression(right)):
            self.stage, self.reason = "shape", f"{_kind(left)} against {_kind(right)}"
            return False
        verdict, self.stage = same_value(left, right, self.rules.tolerance)
        if not verdict and (describe(left).plain_log or describe(right).plain_log):
            verdict = same_value(_decadic(left), _decadic(right), self.rules.tolerance)[0]
        if (
            verdict is None
            and self.stage != "size"
            and METER.left > 0
            and not (_holds_groups(left) or _holds_groups(right))
        ):
            verdict, self.stage = self.undecided(left, right), "sympy"
        return bool(verdict)

    # names

    def named(self, left: Named, right: Node) -> bool | None:
        """Compare a named value: with one of the same name, an equation, or a bare value."""
        if isinstance(right, Named):
            if self._same_names(left.name, right.name) and self.same(left.value, right.value):
                return True
            return self._equations(_equation(left), _equation(right))
        if isinstance(right, Relation):
            if right.signs == ("=",):
                return self._equations(_equation(left), right)
            return (
                _is_set(left.value) and may_name(left.name, letters(right)) and self.same(left.value, right)
            )
        if isinstance(right, Bindings):
            return len(right.names) == 1 and self.same(left, Named(right.names[0], right.values[0]))
        return self.same(left.value, right)

    def _same_names(self, left: Node, right: Node) -> bool:
        if left == right:
            return True
        if isinstance(left, Apply) and isinstance(right, Apply):
            return left.name == right.name and self._in_order(left.args, right.args)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Apply) and not one.name.endswith("_") and other == Sym("y"):
                return True  # f(x) = ... and y = ...
        if isinstance(left, Group) and isinstance(right, Group):
            return len(left.items) == len(right.items) and all(map(self._same_names, left.items, right.items))
        return False

    def bindings(self, left: Bindings, right: Node) -> bool | None:
        """Compare several names with their values, or with bare values in the same order."""
        if isinstance(right, Bindings):
            if len(left.names) != len(right.names):
                return False
            theirs = dict(zip(right.names, right.values, strict=True))
            return all(name in theirs and self.same(value, theirs[name])
                       for name, value in zip(left.names, left.values, strict=True))  # fmt: skip
        if isinstance(right, Group) and right.kind in _LISTS | _BRACKETS:
            items = right.items
            if len(items) == len(left.values) and all(map(self.same, left.values, items)):
                return True
            equations = Group(
                "list", tuple(_equation(Named(n, v)) for n, v in zip(left.names, left.values, strict=True))
            )
            return any(isinstance(item, Relation) for item in items) and self.same(equations, right)
        return False

    # relations

    def relation(self, left: Relation, right: Node) -> bool | None:
        """Compare an equation up to a factor, an inequality by its solutions."""
        if left.signs == ("=",):
            return (
                self._equations(left, right)
                if isinstance(right, Relation) and right.signs == ("=",)
                else False
            )
        if isinstance(right, Relation):
            verdict = self._inequalities(left, right)
            if verdict is not None:
                return verdict
        if isinstance(right, Text):
            return False
        return self._as_sets(left, right)

    def _equations(self, left: Relation, right: Relation) -> bool:
        """Return whether one equation is the other times a number that is not zero."""
        first, second = difference(*left.members), difference(*right.members)
        unknowns = symbols(first)  # without any, as in f(1) = 3, all differences are proportional
        if (
            not unknowns
            or unknowns != symbols(second)
            or any(map(_holds_groups, (*left.members, *right.members)))
        ):
            return all(map(self.same, left.members, right.members)) or all(
                map(self.same, left.members, right.members[::-1]))  # fmt: skip
        return proportion(first, second, self.leaf) is not None

    def _inequalities(self, left: Relation, right: Relation) -> bool | None:
        """Compare inequalities as written: the same sign between members that differ by a factor."""
        if len(left.signs) == len(right.signs) == 1:
            (sign, first), (other, second) = one_sided(left), one_sided(right)
            if sign not in INEQUALITIES or sign != other:
                if sign not in INEQUALITIES or other not in INEQUALITIES:
                    return sign == other and all(map(self.same, left.members, right.members))
                return None if len(symbols(first)) == 1 else False
            if symbols(first) != symbols(second):
                return False
            factor = proportion(first, second, self.leaf)
            if factor is not None and (factor > 0 or sign == "!="):
                return True
        else:
            mine, theirs = ascending(left), ascending(right)
            if mine.signs == theirs.signs and all(map(self.same, mine.members, theirs.members)):
                return True
        if letters(left) != letters(right):
            return False
        return None if len(letters(left)) == 1 else False

    # sets

    def _as_sets(self, left: Node, right: Node) -> bool | None:
        if not self.rules.intervals and isinstance(left, Relation) != isinstance(right, Relation):
            return False
        if not _is_set(left) and not _is_set(right):
            return None
        if _expression(right) and not isinstance(right, Const) and not isinstance(left, SetOp):
            return False
        mine, theirs = read_set(left), read_set(right)
        if mine is None or theirs is None:
            return self._symbolic_sets(left, right)
        self.stage = "shape"
        return same_sets(mine, theirs, self.rules.tolerance)

    def _symbolic_sets(self, left: Node, right: Node) -> bool | None:
        if isinstance(left, Relation) and isinstance(right, Group) and right.kind in _BRACKETS:
            return self._chain_as_interval(ascending(left), right)
        if isinstance(left, SetOp) and isinstance(right, SetOp) and left.kind == right.kind:
            if left.kind == "minus":
                return self.same(left.left, right.left) and self.same(left.right, right.right)
            return self._matched(_flat(left), _flat(right))
        return False

    def _chain_as_interval(self, chain: Relation, interval: Group) -> bool:
        """`a < x < b` against `(a, b)` where the ends have letters."""
        if len(chain.signs) != 2 or len(interval.items) != 2 or not set(chain.signs) <= {"<", "<="}:
            return False
        closed = tuple(sign == "<=" for sign in chain.signs)
        return closed == (interval.kind[0] == "[", interval.kind[1] == "]") and all(
            map(self.same, (chain.members[0], chain.members[2]), interval.items)
        )

    def set_operation(self, left: SetOp, right: Node) -> bool | None:
        """Compare unions, intersections and differences as sets of real numbers."""
        return False if isinstance(right, Text | Based) else self._as_sets(left, right)

    # groups

    def group(self, left: Group, right: Node) -> bool | None:
        """Compare lists and sets by matching, tuples in order, ratios up to a factor."""
        if left is WRONG or left.kind == "wrong":
            return False
        if left.kind == "ratio":
            return self._ratio(left, right)
        if len(left.items) == 1:
            return self.same(left.items[0], right)
        if isinstance(right, Text | Based):
            return False
        if left.kind in _LISTS:
            return self._list(left, right)
        if left.kind in _BRACKETS:
            return self._tuple(left, right)
        return None

    def _list(self, left: Group, right: Node) -> bool | None:
        if isinstance(right, Group) and right.kind in _LISTS:
            if self.rules.ordered and "set" not in (left.kind, right.kind):
                return len(left.items) == len(right.items) and all(map(self.same, left.items, right.items))
            return self._matched(left.items, right.items) or (
                any(map(_surely_set, (*left.items, *right.items))) and bool(self._as_sets(left, right))
            )
        if any(isinstance(item, Relation) for item in left.items) and _is_set(right):
            return self._as_sets(left, right)
        if isinstance(right, Group) and right.kind in _BRACKETS:
            return (
                left.kind == "list" and right.kind in ("()", "[]") and self._in_order(left.items, right.items)
            )
        if isinstance(right, Matrix | Bindings):
            return False if isinstance(right, Matrix) else None
        if all(isinstance(item, Relation | Named) for item in left.items) or isinstance(
            right, SetOp | Relation
        ):
            return self._as_sets(left, right)
        return bool(left.items) and (
            all(self.same(item, right) for item in left.items) or same_options(left.items, right)
        )

    def _in_order(self, left: tuple[Node, ...], right: tuple[Node, ...]) -> bool:
        return len(left) == len(right) and all(map(self.same, left, right))

    def _matched(self, left: tuple[Node, ...], right: tuple[Node, ...]) -> bool:
        """Match two lists as sets: every element has its equal on the other side, repeats count once."""
        if len(left) > MAX_ITEMS or len(right) > MAX_ITEMS:
            return self._in_order(left, right)
        if self._in_order(left, right):
            return True
        return all(any(self.same(one, other) for other in right) for one in left) and all(
            any(self.same(other, one) for one in left) for other in right
        )

    def _tuple(self, left: Group, right: Node) -> bool | None:
        if isinstance(right, Group) and right.kind in _BRACKETS:
            if left.kind == right.kind or (
                len(left.items) != 2 and len(right.items) != 2 and {left.kind, right.kind} <= {"()", "[]"}
            ):
                return self._in_order(left.items, right.items)
            return False
        if isinstance(right, Matrix):
            return self._in_order(left.items, tuple(entry for row in right.rows for entry in row)) and 1 in (
                len(right.rows), len(right.rows[0]))  # fmt: skip
        if isinstance(right, SetOp | Relation | Const) and len(left.items) == 2:
            return self._as_sets(left, right)
        return None if isinstance(right, Group | Bindings | Named) else False

    def _ratio(self, left: Group, right: Node) -> bool | None:
        if isinstance(right, Group) and right.kind == "ratio":
            if len(left.items) != len(right.items):
                return False
            first, other = left.items[0], right.items[0]
            if not all(map(_expression, (*left.items, *right.items))):
                return all(map(self.same, left.items, right.items))
            if any(map(_zero, (first, other))):
                return all(map(self.same, left.items, right.items))
            return all(
                self.leaf(Mul((mine, other)), Mul((theirs, first)))
                for mine, theirs in zip(left.items[1:], right.items[1:], strict=True)
            )
        if len(left.items) == 2 and all(map(_expression, left.items)) and _expression(right):
            return self.same(Div(left.items[0], left.items[1]), right)
        return None if isinstance(right, Named | Relation | Group) else False

    # matrices, units, bases, words

    def matrix(self, left: Matrix, right: Node) -> bool | None:
        """Compare matrices entry by entry."""
        if isinstance(right, Matrix):
            if (len(left.rows), len(left.rows[0])) != (len(right.rows), len(right.rows[0])):
                return False
            return all(
                self._in_order(mine, theirs) for mine, theirs in zip(left.rows, right.rows, strict=True)
            )
        if len(left.rows) == len(left.rows[0]) == 1 and _expression(right):
            return self.same(left.rows[0][0], right)
        return None if isinstance(right, Group | Named) else False

    def quantity(self, left: Quantity, right: Node) -> bool | None:
        """Compare a value with its unit: converted, or with a bare value."""
        if isinstance(right, Quantity):
            return self._quantities(left, right)
        if isinstance(right, Group | Relation | Named | Bindings | Matrix | SetOp | Text):
            return None if not isinstance(right, Text) else False
        if left.unit.dimensions == "percent":
            fraction = self.same(Mul((left.value, Num(left.unit.factor))), right)
            return fraction or (self.rules.percent == "either" and self.same(left.value, right))
        if self.rules.units == "required" and left.unit.dimensions != "angle":
            self.reason = "the unit is missing"
            return False
        if self.same(left.value, right):
            return True
        if left.unit == DEGREE:
            return self.same(_radians(left), right)
        return bool(left.unit.letter) and self.same(Mul((left.value, Sym(left.unit.letter))), right)

    def _quantities(self, left: Quantity, right: Quantity) -> bool:
        mine, theirs = left.unit, right.unit
        if self.rules.units == "ignored" or mine == theirs or not (mine.dimensions and theirs.dimensions):
            return self.same(left.value, right.value)
        if mine.dimensions != theirs.dimensions:
            self.reason = "the units differ"
            return False
        equal = self.leaf(_in_base_units(left), _in_base_units(right))
        self.reason = "" if equal or mine.factor == theirs.factor else "the units differ in size"
        return equal

    def based(self, left: Based, right: Node) -> bool | None:
        """Compare digits in the same base."""
        if isinstance(right, Based):
            return (
                left.base == right.base
                and left.digits.lstrip("0").upper() == right.digits.lstrip("0").upper()
            )
        if isinstance(right, Named | Group):
            return None
        self.reason = "a number in another base"
        return False

    def text(self, left: Text, right: Node) -> bool | None:
        """Compare words."""
        if isinstance(right, Text):
            return left.words == right.words
        if isinstance(right, Mul):
            return left.words == spelled(right).lower()  # \text{ABD} and ABD
        if isinstance(right, Sym):
            return len(left.words) == 1 and left.words == right.name.lower()
        return False if not isinstance(right, Named | Group) else None

    def expression(self, left: Node, right: Node) -> bool | None:
        """Degrees inside an expression count for nothing, or for pi/180."""
        if any(isinstance(part, Quantity) for part in walk(left)):
            bare = _without_units(left)
            return self.same(bare, right) or self.same(_radians(left), right)
        return None

    def letter(self, left: Sym, right: Node) -> bool | None:
        """Compare letters without regard to case where the rules say so."""
        if self.rules.case == "any" and isinstance(right, Sym):
            return left.name.lower() == right.name.lower()
        return None


def undefined(node: Node) -> bool:
    """Whether a value is plainly undefined, which equals nothing."""
    if not _expression(node) or isinstance(node, Num | Sym):
        return False
    try:
        rational(node)
        zeros = (part.bottom for part in walk(node) if isinstance(part, Div) and not symbols(part.bottom))
        if any(rational(bottom) == 0 for bottom in zeros):
            return True
    except Undefined:
        return True
    except TooLarge:
        return False
    return (
        isinstance(node, Mul) and any(arg == Const("inf") for arg in node.args) and any(map(_zero, node.args))
    )


def _zero(node: Node) -> bool:
    return isinstance(node, Num) and node.value == 0


def _expression(node: Node) -> bool:
    return not isinstance(node, Group | Relation | Named | Bindings | Matrix | SetOp | Based | Text)


def _kind(node: Node) -> str:
    return type(node).__name__.lower()


def _is_set(node: Node) -> bool:
    if isinstance(node, Group):
        return (node.kind in _BRACKETS and len(node.items) == 2) or (
            node.kind in _LISTS
            and bool(node.items)
            and any(_is_set(item) or isinstance(item, Relation) for item in node.items)
        )
    if isinstance(node, Const):
        return node.name in ("R", "empty", "R+", "R-")
    return isinstance(node, SetOp) or (isinstance(node, Relation) and node.signs != ("=",))


def _surely_set(node: Node) -> bool:
    """Whether a set cannot be a pair of numbers: (2, 32) may be either, (2, 32] and x > 2 are sets."""
    if isinstance(node, Group) and node.kind in ("()", "[]"):
        return any(describe(item).infinite for item in node.items)
    return _is_set(node)


def _holds_groups(node: Node) -> bool:
    return any(isinstance(part, Group | Text | Matrix) for part in walk(node)) or describe(node).infinite


def _equation(node: Named) -> Relation:
    return Relation(("=",), (node.name, node.value))


def _flat(node: SetOp) -> tuple[Node, ...]:
    parts: list[Node] = []
    for side in (node.left, node.right):
        parts += _flat(side) if isinstance(side, SetOp) and side.kind == node.kind else (side,)
    return tuple(parts)


def _in_base_units(node: Quantity) -> Node:
    scaled = Mul((Num(node.unit.factor), node.value))
    return Add((scaled, Num(node.unit.offset))) if node.unit.offset else scaled


def _without_units(node: Node) -> Node:
    return _without_units(node.value) if isinstance(node, Quantity) else rebuild(node, _without_units)


def _decadic(node: Node) -> Node:
    """Read a logarithm without a base as the decadic one; at first it is read as the natural one."""
    if isinstance(node, Call) and node.name == "log" and len(node.args) == 1:
        return Call("log", (_decadic(node.args[0]), Num(Fraction(10))))
    return rebuild(node, _decadic)


def _radians(node: Node) -> Node:
    if isinstance(node, Quantity):
        return Div(Mul((_radians(node.value), Const("pi"))), Num(Fraction(180)))
    return rebuild(node, _radians)


_RULES: dict[type[Node], Callable[..., bool | None]] = {
    Named: Comparer.named,
    Bindings: Comparer.bindings,
    Relation: Comparer.relation,
    SetOp: Comparer.set_operation,
    Group: Comparer.group,
    Matrix: Comparer.matrix,
    Quantity: Comparer.quantity,
    Based: Comparer.based,
    Text: Comparer.text,
    Sym: Comparer.letter,
    Add: Comparer.expression,
    Mul: Comparer.expression,
    Div: Comparer.expression,
    Call: Comparer.expression,
}
# The rule of the type that stands first is asked first, whichever side it is on: so verdicts are symmetric.
_RANK = {kind: rank for rank, kind in enumerate(_RULES)}
