"""Reads Markdown pages: which there are, and the code blocks in them."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>\S*).*$")
NAMED_BY_COMMENT = re.compile(r"^# (?P<name>[\w./-]+\.\w+)$")
NAMED_BY_SENTENCE = re.compile(r"`(?P<name>[\w./-]+\.\w+)`:$")


class Block(NamedTuple):
    """A fenced code block: its language, text, first line's number, and the file it stands for (or "")."""

    language: str
    text: str
    line: int
    name: str


def pages() -> list[Path]:
    """Return all pages a newcomer reads: those at the root, in docs/ and in examples/."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
    return sorted(path for path in found if "node_modules" not in path.parts)


def blocks_of(text: str) -> list[Block]:
    """Return a page's code blocks in order."""
    blocks: list[Block] = []
    fence: re.Match[str] | None = None
    before, start, lines = "", 0, list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        opening = FENCE.match(line)
        if fence is None and opening:
            fence, start, lines = opening, number + 1, []
        elif fence is not None and line.strip() == fence["ticks"]:
            content = "".join(f"{each[len(fence['indent']) :]}\n" for each in lines)
            blocks.append(Block(fence["language"], content, start, name_of(content, before)))
            fence, before = None, ""
        elif fence is not None:
            lines.append(line)
        elif line.strip():
            before = line.strip()
    if fence is not None:
        raise ValueError(f"the block that begins at line {start - 1} never ends")
    return blocks


def name_of(content: str, before: str) -> str:
    """Return the file a block stands for: named by its first comment, or by the sentence right before it."""
    found = NAMED_BY_COMMENT.match(content.partition("\n")[0]) or NAMED_BY_SENTENCE.search(before)
    return found["name"] if found else ""


def prose_of(text: str) -> str:
    """Return a page without its code blocks, line numbers kept."""
    fence, kept = "", []
    for line in text.splitlines():
        opening = FENCE.match(line)
        if fence:
            fence = "" if line.strip() == fence else fence
            kept.append("")
        elif opening:
            fence = opening["ticks"]
            kept.append("")
        else:
            kept.append(line)
    return "\n".join(kept)
