"""Foreign text as a judge is shown it: its markup made harmless, every line marked, between lines it cannot write."""

import hashlib
import re
import unicodedata

__all__ = ["fence", "neutralise", "shortened"]

MOST_CHARACTERS = 200_000
KEPT = frozenset("\n\t")
RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<(?=[|/!?A-Za-z_｜])|<(?=<)"), "‹"),  # tags, role tokens, <<SYS>>
    (re.compile(r"(?<=[|/\w\"'｜?-])>|(?<=>)>"), "›"),
    (re.compile(r"\[(?=/?(?:INST|SYS|SYSTEM|USER|ASSISTANT)\b)", re.IGNORECASE), "⟦"),
    (re.compile(r"\[(?=\s*\[)|(?<=\[)\["), "⟦"),  # [[10]]
    (re.compile(r"\](?=\s*\])|(?<=\])\]"), "⟧"),
    (re.compile(r"`{3,}|~{3,}"), "'''"),
    (re.compile(r"={3,}"), "=="),
    (re.compile(r"^([^\S\n]*)#{1,6}(?=\s|\w)", re.MULTILINE), r"\1♯"),
)


def neutralise(text: str) -> str:
    """Return a text in which no markup, role token, heading, fence or `[[10]]` is left that a judge could obey.

    Letters, digits, words and line ends stay. Invisible and control characters go; a text of more than 200,000
    characters loses its middle. Comparisons such as a < b and a list's brackets stay as they are.
    """
    plain = (
        shortened(text)
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .replace("\u2028", "\n")
        .replace("\u2029", "\n")
    )
    plain = "".join(folded(each) for each in plain)
    for pattern, replacement in RULES:
        plain = pattern.sub(replacement, plain)
    return plain


def shortened(text: str) -> str:
    """Return as much of a text as a judge is shown."""
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half]}\n(… {len(text) - MOST_CHARACTERS:,} characters left out …)\n{text[-half:]}"


def folded(character: str) -> str:
    """Return a character as it may stand: brackets of every width as ASCII's, invisible ones as nothing."""
    if character.isascii():
        return character if character.isprintable() or character in KEPT else ""
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return ""
    if category in ("Ps", "Pe", "Sm", "Po"):  # full-width ［［ and ＜｜ would be read as what they look like
        plain = unicodedata.normalize("NFKC", character)
        return plain if plain.isascii() else character
    return character


def fence(name: str, text: str) -> str:
    """Return a neutralised text with every line marked, between lines that name a digest of the text itself.

    To close the fence early a text would have to hold its own SHA-256.
    """
    mark = f"{name} {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"
    lines = "\n".join(f"| {line}" for line in neutralise(text).split("\n"))
    return f"=== BEGIN {mark} ===\n{lines}\n=== END {mark} ==="
