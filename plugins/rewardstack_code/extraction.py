"""The code of a completion: in a fenced block, in the answer's tag, or the whole text."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from rewardstack import find_tags, visible_text

__all__ = ["Code", "Place", "find_code"]

Place = Literal["any", "fence", "tag", "text"]
FENCE = re.compile(r"^(?P<indent>[ \t]{0,24})(?P<mark>`{3,}|~{3,})(?P<info>.*)$", re.MULTILINE)
INDENT = 3  # further in, a fence is text, unless it opens a block of a list and names a language
NAMES = {
    "python": frozenset({"python", "python3", "py", "py3"}),
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

    "fence" is the last fenced block that names the language, else the last one that names none, "tag" the last
    `<answer>` tag and a block in it, "text" the whole text. "any" takes the first of these that is there; a whole text
    only if it has no fence at all. A block that the completion's end cuts off is no code.
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
    """Return the code of the last fenced block of the language; what it prints often stands in a block without one."""
    known = NAMES.get(language, frozenset({language}))
    all_blocks = read_blocks(text)
    named = [block for block in all_blocks if block.language in known]
    blocks = named or [block for block in all_blocks if not block.language]
    if not blocks:
        return Code(None)
    if not blocks[-1].closed:
        return Code(None, reason="the last code block is cut off")
    if not blocks[-1].text.strip():
        return Code(None, reason="the last code block is empty")
    return Code(blocks[-1].text, "fence")


def in_text(text: str, _language: str, _tag: str) -> Code:
    """Return the whole text."""
    if any(len(fence["indent"]) <= INDENT for fence in find_fences(text)):
        return Code(None)
    return Code(text, "text") if text.strip() else Code(None, reason="the completion is empty")


def read_blocks(text: str) -> list[Block]:
    """List the fenced blocks of a text in order; a fence closes at one of its own kind, as long at least."""
    blocks = []
    opened: re.Match[str] | None = None
    for fence in find_fences(text):
        if opened is None:
            opened = fence if len(fence["indent"]) <= INDENT or fence["info"].strip() else None
        elif closes(fence, opened):
            blocks.append(Block(language_of(opened), inside(opened, text, fence.start()), closed=True))
            opened = None
    if opened is not None:
        blocks.append(Block(language_of(opened), inside(opened, text, len(text)), closed=False))
    return blocks


def closes(fence: re.Match[str], opened: re.Match[str]) -> bool:
    """Whether a fence ends the block that another one opened."""
    alike = fence["mark"].startswith(opened["mark"]) and not fence["info"].strip()
    return alike and len(fence["indent"]) <= len(opened["indent"]) + INDENT


def inside(opened: re.Match[str], text: str, end: int) -> str:
    """Return the text of a block, its lines without what their fence is indented by."""
    block, indent = text[opened.end() + 1 : end], len(opened["indent"])
    return re.sub(rf"^[ \t]{{1,{indent}}}", "", block, flags=re.MULTILINE) if indent else block


def find_fences(text: str) -> Iterator[re.Match[str]]:
    """Yield the lines that open or close a block. What they say cannot hold a backtick: that is code within a line."""
    return (fence for fence in FENCE.finditer(text) if "`" not in fence["info"])


def language_of(fence: re.Match[str]) -> str:
    """Return the language a fence names, in lower case."""
    words = re.split(r"[\s{},:=]+", fence["info"].strip(), maxsplit=1)
    return words[0].lower()
