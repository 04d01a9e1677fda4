"""Reads the blocks of required tags in a completion, and everything that is wrong with them."""

import re
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from rewardstack_format.matching import is_blank

__all__ = ["Block", "Fault", "Markup", "lacks_content", "read_markup"]

MOST_MARKS = 1_000  # tags in a completion that are looked at; with more of them it is refused anyway


class Mark(NamedTuple):
    """An opening or closing tag at `start` to `end`; `exact` unless it has attributes, spaces or another case."""

    tag: str
    closes: bool
    exact: bool
    start: int
    end: int


class Block(NamedTuple):
    """A tag's block: markup from `start` to `end`, content from `left` to `right`."""

    tag: str
    start: int
    left: int
    right: int
    end: int


class Fault(NamedTuple):
    """Something wrong with a tag; what is wrong with two is listed for both."""

    tag: str
    reason: str


class Markup(NamedTuple):
    """All blocks of a completion in order, all faults, and how often each tag was opened (mentions apart)."""

    blocks: list[Block]
    faults: list[Fault]
    opened: dict[str, int]

    def of(self, tag: str) -> list[Block]:
        """Return the blocks of one tag."""
        return [block for block in self.blocks if block.tag == tag]


@lru_cache(maxsize=64)
def mark_pattern(tags: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of all ways in which people and models write these tags."""
    names = "|".join(re.escape(tag) for tag in sorted(tags, key=len, reverse=True))
    return re.compile(rf"<\s{{0,9}}(?P<slash>/?)\s{{0,9}}(?P<tag>(?ai:{names}))(?![\w.:-])[^<>]{{0,200}}>")


def read_marks(text: str, tags: tuple[str, ...]) -> list[Mark]:
    """List the opening and closing tags of a text in order."""
    names = {tag.lower(): tag for tag in tags}
    marks = []
    for found in islice(mark_pattern(tags).finditer(text), MOST_MARKS + 1):
        tag = names[found["tag"].lower()]
        exact = found[0] == f"<{found['slash']}{tag}>"
        marks.append(Mark(tag, bool(found["slash"]), exact, *found.span()))
    return marks


def read_markup(text: str, tags: tuple[str, ...]) -> Markup:
    """Read the blocks of some tags; linear in the length of the text.

    A block runs to its own closing tag. A tag that comes later in `tags` may be named inside of it ("I put it into
    <answer> tags") as long as it is not closed there as well: that would be a nested block. Tags inside code fences
    are tags like any others, since whoever extracts the answer sees them too.
    """
    markup = Markup([], [], dict.fromkeys(tags, 0))
    rank = {tag: place for place, tag in enumerate(tags)}
    inside: Mark | None = None
    marks = read_marks(text, tags)
    if len(marks) > MOST_MARKS:
        markup.faults.extend(Fault(tag, f"more than {MOST_MARKS} tags") for tag in tags)
    for mark in marks:
        if not mark.exact:
            written = " ".join(text[mark.start : mark.end].split())[:40]
            markup.faults.append(Fault(mark.tag, f"{written} is not how {tag_name(mark)} is written"))
        elif inside is None or (mark.tag == inside.tag and mark.closes):
            inside = step(markup, inside, mark)
        elif mark.closes:
            reason = f"{tag_name(mark)} stands inside <{inside.tag}>"
            markup.faults.extend((Fault(mark.tag, reason), Fault(inside.tag, reason)))
        elif rank[mark.tag] <= rank[inside.tag]:
            markup.opened[mark.tag] += 1
            again = "again before it is closed" if mark.tag == inside.tag else f"inside <{inside.tag}>"
            reason = f"<{mark.tag}> is opened {again}"
            markup.faults.extend((Fault(mark.tag, reason), Fault(inside.tag, reason)))
    if inside is not None:
        markup.faults.append(Fault(inside.tag, f"<{inside.tag}> is never closed"))
    return markup


def step(markup: Markup, inside: Mark | None, mark: Mark) -> Mark | None:
    """Open a block, close the open one, or note that there is none to close; return the block now open."""
    if not mark.closes:
        markup.opened[mark.tag] += 1
        return mark
    if inside is None:
        markup.faults.append(Fault(mark.tag, f"{tag_name(mark)} closes nothing"))
        return None
    markup.blocks.append(Block(mark.tag, inside.start, inside.end, mark.start, mark.end))
    return None


def tag_name(mark: Mark) -> str:
    """Return how a tag should be written."""
    return f"</{mark.tag}>" if mark.closes else f"<{mark.tag}>"


def lacks_content(text: str, block: Block) -> bool:
    """Whether a block shows nothing."""
    return is_blank(text[block.left : block.right])
