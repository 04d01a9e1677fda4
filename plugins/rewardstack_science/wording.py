r"""Text made comparable: markup, look-alikes and spacing taken away; words for doubt, denial and correction.

Everything here is linear in the length of the text and evaluates nothing.
"""

import re
import unicodedata
from functools import lru_cache

__all__ = [
    "CORRECTION",
    "DENIED_AFTER",
    "HEDGED",
    "REPLACED",
    "SHARE",
    "affirm",
    "behind_correction",
    "clean",
    "denied_before",
    "fold",
    "shorten",
    "squeeze",
    "word_list",
    "word_set",
]

LONGEST_DENIAL = 60  # characters before a mention in which it may be denied

_INVISIBLE = dict.fromkeys(
    [
        0xAD,
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2065),
        0xFE0E,
        0xFE0F,
        0xFEFF,
        *map(ord, "✅✓✔☑"),
    ]
)
_WRAPPER = re.compile(
    r"\\(?:text[a-z]*|math(?:rm|bf|it|sf|tt|cal|normal)|operatorname|mbox|boxed|fbox|emph)\s*\{([^{}]*)\}"
)
_MARKS = str.maketrans(
    {
        "「": "[",
        "」": "]",
        "【": "[",
        "】": "]",
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "−": "-",
        "–": "-",
        "—": "-",
        "‐": "-",
        "‑": "-",
    }
)
_MARKUP = re.compile(
    r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`+|\$|\\[()\[\]]|\\(?:left|right|displaystyle)(?![a-z])|\\[,;:! ]|~"
)
_BARE_FRACTION = re.compile(r"\\frac\s?(\d)\s?(\d)")

# A choice that is not made. "I think", "probably" and "I would say" still make one.
HEDGED = re.compile(
    r"(?i:\b(?:maybe|perhaps|possibly|not (?:quite |entirely |really )?(?:sure|certain)|unsure|uncertain|no idea)\b"
    r"|\b(?:might|could|may)(?: (?!not\b|only\b|never\b)\w{1,7}){0,3} be\b|(?:\bcannot|\bcan't|\bcan not) (?:decide|choose|make up)\b|\bundecided\b|\beither\b(?! way)|\bor (?:whatever|whichever|any(?:thing| other)|something else)\b|\b(?:toss[- ]?up|torn between|hard to say)\b)"
)
# What ends with this, right before a mention, denies it. In small letters, and without a \b of its own before each word:
# so the regex engine can pass over a place by its first character, which makes it ten times as quick.
_DENIAL = re.compile(
    r"(?:(?<!\w)|(?=n't))(?:not|n't|neither|nor|never|except(?: for)?|rather than|instead of|unlike|other than|without"
    r"|no longer|isnt|rul(?:e|es|ed|ing) out|eliminat\w{1,5}|exclud\w{1,4}|reject\w{0,3}|avoid\w{0,3}|dis(?:card|miss|count)\w{0,3}|cross\w{0,3} out|than|opposed to"
    r"|cannot be|can't be|used to think|(?:first|initially) (?:thought|said|chose)|non|absence of|lack of"
    r"|(?:not|n't|never|hardly|nobody|no one)(?: \w{1,12}ly)?(?: would| will| should| can)?"
    r" (?:think|believe|say|claim|agree|convinced|pick|choose|select|take|accept|go with)|no (?:way|chance)|not going with|refuse to (?:believe|accept|say)"
    r"|(?:not|n't|never)(?: \w{1,12}ly)? \w{1,12}(?:ed|en|nd|wn)(?= by\b)"
    r"|(?<!\bno )(?<!\bnot )(?<!n't )\b(?:doubt|deny|disagree|unlikely|impossible|false|untrue)(?! \w{1,12}ly)(?= (?:that|it|the|to)\b)"
    r"|(?:not|n't) (?:think|believe|suppose)(?: that)?(?: it| this)?(?:'s)?"
    r"|whether(?: or not)?(?: it| this)?(?:'s)?|(?:false|untrue|not true|wrong|incorrect) (?:that|to say)(?: it| this)?(?:'s)?"
    r"|wrong(?= (?:answer|choice|option))|incorrect(?= answer)"  # "the incorrect option is C" may be what was asked
    r"|(?:many|most|some|students?|people|others?|everyone|everybody|they|fool)(?: \w{1,12}){0,2} (?:says?|choose|pick|think|select|guess)(?: that)?(?: it)?(?:'s)?)"
    r"[\s\"'(-]{1,3}(?:(?:be|necessarily|quite|simply|first|at once|just|a|an|the|option|choice|answer|letter|in|is|was|have|been|it|it's|that|this|correct|right|by|from|of|to|due)[\s\"'(]{1,3}){0,6}\Z"
)
# What begins like this, right behind a mention, denies it.
DENIED_AFTER = re.compile(
    r"(?i:\s{0,2}[❌✗✘✖☒]|[)\]\"'.]{0,2}\s{0,2}[(\[]\s?(?:(?:this|that|it)(?:'s|\sis)\s)?(?:incorrect|wrong|false|untrue|eliminated|rejected|discarded)\s?[)\]]"
    r"|[)\]\"'.]{0,2},?\s{1,2}(?:which |that |it )?(?:(?:is|are|was|were|does|do|did|has|had|can|could|would|must|seems|looks)(?: \w{1,12}ly| also| both| all){0,2}"
    r"(?:n't|\s(?:not|never|no)\b|(?:\s(?:a|an|the)(?:\s\w{1,12})?)?\s(?:wrong|incorrect|false|untrue|impossible|distractor|trap|decoy|mistake|misconception)\b"
    r"|\s(?:out|ruled out|eliminated|excluded)\b"
    r"|\swhat (?:my|some|many|most|people|others?|students?|they|he|she)\b"
    # "the answer I would rule out", "the one to avoid"
    r"|\s(?:the|an|my)(?: \w{1,12}){0,2} (?:answer|option|choice|one|letter)\b[^.;:,!?]{0,40}?(?:\b(?:rule|ruled|eliminate|exclude|reject|discard|dismiss|avoid|drop|cross|strike|doubt|distrust|least|not|never|cannot)|n't)\b)"
    r"|(?:cannot|can't)\b|(?:would|could|might) (?:only )?(?:be|have been)\b[^.;]{0,30}?\b(?:if|unless|had|only when)\b))"
)
# Behind it the text begins anew: "B, no wait, C"
_ANEW = r"(?:no,? wait|wait,? no|no(?=,)|oops|sorry|scratch that|i mean|correction|wait|(?:up)?on (?:second |further )?(?:reflection|thoughts?)|in hindsight)"
_PAUSE = r"\b[\s,.:;!-]*"
_CORRECTED = re.compile(rf"(?i:(?<![\s,.;-])[\s,.;-]+{_ANEW}{_PAUSE})")
_ANEW_HOLDS = (
    "wait",
    "no,",
    "oops",
    "sorry",
    "scratch",
    "mean",
    "correction",
    "reflection",
    "thought",
    "hindsight",
)
# The same where prose may hold the words too: set off by a mark, and not before what only looks again
REPLACED = re.compile(
    rf"(?i:[.,;!?…—-]\s{{1,2}}(?:{_ANEW}|(?:i was |i am |i'm )?(?:just |only )?(?:kidding|joking)){_PAUSE}(?!(?:let|i|we|that|this|check\w*|is|are|but|because|not|yes|it is (?:right|correct))\b))(?=\S)"
)
# Shares given to answers: "5 N: 60%, 6 N: 40%", "Newton (60 %)"
SHARE = re.compile(
    r"[)\]]?\s?(?:[:=(,-]|\bwith\b|\bat\b|\babout\b)\s?(?i:(?:with|at|about|a|p|confidence|probability|chance|likelihood|of)[\s:=]{1,2}){0,4}\d{1,3}(?:\.\d+)?\s?%"
)
# A denial of all but one affirms that one: "cannot be anything other than B", "nothing but B"
_EXCEPTS = ("but", "than", "except", "save")  # one of which is in each of them
_BUT = r"\s(?:(?:other|else) than|(?:else )?but|except(?: for)?|save)\s"
_NONE_BUT = re.compile(rf"\A(?i:(?:nothing|none|nobody|no one|no (?:option|answer|choice)){_BUT})")
_ONLY = re.compile(
    r"(?i:\b(?:(?:can|could|must|may|would|is|was)(?:not|n't|\snot)(?:\s(?:possibly|really|be|have been)){0,3}\s(?:any(?:thing|one|body)?|another)"
    r"|(?:is|be|was|been|leaves?|with|to)\s(?:nothing|none|no(?: one|body|ne)?))"
    rf"(?:\s(?!but\b|except\b)\w{{1,12}})?{_BUT})"
)
# Between two answers: the later one is meant to replace the earlier one.
CORRECTION = re.compile(
    r"(?i:\b(?:wait|hold on|actually|correction|oops|sorry|mistake\w{0,2}|mistook|wrong|incorrect|error|scratch that|strike that"
    r"|second thoughts?|reconsider\w{0,3}|re-?check\w{0,3}|re-?examin\w{0,3}|double[- ]check\w{0,3}|revis\w{1,3}|changed? my mind"
    r"|instead|rather|final|finally|let me (?:correct|redo|fix|re)|misread|on reflection|now)\b|\bno[,.:;!-])"
)


@lru_cache(maxsize=64)
def clean(text: str) -> str:
    r"""Return a text without markup: emphasis, dollar signs, `\text{}` and its kin, look-alike marks, extra spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE)).translate(_MARKS)
    if "\\" in text:
        for _ in range(3):
            text, count = _WRAPPER.subn(r" \1 ", text)
            if not count:
                break
        text = (
            text.replace("\\dfrac", "\\frac")
            .replace("\\tfrac", "\\frac")
            .replace("^\\circ", "°")
            .replace("^{\\circ}", "°")
        )
        text = _BARE_FRACTION.sub(r"\\frac{\1}{\2}", text).replace("\\%", "%")
    if any(mark in text for mark in "*_`$\\~"):
        text = _MARKUP.sub("", text)
    return " ".join(text.split())


def behind_correction(text: str) -> str:
    """Return what stands behind the last correction in a text, the text itself where there is none."""
    lower = text.lower()
    return _CORRECTED.split(text)[-1] if any(word in lower for word in _ANEW_HOLDS) else text


def denied_before(text: str, at: int) -> bool:
    """Return whether the words that end right before a place of a text deny what stands there."""
    return _DENIAL.search(text[max(0, at - LONGEST_DENIAL) : at].lower()) is not None


def affirm(text: str) -> str:
    """Return a text with "cannot be anything but" and its kin put plainly: "is"; a "nothing but" that opens it goes."""
    lower = text.lower()
    if not any(word in lower for word in _EXCEPTS):
        return text
    return _ONLY.sub("is ", _NONE_BUT.sub("", text))


def fold(text: str) -> str:
    """Return a clean text for comparison: without case and without the punctuation that ends it."""
    return text.casefold().rstrip(" .,;:!").lstrip(" ")


def squeeze(text: str) -> str:
    """Return a text without any spaces."""
    return text.replace(" ", "")


def shorten(text: str, most: int = 80) -> str:
    """Return a text as it can stand in a reason: on one line, at most `most` characters."""
    head = " ".join(text[: 3 * most].encode("utf-8", "replace").decode().split())
    return head if len(head) <= most else f"{head[: most - 3]}..."


def word_list(text: str) -> list[str]:
    """Return the words of a text; tables of words read best as texts."""
    return text.split()


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())
