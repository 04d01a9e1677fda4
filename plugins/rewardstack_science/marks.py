"""What replies mark rather than say: struck text, crosses, check boxes, and tables with a verdict a row."""

import re

__all__ = ["is_crossed", "leave_out_struck", "read_marked"]

# As GitHub's Markdown has it; the "~~" of LaTeX is space between two words
_STRUCK = re.compile(r"(?<![\w\\~}$])~~(?=[^\s~])[^~\n]{1,200}(?<=\S)~~(?![\w\\~])")
_BOX = re.compile(r"\[[xX ]\]\s")
_CROSS = re.compile(r"[❌✗✘✖☒]")
_CROSSED = re.compile(rf"{_CROSS.pattern}|\A\W*\[ \]\s")
_TICKED = re.compile(r"\A(\W*)\[[xX]\]\s")


def leave_out_struck(text: str) -> str:
    """Return a text without what its Markdown strikes out: "~~A~~ B" says B."""
    return _STRUCK.sub(" ", text)


def is_crossed(behind: str) -> bool:
    r"""Return whether what stands behind an answer begins with a cross: "\boxed{B} ❌"."""
    return not behind.isascii() and _CROSS.match(behind.lstrip(" $*)}")) is not None


def read_marked(text: str, sentences: list[str]) -> list[str]:
    """Return the sentences of a text as their marks have them: crossed ones left out, rows of a table put plainly."""
    if "|" not in text and (text.isascii() or not _CROSS.search(text)) and not _BOX.search(text):
        return sentences
    rows = [_row(sentence) for sentence in sentences if not _CROSSED.search(sentence)]
    return [_TICKED.sub(r"\1", row) for row in rows]


def _row(sentence: str) -> str:
    """A row of a table as a line: "B: correct"."""
    bare = sentence.strip()
    if not bare.startswith("|"):
        return sentence
    return ": ".join(cell.strip() for cell in bare.strip("|").split("|"))
