"""From the many ways an answer is typed to one plain LaTeX-like ASCII text."""

import re
import unicodedata

from rewardstack_math.lexicon import SYMBOLS

__all__ = ["MAX_LENGTH", "Unreadable", "boxes", "clean", "closing", "unwrap"]

MAX_LENGTH = 20_000  # characters of one answer; longer ones are refused before any work

_TRANSLATE = str.maketrans(SYMBOLS)
_SUPER = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱˣ", "0123456789+-()nix", strict=True))
_SUB = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ₐₑₓₖₙₘₚᵢⱼ", "0123456789+-aexknmpij", strict=True))
_SUPER_RUN = re.compile("[" + "".join(_SUPER) + "]+")
_SUB_RUN = re.compile("[" + "".join(_SUB) + "]+")
_VULGAR = re.compile("[¼-¾⅐-⅞↉]")
_BOX = re.compile(r"\\+(?:begin)?(?:boxed|fbox)\s*\{")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# JSON that was escaped twice: a command with two backslashes outside an environment, where they mean a new row
_TWICE = re.compile(
    r"\\\\(?=(?:left|right|frac|dfrac|sqrt|pi|text|cdot|times|infty|cup|theta|le|ge|pm)(?![a-z]))"
)
# "4.1 x 10^-3" and "3 x 5": the letter as a sign
_CROSS = re.compile(r"(?<=\d)(?: [xX] (?=\d)| ?[xX] ?(?=10\s?(?:\^|\*\*)))")
_ROOT = re.compile(r"√\s*(\d+(?:\.\d+)?)")
_COLOUR = re.compile(r"\\(?:text)?color\s*\{[^{}]*\}")

_PAIRS = (
    ("$$", "$$"),
    ("\\[", "\\]"),
    ("\\(", "\\)"),
    ("**", "**"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("__", "__"),
    ("*", "*"),
)
_TAIL = re.compile(r"(?:\s|\\\\|\\,|\\ |\\;|\\!|\\quad\b|\\qquad\b|[,;:](?=\s*$)|(?<!\.)\.(?=\s*$))+$")
_HEAD = re.compile(r"^(?:\s|\\,|\\ |\\;|\\!|\\quad\b|\\qquad\b)+")

_CJK_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2}
_CJK_SCALE = {"十": 10, "百": 100, "千": 1000}
_CJK_NUMBER = re.compile("^[零一二三四五六七八九两十百千]+$")
_CJK_PERCENT = re.compile("百分之([零一二三四五六七八九两十百千]+|[0-9.]+)")
_CJK_FRACTION = re.compile(
    "([零一二三四五六七八九两十百千]+|[0-9]+)分之([零一二三四五六七八九两十百千]+|[0-9]+)"
)
_CJK_LARGE = re.compile(r"(\d+(?:\.\d+)?)\s*([万亿])")


class Unreadable(Exception):
    """A text that is no answer; the message is the reason. It never leaves this package."""


def _cjk_value(text: str) -> int:
    total = digit = 0
    for char in text:
        if char in _CJK_SCALE:
            total += (digit or 1) * _CJK_SCALE[char]
            digit = 0
        else:
            digit = _CJK_DIGITS[char]
    return total + digit


def _percent(match: re.Match[str]) -> str:
    number = match.group(1)
    return f"{number if number[0].isascii() else _cjk_value(number)}\\%"


def _fraction(match: re.Match[str]) -> str:
    bottom, top = (part if part[0].isascii() else str(_cjk_value(part)) for part in match.groups())
    return f"\\frac{{{top}}}{{{bottom}}}"


def _large(match: re.Match[str]) -> str:
    return f"({match.group(1)}*{'10000' if match.group(2) == '万' else '100000000'})"


def _vulgar(match: re.Match[str]) -> str:
    top, _, bottom = unicodedata.normalize("NFKC", match.group()).partition("\u2044")
    return f"\\frac{{{top}}}{{{bottom}}}"


def _digit(char: str) -> str:
    if char.isascii():
        return char
    value = unicodedata.decimal(char, None)
    return char if value is None else str(value)


def _to_ascii(text: str) -> str:
    """Spell characters outside ASCII: scripts' digits, powers, fractions, symbols, Chinese numerals."""
    text = _SUPER_RUN.sub(lambda m: "^{" + "".join(_SUPER[c] for c in m.group()) + "}", text)
    text = _SUB_RUN.sub(lambda m: "_{" + "".join(_SUB[c] for c in m.group()) + "}", text)
    text = _ROOT.sub(r"\\sqrt{\1}", text)
    text = _VULGAR.sub(_vulgar, text).translate(_TRANSLATE)
    text = unicodedata.normalize("NFKC", text).translate(_TRANSLATE)
    text = "".join(map(_digit, text))
    if "百分之" in text:
        text = _CJK_PERCENT.sub(_percent, text)
    elif "分之" in text:
        text = _CJK_FRACTION.sub(_fraction, text)
    text = _CJK_LARGE.sub(_large, text)
    bare = text.strip()
    return str(_cjk_value(bare)) if _CJK_NUMBER.match(bare) else text


def closing(text: str, start: int) -> int:
    """Return the index of the brace that closes the group opened just before `start`, or -1."""
    depth = 1
    for match in re.finditer(r"\\.|[{}]", text[start:], re.DOTALL):
        if match.group() == "{":
            depth += 1
        elif match.group() == "}":
            depth -= 1
            if not depth:
                return start + match.start()
    return -1


def boxes(text: str) -> list[str]:
    """Return the contents of the boxes in an answer, in order; one that is not closed reaches to the end."""
    found: list[str] = []
    at = 0
    while match := _BOX.search(text, at):
        end = closing(text, match.end())
        if end < 0:
            found.append(text[match.end() :])
            break
        found.append(text[match.end() : end])
        at = end + 1
    return found


def unwrap(text: str) -> str:
    """Take off what stands around the whole answer: spaces, `$`, quotes, emphasis, a final full stop."""
    for _ in range(12):
        before = text
        text = _HEAD.sub("", _TAIL.sub("", text))
        for opening, closing in _PAIRS:
            inner = text[len(opening) : -len(closing)]
            if inner and text.startswith(opening) and text.endswith(closing) and opening not in inner:
                text = inner
                break
        else:
            if len(text) > 2 and text[0] == "$" == text[-1] and text.count("$") == 2 and text[-2] != "\\":
                text = text[1:-1]
        if text == before:
            break
    return text


def clean(text: str) -> str:
    """Return the answer as ASCII LaTeX or plain notation, out of its wrapping.

    Several boxes become one list. Raises `Unreadable` for texts that are too long.
    """
    if len(text) > MAX_LENGTH:
        raise Unreadable(f"the text is {len(text)} characters long, the limit is {MAX_LENGTH}")
    text = _CONTROL.sub("", text)
    if not text.isascii():
        text = _to_ascii(text)
    text = unwrap(text)
    if "boxed" in text or "fbox" in text:
        for _ in range(4):
            found = boxes(text)
            if not found:
                break
            text = unwrap(", ".join(unwrap(part) for part in found))
    if "x 1" in text or "x10" in text or " x " in text or " X " in text or "X10" in text:
        text = _CROSS.sub(r" \\times ", text)
    if "US" in text:
        text = text.replace("US\\$", "\\$").replace("US$", "$")
    if "color" in text:
        text = _COLOUR.sub("", text)
    if "\\\\" in text and "\\begin" not in text:
        text = _TWICE.sub(r"\\", text)
    return text
