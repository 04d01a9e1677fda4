"""Whether a text says what a short gold answer says: by what kind of thing gold is, then by its words."""

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from rewardstack_math import numeric_value
from rewardstack_science.chemistry import looks_like_formula
from rewardstack_science.dates import is_date, read_dates
from rewardstack_science.equations import find_equations, same_equation
from rewardstack_science.formulas import ELEMENTS, notation, read_formula
from rewardstack_science.quantities import same_quantity
from rewardstack_science.wording import (
    DENIED_AFTER,
    HEDGED,
    REPLACED,
    SHARE,
    affirm,
    clean,
    denied_before,
    word_set,
)
from rewardstack_science.words import FUNCTION_WORDS, NUMBER_WORDS, POWERS, Token, spelled_number, tokens

__all__ = ["says"]

_YES = word_set("yes true correct right")
_NO = word_set("no false incorrect wrong")
_SEPARATOR = re.compile(r"\s*(?:[,;\n]\s*(?:and\s|&\s)?|\s(?:and|&)\s|\s/\s)\s*")
_LEAD = re.compile(r"(?i:.*?\b(?:are|is|include|includes|namely)\b:?\s+|.*?:\s+)(?=\S)")
_SIDE_REMARK = re.compile(
    r"\s*[(\[](?!(?:or|and|not|maybe|perhaps|incorrect|wrong|false|untrue)\b)[^()\[\]]*[)\]]\s*\.?\Z"
)
_OR = re.compile(r"(?i:\bor\b)|(?<=\w)\s?/\s?(?=[A-Za-z])")
_FORMULA_WORD = re.compile(r"[\[(]*[A-Z][\w()\[\]^·+*-]*")
_NUMBER = re.compile(r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)?\.?\d+(?:[eE][-+]?\d+)?%?")
_BOUNDED = re.compile(
    r"(?i:\b(?:between|less|more|greater|fewer|over|under|above|below|least|most|from|to|not|than)\b|[<>±~])"
)
# What makes another number of one: half of 46, 46 squared, x^46, 46k
_CHANGED = re.compile(
    r"(?i:\b(?:half|twice|double|triple|root|squared?|cubed?|factorial|dozens?|hundreds?|thousands?|(?:m|b|tr)illions?|plus|minus)\b|\^|\dk\b)"
)
_SCALED = re.compile(r"(\d)\s(thousand|million|billion)\b", re.IGNORECASE)


# How people without an umlaut on their keyboard write names: Schroedinger, Roentgen, Oersted
_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ø": "oe", "Ø": "Oe"}
)


def says(said: str, gold: str, *, ordered: bool = False, whole: bool = False) -> bool:
    """Whether a committed text says what gold says; with `whole` only where it says nothing else."""
    if _says(said, gold, ordered=ordered, whole=whole):
        return True
    one, two = (unicodedata.normalize("NFC", text).translate(_UMLAUTS) for text in (said, gold))
    return (one, two) != (said, gold) and _says(one, two, ordered=ordered, whole=whole)


def _says(said: str, gold: str, *, ordered: bool, whole: bool) -> bool:
    said, wanted = affirm(said), clean(gold)
    if wanted.casefold().strip(" .") not in _YES | _NO:
        *_, said = REPLACED.split(said)
    cleaned = clean(said)
    if not cleaned or (len(SHARE.findall(cleaned)) > 1 and "%" not in wanted):
        return False
    for kind in (_equation, _formula, _date, _number, _judgement, same_quantity):
        verdict = kind(said, gold)
        if verdict is not None:
            return verdict
    if _same_words(cleaned, wanted) or _same_words(_SIDE_REMARK.sub("", cleaned), wanted):
        return True
    items = _items(wanted)
    if len(items) > 1:
        return _same_items(clean(_one_line(said)), items, ordered=ordered)
    return not whole and _stands_in(cleaned, wanted)


_DENIED = re.compile(
    r"(?i:\bnot\b|n't\b|\b(?:neither|nor|never|except|without|hardly|barely|scarcely|doubt)\b)"
)


def _denied(text: str) -> bool:
    return _DENIED.search(text) is not None


# Kinds of golds: each returns None where gold is not of its kind


def _equation(said: str, gold: str) -> bool | None:
    wanted = find_equations(gold) if "->" in notation(gold) or "=" in gold else []
    if not wanted:
        return None
    stated = find_equations(said)
    return bool(stated) and same_equation(wanted[0], stated[-1])


def _formula(said: str, gold: str) -> bool | None:
    written = notation(gold)
    wanted, text = read_formula(written), notation(said).strip(" .,;:!?\"'")
    whole = read_formula(text)
    if not looks_like_formula(written):  # HF may be a word, yet Hf is no way to write it
        return False if wanted and whole and wanted.substance != whole.substance else None
    if whole is not None and wanted is not None:
        return whole.substance == wanted.substance
    if HEDGED.search(text) or _OR.search(text):
        return False
    found = {
        formula.substance
        for match in _FORMULA_WORD.finditer(text)
        if looks_like_formula(match[0].rstrip(".,;:"))
        and (formula := read_formula(match[0].rstrip(".,;:")))
        and not denied_before(text, match.start())
    }
    return wanted is not None and found == {wanted.substance}


_SOME_TIME = re.compile(
    r"(?i:\b(?:before|after|until|by|around|prior to|later than|earlier than)\s(?:the\s)?(?=[\d(]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
)


def _date(said: str, gold: str) -> bool | None:
    wanted = is_date(clean(gold))
    if not wanted:
        return None
    found = read_dates(clean(said))
    refused = _denied(said) or HEDGED.search(said) or _SOME_TIME.search(said)
    return len(found) == 1 and bool(found[0] & wanted) and not refused


@lru_cache(maxsize=1024)
def _as_number(text: str) -> Fraction | None:
    """Return the number that a text as a whole is, in digits or words."""
    bare = text.strip(" .,;:!?\"'").removeprefix("about ").removeprefix("exactly ")
    if len(bare) > 200:
        return None
    if (
        bare[:1].isalpha()
        and (spelled := spelled_number(bare.casefold().replace("-", " ").split())) is not None
    ):
        return spelled
    if _NAMES.search(_COMMAND.sub("", bare)) or not _DIGIT.search(bare):
        return None
    value = numeric_value(bare)
    return value / 100 if value is not None and bare.endswith("%") else value


_COMMAND = re.compile(r"\\(?:d|t)?(?:frac|sqrt|pi|times|cdot)(?![a-z])")
_NAMES = re.compile(r"[^\W\d_]{2,}|[^\W\d_eExπ]")  # "23 pairs" is no number
_DIGIT = re.compile(r"[\dπ]")


def _number(said: str, gold: str) -> bool | None:
    wanted = _as_number(clean(gold))
    if wanted is None:
        return None
    text = re.sub(r"(?i:\b(?:minus|negative)\s)(?=\d)", "-", clean(said))
    value = _as_number(text)
    if value is None:
        text = text.rpartition("=")[2] if "=" in text else text
        scaled = _SCALED.search(text)
        times = POWERS[scaled[2].lower()] if scaled else 1
        text = _SCALED.sub(r"\1", text)
        numbers = _NUMBER.findall(text)
        if len(numbers) != 1 and not _spelled_in(text, wanted):
            return False
        if _BOUNDED.search(text) or HEDGED.search(text) or _OR.search(text):
            return False
        if (numbers and _CHANGED.search(text)) or _denied(text):
            return False
        value = _as_number(numbers[0]) if numbers else wanted
        value = None if value is None else value * times
    return value is not None and _close(value, wanted)


def _close(one: Fraction, two: Fraction) -> bool:
    return one == two or abs(one - two) <= abs(two) / 1_000_000


def _spelled_in(text: str, wanted: Fraction) -> bool:
    """Whether a sentence without digits holds one number in words, and that is the one."""
    words = text.casefold().replace("-", " ").rstrip(".!").split()
    runs = "".join("n" if word in NUMBER_WORDS else " " for word in words)
    spans = [match.span() for match in re.finditer("n+", runs)]
    return len(spans) == 1 and spelled_number(words[slice(*spans[0])]) == wanted


_UNTRUE = re.compile(
    r"\b(?:is |was )?(?:not|isn't|wasn't)(?! only)(?: \w{1,12}ly| at all)? (?:true|correct|right)\b"
)


def _judgement(said: str, gold: str) -> bool | None:
    wanted = clean(gold).casefold().strip(" .")
    if wanted not in ("yes", "no", "true", "false"):
        return None
    text = _UNTRUE.sub("false", clean(said).casefold())
    words = re.findall(r"[a-z']+", text)
    if not words or HEDGED.search(text):
        return False
    lead = words[0]
    judged = [word for word in words if word in _YES | _NO]
    if lead not in _YES | _NO and (not judged or _denied(text) or "not" in words):
        return False
    stated = lead if lead in _YES | _NO else judged[-1]
    opposed = any((word in _YES) != (stated in _YES) for word in judged)
    if opposed and len(judged) == len(words):  # "Yes, no" says neither
        return False
    return (stated in _YES) == (wanted in _YES) and (
        not opposed or (lead == stated and "," in text[: len(lead) + 2])
    )


# Words


_INVERTED = re.compile(r"([^\W\d_][^,;\d]*),\s([^\W\d_][^,;\d]*)")


def _same_words(said: str, gold: str) -> bool:
    """Whether two texts are the same words; a name may stand as an index has it: "Curie, Marie"."""
    inverted = _INVERTED.fullmatch(said.rstrip(" .")) if " " in gold and "," not in gold else None
    if inverted and _same_words(f"{inverted[2]} {inverted[1]}", gold):
        return True
    if gold in ELEMENTS and said.strip(" .") != gold:
        return False  # K is potassium, and k is not
    lone = len(gold) < 6  # "(a)" is a label and no article
    one, two = ([word for word, _, _ in tokens(text, articles=lone)] for text in (said, gold))
    return bool(two) and (one == two or "".join(one) == "".join(two)) and _signs(said) == _signs(gold)


def _signs(text: str) -> list[str]:
    """The marks that tell texts apart though their words are equal: +, -, <, > before a word or number, %, ^, a cross."""
    return re.findall(r"(?<![\w)])-(?=\d)|[+<>≤≥≠%^±❌✗✘✖☒]", text)


_BULLET = re.compile(r"\A\s*(?:[-*•>#]+|\(?\w[.)])\s+")


def _one_line(text: str) -> str:
    """A list with an item a line, as a list in one line."""
    lines = [line for line in text.split("\n") if line.strip()]
    return "; ".join(_BULLET.sub("", line) for line in lines) if len(lines) > 1 else text


@lru_cache(maxsize=256)
def _items(text: str) -> tuple[str, ...]:
    """The items of a list, one where a text is none."""
    bare = text.strip(" .{}[]()")
    parts = [part.strip(" .{}[]()'\"") for part in _SEPARATOR.split(bare)]
    parts = [part for part in parts if part]
    short = all(len(part.split()) <= 4 for part in parts)
    is_list = len(parts) > 1 and short and not re.fullmatch(r"[\d,.]+", bare.replace(" ", "x"))
    return tuple(parts) if is_list else (text,)


def _same_items(said: str, items: Sequence[str], *, ordered: bool) -> bool:
    """Whether a text lists these items and no other."""
    if HEDGED.search(said) or _OR.search(said) or _denied(said):
        return False
    lead = _LEAD.match(said)
    return any(
        _match_items(_items(part), items, ordered=ordered)
        for part in ({said, said[lead.end() :]} if lead else {said})
    )


def _match_items(said: Sequence[str], items: Sequence[str], *, ordered: bool) -> bool:
    if len(said) != len(items):
        return False
    if ordered:
        return all(_item_says(one, two) for one, two in zip(said, items, strict=True))
    left = list(items)
    for each in said:
        match = next((item for item in left if _item_says(each, item)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _item_says(said: str, item: str) -> bool:
    verdicts = (kind(said, item) for kind in (_formula, _date, _number))
    decided = next((verdict for verdict in verdicts if verdict is not None), None)
    return _same_words(said, item) if decided is None else decided


_KIND_OF = re.compile(
    r"(?i:\b(?:kind|type|sort|form|part|lack|absence|opposite|inverse|reverse|contrary|loss|removal|precursor|derivative|component"
    r"|daughter|son|child|wife|husband|mother|father|brother|sister|student|pupil|teacher|assistant|colleague|friend|rival|enemy|critic|follower|predecessor|successor|contemporary)"
    r" of (?:the |an? )?)\Z"
)
_RELATED = re.compile(  # "it rhymes with Newton", "he worked with Newton", "it is similar to oxidation"
    r"(?i:\b(?:rhym\w+|sound\w*|look\w*|work\w*|stud\w+|agree\w*|disagree\w*|argu\w+|correspond\w*|collaborat\w+|compet\w+|confus\w+|compar\w+|relat\w+|similar\w*|close|next|oppos\w+|contrary|contrast\w*|differ\w*)"
    r" (?:with|to|like|from) (?:the |an? )?)\Z"
)
_BELIEVED = re.compile(  # with a "but" behind it: "many think that it is X, but it is Y"
    r"(?i:\b(?:many|some|most|people|students|everyone|everybody|others?|they|you|one|commonly|often|widely|once)\b(?: \w+){0,2}"
    r" (?:believe|think|say|assume|claim|thought|guess|expect|answer)\w{0,2}\b)|(?i:\bI (?:once |first |had )?(?:thought|believed|assumed)\b)"
)
_TURNED = re.compile(  # "oxidation is loss, but here it is reduction"
    r"(?i:\b(?:but|however|yet)\b[^.;]{0,30}\b(?:it|this|that|answer)(?: is|'s| was) (?!also|not|the same)\w)"
)
_ANSWERED = re.compile(
    r"(?i:\A(?:it's|it is|it was|this is|that's|that is)\b)"
)  # "it is oxidation; reduction is ..."
_BUT = re.compile(r"(?i:\b(?:but|however|yet|in fact|actually|in reality|truth|wrong|mistaken)\b)")
_INSTEAD = re.compile(r"(?i:\bnot\b[^.;]{1,80}\bbut(?: rather)? (?:the |an? )?)\Z")  # "not X but Y"
_CONTRASTS = frozenset(("not", "rather", "unlike", "instead"))
_ASIDE = re.compile(  # "Before Newton, it was Kepler", "Hooke, as Newton admitted"
    r"(?i:(?:(?:\A|,\s)(?:before|after|until|besides|despite|like|as|following|prior to|apart from|compared (?:to|with))|(?<!named)(?<!called)\s(?:after|before|between)) (?:the |an? )?)\Z"
)
_POSSESSIVES = word_set("his her its their my your our")
_TITLES = word_set(
    "sir dr prof professor lord lady mr mrs ms mme madame saint president king queen emperor captain general admiral "
    "physicist chemist mathematician astronomer biologist scientist naturalist botanist geologist engineer inventor "
    "physician philosopher theologian polymath geneticist biochemist astrophysicist microbiologist astronaut cosmonaut"
)
_SAME_THING = word_set("gas element planet mineral molecule")  # behind a name they name nothing else
_VERBS = word_set(
    "occur occurs causes cause makes make produces produce forms form gives give happens happen "
    "discovered proposed found wrote works acts plays explains describes contains carries carry absorbs absorb controls transports stores converts increases decreases"
)


def _stands_in(said: str, gold: str) -> bool:
    """Whether gold's words stand in a sentence as its answer: undenied, unhedged, no part of a name or a list."""
    words, wanted = tokens(said, articles=True), [word for word, _, _ in tokens(gold)]
    joined = [word for word, _, _ in words]
    if not wanted or len("".join(wanted)) < 3 or HEDGED.search(said) or len(words) > 60:
        return False
    if _OR.search(said) and not _OR.search(gold):
        return False
    found = False
    for start in range(len(joined) - len(wanted) + 1):
        if joined[start : start + len(wanted)] != wanted:
            continue
        first, last = words[start], words[start + len(wanted) - 1]
        before, after = said[: first[1]], said[last[2] :]
        if denied_before(before, len(before)) or DENIED_AFTER.match(after):
            return False
        if _TURNED.search(after) or (_BELIEVED.search(before) and _BUT.search(after)):
            return False
        found = found or (
            _signs(_marked(before, said[first[1] : last[2]], after)) == _signs(gold)
            and _free_before(before, words[:start])
            and _free_after(after, words[start + len(wanted) :])
        )
    return found


def _marked(before: str, mention: str, after: str) -> str:
    """A mention with the marks that touch it: -5, Na+."""
    return (
        re.sub(r".*[\s\w(]", "", before[-8:], flags=re.DOTALL)
        + mention
        + (after[:1] if after[:1] in "+%" else "")
    )


def _free_before(before: str, words: list[Token]) -> bool:
    """Whether what stands before a mention leaves it a name of its own."""
    if words and _ANSWERED.match(before) and before.rstrip(" \"'").endswith((".", ";")):
        return False
    if not words or (before.rstrip(" \"'").endswith((":", ".", ";", "-")) and before[-1:] == " "):
        return True
    if before.rstrip(" \"'").endswith(","):
        return len(words) > 2 and any(word in FUNCTION_WORDS for word, _, _ in words)
    if _KIND_OF.search(before) or _RELATED.search(before) or _ASIDE.search(before):
        return False
    if _INSTEAD.search(before):
        return True
    return words[-1][0] in FUNCTION_WORDS | _TITLES and words[-1][0] not in ("and", "than", "but")


def _free_after(after: str, words: list[Token]) -> bool:
    """Whether what stands behind a mention leaves it a name of its own, and the only one."""
    if not words or after.lstrip(" \"'")[:1] in (".", ";", "(", ":", "!"):
        return True
    following = words[0][0]
    plain = (
        following in FUNCTION_WORDS
        or following in _CONTRASTS
        or following in _VERBS
        or following.endswith("ed")
    )
    if after.lstrip(" \"'")[:1] == ",":
        return following in _CONTRASTS or (following in FUNCTION_WORDS and following not in ("and", "then"))
    if following == "and":
        return len(words) > 1 and words[1][0] in FUNCTION_WORDS - _POSSESSIVES
    if following in _SAME_THING:
        return len(words) == 1 or words[1][0] in FUNCTION_WORDS - {"and"}
    return plain and after[:1] == " "
