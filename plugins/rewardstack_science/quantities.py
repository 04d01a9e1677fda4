"""`science.quantity`: whether a reply states the right value with the right unit, and what is wrong where not."""

import math
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Literal

import msgspec

from rewardstack import Answer, Score, beside, find_answer, reward, visible_text
from rewardstack_math import numeric_value
from rewardstack_science.commitments import find_rival
from rewardstack_science.marks import leave_out_struck
from rewardstack_science.measures import Measure, plain, read_measures
from rewardstack_science.units import NONE, Unit
from rewardstack_science.wording import (
    DENIED_AFTER,
    HEDGED,
    SHARE,
    affirm,
    behind_correction,
    denied_before,
    shorten,
    word_set,
)

__all__ = ["Verdict", "compare_quantities", "quantity", "read_gold", "same_quantity", "stated_quantity"]

Tolerance = float | Literal["figures"]
Kind = Literal["equal", "missing_unit", "dimension", "sign", "prefix", "value"]

LONGEST_CORRECTION = 1_000  # characters at the end in which a commitment that is taken back is put right
WITHOUT_FIGURES = 0.01  # of a gold that has no last digit: 1/2, √2
SLACK = 1e-9  # of the tolerance itself, for what floats lose


class Verdict(msgspec.Struct, frozen=True):
    """How a quantity compares with gold: the kind of fault, and a sentence."""

    kind: Kind
    reason: str


class Stated(msgspec.Struct, frozen=True):
    """The quantity a reply states, or the reason why it states none."""

    measure: Measure | None
    reason: str
    form: str = ""


def _check(options: Mapping[str, Any]) -> None:
    tolerance, bare = options["tolerance"], options["without_unit"]
    if isinstance(tolerance, float | int) and not 0 <= tolerance < 1:
        raise ValueError(f"tolerance is a share of gold, from 0 to below 1, not {tolerance}")
    if not isinstance(bare, float | int) or not 0 <= bare <= 1:
        raise ValueError(f"without_unit is a credit from 0 to 1, not {bare}")


@reward(equal_forms=("spacing",), check=_check)
def quantity(
    completion: str,
    answer: str | float,
    unit: str = "",
    rtol: float | None = None,
    *,
    tolerance: Tolerance = 0.01,
    without_unit: float = 0.0,
    thinking: bool = False,
    tag: str = "answer",
) -> Score:
    """1 when the reply states gold's quantity: the right value with the right unit, converted where need be.

    Gold is "9.8 m/s^2" in the column `answer`, or a number there and its unit in the column `unit`. The committed
    answer is found as `rewardstack.find_answer` does; of a sentence the quantity counts that it ends up with. Reads
    plain text, LaTeX, superscripts, words ("metres per second"), compound times (1 h 30 min), fractions, percent;
    "about" is no fault, an uncertainty (± 0.1) is passed over, a bound (< 3 kg) and several values are wrong.
    Temperatures are compared in kelvin, within the share of gold on its own scale, or its last digit. `details` say
    what is wrong: `missing_unit`, `dimension`, `prefix` (a power of ten), `sign` or `value`.

    Options:
        tolerance: How far the value may be from gold, as a share of gold; `figures`: half of what gold's last digit
            stands for (0.01 where it has none: 1/2). A row's own column `rtol` goes before it.
        without_unit: The credit for the right value without its unit; with a noun instead of one ("5 apples") it is wrong.
        thinking: An answer inside thinking counts too.
        tag: The tag that holds answers.

    Range: 0 to 1. Abstains where gold is no quantity. Does not take a molar mass for an atomic one, or an angular
    frequency for a frequency, and does not compute: "2 kg × 3 m/s^2" is not 6 N.
    """
    gold = read_gold(answer, unit)
    if gold is None:
        return Score(None, reason=f"the gold answer {shorten(f'{answer} {unit}'.strip())} is no quantity")
    counts = _counts(f"{answer} {unit}")
    allowed = tolerance if rtol is None else rtol
    stated = stated_quantity(completion, _agreement(allowed), counts, thinking=thinking, tag=tag)
    details = {"form": stated.form, "gold": gold.text}
    if stated.measure is None:
        return Score(0.0, f"no answer: {stated.reason}", {**details, "fault": "no_answer"})
    verdict = compare_quantities(gold, stated.measure, allowed)
    value = {"equal": 1.0, "missing_unit": without_unit}.get(verdict.kind, 0.0)
    return Score(value, verdict.reason, {**details, "answer": stated.measure.text, "fault": verdict.kind})


# Comparison


def compare_quantities(gold: Measure, stated: Measure, tolerance: Tolerance = 0.01) -> Verdict:
    """Compare a stated quantity with gold; of units that can be read in several ways the best ones count."""
    unit, ways = stated.unit or NONE, gold.unit.ways if gold.unit else ()
    golds = [gold, *(msgspec.structs.replace(gold, unit=way) for way in ways)]
    verdicts = [_compare(one, stated, way, tolerance) for one in golds for way in (unit, *unit.ways)]
    return next((verdict for verdict in verdicts if verdict.kind == "equal"), verdicts[0])


def _compare(gold: Measure, stated: Measure, unit: Unit, tolerance: Tolerance) -> Verdict:
    wanted = gold.unit or NONE
    shown = f"answer {shorten(stated.text)}, expected {shorten(gold.text)}"
    if unit.dimensions != wanted.dimensions or {unit.rate, wanted.rate} == {"hertz", "radian"}:
        if stated.unit is None:
            if gold.value == stated.value == 0 and wanted.offset is None:
                return Verdict("equal", f"{shown}: zero in any unit")
            return _without_unit(gold, stated, tolerance, shown)
        return Verdict("dimension", f"{shown}: the units measure different things")
    target, value = _base(gold.value, wanted), _base(stated.value, unit)
    allowed = _allowed(gold, wanted, tolerance)
    if wanted.offset and tolerance != "figures":  # a hundredth of 293 K is a tenth of 20 °C
        digits = [gold.place * wanted.factor] + [stated.place * unit.factor] * (unit.offset != wanted.offset)
        allowed = min(allowed, max(abs(gold.value) * wanted.factor * float(tolerance), *digits))
    if _within(target, value, allowed):
        return Verdict("equal", f"{shown}, as expected")
    if (
        stated.unit is None
        and wanted.factor != 1
        and not wanted.dimensions
        and _within(gold.value, stated.value, _allowed(gold, Unit(), tolerance))
    ):
        return _without_unit(gold, stated, tolerance, shown)
    opposite = _base(-stated.value, unit) if wanted.offset and wanted.offset == unit.offset else -value
    if _within(target, opposite, allowed) and target:
        return Verdict("sign", f"{shown}: the sign is wrong")
    if _power_of_ten(target, value, allowed):
        return Verdict("prefix", f"{shown}: the units differ in size or a power of ten is wrong")
    return Verdict("value", f"{shown}: the value differs")


def _without_unit(gold: Measure, stated: Measure, tolerance: Tolerance, shown: str) -> Verdict:
    """Judge a number that has no unit; "5 apples" has a noun instead of one."""
    right = _within(gold.value, stated.value, _allowed(gold, Unit(), tolerance))
    if stated.noun:
        return Verdict("dimension", f"{shown}: {shorten(stated.noun)} is no unit that is known")
    beside = "the value is right, " if right else ""
    return Verdict("missing_unit" if right else "value", f"{shown}: {beside}the unit is missing")


def _base(value: float, unit: Unit) -> float:
    """A value in base units; of a temperature scale, in kelvin."""
    return value * unit.factor + (unit.offset or 0.0)


def _allowed(gold: Measure, unit: Unit, tolerance: Tolerance) -> float:
    if tolerance == "figures":
        return gold.place * unit.factor or abs(_base(gold.value, unit)) * WITHOUT_FIGURES
    return abs(_base(gold.value, unit)) * float(tolerance)


def _within(target: float, value: float, allowed: float) -> bool:
    if not (math.isfinite(value) and math.isfinite(target)):
        return False
    return abs(target - value) <= allowed + SLACK * max(allowed, abs(target))


def _power_of_ten(target: float, value: float, allowed: float) -> bool:
    """Whether two values differ by a whole power of ten alone."""
    if not target or not value or (target > 0) != (value > 0):
        return False
    exponent = round(math.log10(value / target))
    return 0 < abs(exponent) < 60 and _within(target, value / 10.0**exponent, allowed)


# What is gold, and what a reply states

_COUNTED = re.compile(r"[A-Za-z]{4,}")


def _counts(gold: str) -> frozenset[str]:
    """Words in gold's unit that count things: photon, electron."""
    words = _COUNTED.findall(plain(gold))
    return frozenset(word for word in words if word.lower() in _COUNTABLE)


_COUNTABLE = word_set(
    "photon photons electron electrons particle particles proton protons atom atoms molecule molecules "
    "ion ions neutron neutrons nucleon nucleons collision collisions event events cycle cycles "
    "oscillations people person bacteria cells"
)


def read_gold(answer: str | float, unit: str = "") -> Measure | None:
    """Return gold as a quantity, None where it is none."""
    text = str(answer).strip()
    symbol = "¤" if unit.strip() in ("$", "\\$") else unit
    whole = plain(f"{text} {symbol}".strip())
    found = read_measures(whole, _counts(whole))
    if not found or found[0].start > 20 or (len(found) > 1 and not unit):
        return None
    return found[0]


_HEDGE_SEPARATOR = re.compile(
    r"(?:\.\s(?=[OoAa]))?[\s,;]*(?:\b(?:and|[Oo]r(?: else| maybe| perhaps| possibly)?|[Aa]lternatively|to|through|then|vs|versus)\b|[,;/-]|\.{2,})?[\s,;]*\Z"
)
_BOUND = re.compile(
    r"(?:[<>≤≥]|\\[lg]e?q?|(?i:\b(?:less|more|greater|smaller|fewer|higher|lower|larger) than|\bat (?:least|most)|\bup to|\bbelow|\babove|\bunder|\bover"
    r"|\bexceeds|\bbetween|\bnot))\s*(?:about\s|or equal to\s)?\s*\Z"
)
_BOUND_BEHIND = re.compile(  # "5 N < F", "5 N or more"
    r"\s?(?:[<>≤≥]\s?[A-Za-z|]|\b(?:or|and) (?:more|less|greater|fewer|higher|lower|larger|smaller|above|below|over|under|up)\b|\bat (?:least|most)\b)"
)
_INSTEAD = re.compile(r"\bnot\b[^.;]{1,60}?\bbut\b\s(?:rather\s)?")  # "not 14 m but 12 m"
_REFINED = re.compile(
    r"(?i:\b(?:more (?:precisely|exactly|accurately)|to be (?:more )?(?:precise|exact))\b[\s,:]*)"
)
_FUNCTION = re.compile(r"\\(?:ln|log|sin|cos|tan|exp|arc|e\^)|\be\^")  # a number that must be computed
# What a number stands in that is still to be computed: "twice 5 N", "sin(5)", "5 sqrt(2)", "5!", "5x", "5 N × 2"
_OPENS_TERM = re.compile(
    r"(?i:\b(?:ln|log|lg|sin|cos|tan|exp|sqrt|arc\w{3})\s?\(?|\b(?:twice|double|triple|half(?: of)?|thrice|(?:root|square|cube|inverse|reciprocal) of)\s)\s?\Z"
)
_GOES_ON = re.compile(
    r"\s?[·*×]?\s?(?i:ln|log|lg|sin|cos|tan|exp|sqrt)\b|(?<=\d)(?:[A-Za-z]\b(?!\.\w)|_\w|!)|\s?[×*]\s?\d|\s?:\s?\d"
    r"|\s(?:dozen|score|gross|hundred|lakh|crore|factorial|plus|minus|mod|times|multiplied|divided|(?:in )?base)\b"
)
_ROUNDING = re.compile(  # a remark on the digits and no quantity
    r"\s?\(?,?\s?\b(?:(?:rounded|correct|accurate)\s)?(?:to|with)\s(?:\d|one|two|three|four|the nearest)\s?"
    r"(?:s\.?\s?f\b\.?|d\.?\s?p\b\.?|sig|significant|decimal|digit)[^,;()]{0,40}\)?"
)
_GROUND = re.compile(r",?\s(?:since|because|as|where|given that|assuming)\s")
_BOUND_LINE = re.compile(r"\s*[<>≤≥][^\n]*\s*\Z")  # one line alone, or ">" quotes it
_SAME = re.compile(
    r"\s*(?:[(\[](?!\s?(?:not|rather|instead)\b)|[=≈]|,?\s?\b(?:i\.?e\.?|or equivalently|that is|which is|equivalently|in other words|also|or about)\b)"
)
_NO_NUMBER = re.compile(r"\d|[∞½¼¾]")


def _agreement(tolerance: Tolerance) -> Callable[[Measure, Measure], bool]:
    def agrees(one: Measure, other: Measure) -> bool:
        allowed = 0.02 if tolerance == "figures" else max(float(tolerance), 0.005)
        return compare_quantities(one, other, allowed).kind == "equal" or (
            other.unit is None
            and compare_quantities(msgspec.structs.replace(one, unit=None), other, allowed).kind == "equal"
        )

    return agrees


def stated_quantity(
    completion: str,
    agrees: Callable[[Measure, Measure], bool],
    counts: frozenset[str] = frozenset(),
    *,
    thinking: bool = False,
    tag: str = "answer",
) -> Stated:
    """Find the quantity a reply states; `agrees` tells whether two are the same. Linear in its length, never raises."""
    if "~~" in completion:
        completion = leave_out_struck(completion)
    found = find_answer(completion, thinking=thinking, tag=tag)
    text = completion if thinking else visible_text(completion).text
    committed = found.text
    if found.form == "line" and committed is not None and not _NO_NUMBER.search(committed):
        committed = _earlier_line(text) or committed
    if committed is None and "taken back" in found.reason:
        ending = text[-LONGEST_CORRECTION:]
        corrected = behind_correction(ending)
        committed = corrected if corrected != ending else None
    if committed is None:
        return Stated(None, found.reason, found.form or "")
    if found.parts and len(found.parts) > 1:
        committed = ", ".join(found.parts)
    elif found.form == "box":
        committed = _with_unit(completion, found, committed)
    if found.form == "line" and _BOUND_LINE.match(text):
        return Stated(None, f"{shorten(text)} states a bound", "line")
    stated = _settle(plain(committed), counts, agrees, found.form or "")
    if stated.measure is None:
        return stated
    main = stated.measure

    def same(content: str) -> bool | None:
        other = _settle(plain(content), counts, agrees, "").measure
        return None if other is None else agrees(main, other) or agrees(other, main)

    rival = find_rival(text, tag, same)
    if rival is not None:
        reason = f"several different answers, {shorten(rival.content)} and {shorten(main.text)}"
        return Stated(None, reason, found.form or "")
    return stated


def same_quantity(said: str, gold: str) -> bool | None:
    """Whether a text states the quantity with a unit that a gold text is; None where gold is none."""
    text = plain(gold)
    wanted = read_measures(text)
    if len(wanted) != 1 or wanted[0].unit is None or wanted[0].text != text.strip(" .,"):
        return None
    stated = _settle(plain(said), frozenset(), _agreement(0.005), "").measure
    return stated is not None and compare_quantities(wanted[0], stated, 0.005).kind == "equal"


def _earlier_line(text: str) -> str:
    """The last line with a number among the last ten, for replies that end in a remark."""
    lines = text[-6_000:].rstrip().split("\n")[-10:]
    return next((line for line in reversed(lines) if _NO_NUMBER.search(line)), "")


def _with_unit(completion: str, found: Answer, text: str) -> str:
    r"""Take in the unit that stands beside a box: \boxed{9.8} m/s^2."""
    before, after = beside(completion, found)
    measures = read_measures(plain(text))
    if len(measures) != 1 or measures[0].unit is not None:
        return text
    joined = read_measures(plain(f"{text} {after[:60].lstrip(' $}')}"))
    if joined and joined[0].unit is not None and joined[0].value == measures[0].value:
        return f"{text} {joined[0].unit.text}"
    return f"\\${text}" if before.rstrip(" $(").endswith("\\") or before.endswith("$ ") else text


def _settle(
    text: str, counts: frozenset[str], agrees: Callable[[Measure, Measure], bool], form: str
) -> Stated:
    """Choose the quantity that a commitment ends up with."""
    if HEDGED.search(text):
        return Stated(None, f"{shorten(text)} is a hedge", form)
    text = _ROUNDING.sub("", _INSTEAD.sub("", affirm(text)))
    *_, corrected = _REFINED.split(behind_correction(text))  # "3 kg. Wait, no: 2.5 kg"
    text = corrected if corrected != text and read_measures(corrected, counts) else text
    measures = read_measures(text, counts)
    ground = _GROUND.search(text)
    if ground and measures and measures[0].end <= ground.start():
        text, measures = text[: ground.start()], [each for each in measures if each.end <= ground.start()]
    if _FUNCTION.search(text) and (value := numeric_value(text.rpartition("=")[2])) is not None:
        return Stated(Measure(float(value), None, 0, len(text), text), "", form)
    if not measures:
        return Stated(None, f"{shorten(text)} is no quantity" if text else "there is no text", form)
    if _shared(text, measures, agrees):
        return Stated(None, f"{shorten(text)} shares itself among quantities", form)
    first = _first_of_conclusion(text, measures)
    chosen = measures[first]
    before = text[: chosen.start]
    if _BOUND.search(before) or denied_before(before, len(before)):
        return Stated(None, f"{shorten(text)} states a bound or a denial", form)
    if _BOUND_BEHIND.match(text, chosen.end) or DENIED_AFTER.match(text, chosen.end):
        return Stated(None, f"{shorten(text)} states a bound or a denial", form)
    if _OPENS_TERM.search(before[-20:]) or _GOES_ON.match(text, chosen.end):
        return Stated(None, f"{shorten(text)} is still to be computed", form)
    previous = chosen
    for each in measures[first + 1 :]:
        between = text[previous.end : each.start]
        if not between.strip() and chosen.unit is not None:
            return Stated(None, f"{shorten(text)} states quantities side by side", form)
        if _SAME.match(between) or "=" in between:
            if not agrees(chosen, each) and not agrees(each, chosen):
                return Stated(None, f"{shorten(text)} equates different quantities", form)
        elif _HEDGE_SEPARATOR.match(between):
            if not agrees(chosen, each):
                return Stated(None, f"{shorten(text)} states several quantities", form)
        else:
            break
        previous = each
    return Stated(chosen, "", form)


def _shared(text: str, measures: list[Measure], agrees: Callable[[Measure, Measure], bool]) -> bool:
    """Whether several different quantities are given a percentage each."""
    if text.count("%") < 2:
        return False
    shared = [
        one for one, share in pairwise(measures) if "%" in share.text and "%" not in one.text
        and SHARE.fullmatch(text, one.end, share.end)
    ]  # fmt: skip
    return any(not agrees(shared[0], each) for each in shared[1:])


def _first_of_conclusion(text: str, measures: list[Measure]) -> int:
    """Which quantity is the one concluded with: the first behind the last "=" or "is", else the first."""
    last = max((text.rfind(sign) for sign in "=≈"), default=-1)
    after = [place for place, each in enumerate(measures) if each.start > last]
    if last >= 0 and after:
        enclosed = text.rfind("(", 0, last) > text.rfind(")", 0, last)  # "5 N (= 5000 mN)"
        if not enclosed or not [each for each in measures if each.end <= text.rfind("(", 0, last)]:
            return after[0]
        measures = [each for each in measures if each.end <= text.rfind("(", 0, last)]
        return len(measures) - 1
    for verb in reversed(list(_VERB.finditer(text))):
        places = [place for place, each in enumerate(measures) if each.start >= verb.end()]
        if places:
            return places[0]
    return 0


_VERB = re.compile(
    r"\b(?:it's|is|are|was|were|equals|equal to|be|becomes|gives|get|gets|yields|obtain|have|has|takes|weighs|travels|needs|requires|produces|exerts|feels|experiences|reaches|about|approximately|roughly)\b"
)
