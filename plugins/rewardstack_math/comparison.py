"""Whether an answer equals the gold answer: the stages, cheapest first, and the reason for the verdict."""

import re
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import msgspec

from rewardstack_math.clocks import same_time
from rewardstack_math.leaves import DECIMAL_TOLERANCE
from rewardstack_math.names import settle
from rewardstack_math.nodes import Div, Mul, Node, Num, Quantity, Sym, Text, symbols
from rewardstack_math.normalisation import Unreadable, clean, closing
from rewardstack_math.number import METER, TooLarge, Undefined, rational
from rewardstack_math.options import Rules
from rewardstack_math.parser import parse
from rewardstack_math.shapes import Comparer, undefined
from rewardstack_math.symbolic import decide
from rewardstack_math.tokens import Token, tokenise

__all__ = ["Comparison", "Reading", "compare", "compare_by", "read", "read_gold"]


class Comparison(msgspec.Struct, frozen=True):
    """The verdict: `equal`, one sentence why, and the stage that decided.

    `equal` is None when the gold answer cannot be read: then nothing is said of the answer. Stages: `read` (one side
    cannot be read), `text`, `exact`, `shape`, `sampling`, `logarithm`, `size`, `sympy`, `undefined`.
    """

    equal: bool | None
    reason: str
    stage: str


class Reading(msgspec.Struct, frozen=True, gc=False):
    """A text as tokens and tree; `fault` says why there is no tree."""

    tokens: tuple[tuple[str, str], ...]
    node: Node | None
    fault: str


DEFAULTS = Rules()
_NUMERAL = re.compile(
    r"(?P<sign>-?)(?:(?P<whole>\d{1,40})|(?P<grouped>[1-9]\d{0,2}(?:,\d{3}){1,8})|(?P<decimal>\d{1,40}\.\d{1,40})"
    r"|(?:\\[dtc]?frac\{(?P<top>\d{1,20})\}\{(?P<bottom>0*[1-9]\d{0,20})\}|(?P<over>\d{1,20})/(?P<under>[1-9]\d{0,20})))",
    re.ASCII,
)
_UNDEFINED = re.compile(r"/\s*\{?0|\}\{0\}|infty")
_PAIR = re.compile(r"[(\[{][^()\[\]{}]*\d,\d{3}[^\d]")
_OPTION = re.compile(
    r"\(?([A-J])(?:\)(?=[\s\\}$\d]|$)|[.:](?=[\s}]))(?!\}?\s*(?:[-+*/=^<>]|\\(?:cdot|times|cup|cap|le|ge|pm|in)(?![a-z])|\(?[A-J]\)))"
)
_OTHER_OPTION = re.compile(r"[\s,;/]*(?:(?:or|and|nor)\b|[,;/])\s*\(?[A-J]\b")
_LATER_OPTION = re.compile(r"\b(?:or|and|nor)\s*\(?[A-J][).:]")
_STYLE = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|mbox)\s*\{")
_SHOWN = 80
MAX_QUICK = 2_000


def compare(
    gold: str,
    answer: str,
    *,
    tolerance: float = DECIMAL_TOLERANCE,
    percent: Literal["either", "fraction"] = "either",
    units: Literal["optional", "required", "ignored"] = "optional",
    ordered: bool = False,
    intervals: bool = True,
    simplified: bool = False,
    case: Literal["exact", "any"] = "exact",
    text: bool = True,
) -> Comparison:
    """Compare an answer with the gold answer, both as LaTeX, plain notation or words.

    The options are those of `Rules`. Symmetric where both can be read and `simplified` is not set. Never raises,
    executes nothing, and takes a bounded time; what cannot be shown equal is not equal. Does not look for the answer
    in a longer text: that is `extract`.
    """
    rules = DEFAULTS
    if not (tolerance == DECIMAL_TOLERANCE and percent == "either" and units == "optional" and not ordered and intervals
            and not simplified and case == "exact" and text):  # fmt: skip
        rules = Rules(tolerance, percent, units, ordered, intervals, simplified, case, text)
    return compare_by(gold, answer, rules)


def compare_by(gold: str, answer: str, rules: Rules) -> Comparison:
    """Compare under rules that were made once."""
    if rules.text and not rules.simplified:
        quick = _plain(gold, answer)
        if quick is not None:
            return quick
    METER.refill()
    mine = read_gold(gold)
    if mine.node is None:
        same = bool(gold.strip()) and gold.strip() == answer.strip()
        return Comparison(True if same else None, f"the gold answer cannot be read: {mine.fault}", "read")
    if not rules.text and isinstance(mine.node, Text):
        return Comparison(None, "the gold answer is words, and text answers are switched off", "read")
    theirs = read(answer)
    if theirs.node is None and _is_option(answer, mine.node):
        return _verdict(True, gold, answer, "text")
    if theirs.node is None:
        return Comparison(False, f"the answer cannot be read: {theirs.fault}", "read")
    verdict = _judge(mine, theirs, rules, gold, answer)
    if verdict.equal and rules.simplified and not _finished(theirs.node):
        return Comparison(False, f"answer {_shown(answer)} is right, but not simplified", "shape")
    return verdict


def _bare(text: str) -> str:
    """Take off the usual wrapping without looking at the whole text; `normalisation.clean` does it thoroughly."""
    text = text.strip()
    if text[-1:] in "$.":
        text = text.rstrip(".")
        if text[:1] == "$" == text[-1:] and text.count("$") == 2:
            text = text[1:-1].strip()
    if text.startswith("\\boxed{") and text.endswith("}"):
        inner = text[7:-1]
        if ("{" not in inner and "}" not in inner) or closing(text, 7) == len(text) - 1:
            return inner.strip()
    return text


def _plain(gold: str, answer: str) -> Comparison | None:
    """Decide equal texts, numerals and simple fractions without parsing; None for the rest."""
    if len(gold) > MAX_QUICK or len(answer) > MAX_QUICK:
        return None
    mine, theirs = _bare(gold), _bare(answer)
    if mine == theirs:
        return _verdict(True, gold, answer, "text") if mine and _UNDEFINED.search(mine) is None else None
    one, other = _NUMERAL.fullmatch(mine), _NUMERAL.fullmatch(theirs)
    if one is None or other is None:
        return None
    first, second = _value(one), _value(other)
    if first == second:
        return _verdict(True, gold, answer, "exact")
    if (one.lastgroup == "decimal" and type(second) is Fraction) or (
        other.lastgroup == "decimal" and type(first) is Fraction
    ):
        return None  # a decimal may stand for a fraction
    return _verdict(False, gold, answer, "exact")


def _value(match: re.Match[str]) -> int | Fraction:
    """Return the value of a numeral; whole numbers as int, which compare faster."""
    kind = match.lastgroup
    text = match.group()
    if kind == "whole":
        return int(text)
    if kind == "grouped":
        return int(text.replace(",", ""))
    if kind == "decimal":
        return Fraction(text)
    top, bottom = match.group("top", "bottom") if kind == "bottom" else match.group("over", "under")
    return Fraction(int(match.group("sign") + top), int(bottom))


def _shown(text: str) -> str:
    """Shorten a text for a reason, without lone surrogates, which no file or log could take."""
    text = " ".join(text[: 4 * _SHOWN].encode("utf-8", "replace").decode().split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _verdict(equal: bool, gold: str, answer: str, stage: str, why: str = "") -> Comparison:
    relation = "equals" if equal else "does not equal"
    return Comparison(
        equal, f"answer {_shown(answer)} {relation} {_shown(gold)}{': ' + why if why else ''}", stage
    )


@lru_cache(maxsize=4096)
def read_gold(text: str) -> Reading:
    """Golds come back for every completion of a group, and every epoch: keep them parsed."""
    return read(text)


def read(text: str, thousands: bool = True) -> Reading:
    """Return a text as tokens and a settled tree; one that cannot be read has a fault and no tree."""
    tokens: list[Token] = []
    try:
        tokens = tokenise(clean(text), thousands)
        node = settle(parse(tokens))
    except (Unreadable, RecursionError, ValueError, ArithmeticError) as fault:
        return Reading((), None, str(fault) or type(fault).__name__)
    return Reading(tuple(token[:2] for token in tokens), node, "")


def _judge(mine: Reading, theirs: Reading, rules: Rules, gold: str, answer: str) -> Comparison:
    if mine.node is None or theirs.node is None:
        return _verdict(False, gold, answer, "read")
    special = same_time(gold, answer)
    if special is not None:
        return _verdict(special, gold, answer, "text")
    comparer = Comparer(rules, decide)
    if mine.tokens == theirs.tokens and not undefined(mine.node):
        return _verdict(True, gold, answer, "text")
    try:
        equal = comparer.same(mine.node, theirs.node)
        if not equal:
            equal = _other_readings(gold, answer, mine.node, theirs.node, rules)
    except RecursionError:
        return _verdict(False, gold, answer, "shape", "nested too deep")
    return _verdict(equal, gold, answer, comparer.stage, "" if equal else comparer.reason)


def _other_readings(gold: str, answer: str, mine: Node, theirs: Node, rules: Rules) -> bool:
    """Try readings that are second best: (100,200) as a pair, "(C) 5 m/s" as the option C."""
    for one, node in ((gold, theirs), (answer, mine)):
        if _PAIR.search(one) is not None:
            again = read(one, thousands=False).node
            if again is not None and Comparer(rules).same(again, node):
                return True
        if _is_option(one, node):
            return True
    return False


def _is_option(text: str, node: Node) -> bool:
    """Whether a text is an option's letter with its text, "(C) 5 m/s", and the other side that letter."""
    if not (isinstance(node, Sym) and len(node.name) == 1 and node.name.isupper()):
        return False
    bare = _STYLE.sub("", clean(text))
    option = _OPTION.match(bare)
    return (
        option is not None
        and option.group(1) == node.name
        and _OTHER_OPTION.match(bare, option.end()) is None
        and _LATER_OPTION.search(bare, option.end()) is None
    )


def _finished(node: Node) -> bool:
    """Whether a numeric answer is written out: a numeral, a fraction in lowest terms, no open sums of numbers."""
    if isinstance(node, Quantity):
        return _finished(node.value)
    if isinstance(node, Div) and isinstance(node.top, Num) and isinstance(node.bottom, Num):
        top, bottom = node.top.value, node.bottom.value
        return (
            top.denominator == bottom.denominator == 1
            and bottom > 1
            and Fraction(top, bottom).denominator == bottom
        )
    if isinstance(node, Mul) and len(node.args) == 2 and node.args[0] == Num(Fraction(-1)):
        return _finished(node.args[1])
    if isinstance(node, Num) or symbols(node):
        return True
    try:
        return rational(node) is None
    except (TooLarge, Undefined):
        return True
