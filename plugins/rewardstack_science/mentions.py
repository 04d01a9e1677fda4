"""Which options a stretch of a reply picks by their texts: as a whole, at its end, beside a label, or within a sentence."""

import re
from collections.abc import Callable, Iterator

from rewardstack_science.menus import Menu, Pick, Strength
from rewardstack_science.wording import DENIED_AFTER, HEDGED, denied_before, shorten, word_set
from rewardstack_science.words import FUNCTION_WORDS

__all__ = ["BETWEEN", "OR", "option_beside", "read_mentions", "read_tail", "read_text"]

# What may follow an option's text and leave it the same thing: "nitrogen gas", "Jupiter again"
_HEADS = FUNCTION_WORDS | word_set(
    "gas liquid solid element metal atom molecule ion planet star moon force energy cell organ rock "
    "scattering effect law process again please indeed fits right correct best too only"
)
_CLAUSE = re.compile(
    r"[;:(]|[.!?,](?=\s|\Z)|\s-\s|\b(?:because|since|which|whether|as|so|while|whereas|unlike|rather than|instead of|but|not|due to|for the|that|who|where|when|although|though|than|by|from)\b"
)
_LEAD = re.compile(
    r"\A(?i:(?:so|thus|hence|therefore|then|well|ok|okay|i'd say|i would say|i think|i believe|clearly|it(?:'s| is| must be| would be)|this is|that is|that's|which is|namely|i\.e\."
    r"|the (?:correct |right |best |final )?(?:answer|option|choice)(?: is)?|answer|is|option|choice|only|my answer is)[\s:,]+)+"
)
_GROUND = re.compile(
    r"(?i:(?:because|since|as|for)\s(?P<it>(?:it|this|that|the (?:right |correct )?answer)(?:'s|\sis)\s)?(?:(?:the|an?)\s)?)"
)
_ALONE = re.compile(r"\s?(?:[.,;:!)]|\Z|(?:that|which|who|and|because)\b)")
_FOREMOST = re.compile(  # what a question asks for: "is the largest", not "is smaller" or "is the second largest"
    r"\s(?:is|are|was|were|has|have)\s(?:by far\s|clearly\s|obviously\s)?the\s(?!second|third|fourth|next|closest|nearest)"
    r"(?:\w+ly\s)?(?:\w+est|most|only|correct|right|answer)\b"
)
_ANNOUNCED = re.compile(r"\A(?i:[\w ]{0,30}?\b(?:answer|option|choice)(?: is)?\s?:?\s+)")
_ARTICLE = re.compile(r"\A(?i:the|an?)\s+")
OR = re.compile(
    r"(?i:[\s,\"')]*(?:,?\s?\bor\b(?: else| maybe| perhaps| possibly| even)?|/)\s*(?:option |choice |the |a |an )?[\s\"'(]*)\Z"
)
BETWEEN = re.compile(r"[\s,/&()\"']*(?:\b(?:and|or|nor|neither|options?|choices?)\b[\s,()\"']*)*\Z")
_TAIL = re.compile(r"(?:\b(?:is|are|be|equals|gives|get|was|were)|=|≈|:)\s+([^=≈:]{1,80})\Z")
_CONCLUDED = re.compile(r"[,;]\s(?:so|hence|thus|therefore)\b")


def read_text(said: str, menu: Menu) -> Pick | None:
    """An option's text and nothing else, but perhaps words that lead to it."""
    tried = ""
    if not menu.ends(said):
        return None
    for text in _unled(said):
        place = menu.text(text) if text and text != tried else None
        if place is not None:
            return Pick(frozenset([place]), Strength.BARE)
        tried = text
    return None


def _unled(said: str) -> Iterator[str]:
    """A text as it is, then without the words that may lead to an option's."""
    yield said
    yield _ANNOUNCED.sub("", said, count=1)
    bare = _LEAD.sub("", said, count=1)
    yield bare
    yield _ARTICLE.sub("", bare, count=1)


def option_beside(rest: str, menu: Menu) -> int | None:
    """Return the place of the option whose text the clause right behind a label is, None where it is none's."""
    rest = rest.strip(" ()[]{}.,:\"'-")
    clause = _CLAUSE.search(rest)
    for part in (rest, rest[: clause.start()] if clause else ""):
        pick = read_text(part.strip(), menu)
        if pick is not None:
            return next(iter(pick.places))
    return _grounds(rest, menu)


def _grounds(rest: str, menu: Menu) -> int | None:
    """The one option that a clause gives as the ground of a choice: "because it is Saturn", "since Saturn is the largest"."""
    ground = _GROUND.match(rest)
    if ground is None or menu.mentions is None:
        return None
    folded = rest.casefold()
    named = {menu.places[found[0]] for found in menu.mentions.finditer(folded)}
    mention = menu.mentions.match(folded, ground.end())
    if mention is None or len(named) > 1:
        return None
    behind = _ALONE if ground["it"] else _FOREMOST
    return menu.places[mention[0]] if behind.match(folded, mention.end()) else None


def read_tail(said: str, menu: Menu) -> Pick | None:
    """A sentence that ends with an option's whole text, however short: "The genotype is aa", "x = 5"."""
    match = _TAIL.search(said)
    place = menu.text(match[1]) if match else None
    if match is None or place is None or HEDGED.search(said) or denied_before(said, match.start(1)):
        return None
    return Pick(frozenset([place]), Strength.MENTIONED)


def read_mentions(said: str, menu: Menu, denied: Callable[[], set[int]]) -> Pick | None:
    """The texts of options that a sentence holds, those it denies left out; its first clause goes before the rest."""
    if menu.mentions is None:
        return None
    folded = said.casefold()
    if _longer_name(folded, menu):
        return None
    found, hedged = _texts_in(folded, menu)
    found -= denied()
    if not found:
        return None
    if len(found) > 1 and menu.mentions and not menu.mentions.sub("", folded).strip(" ,;/&.()"):
        return Pick(frozenset(found), Strength.MENTIONED)  # "uracil, thymine": texts and nothing else
    if len(found) > 1:
        body = _LEAD.sub("", folded, count=1)
        clause = _CLAUSE.search(body)
        head, _ = _texts_in(body[: clause.start()] if clause else "", menu)
        starts = menu.text(body[: clause.start()].strip()) if clause else None
        *_, concluded = _CONCLUDED.split(folded)
        ends, _ = _texts_in(concluded, menu) if concluded != folded else (set(), False)
        if starts is None and len(ends) == 1:  # "Jupiter is smaller than Saturn, so Saturn"
            found, hedged = ends, False
        elif starts is not None or len(head) == 1:
            found, hedged = head if starts is None else {starts}, False
    if hedged or HEDGED.search(said):
        return Pick(strength=Strength.MENTIONED, reason=f"{shorten(said)} is a hedge")
    return Pick(frozenset(found), Strength.MENTIONED)


def _longer_name(folded: str, menu: Menu) -> bool:
    """Whether a text is the name of something that begins with an option's text: "carbon monoxide" is no carbon."""
    name = _ARTICLE.sub("", _LEAD.sub("", folded, count=1), count=1).strip(" .!")
    first = menu.mentions.match(name) if menu.mentions else None
    further = re.fullmatch(r"[ -]([a-z]+)", name[first.end() :]) if first else None
    return (
        further is not None and further[1] not in _HEADS and not further[1].endswith(("ly", "s", "ed", "ing"))
    )


def _texts_in(folded: str, menu: Menu) -> tuple[set[int], bool]:
    """The options whose texts stand in a folded sentence undenied, and whether an "or" joins any of them."""
    found: set[int] = set()
    hedged, previous, denied = False, -1, False
    for match in menu.mentions.finditer(folded) if menu.mentions else ():
        linked = previous >= 0 and BETWEEN.match(folded[previous : match.start()]) is not None
        hedged = hedged or (linked and not denied and OR.search(folded[previous : match.start()]) is not None)
        denied = (linked and denied) or denied_before(folded, match.start())
        denied = denied or DENIED_AFTER.match(folded, match.end()) is not None
        previous = match.end()
        if not denied:
            found.add(menu.places[match[0]])
    return found, hedged
