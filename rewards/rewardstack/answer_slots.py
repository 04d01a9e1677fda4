"""The places of a text that are marked to hold an answer: tags, boxes, `####` lines.

Each form lists where its slots start, and reads the one that starts there, so that the last slot of a long text
costs no more than finding it. Linear in the length of the text.
"""

import re
from collections.abc import Callable

import msgspec

from rewardstack import answer_phrases as say

LONGEST_BOX = 1_000_000  # characters in which a box must close

Read = Callable[[str, int, int], "Slot"]  # text, start, limit


class Slot(msgspec.Struct, frozen=True):
    """A place marked to hold an answer: `content` at `span`, markup from `start` to `end`, `closed` or cut off."""

    content: str
    start: int
    end: int
    closed: bool
    span: tuple[int, int]


def find_tags(text: str, tag: str = "answer") -> list[Slot]:
    """List the `<tag>...</tag>` slots of a text in order; the case of the letters is free.

    A tag that is opened anew before it was closed, or that the text's end cuts off, comes back as not closed.
    """
    return _all(text, tag_starts(text, 0, len(text), tag), tag_reader(tag))


def find_boxes(text: str) -> list[Slot]:
    r"""List the `\boxed{}`, `\fbox{}` and `\framebox{}` slots of a text in order, braces balanced.

    A box around another box comes back as not closed: the inner one is the commitment.
    """
    return _all(text, box_starts(text, 0, len(text)), read_box)


BOX = re.compile(
    r"\\(?:boxed|fbox|framebox)\s{0,4}(?:\[[^\]\n]{0,20}\])?"
    r"(?:(?P<brace>\{)|(?P<bare>[-+]?\d(?:[\d.,/]{0,40}\d)?))"
)
_BRACE = re.compile(r"[{}]|\\.", re.DOTALL)
_DEPTH = {"{": 1, "}": -1}
_HASH = re.compile(r"####(?<!#####)(?!#)")
_LINE_END = re.compile(r"[ \t*_]{0,20}(?:\n|\Z)")
_CLOSING = re.compile(r"(?:[ \t]#{1,8}|#{4})\Z")  # "5 ####" and "5####", but not "C#"
_TAGS: dict[str, tuple[re.Pattern[str], re.Pattern[str]]] = {}


def _all(text: str, starts: list[int], read: Read) -> list[Slot]:
    limits = [*starts[1:], len(text)]
    return [read(text, start, limit) for start, limit in zip(starts, limits, strict=False)]


def _tag_patterns(tag: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    if tag not in _TAGS:
        name = re.escape(tag)
        _TAGS[tag] = re.compile(f"<(?i:{name})>"), re.compile(f"</(?i:{name})>")
    return _TAGS[tag]


def tag_starts(text: str, start: int, end: int, tag: str) -> list[int]:
    """List where the openers of a tag stand."""
    return [found.start() for found in _tag_patterns(tag)[0].finditer(text, start, end)]


def tag_reader(tag: str) -> Read:
    """Make the reader of one tag's slots."""
    closer, length = _tag_patterns(tag)[1], len(tag) + 2

    def read(text: str, at: int, limit: int) -> Slot:
        found = closer.search(text, at + length, limit)
        return _slot(text, at, at + length, *(found.span() if found else (limit, -1)))

    return read


def box_starts(text: str, start: int, end: int) -> list[int]:
    """List where boxes start."""
    if "box" not in text:
        return []
    return [found.start() for found in BOX.finditer(text, start, end)]


def read_box(text: str, at: int, limit: int) -> Slot:
    r"""Read the box that starts at `at`, to its matching brace; `\boxed 5` has none and needs none."""
    found = BOX.match(text, at)
    if found is None or found["bare"]:
        left, right = found.span("bare") if found else (limit, limit)
        return _slot(text, at, left, right, right)
    left, depth = found.end(), 1
    for brace in _BRACE.finditer(text, left, min(limit, left + LONGEST_BOX)):
        depth += _DEPTH.get(brace[0], 0)
        if not depth:
            return _slot(text, at, left, *brace.span())
    return _slot(text, at, left, limit, -1)


def hash_starts(text: str, start: int, end: int) -> list[int]:
    """List the `####` that hold an answer; `#### Step 2` is a heading."""
    if "####" not in text:
        return []
    starts: list[int] = []
    opened = -1  # behind the last `####`: those that end its line close it, as Markdown allows
    for found in _HASH.finditer(text, start, end):
        closes = (
            opened >= 0
            and _LINE_END.match(text, found.end(), end)
            and "\n" not in text[opened : found.start()]
        )
        opened = found.end()
        if not closes and not say.SECTION.match(text[opened : opened + 40].lstrip(" *_")):
            starts.append(found.start())
    return starts


def read_hash(text: str, at: int, limit: int) -> Slot:
    """Read the `####` line that starts at `at`."""
    stop = text.find("\n", at, limit)
    stop = limit if stop < 0 else stop
    left, right = trim(text, at + 4, stop, loose=True)
    if text[right - 1 : right] == "#" and (closing := _CLOSING.search(text, max(left, right - 20), right)):
        left, right = trim(text, left, closing.start(), loose=True)
    return Slot(text[left:right], at, stop, closed=True, span=(left, right))


def _slot(text: str, start: int, left: int, right: int, end: int) -> Slot:
    """Build a slot with trimmed content; an `end` of -1 means that it is cut off."""
    if end < 0:
        return Slot(text[left:right], start, right, closed=False, span=(left, right))
    left, right = trim(text, left, right)
    return Slot(text[left:right], start, end, closed=True, span=(left, right))


_MATH = (("**", "**"), ("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_WRAPS = (
    *(*_MATH, ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`")),
    *(('"', '"'), ("'", "'"), ("“", "”"), ("「", "」")),
)
_OPENS = frozenset(opener[0] for opener, _ in _WRAPS)
# All that str.isspace knows, and what shows nothing either: NUL, the zero-width space, the byte order mark
SPACE = (
    " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\x00\u200b\ufeff"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
_LEADING = SPACE + ">#"
_TRAILING_MARKS = SPACE + ".,;:!。，；：、！"
_TRAILING_IN_MATH = _TRAILING_MARKS.replace("!", "")  # $5!$ is a factorial


def trim(text: str, left: int, right: int, *, loose: bool = False) -> tuple[int, int]:
    """Narrow a stretch of text past white space and what wraps the whole of it.

    `loose` is for text that nothing delimits: there the sentence's punctuation, quotes and emphasis go too.
    """
    leading, trailing, wraps = (_LEADING, _TRAILING_MARKS, _WRAPS) if loose else (SPACE, SPACE, _MATH)
    for _ in range(8):  # wraps are seldom three deep; the bound keeps this linear
        piece = text[left:right].lstrip(leading)
        left = right - len(piece)
        piece = piece.rstrip(trailing)
        right = left + len(piece)
        width, closes = _wrapped(piece, wraps) if piece and piece[0] in _OPENS else (0, 0)
        if not closes and loose:
            closes = _stray(piece)
        if not closes:
            break
        if width and piece[0] in "$\\" and loose:
            trailing = _TRAILING_IN_MATH
        left, right = left + width, right - closes
    return left, right


def _wrapped(piece: str, wraps: tuple[tuple[str, str], ...]) -> tuple[int, int]:
    """Return the lengths of the pair of marks that wraps the whole piece, or zeros."""
    for opener, closer in wraps:
        if piece.startswith(opener) and piece.endswith(closer) and len(piece) > len(opener) + len(closer):
            inside = piece.find(closer, len(opener), -len(closer))
            return (len(opener), len(closer)) if inside < 0 else (0, 0)
    return 0, 0


def _stray(piece: str) -> int:
    """Count the characters at the end of a piece that close what opened before it: "42**", "42)", "42}"."""
    if piece.endswith((")", "}")):
        return int(piece.count(piece[-1]) > piece.count("(" if piece[-1] == ")" else "{"))
    return len(piece) - len(piece.rstrip("*`"))
