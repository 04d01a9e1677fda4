"""The mathematical answer of a completion: the committed answer, and in prose its final expression."""

import re

import msgspec

from rewardstack import Answer, beside, find_answer
from rewardstack_math.lexicon import FUNCTIONS, PLAIN_NAMES
from rewardstack_math.units import currency, is_unit

__all__ = ["Extraction", "extract"]

LONGEST = 4_000  # characters of a line's end that are looked through for its final expression


class Extraction(msgspec.Struct, frozen=True):
    """What a completion commits itself to: `text`, or None with the reason.

    `form` is the form that won (`tag`, `box`, `hash`, `phrase`, `line`). `whole` is the sentence the text was taken
    from, for golds in words. `alternatives` are the sides of a hedge ("3 or 4"): no answer unless gold has them.
    `parts` are slots that may together be the answer of a gold with several values.
    """

    text: str | None
    reason: str
    form: str | None = None
    whole: str = ""
    alternatives: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


_FLUFF = re.compile(
    r"(?:\.|^|\s)\s*(?:I hope (?:it|this) (?:is correct|helps)|Hope (?:it|this) helps)[.!]?\s*$",
    re.IGNORECASE,
)
# A number and a space after a dollar sign are money ("$5 and $6"), but for formulas without words ("$5 \pi$").
_NO_WORDS = (
    r"(?:\\(?:[a-zA-Z]+|[^a-zA-Z\n])|\{(?:[^{}$\n]|\{[^{}$\n]*+\})*+\}|(?![a-zA-Z]{2})[^$\n\\{}])*+(?<!\s)"
)
_MATH = re.compile(
    r"\$\$(.+?)\$\$|(?<!\\)\$(?:(?!\d[\d,.]*(?:\s|$))([^$\n]+?)(?<!\\)|(\d[\d,.]*\s"
    + _NO_WORDS
    + r")(?=\$(?!\d)))\$|\\\((.+?)\\\)|\\\[(.+?)\\\]",
    re.DOTALL,
)
_NUMBER = r"(?:\d+(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+"
# A number with what belongs to it: sign, currency, fraction, percent, unit; digits inside words do not count.
_QUANTITY = re.compile(
    rf"(?<![A-Za-z0-9_\\.^{{])(?:[-+−]\s?(?=[\d.$€£¥]))?(?:\\?\$|[€£¥])?\s?(?:{_NUMBER})(?:\s?/\s?\d+(?![\d/]))?(?:\s?\\?%)?"
    r"(?:\s?(?:°|\^\\?circ))?",
)
_AFTER = re.compile(r"[ \u00a0]?((?:[a-zA-Zµ°]+[²³]?(?:/[a-zA-Z]+[²³]?)?)|[\u4e00-\u9fff]{1,4})")
_LETTER = re.compile(r"(?:(?<![\w'’$\\])|(?<=[\u4e00-\u9fff]))\(?([A-J])\)?(?=[\s.,;:!。]*$)")
_DENIED = re.compile(r"(?:\(?\bnot\s+|不是\s*|\bn't\s+(?:be\s+)?)[^\s,.;。]{1,40}[\s.。]*$", re.IGNORECASE)
_ENUMERATION = re.compile(r"(?:\d+[\s,;]+){5,}\d+[\s.]*$")
_PROSE = re.compile(
    r"[^\W\d_]{2,}\W+(?:[^\W\d_]\W+)?[^\W\d_]{2,}|\b(?:is|are|be|equals|(?i:so|thus|then|hence|therefore|since|gives?|giving|get))\b|[\u4e00-\u9fff]{3,}|(?![\u4e00-\u9fff])[^\x00-\xff\W\d_]{2,}"
)
_CHOSEN = re.compile(
    r"(?<![\w'])\(?([A-J])\)? is (?:the |also )?(?:right|correct|best|true)\b(?!.*\b[A-J]\b)"
)
_RATIO = re.compile(r"\b(?:ratio|odds)\b[^.\n]*?(?<![\d.])(\d+) to (\d+)[\s.]*$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_FOREIGN = re.compile(r"[\u0400-\u1cff\u2c00-\ud7ff]")  # letters of scripts that mathematics does not use
_STATES = re.compile(r"[\d\\π√∞=<>±²³½¼¾]|^[^\W\d_][.)]?$|^infinity\W*$")
_STARTS = re.compile(r"[\w\\({\[|$.+−√π∞±-](?!\s|$)|[^\W_]$|[∞π]")
HALVES = frozenset(("am", "pm", "a.m", "p.m"))
LONGEST_MATRIX = 40  # lines of a formula that is written over several
LONGEST_RUN = 40  # pieces between spaces that are looked at for the last formula
_COMMAND = re.compile(r"\\[a-zA-Z]+|\\begin\{\w+\}|\\(?:text|mathrm|mbox|textbf|textnormal)\s*\{[^{}]*\}")

_UNIT_BEHIND = re.compile(
    r"^[\s$\\)*}]*(?:(?P<percent>\\?%)|\\(?:text|mathrm|mbox|textnormal)\s*\{\s*(?P<text>[^{}]{1,40})\}"
    r"(?P<power>\s*\^\{?[23]\}?)?|(?P<degree>\^\{?\\circ\}?|°)|(?P<words>[a-zA-Z]{2,20}(?: [a-zA-Z]{2,20}){0,2}))"
)
_SIGN_BEFORE = re.compile(r"(\\\$|[€£¥])\s*[$({]*$")


def extract(
    completion: str, *, unique: bool = False, thinking: bool = False, tag: str = "answer"
) -> Extraction:
    """Find the mathematical answer a completion commits itself to.

    `unique`, `thinking` and `tag` are those of `rewardstack.answer.find_answer`, which decides the precedence. From a
    phrase or a last line in prose the final expression or quantity counts. Linear in the length, never raises; does
    not judge whether the answer can be read.
    """
    if not completion.isascii():
        completion = completion.encode("utf-8", "replace").decode()  # lone surrogates would break every log
    found = find_answer(completion, unique=unique, thinking=thinking, tag=tag)
    text = found.text
    if text is None:
        return Extraction(None, found.reason, found.form)
    if found.alternatives:
        return Extraction(text, found.reason, found.form, text, found.alternatives, found.parts)
    if found.form != "box" and found.span is not None:
        text = _completed(completion, text, *found.span)
    if found.form == "box":
        return Extraction(
            _with_unit(completion, found, text), found.reason, found.form, text, (), found.parts
        )
    if found.form in ("phrase", "line") or _PROSE.search(_COMMAND.sub(" ", text[:LONGEST])):
        return _from_prose(text, found)
    return Extraction(text, found.reason, found.form, text, (), found.parts)


def _completed(completion: str, text: str, start: int, end: int) -> str:
    """Give back what an answer outside slots lost: the `)` of a half-open interval, lines of its matrix."""
    if completion[end : end + 1] == ")" and text.count("[") > text.count("]"):
        return f"{text})"
    if "\\begin{" not in text and "\\end{" not in text:
        return text
    opened = text.count("\\begin{") - text.count("\\end{")
    for _ in range(LONGEST_MATRIX):
        if opened > 0 and (line := completion.find("\n", end) + 1) > 0:
            stop = completion.find("\n", line)
            end = stop if stop >= 0 else len(completion)
        elif opened < 0 and start > 0:
            start = completion.rfind("\n", 0, start - 1) + 1
        else:
            break
        text = completion[start:end]
        opened = text.count("\\begin{") - text.count("\\end{")
    return text.strip()


def _with_unit(completion: str, found: Answer, text: str) -> str:
    """Take in a unit, percent or currency sign that stands beside the box."""
    before, after = beside(completion, found)
    sign = _SIGN_BEFORE.search(before)
    if sign is not None and not any(currency(char) or char == "$" for char in text):
        return f"{sign.group(1)}{text}"
    match = _UNIT_BEHIND.match(after)
    if match is None or (not text[-1:].isalnum() and text[-1:] not in ")}"):
        return text
    if match.group("percent"):
        return f"{text}\\%" if "%" not in text else text
    if match.group("degree"):
        return f"{text}^\\circ"
    unit = (match.group("text") or match.group("words")).strip()
    words = unit.split()
    known = [word for word in words[:3] if is_unit(word) and (word != "in" or match.group("text"))]
    if not known or words[0] not in known or "\\text" in text or (match.group("words") and len(known[0]) < 2):
        return text
    return f"{text} \\text{{{unit if match.group('text') else ' '.join(known)}}}{match.group('power') or ''}"


def _from_prose(text: str, found: Answer) -> Extraction:
    tail = _FLUFF.sub("", text[-LONGEST:])
    if (denied := _DENIED.search(tail)) is not None and denied.start() > 0:
        tail = tail[: denied.start()].rstrip(" ,.;。，(")
    if not _PROSE.search(_COMMAND.sub(" ", tail)):
        if _ENUMERATION.search(tail) and "," not in tail and ";" not in tail:
            return Extraction(None, "the last line merely enumerates", found.form, text)
        return Extraction(tail, found.reason, found.form, text)
    final = final_expression(tail)
    if final is None:
        return Extraction(tail, found.reason, found.form, text)
    return Extraction(final, f"the final expression {found.reason}", found.form, text)


def final_expression(text: str) -> str | None:
    """Return the last formula, quantity or option letter of a text in prose, None where there is none."""
    option = _LETTER.search(text) or _CHOSEN.search(text)
    if option is not None:
        return option.group(1)
    ratio = _RATIO.search(text)
    if ratio is not None:
        return f"{ratio.group(1)}:{ratio.group(2)}"
    best, end = None, -1
    for match in _MATH.finditer(text):
        best, end = match, match.end()
    rest = text[max(end, 0) :]
    final = _last_run(rest) or _last_quantity(rest)
    if final is not None or best is None:
        return final
    inner = next(part for part in best.groups() if part is not None)
    return inner.strip() + ("\\%" if re.match(r"\s?\\?%", rest) else "")


def _is_math(piece: str) -> bool:
    """Whether a piece between spaces can be part of a formula: no words but names of functions and letters."""
    bare = _COMMAND.sub("", piece).strip(".,;:!?")
    if bare in ("a", "A", "I", "") and not piece.startswith("\\"):
        return False
    if not bare.isascii() and _FOREIGN.search(bare):
        return False
    runs = _WORD.findall(bare)
    return all(run in FUNCTIONS or run in PLAIN_NAMES for run in runs)


def _last_run(text: str) -> str | None:
    """Return the formula that stands last, with the unit after it: "the derivative is x^2 + 1", "16π square cm"."""
    pieces = text.replace("**", " ").split()[-LONGEST_RUN:]
    last = next((at for at in range(len(pieces) - 1, -1, -1) if _STATES.search(pieces[at])), None)
    if last is None or not _is_math(pieces[last]):
        return None
    first = last
    while first and _is_math(pieces[first - 1]) and not pieces[first - 1].endswith((".", ":", "?", "!")):
        first -= 1
    while first < last and not _STARTS.match(pieces[first]):
        first += 1
    run = " ".join(pieces[first : last + 1]).rstrip(".,;:!?").strip("*_`")
    units = []
    for word in pieces[last + 1 : last + 4]:
        bare = word.strip(".,;!?)")
        if (
            bare == "in"
            or (not is_unit(bare) and bare.lower() not in HALVES)
            or (len(bare) == 1 and bare.isalpha())
        ):
            break
        units.append(bare)
    if pieces[last].endswith((".", ",", ";")):
        units = []
    return f"{run} \\text{{{' '.join(units)}}}" if units else run


def _last_quantity(text: str) -> str | None:
    quantity = None
    for match in _QUANTITY.finditer(text):
        quantity = match
    return None if quantity is None else _quantity(text, quantity)


def _quantity(text: str, match: re.Match[str]) -> str:
    """Return a quantity with the unit that follows it, if that is a known one."""
    value = match.group().strip()
    unit = _AFTER.match(text, match.end())
    if unit is None or value.endswith("%"):
        return value
    word = unit.group(1)
    for length in range(len(word), 0, -1):
        name = word[:length]
        if is_unit(name.rstrip("²³").partition("/")[0]) and (not name.isascii() or length == len(word)):
            return f"{value} \\text{{{name}}}" if len(name) > 1 or not text[match.end()].isspace() else value
    return value
