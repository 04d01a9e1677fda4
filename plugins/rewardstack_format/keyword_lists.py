"""A reward for words that must or must not be in a completion."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

from msgspec import Meta

from rewardstack import Score, StackError, reward
from rewardstack_format.answers import shorten
from rewardstack_format.patterns import compile_pattern
from rewardstack_format.scripts import UNSPACED

__all__ = ["keywords"]

LETTER = re.compile(rf"(?![{UNSPACED}])\w")


@lru_cache(maxsize=1024)
def keyword_pattern(keyword: str, *, whole: bool, case: bool, regex: bool) -> re.Pattern[str]:
    """Return a pattern that finds a keyword: as a regular expression, or literally with any white space for its own.

    Raises `StackError` for what is no regular expression.
    """
    if regex:
        return compile_pattern(keyword, () if case else ("ignorecase",))
    words = keyword.split()
    literal = r"\s+".join(map(re.escape, words))
    before = rf"(?<![^\W{UNSPACED}])" if whole and LETTER.match(words[0]) else ""
    after = rf"(?![^\W{UNSPACED}])" if whole and LETTER.match(words[-1][-1]) else ""
    return re.compile(f"{before}{literal}{after}")


def keyword_texts(given: Any) -> list[str]:
    """Return a column of keywords as a list; empty ones are none."""
    words = given if isinstance(given, (list, tuple)) else [given]
    return [str(word).strip() for word in words if word is not None and str(word).strip()]


def count_keywords(
    text: str, wanted: Iterable[str], *, whole: bool, case: bool, regex: bool
) -> dict[str, int]:
    """Return how often each keyword stands in a text; empty matches of a pattern do not count."""
    fold = not (case or regex)
    patterns = {
        word: keyword_pattern(word.casefold() if fold else word, whole=whole, case=case, regex=regex)
        for word in wanted
    }
    text = text.casefold() if fold else text
    return {
        word: sum(found.end() > found.start() for found in pattern.finditer(text))
        for word, pattern in patterns.items()
    }


def check_keywords(options: Mapping[str, Any]) -> None:
    """Raise `StackError` for a blank keyword, and for one that should be a regular expression and is none."""
    for name in ("required", "forbidden"):
        for keyword in options[name]:
            if not keyword.strip():
                raise StackError(f"format.keywords: {name} = {list(options[name])} holds a blank keyword")
            if options["regex"]:
                compile_pattern(keyword, ())


@reward(isolated=lambda options: bool(options["regex"]), timeout=5.0, check=check_keywords)
def keywords(
    completion: str,
    keywords: Any = None,
    *,
    required: tuple[str, ...] = (),
    forbidden: tuple[str, ...] = (),
    credit: Literal["all", "any", "share"] = "all",
    at_most: Annotated[int, Meta(ge=1)] | None = None,
    whole: bool = True,
    case: bool = False,
    regex: bool = False,
) -> Score:
    """1 when the required keywords are in the completion and the forbidden ones are not.

    The column `keywords` (a text, or a list of them) adds to `required`; map another one to it, such as a
    recipient's name: `columns = { keywords = "recipient" }`. Where nothing is required and nothing forbidden, the
    row abstains.

    Options:
        required: Keywords, taken literally: `C++` and `a.b` mean themselves. White space matches any white space.
        forbidden: Keywords any of which makes it 0.
        credit: `all` or `any` of the required ones, or the `share` of them that is there.
        at_most: A keyword that stands more often than this counts as missing: what stuffing earns.
        whole: Only whole words: `art` is not in `party`. Scripts without spaces between words are matched anywhere.
        case: Upper and lower case differ.
        regex: Keywords are regular expressions, searched anywhere (`whole` does not count). A pattern can take
            exponential time on a text made for it, so the reward then runs in a worker process, killed after 5
            seconds or the term's `timeout`.

    Range: 0 to 1. Does not know word forms, synonyms or negations ("no refund" holds `refund`).
    """
    wanted, unwanted = keyword_texts([*required, *keyword_texts(keywords)]), keyword_texts(forbidden)
    if not wanted and not unwanted:
        return Score(reason="no keywords are given")
    counts = count_keywords(completion, wanted, whole=whole, case=case, regex=regex)
    banned = count_keywords(completion, unwanted, whole=whole, case=case, regex=regex)
    details = {"required": counts, "forbidden": banned}
    if found := [word for word, count in banned.items() if count]:
        return Score(0.0, f"forbidden: {shorten(', '.join(found))}", details)
    missing = [word for word, count in counts.items() if not count]
    stuffed = [word for word, count in counts.items() if at_most is not None and count > at_most]
    right = len(counts) - len(missing) - len(stuffed)
    reason = "all keywords as required"
    if missing:
        reason = f"missing: {shorten(', '.join(missing))}"
    elif stuffed:
        reason = f"more than {at_most} times: {shorten(', '.join(stuffed))}"
    share = right / len(counts) if counts else 1.0
    value = (
        share if credit == "share" else float(share == 1.0 if credit == "all" else right > 0 or not counts)
    )
    return Score(value, reason, details)
