"""A long answer cut into named sections: by tags, by headings of every kind, by numbered parts."""

import re
from collections.abc import Mapping, Sequence

from rewardstack import visible_text

__all__ = ["split_sections"]

LONGEST_HEADING = 80
MOST_LINES = 20_000

_HEADING = re.compile(
    r"[ \t>]{0,4}(?:"
    r"(?P<hashes>#{1,6})[ \t]*(?P<title>[^\n]*?)[ \t#]*"  # ## Method
    r"|(?:\d{1,2}[.)][ \t]+)?(?P<stars>\*\*|__)(?P<bold>[^*_\n]{1,80}?)[:：]?(?P=stars)[:：]?(?P<behind_bold>[ \t][^\n]*)?"  # **Method:** we
    r"|(?P<number>(?:(?:part|question|q|step|problem|task)[ \t]*)?\(?(?:\d{1,2}|[a-hivx]{1,3})[.):])(?P<behind_number>(?:[ \t][^\n]*)?)"  # 1. (a) Part 2:
    r"|(?:\d{1,2}[.)][ \t]+)?(?P<label>[A-Za-z][^\n:：.!?]{0,60})[:：](?P<behind_label>[^\n]*)"  # Method: we
    r")[ \t]*",
    re.IGNORECASE,
)
_FOLDED = re.compile(r"[\W_]+")
_ORDINAL = re.compile(r"\A\(?(?:\d{1,2}|[a-h])[.)]?[ \t]+(?=\S)", re.IGNORECASE)


def split_sections(text: str, names: Sequence[str] | Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the contents of the named sections of an answer; those it does not have are left out.

    `names` may map each name to further headings that open it. A section is the content of its last closed tag
    (`<method>...</method>`); else what follows its last heading ("## Method", "**Method:** ...", "Method: ...",
    "1. Method", and for a name such as `1`, `a` or `part 2` the numbered part), up to the heading of another section
    or a Markdown heading of its level. Case, spaces and punctuation of headings are free. Thinking is left out.
    Linear in the length of the text.
    """
    headings = names if isinstance(names, Mapping) else dict.fromkeys(names, ())
    openers = {fold_heading(title): name for name, more in headings.items() for title in (name, *more)}
    text = visible_text(text).text
    found = _headed(text, openers)
    for name, more in headings.items():
        for title in (name, *more):
            content = _tagged(text, title)
            if content is not None:
                found[name] = content
    return {name: found[name] for name in headings if name in found}


def fold_heading(title: str) -> str:
    """Return a heading as it is compared: without case, spaces and punctuation; "Part 2" is "2"."""
    folded = _FOLDED.sub(" ", title.casefold()).strip()
    head, _, rest = folded.rpartition(" ")
    return rest if head in ("part", "question", "q", "step", "problem", "task") else folded


def _tagged(text: str, name: str) -> str | None:
    """The content of the last closed tag of a name."""
    lowered = text.lower() if len(text.lower()) == len(text) else text
    tag = name.strip().lower().replace(" ", "_")
    end = lowered.rfind(f"</{tag}>")
    start = lowered.rfind(f"<{tag}>", 0, end) if end >= 0 else -1
    return text[start + len(tag) + 2 : end].strip() if start >= 0 else None


def _headed(text: str, openers: Mapping[str, str]) -> dict[str, str]:
    """The sections that headings open."""
    found: dict[str, str] = {}
    name, level, lines = "", 7, list[str]()
    for line in text.split("\n", MOST_LINES):
        opened, depth, rest = _opens(line, openers)
        if opened or (depth <= level and name):
            if name:
                found[name] = "\n".join(lines).strip()
            name, level, lines = opened, min(depth, 7), [rest] if rest else []
        elif name:
            lines.append(line)
    if name:
        found[name] = "\n".join(lines).strip()
    return found


def _opens(line: str, openers: Mapping[str, str]) -> tuple[str, int, str]:
    """The section that a line opens (else none), the level of its Markdown heading, and what follows on the line."""
    match = _HEADING.fullmatch(line.rstrip()) if len(line) < 4_000 else _HEADING.match(line[:LONGEST_HEADING])
    if match is None:
        return "", 8, ""
    depth = len(match["hashes"]) if match["hashes"] else 7
    titles = (match["title"], match["bold"], match["label"], match["number"])
    title = next((title for title in titles if title is not None), "")
    rest = line[match.end() :] if match.end() < len(line.rstrip()) else ""
    rest = (match["behind_bold"] or match["behind_number"] or match["behind_label"] or "") + rest
    if match["number"] is not None:  # "1. Method" may be the section Method, or the section 1
        named = openers.get(fold_heading(rest)) if len(rest) <= LONGEST_HEADING else None
        return (named, 7, "") if named else (openers.get(fold_heading(title), ""), 8, rest.strip())
    opened = openers.get(fold_heading(title)) or openers.get(fold_heading(_ORDINAL.sub("", title)))
    if opened is None and match["hashes"] and ":" in title:  # "## Part 2: the result"
        opened = openers.get(fold_heading(title.partition(":")[0]))
    return (opened or "", depth if opened or match["hashes"] else 8, rest.strip())
