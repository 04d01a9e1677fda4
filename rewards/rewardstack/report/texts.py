"""Makes text of models safe and short enough to be shown."""

import re
import unicodedata

__all__ = ["number", "printable", "short_number", "tail", "xml_safe"]

UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
JOINERS = frozenset("\u200c\u200d")  # hold emoji and several scripts together
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escaped(character: str) -> str:
    """Return a character as Python would write it in a string."""
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def printable(text: str) -> str:
    r"""Return text on one line that cannot steer a terminal.

    White space becomes single spaces; control characters, direction marks and surrogates are written as escapes
    (`\x1b`).
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(
        escaped(each) if unicodedata.category(each) in UNPRINTABLE and each not in JOINERS else each
        for each in line
    )


def tail(text: str, width: int) -> str:
    """Return the printable end of a text, where completions give their answer, in at most `width` characters."""
    line = printable(text[-width * 4 :])
    return line if len(line) <= width and len(text) <= width * 4 else f"...{line[-(width - 3) :]}"


def xml_safe(text: str) -> str:
    r"""Return text that XML 1.0 can hold: characters it forbids are written as escapes (`\x00`)."""
    return NOT_XML.sub(lambda found: escaped(found.group()), text)


def number(value: float | None, digits: int = 3) -> str:
    """Return a number for a table, `-` where there is none."""
    if value is None:
        return "-"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def short_number(value: float, digits: int) -> str:
    """Return a number with at most so many significant digits, without those that are nought; never `-0`."""
    return f"{value + 0.0:.{digits}g}"
