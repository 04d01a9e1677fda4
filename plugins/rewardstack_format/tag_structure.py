"""Rewards for required tags: each once, in order, closed, with something inside, as the GSM8K notebooks want them."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

from msgspec import Meta

from rewardstack import Score, StackError, reward
from rewardstack_format.matching import is_blank
from rewardstack_format.tag_blocks import Block, Markup, lacks_content, read_markup
from rewardstack_format.wording import counted

__all__ = ["tags", "xmlcount"]

Tag = Annotated[str, Meta(pattern=r"^[A-Za-z_][\w.:-]*$")]
Tags = Annotated[tuple[Tag, ...], Meta(min_length=1)]


def check_tags(options: Mapping[str, Any]) -> None:
    """Raise `StackError` for tags of one name: no completion could hold each of them once."""
    names = options["tags"]
    seen = set[str]()
    for name in names:
        if name.lower() in seen:
            raise StackError(
                f"tags = {list(names)} names {name!r} twice (case does not tell tags apart): each may stand once"
            )
        seen.add(name.lower())


def find_fault(text: str, names: tuple[str, ...], markup: Markup) -> str:
    """Return the first reason why the tags are not each there once, in order and filled; empty when they are."""
    if markup.faults:
        return markup.faults[0].reason
    for name in names:
        count = len(markup.of(name))
        if count != 1:
            return f"<{name}> is missing" if not count else f"<{name}> stands {count} times"
    for name, block in zip(names, markup.blocks, strict=True):
        if block.tag != name:
            return f"<{block.tag}> stands where <{name}> should"
        if lacks_content(text, block):
            return f"<{name}> is empty"
    return ""


def find_outside(text: str, blocks: list[Block]) -> str:
    """Return the reason why something but white space stands outside of the blocks; empty when nothing does."""
    edges = [(0, 0), *((block.start, block.end) for block in blocks), (len(text), len(text))]
    for (_, left), (right, _) in pairwise(edges):
        if outside := text[left:right].strip():
            return f"text outside the tags: {' '.join(outside[:60].split())!r}"
    return ""


def find_crowded(text: str, blocks: list[Block]) -> str:
    """Return the reason why a tag does not stand on a line of its own; empty when all do."""
    for block in blocks:
        for start, end in ((block.start, block.left), (block.right, block.end)):
            before, after = text[max(0, start - 1) : start], text[end : end + 2]
            if before not in ("", "\n") or not (after in ("", "\r\n") or after.startswith("\n")):
                return f"{text[start:end]} does not stand on a line of its own"
    return ""


def share_right(text: str, names: tuple[str, ...], markup: Markup) -> dict[str, float]:
    """Return how much of each tag is right: half for opening it once, half for closing it, in order; empty is 0."""
    faulty = {fault.tag for fault in markup.faults}
    shares, place = {}, 0
    for name in names:
        blocks = markup.of(name)
        opened = markup.opened[name] == 1
        closed = opened and len(blocks) == 1 and name not in faulty
        if (blocks and blocks[0].start < place) or any(lacks_content(text, block) for block in blocks):
            opened = closed = False
        place = max([place, *(block.end for block in blocks)])
        shares[name] = 0.5 * opened + 0.5 * closed
    return shares


@reward(check=check_tags)
def tags(
    completion: str,
    *,
    tags: Tags = ("think", "answer"),
    credit: Literal["strict", "soft", "partial"] = "strict",
    lines: bool = False,
) -> Score:
    """1 when the required tags stand in the completion: each once, in order, closed, and with something inside.

    Options:
        tags: The tags, in the order they must stand in.
        credit: `strict`: nothing but white space outside of the tags. `soft`: text around them is free. `partial`:
            each tag earns its share, half of it for opening and half for closing it; text around is free.
        lines: Every tag stands on a line of its own, as the strict format of the GSM8K notebooks asks (not for
            `partial`). CRLF counts as a line's end.

    Refused: nested, unclosed, repeated and mismatched tags; tags with attributes, spaces or another case; blocks
    that are empty or hold only dots, dashes and the like (an echoed template). A later tag may be named inside an
    earlier block ("I will use <answer> tags") as long as it is not closed there. Tags in code fences count like any
    others. Other tags are text. Only the completion is read, never the prompt's own tags; a `<think>` that the chat
    template prefills is given back by the stack's `prefill`.

    Range: 0 to 1 (0 or 1 but for `partial`). Source: strict_format and soft_format of W. Brown's GRPO demo on
    GSM8K; the soft one there wants the first tag at the very start, here text may come before it. Does not judge
    what is inside.
    """
    tags = tuple(tags)
    markup = read_markup(completion, tags)
    if credit == "partial":
        shares = share_right(completion, tags, markup)
        fault = find_fault(completion, tags, markup)
        return Score(sum(shares.values()) / len(tags), fault or describe_tags(tags), {"tags": shares})
    fault = find_fault(completion, tags, markup)
    if not fault and credit == "strict":
        fault = find_outside(completion, markup.blocks)
    if not fault and lines:
        fault = find_crowded(completion, markup.blocks)
    return Score(0.0, fault) if fault else Score(1.0, describe_tags(tags))


def describe_tags(names: tuple[str, ...]) -> str:
    """Return the reason for full credit."""
    return f"{', '.join(f'<{name}>' for name in names)} as required"


@reward(range=(-1.0, 1.0), check=check_tags)
def xmlcount(
    completion: str,
    *,
    tags: Tags = ("reasoning", "answer"),
    trailing: Annotated[float, Meta(ge=0)] = 0.002,
) -> Score:
    r"""The XML count of the GSM8K notebooks: a share for every tag marker, less for text after the last one.

    Of n tags each opening and each closing marker earns 1/(2n) when it stands exactly once, with its line breaks:
    `<reasoning>\n`, `\n</reasoning>\n`, `\n<answer>\n`, `\n</answer>`. A marker without its line breaks earns
    nothing: `<answer>4</answer>` has none. Order is not asked for.

    Options:
        tags: The tags, in order.
        trailing: What each character after the last closing marker costs (one line break is free).

    With `weight = 0.5` a marker of two tags is worth the notebooks' 0.125, and `trailing = 0.002` their 0.001 a
    character. The notebooks' code charges that twice where a line break follows `</answer>`: `trailing = 0.004`.

    Range: -1 to 1; the notebooks' count has no lower end. It also pays for empty blocks (here neither marker of an
    empty block counts) and charges a completion that ends right at `</answer>` for all of its text (here it is
    free). Does not refuse nested blocks: add `format.tags`.
    """
    text = completion.replace("\r\n", "\n")
    apart = text.replace("\n", "\n\n")  # so that neighbouring markers do not share a line break when counted
    counts = {}
    for place, name in enumerate(tags):
        opener = f"<{name}>\n" if place == 0 else f"\n<{name}>\n"
        closer = f"\n</{name}>" if place == len(tags) - 1 else f"\n</{name}>\n"
        opened, closed = apart.count(opener) == 1, apart.count(closer) == 1
        if opened and closed:
            left, right = text.index(opener) + len(opener), text.index(closer)
            opened = closed = not is_blank(text[left:right])
        counts[name] = (opened + closed) / (2 * len(tags))
    last = f"\n</{tags[-1]}>"
    after = len(text.rpartition(last)[2].removeprefix("\n")) if apart.count(last) == 1 else 0
    value = max(-1.0, sum(counts.values()) - trailing * after)
    reason = (
        f"{round(sum(counts.values()) * 2 * len(tags))} of {2 * len(tags)} markers with their line breaks"
    )
    tail = f", {counted(after, 'characters')} after the last" if after else ""
    return Score(value, reason + tail, {"tags": counts})
