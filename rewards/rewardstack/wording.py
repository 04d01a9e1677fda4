"""Words that messages of all floors have in common."""

__all__ = ["counted"]


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number of things: `1 row`, `1,200 rows`; `plural` is for nouns that take more than an s."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {plural or f'{noun}s'}"
