"""Checks a solution step by step: every link of its chains, and every equation against those before it."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import msgspec

from rewardstack_math.comparison import compare
from rewardstack_math.leaves import same_value
from rewardstack_math.lexicon import CONNECTIVES, FUNCTIONS, PLAIN_NAMES
from rewardstack_math.names import is_name
from rewardstack_math.nodes import (
    Big,
    Group,
    Mul,
    Node,
    Num,
    Pow,
    Quantity,
    Relation,
    Sym,
    rebuild,
    symbols,
    walk,
)
from rewardstack_math.normalisation import Unreadable, clean
from rewardstack_math.number import METER
from rewardstack_math.options import Rules
from rewardstack_math.parser import Parser
from rewardstack_math.sets import Pieces, read_set
from rewardstack_math.shapes import Comparer
from rewardstack_math.tokens import Token, tokenise
from rewardstack_math.units import is_unit
from rewardstack_math.writing import write

__all__ = ["Step", "StepCheck", "check_steps"]

MAX_STEPS = 200
MAX_STEP = 2_000  # characters of one step that are read
ROUNDING = 6e-3  # relative; steps round as they go along
_BREAKS = frozenset((",", ";", "and", ":", ".", "=>", "?", "!"))
_OPENING, _CLOSING = frozenset("([{") | {"{{", "<<"}, frozenset(")]}") | {"}}", ">>"}
_CALCULATION = re.compile(r"<<([^<>=]{1,200})=([^<>]{1,60})>>\s*\$?(-?[\d.,]*)")
_OPERATORS = frozenset("+-*/") - {""}
_NOUNS = re.compile(r"(\d[\d.,]*%?)\s*((?:[A-Za-z][A-Za-z'’-]+\s*){1,6})(?=[-–−+*/=×]|x\s+\$?\d)")
_CLOCK = re.compile(r"\d:\d\d")
_REWRITE = re.compile(
    r"expand|simplif|factor|evaluat|comput|calculat|rewrite|differentiat|integrat|multipl|prove|verif",
    re.IGNORECASE,
)
_CROSS = re.compile(r"(\d[\d.,]*%?)\s*[x×]\s*(?=\$?\d)")
_LEADING_NUMBER = re.compile(
    r"-?\$?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:/\d+)?(?:\s?\\?%)?(?![\d^*+(\\]|[a-z]\b|/[\d(]|\s*[-+*/^]\s*[\d(])"
)
_SENTENCE = re.compile(r"(?<=[.!?。])\s+(?=[A-Z\d\\$(])|(?<=。)")
_SOLVE = re.compile(
    r"\bsolve\b|\broots?\b|\bsolutions?\b|\bfind (?:all )?(?:[a-z]\b|the values?)", re.IGNORECASE
)
_LEAD = re.compile(r"^\s*(?:[*#>•-]+\s+|\(?\d{1,2}[.)]\s+|step\s*\d+\s*[:.)]\s*)*", re.IGNORECASE)


class Step(msgspec.Struct, frozen=True):
    """One step: `right` is False when it is wrong, None when nothing in it could be checked."""

    text: str
    right: bool | None
    reason: str = ""


class StepCheck(msgspec.Struct, frozen=True):
    """The steps of a solution; `first_error` is the index of the first wrong one, -1 when none was found."""

    steps: tuple[Step, ...]
    first_error: int
    reason: str

    @property
    def share(self) -> float:
        """The share of steps before the first error, 1.0 without one, 0.0 without steps."""
        if not self.steps:
            return 0.0
        return 1.0 if self.first_error < 0 else self.first_error / len(self.steps)


def split_steps(text: str) -> list[str]:
    """Split a solution into steps: its lines, or the sentences of a single line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) == 1:
        lines = [part for part in _SENTENCE.split(lines[0]) if part.strip()]
    return lines[:MAX_STEPS]


def check_steps(solution: str | Sequence[str], *, problem: str = "", gold: str = "") -> StepCheck:
    """Check a solution's equations, chains and stated results, in order.

    `problem` gives the equation that is to be solved; `gold` its answer: when no step is false in itself and the
    result is wrong all the same, the first step that sets something up is wrong, for what follows only follows from
    it. What is said in words alone is not checked. Never raises.
    """
    texts = split_steps(solution) if isinstance(solution, str) else list(solution)[:MAX_STEPS]
    checker = _Checker(problem, gold)
    steps = tuple(checker.step(text) for text in texts)
    wrong = next((at for at, step in enumerate(steps) if step.right is False), -1)
    if wrong >= 0:
        return StepCheck(steps, wrong, f"step {wrong + 1}: {steps[wrong].reason}")
    if gold and checker.result is not None and checker.misses_gold():
        blamed = next((at for at in range(len(steps)) if at not in checker.sound), len(steps) - 1)
        reason = f"the result {checker.result} is not {gold}, and no step after this one is false in itself"
        return StepCheck(steps, blamed, f"step {blamed + 1}: {reason}")
    return StepCheck(steps, -1, "no wrong step found" if steps else "there are no steps")


class _Checker:
    """What the steps so far have established."""

    def __init__(self, problem: str, gold: str) -> None:
        self.gold = gold
        solves = "=" in problem or _SOLVE.search(problem) is not None
        self.rewrites = not solves and _REWRITE.search(problem) is not None
        self.solutions: dict[str, Pieces] = {}
        self.asked: frozenset[str] = frozenset()  # letters whose equation the problem gives
        self.sound: set[int] = set()  # steps that hold by themselves
        self.result: str | None = None
        self.count = -1
        for statement in statements(problem) if problem else ():
            self._note(statement)
        self.asked = frozenset(self.solutions)

    def step(self, text: str) -> Step:
        """Check one step and remember what it establishes."""
        self.count += 1
        METER.refill()
        text = text[:MAX_STEP]
        checks = [*_calculations(text), *_said(text)]
        bare = _CALCULATION.sub(lambda match: match.group(3) or match.group(2), text)
        found = statements(_LEAD.sub("", bare, count=1))
        named = _announces(bare)
        checks += map(self._statement, found)
        self._remember_result(bare, found)
        wrong = next((check for check in checks if check[0] is False), None)
        if wrong is not None:
            return Step(text, False, wrong[1])
        if any(right for right, _ in checks) and not named and all(map(_closed, found)):
            self.sound.add(self.count)
        return Step(text, True if any(right for right, _ in checks) else None)

    def _remember_result(self, text: str, found: list[Node]) -> None:
        chains = [node for node in found if isinstance(node, Relation)]
        said = re.search(r"\b(?:is|are|equals)\s+([^=]*?)[.\s]*$", text)
        if said is not None and re.match(r"\$?[\d.-]|.{0,4}[a-z]\^", said.group(1)):
            self.result = _value(said.group(1))
        elif found and isinstance(found[-1], Group):
            self.result = " or ".join(
                part.rpartition("=")[2].strip(" .$") for part in re.split(r"\bor\b", text)
            )
        elif chains or "=" in text:
            self.result = _value(text.rpartition("=")[2])

    def misses_gold(self) -> bool:
        """Whether the last result differs from gold, with or without its unit."""
        return compare(self.gold, self.result or "").equal is False

    def _statement(self, node: Node) -> tuple[bool | None, str]:
        if isinstance(node, Group):
            return self._against_solutions(node)
        if not isinstance(node, Relation) or set(node.signs) - {"=", "~"}:
            return None, ""
        held = False
        for left, right in pairwise(node.members):
            verdict = self._link(left, right)
            held = held or verdict is True
            if verdict is False:
                return False, f"{write(left)} = {write(right)} does not hold"
        followed = self._against_solutions(node)
        return (True, "") if held and followed[0] is None else followed

    def _link(self, left: Node, right: Node) -> bool | None:
        """Return whether a = b holds; None where it defines or asks rather than claims."""
        converted = (
            isinstance(left, Quantity) and isinstance(right, Quantity) and Comparer(Rules()).same(left, right)
        )
        bare = [_plain(side, percent=1) for side in (left, right)]
        left, right = _plain(left), _plain(right)
        letters = symbols(left) | symbols(right)
        if not letters:
            return converted or same_value(left, right)[0] is True or _rounded(left, right) or _rounded(bare[0], bare[1]) or bool(
                same_value(bare[0], bare[1])[0])  # fmt: skip
        if is_name(left) or is_name(right):
            return None
        same = same_value(left, right)[0]
        if same:
            return True
        derived = any(isinstance(part, Big) for part in walk(left))
        return same if derived or (self.rewrites and symbols(left) == symbols(right)) else None

    def _against_solutions(self, node: Node) -> tuple[bool | None, str]:
        """Compare an equation in one letter with what the letter was known to be."""
        letter = _only_letter(node)
        solutions = read_set(_ends(node)) if letter else None
        if letter is None or not solutions or any(piece.start != piece.end for piece in solutions):
            return None, ""
        before = self.solutions.get(letter)
        if before is None or (letter not in self.asked and not _states_values(node)):
            self.solutions[letter] = (
                solutions  # a new equation may be about something else by the same letter
            )
            return None, ""
        strange = [
            piece for piece in solutions if not any(_near(piece.start, known.start) for known in before)
        ]
        if strange and (len(strange) == len(solutions) or _states_values(node)):
            known = " or ".join(f"{piece.start:g}" for piece in before)
            return False, f"{letter} = {strange[0].start:g} does not follow: before, {letter} was {known}"
        return True, ""

    def _note(self, node: Node) -> None:
        if isinstance(node, Relation | Group):
            self._against_solutions(node)


# reading


def statements(text: str) -> list[Node]:
    """Return the relations in a text, and lists of alternatives ("x = 2 or x = 3") as one."""
    if _CLOCK.search(text):
        return []  # arithmetic with times of day is not checked
    try:
        tokens = tokenise(clean(_CROSS.sub(r"\1 * ", _NOUNS.sub(_without_nouns, text.replace("//", "/")))))
    except Unreadable:
        return []
    found: list[Node] = []
    for run in _runs(tokens):
        node = _parsed(run)
        if isinstance(node, Relation) or (isinstance(node, Group) and node.kind == "or"):
            found.append(node)
    return found


def _without_nouns(match: re.Match[str]) -> str:
    """Drop what is counted before an operator: "9 books * 2"; units and functions stay."""
    words = match.group(2).split()
    glued = match.group()[len(match.group(1))].isalpha()  # 2ab, 5ml
    if glued and not is_unit(words[0]):
        return match.group()
    keep = any(word in FUNCTIONS or word.lower() in CONNECTIVES or word in PLAIN_NAMES for word in words)
    return match.group() if keep or (len(words) == 1 and is_unit(words[0])) else f"{match.group(1)} "


def _runs(tokens: list[Token]) -> list[list[Token]]:
    """Cut tokens at words and separators outside brackets; units stay with their numbers."""
    runs: list[list[Token]] = [[]]
    depth = 0
    partial: set[int] = set()  # runs that lack what words said: "2 x the width of 3 feet = 6 feet"
    for token in tokens:
        kind, text, _ = token
        depth += (text in _OPENING) - (text in _CLOSING) if kind == "o" else 0
        before = runs[-1][-1] if runs[-1] else ("", "", False)
        if kind == "w" and not ((is_unit(text) and before[0] in ("n", "w")) or before[1] == "/"):
            if (runs[-1] and runs[-1][-1][1] in _OPERATORS) or (not runs[-1] and len(runs) - 1 in partial):
                partial.add(len(runs))
            runs.append([])
        elif kind == "o" and text in _BREAKS and depth <= 0:
            runs.append([])
        else:
            if not runs[-1] and text in _OPERATORS and len(runs) > 1 and kind == "o" and runs[-2:-1] != [[]]:
                partial.add(len(runs) - 1)
            runs[-1].append(token)
    return [
        run
        for at, run in enumerate(runs)
        if at not in partial and any(token[1] == "=" or token[1] == "~" for token in run)
    ]


def _parsed(run: list[Token]) -> Node | None:
    for start in range(min(3, len(run))):  # a stray letter before the formula: "a 2 + 2 = 4"
        try:
            return Parser(list(run[start:])).whole()
        except (Unreadable, RecursionError, ValueError, IndexError):
            continue
    return None


def _plain(node: Node, percent: int = 100) -> Node:
    """Drop units, but let a percent count."""
    if isinstance(node, Quantity):
        value = _plain(node.value, percent)
        return Mul((value, Num(Fraction(1, percent)))) if node.unit.dimensions == "percent" else value
    return rebuild(node, lambda part: _plain(part, percent))


def _value(text: str) -> str | None:
    """Return the quantity a text begins with, else the text."""
    text = re.sub(r"^(?:[a-z]+ ){1,3}(?=\$?\d)", "", text.strip(" .*$"))
    match = _LEADING_NUMBER.match(text)
    return match.group().strip() if match else text or None


def _rounded(left: Node, right: Node) -> bool:
    """Whether one side is a decimal that rounds the other."""
    if not any(isinstance(part, Num) and part.digits for part in (*walk(left), *walk(right))):
        return False
    return same_value(left, right, ROUNDING)[0] is True and isinstance(right, Num)


def _only_letter(node: Node) -> str | None:
    letters = symbols(node)
    return next(iter(letters)) if len(letters) == 1 and len(next(iter(letters))) == 1 else None


def _ends(node: Node) -> Node:
    """Return a chain as its first and last member: c^2 = 9 + 16 = 25 says c^2 = 25."""
    if isinstance(node, Relation):
        return Relation(("=",), (_plain(node.members[0]), _plain(node.members[-1])))
    return Group("or", tuple(_ends(item) for item in node.items)) if isinstance(node, Group) else node


def _states_values(node: Node) -> bool:
    parts = node.items if isinstance(node, Group) else (node,)
    return all(isinstance(part, Relation) and isinstance(part.members[0], Sym) for part in parts)


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= ROUNDING * max(1.0, abs(other))


def _closed(node: Node) -> bool:
    """Whether a statement holds by itself: it has no letters, or is an identity that was checked."""
    return isinstance(node, Relation) and not (is_name(node.members[0]) or is_name(node.members[-1]))


def _announces(text: str) -> bool:
    """Whether words give the formula a meaning the check cannot see: "the new price is 40 + 10"."""
    before = text.partition("=")[0]
    if _OF.search(text) is not None:
        return False
    return re.search(r"\b(?:is|are|equals|gives|there)\b", before, re.IGNORECASE) is not None


# what is said in words

_MATH = r"([^,;:=]+?)"
_OF = re.compile(
    r"\b(?P<what>anti-?derivative|integral|derivative|square root|cube root|square|half|double|percent|%)\s+of\s+"
    r"(?P<of>[^,;:=]+?)\s+(?:is|equals|=)\s+(?P<value>[^,;:=]+?)(?:\s*=|[.,;]?\s*$|[,;]\s|\s+and\b)",
    re.IGNORECASE,
)
_PERCENT_OF = re.compile(
    r"([\d.]+)\s*(?:\\?%|percent)\s+of\s+\$?([\d.,]+)\s+(?:is|equals|=)\s+\$?([\d.,]*\d)(?![\d.]|\s*[*/+^-])"
)


def _said(text: str) -> list[tuple[bool | None, str]]:
    """Check results given in words: "25% of 40 is 10", "an antiderivative of 2x is x^2"."""
    checks: list[tuple[bool | None, str]] = []
    for match in _PERCENT_OF.finditer(text):
        part, whole, value = (Fraction(group.replace(",", "").rstrip(".")) for group in match.groups())
        right = abs(part * whole / 100 - value) <= Fraction(ROUNDING) * abs(value)
        checks.append((right, "" if right else f"{match.group()} does not hold"))
    for match in _OF.finditer(text):
        rule = _RESULTS.get(match.group("what").lower().replace("-", ""))
        if rule is None:
            continue
        of, result = _node(match.group("of")), _node(match.group("value"))
        if of is not None and result is not None:
            verdict = rule(of, result)
            checks.append((verdict, "" if verdict else f"{match.group().strip()} does not hold"))
    return checks


def _node(text: str) -> Node | None:
    try:
        node = _parsed(tokenise(clean(text)))
    except Unreadable:
        return None
    return None if node is None or isinstance(node, Group | Relation) else _plain(node)


def _antiderivative(of: Node, value: Node) -> bool | None:
    letters = symbols(of) or symbols(value)
    if len(letters) != 1:
        return None
    (letter,) = letters
    return same_value(Big("diff", letter, None, None, value), of)[0]


def _power_of(exponent: Fraction) -> Callable[[Node, Node], bool | None]:
    return lambda of, value: same_value(Pow(of, Num(exponent)), value)[0]


def _times(factor: Fraction) -> Callable[[Node, Node], bool | None]:
    return lambda of, value: None if symbols(of) else same_value(Mul((Num(factor), of)), value)[0]


_RESULTS: dict[str, Callable[[Node, Node], bool | None]] = {
    "antiderivative": _antiderivative,
    "integral": _antiderivative,
    "derivative": lambda of, value: _antiderivative(value, of),
    "square root": _power_of(Fraction(1, 2)),
    "cube root": _power_of(Fraction(1, 3)),
    "square": _power_of(Fraction(2)),
    "half": _times(Fraction(1, 2)),
    "double": _times(Fraction(2)),
}


def _calculations(text: str) -> list[tuple[bool | None, str]]:
    """Check GSM8K's calculator notes, <<48/2=24>>24."""
    checks: list[tuple[bool | None, str]] = []
    for match in _CALCULATION.finditer(text):
        left, right = _node(match.group(1)), _node(match.group(2))
        if left is None or right is None:
            continue
        holds = same_value(left, right)[0] is True or _rounded(left, right)
        checks.append((holds, "" if holds else f"{match.group(1)} = {match.group(2)} does not hold"))
    return checks
