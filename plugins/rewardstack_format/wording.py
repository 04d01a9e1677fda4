"""Grammar of reasons."""

__all__ = ["article", "counted"]


def counted(count: int, unit: str) -> str:
    """Return a number of things: `1 word`, `7 words`; `unit` is the plural."""
    return f"{count} {unit.removesuffix('s') if count == 1 else unit}"


def article(name: str) -> str:
    """Return the article of a name, told by its first letter."""
    return "an" if name[:1].lower() in "aeiou" else "a"
