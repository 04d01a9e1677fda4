"""A completion judged against gold: what it commits itself to, and whether that is right."""

import re

import msgspec

from rewardstack_math.comparison import Comparison, compare_by
from rewardstack_math.extraction import Extraction, extract
from rewardstack_math.options import Rules

__all__ = ["Verification", "verify"]


_WORDS = re.compile(r"[^\W\d_]+")
_WRAPPED = re.compile(r"\\(?:text\w*|mathrm|mbox)\s*|[{}$*]")
PROSE = frozenset(("phrase", "line", "tag"))
LONGEST_WHOLE = 200  # characters of a sentence that may be the answer as a whole
_JUDGEMENTS = frozenset(("yes", "no", "true", "false"))
_DENIALS = frozenset(("not", "no", "never", "isn", "neither", "nor", "non"))


class Verification(msgspec.Struct, frozen=True):
    """The comparison of a completion's answer with gold, and how the answer was found."""

    comparison: Comparison
    extraction: Extraction


def verify(
    gold: str,
    completion: str,
    rules: Rules | None = None,
    *,
    unique: bool = False,
    thinking: bool = False,
    tag: str = "answer",
) -> Verification:
    """Extract a completion's answer and compare it with gold.

    Several boxes count as one answer where gold has several values, alternatives only where gold has them.
    """
    rules = rules or Rules()
    found = extract(completion, unique=unique, thinking=thinking, tag=tag)
    if found.text is None:
        blank = compare_by(gold, "", rules)
        unread = blank.equal is None
        return Verification(
            blank if unread else Comparison(False, f"no answer: {found.reason}", "read"), found
        )
    return Verification(_best(gold, found, rules), found)


def _best(gold: str, found: Extraction, rules: Rules) -> Comparison:
    """Return the first candidate that equals gold, else the verdict on the first."""
    first: Comparison | None = None
    for text in _candidates(found):
        verdict = compare_by(gold, text, rules)
        if verdict.equal is None or verdict.equal:
            return verdict
        first = first or verdict
    if first is None:
        return Comparison(False, "no answer", "read")
    if found.form in PROSE and _says(found.whole, gold):
        return Comparison(True, f"the answer says {gold}", "text")
    return first


def _candidates(found: Extraction) -> list[str]:
    if found.alternatives:
        return [" or ".join(found.alternatives)]
    texts = [found.text or ""]
    if found.parts:
        texts.append(", ".join(found.parts))
    if found.form in PROSE and found.whole not in ("", *texts) and len(found.whole) < LONGEST_WHOLE:
        texts.append(found.whole)
    return texts


def _says(whole: str, gold: str) -> bool:
    """Whether a sentence ends with a gold answer of words, undenied, or begins with a yes or no that is gold."""
    wanted = _WRAPPED.sub(" ", gold).strip().lower()
    words = _WORDS.findall(wanted)
    if not words or _WORDS.sub("", wanted).strip() or len(max(words, key=len)) < 2:
        return False
    said = _WORDS.findall(_WRAPPED.sub(" ", whole[-300:]).lower())
    if len(words) == 1 and words[0] in _JUDGEMENTS and said[:1] == words and len(whole) < LONGEST_WHOLE:
        return not _JUDGEMENTS & set(said[1:])
    return said[-len(words) :] == words and not _DENIALS & set(said[-len(words) - 4 : -len(words)])
