"""The code of a completion: in a fenced block, in the answer's tag, or the whole text."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from rewardstack import find_tags, visible_text

__all__ = ["Code", "Place", "find_code"]

Place = Literal["any", "fence", "tag", "text"]
FENCE = re.compile(r"^[ \t]{0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)$", re.MULTILINE)
NAMES = {
    "python": frozenset({"", "python", "python3", "py", "py3"}),
}
TAG = "answer"


class Code(NamedTuple):
    """The code found, or None with the reason; `place` says where it was."""

    text: str | None
    place: str = ""
    reason: str = ""


class Block(NamedTuple):
    """A fenced block: the language it names and its text; `closed` unless the completion ended in it."""

    language: str
    text: str
    closed: bool


def find_code(completion: str, where: Place = "any", language: str = "python", tag: str = TAG) -> Code:
    """Return the code a completion commits itself to: the last one it gives, after closed thinking.

    "fence" is the last fenced block of the language (one that names no language counts), "tag" the last `<answer>`
    tag and a block in it, "text" the whole text. "any" takes the first of these that is there; a whole text only if it
    has no fence at all. A block that the completion's end cuts off is no code.
    """
    visible = visible_text(completion)
    if visible.reason:
        return Code(None, reason=visible.reason)
    text = visible.text
    for place, find in (("tag", in_tag), ("fence", in_fence), ("text", in_text)):
        if where in ("any", place):
            found = find(text, language, tag)
            if found.text is not None or found.reason:
                return found
    return Code(None, reason=f"there is no code ({'a fenced block or tag' if where == 'any' else where})")


def in_tag(text: str, language: str, tag: str) -> Code:
    """Return the code of the last tag: a fenced block in it, or all of it."""
    slots = find_tags(text, tag)
    if not slots:
        return Code(None)
    if not slots[-1].closed:
        return Code(None, reason=f"the last <{tag}> is never closed")
    inner = in_fence(slots[-1].content, language, tag)
    if inner.text is not None or inner.reason:
        return inner
    content = slots[-1].content
    return Code(content, "tag") if content.strip() else Code(None, reason=f"the last <{tag}> is empty")


def in_fence(text: str, language: str, _tag: str) -> Code:
    """Return the code of the last fenced block of the language."""
    known = NAMES.get(language, frozenset({"", language}))
    blocks = [block for block in read_blocks(text) if block.language in known]
    if not blocks:
        return Code(None)
    if not blocks[-1].closed:
        return Code(None, reason="the last code block is cut off")
    if not blocks[-1].text.strip():
        return Code(None, reason="the last code block is empty")
    return Code(blocks[-1].text, "fence")


def in_text(text: str, _language: str, _tag: str) -> Code:
    """Return the whole text."""
    if any(find_fences(text)):
        return Code(None)
    return Code(text, "text") if text.strip() else Code(None, reason="the completion is empty")


def read_blocks(text: str) -> list[Block]:
    """List the fenced blocks of a text in order; a fence closes at one of its own kind, as long at least."""
    blocks = []
    opened: re.Match[str] | None = None
    for fence in find_fences(text):
        mark, info = fence["mark"], fence["info"].strip()
        if opened is None:
            opened = fence
        elif mark[0] == opened["mark"][0] and len(mark) >= len(opened["mark"]) and not info:
            blocks.append(Block(language_of(opened), text[opened.end() + 1 : fence.start()], closed=True))
            opened = None
    if opened is not None:
        blocks.append(Block(language_of(opened), text[opened.end() + 1 :], closed=False))
    return blocks


def find_fences(text: str) -> Iterator[re.Match[str]]:
    """Yield the lines that open or close a block. What they say cannot hold a backtick: that is code within a line."""
    return (fence for fence in FENCE.finditer(text) if "`" not in fence["info"])


def language_of(fence: re.Match[str]) -> str:
    """Return the language a fence names, in lower case."""
    words = re.split(r"[\s{},:=]+", fence["info"].strip(), maxsplit=1)
    return words[0].lower()
