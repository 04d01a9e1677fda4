"""What an equation says: a name for a value, several names, or a condition on unknowns."""

from fractions import Fraction
from itertools import pairwise

from rewardstack_math.evaluation import NeedsMore, Numbers, evaluate
from rewardstack_math.leaves import same_value
from rewardstack_math.nodes import (
    Add,
    Apply,
    Big,
    Call,
    Const,
    Div,
    Group,
    Matrix,
    Mul,
    Node,
    Num,
    PlusMinus,
    Pow,
    Quantity,
    Relation,
    SetOp,
    Sym,
    Text,
    rebuild,
    symbols,
    walk,
)
from rewardstack_math.number import TooLarge, Undefined, rational
from rewardstack_math.sets import read_set, same_sets

__all__ = ["Bindings", "Named", "may_name", "same_options", "settle", "spelled"]

WRONG = Group("wrong", ())  # an answer that contradicts itself; it equals nothing


_SQUARED = (Sym("sigma"), Sym("chi"))  # a variance is known by its square
_OPTIONS = frozenset("ABCDEFGH")
_ELLIPSIS = Sym("...")
MAX_FILLED = 300


class Named(Node, frozen=True, gc=False):
    """A value with the name it was given: `x = 5`, `f(x) = x^2`, `x in (0, 1)`."""

    name: Node
    value: Node


class Bindings(Node, frozen=True, gc=False):
    """Several names with their values, in the order given: `x = 1, y = 2`, `(x, y) = (1, 2)`."""

    names: tuple[Node, ...]
    values: tuple[Node, ...]


def is_name(node: Node) -> bool:
    """Whether a node only names a quantity: a letter, f(x), a_n, a segment, an angle, a ratio of such."""
    if isinstance(node, Sym | Text):
        return True
    if isinstance(node, Const):
        return node.name == "e"
    if isinstance(node, Apply):
        return True
    if isinstance(node, Mul):
        return all(isinstance(part, Sym) for part in node.args) and (
            all(_capital(part) for part in node.args)
            or any(" " in part.name for part in node.args if isinstance(part, Sym))
        )
    if isinstance(node, Div):
        return (is_name(node.top) and is_name(node.bottom)) or (
            _differential(node.top) and _differential(node.bottom)
        )
    if isinstance(node, Pow):
        return node.base in _SQUARED and node.exponent == Num(Fraction(2))
    if isinstance(node, Group):
        return node.kind == "ratio" and all(map(is_name, node.items))
    if isinstance(node, Call):
        named = node.args[0]
        return (
            len(node.args) == 1
            and is_name(named)
            and (
                (node.name in ("abs", "conj") and (_capital(named) or isinstance(named, Mul)))
                or (isinstance(named, Sym) and (" " in named.name or named.name.isupper()))
            )
        )
    return False


def _differential(node: Node) -> bool:
    return isinstance(node, Mul) and len(node.args) == 2 and node.args[0] == Sym("d")


def may_name(name: Node, letters: frozenset[str]) -> bool:
    """Whether conditions on letters can be on the named value: x in (0, 1) is not 0 < y < 1, D = (0, 1) is."""
    return not isinstance(name, Sym) or name.name[0].isupper() or letters <= {name.name}


def same_options(items: tuple[Node, ...], row: Node) -> bool:
    """Whether items are the letters of several options, A to H, and `row` is the same letters in a row."""
    letters = spelled(row)
    found = {item.name for item in items if isinstance(item, Sym)}
    return len(items) > 1 and found == set(letters) <= _OPTIONS and len(found) == len(items) == len(letters)


def spelled(node: Node) -> str:
    """Return the capitals that stand in a row, "ABD"; nothing for any other product."""
    parts = node.args if isinstance(node, Mul) else ()
    names = [part.name for part in parts if isinstance(part, Sym) and len(part.name) == 1]
    row = "".join(names) if len(names) == len(parts) else ""
    return row if row.isupper() else ""


def _capital(node: Node) -> bool:
    return isinstance(node, Sym) and node.name[0].isupper()


def _rounds(exact: Node, shown: Node) -> bool:
    """Whether `shown` is a correct rounding of `exact`."""
    number = shown.value if isinstance(shown, Quantity) else shown
    places = 0
    if isinstance(number, Num):
        bottom = number.value.denominator
        while 10**places % bottom and places < 40:
            places += 1
        places = max(places, 0)
    gap = Add((exact, Mul((Num(Fraction(-1)), shown))))
    bound = Num(Fraction(51, 100) / 10**places)
    try:
        value = evaluate(gap, {}, Numbers())
        return bool(abs(value) <= float(bound.value))
    except (Undefined, TooLarge, NeedsMore, TypeError):
        return bool(same_value(exact, shown, 5e-3)[0])


def settle(node: Node) -> Node:
    """Return what an answer says: names apart from values, lists flat, ± and matrix arithmetic carried out."""
    if isinstance(node, Relation):
        return _relation(node)
    if isinstance(node, Group):
        return _group(node)
    if isinstance(node, SetOp):
        return _set_operation(node)
    if isinstance(node, Add | Mul | Div | Pow | Call | Quantity):
        parts = set(map(type, walk(node)))
        if PlusMinus in parts:
            return Group("list", (_signed(node, 1), _signed(node, -1)))
        if Matrix in parts:
            return fold_matrices(node)
        return node
    if isinstance(node, PlusMinus):
        return Group("list", (_signed(node, 1), _signed(node, -1)))
    return node


def _signed(node: Node, sign: int) -> Node:
    if isinstance(node, PlusMinus):
        inner = _signed(node.arg, sign)
        return inner if node.sign * sign > 0 else Mul((Num(Fraction(-1)), inner))
    return rebuild(node, lambda part: _signed(part, sign))


def _relation(node: Relation) -> Node:
    signs, members = node.signs, node.members
    if "~" in signs:
        at = signs.index("~")
        exact, shown = members[at], members[-1]
        if not is_name(exact) and not symbols(exact):
            if not _rounds(exact, shown):
                return WRONG
            signs, members = signs[:at], members[: at + 1]
        else:
            signs = tuple("=" if sign == "~" else sign for sign in signs)
        if not signs:
            return settle(members[0])
    if signs == ("!=",) and any(isinstance(part, PlusMinus) for part in walk(members[1])):
        return Group(
            "list", tuple(Relation(signs, (members[0], _signed(members[1], sign))) for sign in (1, -1))
        )
    if isinstance(members[-1], Group) and members[-1].kind == "ratio":
        return _twice(Relation(signs, members), members[-1])
    if signs == ("in",):
        return _named(members[0], settle(members[1])) if is_name(members[0]) or _tuple(members[0]) else node
    if set(signs) != {"="}:
        return Relation(signs, members)
    return _equality(members)


def _twice(node: Relation, last: Group) -> Node:
    """Read an inequality that is followed by its interval, `x < 2 : (-oo, 2)`, as the one where both agree."""
    end, *others = last.items
    if len(others) != 1 or not isinstance(others[0], Group | SetOp):
        return node if set(node.signs) != {"="} else _equality(node.members)
    short = settle(Relation(node.signs, (*node.members[:-1], end)))
    mine, theirs = read_set(short), read_set(others[0])
    return short if mine is not None and theirs is not None and same_sets(mine, theirs, 0.0) else WRONG


def _tuple(node: Node) -> bool:
    return isinstance(node, Group) and node.kind in ("()", "[]", "list")


def _equality(members: tuple[Node, ...]) -> Node:
    first, last = members[0], members[-1]
    if len(members) > 2 and _unrelated(members):
        return Group("list", tuple(Relation(("=",), pair) for pair in pairwise(members)))
    if _tuple(first) and isinstance(first, Group) and all(map(is_name, first.items)):
        value = settle(last)
        if isinstance(value, Group) and _tuple(value) and len(value.items) == len(first.items):
            return Bindings(first.items, value.items)
        return Named(first, value)
    if is_name(first):
        return _named(first, settle(last))
    if len(members) > 2:
        return settle(last)
    if is_name(last):
        return _named(last, settle(first))
    if isinstance(first, Big) or (
        symbols(first) == symbols(last) and (not symbols(first) or same_value(first, last)[0])
    ):
        return settle(last)
    return Relation(("=",), members)


def _unrelated(members: tuple[Node, ...]) -> bool:
    """Whether a chain is the condition on its letters that a line is, x/2 = y/3 = z, and no calculation."""
    names = [symbols(member) for member in members]
    return all(names) and len(frozenset().union(*names)) == sum(map(len, names))


def _named(name: Node, value: Node) -> Node:
    return Named(name, value.value if isinstance(value, Named) else value)


def _group(node: Group) -> Node:
    if node.kind == "ratio" and any(isinstance(item, Relation) for item in node.items):
        return node
    if node.kind not in ("list", "or", "set"):
        parts = tuple(map(settle, node.items))
        return _matrix(parts) if node.kind == "[]" else Group(node.kind, parts)
    if len(node.items) == 2 and _only_counts(node.items[1], node.items[0]):
        return settle(node.items[0])
    if _ELLIPSIS in node.items:
        node = Group(node.kind, _filled(node.items))
    items: list[Node] = []
    for item in node.items:
        settled = settle(item)
        if isinstance(settled, Group) and settled.kind in ("list", "or") and not isinstance(item, Group):
            items += settled.items  # ± gives two values
        else:
            items.append(settled)
    if any(isinstance(item, Named | Bindings) for item in items):
        return _bound(items, node.kind)
    return Group(node.kind, tuple(items)) if len(items) != 1 else items[0] if node.kind != "set" else Group(
        "set", tuple(items))  # fmt: skip


def _matrix(rows: tuple[Node, ...]) -> Node:
    """Read `[[1, 2], [3, 4]]` as a matrix, other square brackets as they are."""
    entries = tuple(row.items for row in rows if isinstance(row, Group) and row.kind == "[]")
    if len(entries) == len(rows) and len({len(row) for row in entries}) == 1:
        return Matrix(entries)
    return Group("[]", rows)


def _only_counts(node: Node, counted: Node) -> bool:
    r"""Whether `k \in Z` only says what runs in `2k\pi, k \in Z`; of an inequality it is a part."""
    if not isinstance(node, Relation) or node.signs != ("in",) or not isinstance(node.members[0], Sym):
        return False
    inequality = isinstance(counted, Relation) and not set(counted.signs) <= {"=", "in", "~"}
    where = node.members[1]
    return isinstance(where, Const | Sym) and where.name in ("Z", "N", "R", "Q", "Z+", "N+", "N*") and (
        not inequality and node.members[0].name in symbols(counted) and counted != node.members[0])  # fmt: skip


def _filled(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """Fill in the whole numbers that `1, 3, ..., 9` leaves out; other ellipses stay."""
    at = items.index(_ELLIPSIS)
    known = [item.value for item in items if isinstance(item, Num) and item.value.denominator == 1]
    if len(known) != len(items) - 1 or not 0 < at < len(items) - 1:
        return items
    before, after = known[:at], known[at:]
    steps = {later - sooner for sooner, later in pairwise(before)} or {Fraction(1)}
    step = steps.pop()
    gap = (after[0] - before[-1]) / step if step else Fraction(0)
    if steps or gap.denominator != 1 or not 0 < gap < MAX_FILLED:
        return items
    between = (before[-1] + k * step for k in range(1, int(gap)))
    return tuple(map(Num, (*before, *between, *after)))


def _bound(items: list[Node], kind: str) -> Node:
    """Settle a list that has names: `x=1, y=2`; `x=2 or x=3`; `n=2,3,4`; `(x,y)=(5,8) and (8,5)`."""
    first = items[0]
    if all(isinstance(item, Named) for item in items):
        named = [item for item in items if isinstance(item, Named)]
        names = [item.name for item in named]
        if len(set(names)) == len(names):
            return Bindings(tuple(names), tuple(item.value for item in named))
        if len(set(names)) == 1:
            return Named(names[0], _flat("list", [item.value for item in named]))
        half = _pairs(names, [item.value for item in named])
        return half if half is not None else Group("list", tuple(items))
    if isinstance(first, Named) and not any(isinstance(item, Named | Bindings) for item in items[1:]):
        return Named(first.name, _flat("list", [first.value, *items[1:]]))
    if isinstance(first, Bindings):
        rows = [_row(item) for item in items]
        return Group("list", tuple(rows))
    return Group(kind, tuple(items))


def _pairs(names: list[Node], values: list[Node]) -> Node | None:
    """Read `x=1,y=2,x=3,y=4` as two rows."""
    width = len(set(names))
    if len(names) % width or any(names[at] != names[at % width] for at in range(len(names))):
        return None
    rows = (tuple(values[at : at + width]) for at in range(0, len(values), width))
    return Group("list", tuple(Bindings(tuple(names[:width]), row) for row in rows))


def _row(node: Node) -> Node:
    return Group("()", node.values) if isinstance(node, Bindings) else node


def _flat(kind: str, values: list[Node]) -> Node:
    flat: list[Node] = []
    for value in values:
        flat += value.items if isinstance(value, Group) and value.kind in ("list", "or") else (value,)
    return Group(kind, tuple(flat))


def _set_operation(node: SetOp) -> Node:
    left, right = settle(node.left), settle(node.right)
    if node.kind == "cup" and all(isinstance(side, Group) and side.kind == "set" for side in (left, right)):
        return Group("set", (*left.items, *right.items))  # type: ignore[attr-defined]
    return SetOp(node.kind, left, right)


# matrix arithmetic


def fold_matrices(node: Node) -> Node:
    """Return the matrix that sums, products and powers of matrices make, or the node where they make none."""
    if isinstance(node, Quantity):
        return node
    parts = [fold_matrices(part) for part in _below(node)]
    if isinstance(node, Add) and all(isinstance(part, Matrix) for part in parts):
        return _entrywise([part for part in parts if isinstance(part, Matrix)])
    if isinstance(node, Mul):
        product: Node = parts[0]
        for part in parts[1:]:
            product = _times(product, part)
        return product
    if isinstance(node, Div) and isinstance(parts[0], Matrix):
        return Matrix(tuple(tuple(Div(entry, parts[1]) for entry in row) for row in parts[0].rows))
    if isinstance(node, Pow) and isinstance(parts[0], Matrix):
        return _matrix_power(parts[0], node.exponent) or node
    return node


def _below(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Add | Mul):
        return node.args
    if isinstance(node, Div):
        return node.top, node.bottom
    return (node.base, node.exponent) if isinstance(node, Pow) else ()


def _entrywise(matrices: list[Matrix]) -> Node:
    shapes = {(len(m.rows), len(m.rows[0])) for m in matrices}
    if len(shapes) != 1:
        return WRONG
    rows = zip(*(m.rows for m in matrices), strict=True)
    return Matrix(tuple(tuple(Add(entries) for entries in zip(*row, strict=True)) for row in rows))


def _times(left: Node, right: Node) -> Node:
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        if len(left.rows[0]) != len(right.rows) or len(left.rows) * len(right.rows[0]) > 400:
            return WRONG
        columns = list(zip(*right.rows, strict=True))
        return Matrix(tuple(tuple(Add(tuple(Mul((a, b)) for a, b in zip(row, column, strict=True)))
                                  for column in columns) for row in left.rows))  # fmt: skip
    for matrix, scale in ((left, right), (right, left)):
        if isinstance(matrix, Matrix):
            return Matrix(tuple(tuple(Mul((scale, entry)) for entry in row) for row in matrix.rows))
    return Mul((left, right))


def _matrix_power(matrix: Matrix, exponent: Node) -> Node | None:
    if exponent == Sym("T") or exponent == Const("T"):
        return Matrix(tuple(zip(*matrix.rows, strict=True)))
    try:
        power = rational(exponent)
    except (Undefined, TooLarge):
        return None
    if power is None or power.denominator != 1 or not 1 <= power <= 6:
        return None
    product: Node = matrix
    for _ in range(int(power) - 1):
        product = _times(product, matrix)
    return product
