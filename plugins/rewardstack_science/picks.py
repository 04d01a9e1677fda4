"""Which options a stretch of a reply picks: by label, by label and text, by a sentence that says so, by text."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise

from rewardstack_science.mentions import BETWEEN, OR, option_beside, read_mentions, read_tail, read_text
from rewardstack_science.menus import NOTHING, Menu, Pick, Strength
from rewardstack_science.wording import (
    DENIED_AFTER,
    HEDGED,
    affirm,
    behind_correction,
    clean,
    denied_before,
    fold,
    shorten,
)

__all__ = ["read_bare", "read_corrected", "read_further", "read_pick", "read_whole"]

_Way = Callable[[str, Menu], Pick | None]

LONGEST = 1_000  # characters of one commitment that are read


_OPEN, _CLOSE = r"[(\[{<\"']?", r"[)\]}>\"']?"
_X = r"([^\W_]|\d{1,2})"  # which of them are labels is the menu's to say
_NOUN = r"(?:(?:final|ans|correct|best|right|my|the|la|le|el|die|opción|is|:|-|answer|option|choice|letter|alternative|statement|number)(?:\s?[:-])?\s+)*"
_SURELY = r"(?:(?:so|thus|hence|therefore|then|yes|ok|okay|well|clearly|definitely|certainly|obviously|surely|probably|likely|most likely|no|wait|hmm|actually|rather|sorry|(?:up)?on (?:second |further )?(?:reflection|thoughts?)|in hindsight|after all)[\s,:]+)*"
_WHOLE = re.compile(rf"(?i:{_SURELY}{_NOUN}){_OPEN}\s?{_X}\s?{_CLOSE}[\s.:;,!)]*")
_HEAD = re.compile(
    rf"(?i:{_SURELY}{_NOUN}){_OPEN}{_X}(?:\s?[)\]}}>]\s?[.:,-]?|\s?[.:=]|,|\s-{{1,2}}|\"|')\s*(?=\S)"
)
_GROUND = re.compile(
    r"(?:because|since|due to|as it|for it|not|rather than)\b|\(|(?i:for sure|of course|I (?:think|guess|believe|suppose)|definitely|obviously|clearly)[.!]?\Z"
)
_FURTHER = re.compile(
    rf"[)\]}}]?(?:[\s,;(]*|[.]+\s(?=[Oo]r\b))(?:\b(?:[Oo]r(?: else| maybe| perhaps| possibly| even)?|then|and|also|alternatively)\b[\s,:]*)+{_OPEN}([A-Z]){_CLOSE}(?=[\s.,;)]|\Z)"
)
# From one label with its text to the next: "A (bat) and C (whale)", "B. Velocity / C. Energy"
_LINK = re.compile(
    rf"[)\]\"'.]{{0,2}}\s?(?:(?:[,;/&+]|\b(?:and|or|then|also|else|maybe|perhaps|possibly|even|option|choice)\b)\s?)+{_OPEN}([A-Z]|\d{{1,2}})(?![\w'])"
)
_LISTED = re.compile(r"[)\].\s\"']*(?:(?P<end>\Z)|,|(?<=\s)(?P<are>are|were|have|had|do|can|both)\b)")
_CHOICE = re.compile(r"/|\b(?:or|maybe|perhaps|possibly)\b")
_TOUCHING = re.compile(rf"{_X}\s+(?=\S)")
_LIST = re.compile(
    rf"(?i:{_NOUN}|both\s+|options\s+|choices\s+|answers\s+)*(?:{_OPEN}{_X}{_CLOSE}\s*(?:(?:[,;/&+>→]|->)\s*(?:and\s+|or\s+|then\s+)?|and\s+|or\s+|\s))+(?:and\s+|or\s+)?{_OPEN}{_X}{_CLOSE}[\s.]*"
)
_WORD_END = re.compile(r"[^\W_]{3}[\s.]*\Z")  # no label ends a text that ends like this
_ITEM = re.compile(rf"(?<![\w']){_OPEN}([A-Z]|\d{{1,2}}|[a-z](?=[\s,.)]|\Z)){_CLOSE}(?![\w'])")
_END = r"(?=(?:です|だ)?[)\]}\"'\s]{0,3}(?:\Z|[.,;:!?)(。-]|\s(?:because|since|as|for|is|and|or|which|due|given|based|from|here|instead|rather|over|-|not)\b|\sit is(?=[.!]|\Z)))"
_ENDS = _END.replace("|is|", "|")  # "option B is too small" chooses nothing
_VERB = (
    r"(?:\b(?i:option|choice|answers?|letter|alternative|select(?:ed|ing)?|cho?ose|chosen|choosing|pick(?:ed|ing)?|going with|go with"
    r"|went with|say|says|is|are|be|it's|that's|that is|mark|opt for|settle on|vote for|goes to|points? to|leaves?|leaving|suggests?|conclude|guess|think|vote|so|hence|thus|therefore)|=>|->|→|[:=选選は])"
)
_SAID = re.compile(rf"{_VERB}\s*(?i:{_NOUN}|{_NOUN}both\s+){_OPEN}([A-Z]|\d{{1,2}}){_CLOSE}{_ENDS}")
_SAID_SMALL = re.compile(
    rf"(?i:\b(?:option|choice|answer|letter)\s(?:is\s)?{_OPEN}([a-z]|\d{{1,2}}){_CLOSE}){_ENDS}"
)
_JUDGED = re.compile(
    rf"(?<![\w']){_OPEN}([A-Z]|\d{{1,2}}){_CLOSE}(?:\s?[.:])?\s+(?:is what (?:I|we)(?:'d|'ll| would| will)? (?:choose|pick|select|say|answer)|is|are|would be|must be|has to be|seems|looks|appears to be|fits|matches|wins|remains|works|makes sense)(?:\s\w{{1,12}}ly)?(?:\s(?:the|a|both|also|indeed))?"
    r"(?:\s(?:only|single|most|final|better|my))?(?:\s(?:accurate|appropriate))?\s?(?:correct|right|best|true|answer|choice|option|one|accurate|appropriate|here|it)?\b"
)
_JUDGED_WELL = re.compile(
    r"(?:correct|right|best|true|answer|choice|option|one|accurate|appropriate|fits|matches|wins|remains|works|sense|choose|pick|select|say)(?: here| it)?\Z"
)
_ENCLOSED = re.compile(r"[(\[]([A-Z])[)\]]")
_BULLET = re.compile(r"\A(?:[>#•*-]{1,6}\s+|>+\s*)+")
_ORDINAL = re.compile(
    r"\b(?:the )?(first|second|third|fourth|fifth|last) (?:option|choice|answer|alternative)\b", re.IGNORECASE
)
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
_WRONG = re.compile(
    r"[\s:.)-]*(?i:wrong|incorrect|not (?:correct|right|true|the)|no(?=[,.;:]|\Z)|cannot|can't|ruled out|eliminated)"
)
_SO = re.compile(r"[\s,;]+(?:so|hence|thus|therefore|which is)\b[^,;]{0,30}\Z")
_CLOSING = re.compile(rf",\s(but\s)?{_OPEN}([A-Z]|\d{{1,2}}){_CLOSE}[\s.!]*\Z")
_ANY_DENIAL = re.compile(
    r"(?i:\bnot\b|n't\b|\bneither\b|\bnor\b|\bexcept\b|\beliminat|\bexclu|\brul(?:e|ed|ing) out|\b(?:wrong|incorrect|false)\b)"
)
_SOLE = re.compile(  # "only B is a vector", "B is the only vector"
    rf"(?:\b[Oo]nly\s(?:option\s|choice\s|statement\s)?{_OPEN}([A-Z]){_CLOSE}\s(?:is|has|[a-z]{{3,12}}s)|(?<![\w'])([A-Z])[)\]]?\sis\sthe\s(?:one and\s)?only)\s[^,;:?]{{1,80}}\Z"
)
_JUDGED_SMALL = re.compile(
    r"(?<![\w'])([a-j])\s+is\s+(?:the\s+)?(?:right|correct|best)(?:\s(?:answer|option|choice|one))?\b"
)
_WEIGHED = re.compile(r"\A(?i:(?:[a-z']+\s){0,3}between\s[^,.;:]{1,60}\s(?:and|or)\s[^,.;:]{1,60},\s)(?=\S)")
_SHARE = re.compile(
    r"(?<![\w'])([A-Z])[)\]]?(?:\s?[:=(-])?\s?(?i:(?:confidence|probability|with|about|p)[\s:=]*){0,3}\d{1,3}(?:\.\d+)?\s?%"
)
_HEARSAY = re.compile(
    r"(?<!\bI )(?<!\bwe )\b(?i:says?|said|claims?|claimed|thinks|believes|chose|picked)[\s\"'(]{1,3}\Z"
)
_CONTRAST = re.compile(r"(?i:;|\b(?:but|however|yet|truth|actually|instead|really|in fact)\b)")
_TURN = re.compile(r"(?i:\b(?:but|still|however|so|yet)\b)")
# How a sentence may say that a label is the answer, and what it must hold for that, a capital or digit where nothing is
# named. The order decides which match stands for a label that several find.
_STANDINGS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (_SAID, ()),
    (_SAID_SMALL, ("option", "choice", "answer", "letter")),
    (_JUDGED, ()),
    (_JUDGED_SMALL, (" is",)),
    (_ENCLOSED, ("(", "[")),
)


# A commitment is read for itself, and again beside whatever may contradict it
@lru_cache(maxsize=16)
def read_pick(text: str, menu: Menu) -> Pick:
    """Return what a commitment ("C", "(c) Jupiter", "Jupiter", "option C, because ...") picks."""
    said = _BULLET.sub("", clean(text[:LONGEST]))
    lone = _whole(said, menu)
    if lone is not None and lone.places:
        return lone
    said = _plainly(said, menu)
    if "%" in said and len(_shares(said, menu)) > 1:
        return Pick(strength=Strength.BARE, reason=f"{shorten(said)} shares itself among options")
    corrected = behind_correction(said)
    if corrected != said and (pick := _first(corrected, menu)).places:  # "B, no wait, C"
        return pick
    return _first(said, menu)


def read_bare(text: str, menu: Menu) -> Pick:
    """Return what `read_pick` does where that is a bare label or an option's text, else NOTHING, at less cost."""
    said = _plainly(_BULLET.sub("", clean(text[:LONGEST])), menu)
    mixed = "%" in said or behind_correction(said) != said
    pick = read_pick(text, menu) if mixed else _first(said, menu, bare=True)
    return pick if pick.strength is Strength.BARE and pick.places else NOTHING


def _plainly(said: str, menu: Menu) -> str:
    """A clean text with roundabout ways of naming an option put plainly: "the third option", "nothing but C"."""
    return affirm(_WEIGHED.sub("", _ORDINAL.sub(lambda found: _nth(found, menu), said)))


def read_corrected(text: str, menu: Menu) -> Pick:
    """Return what the last correction of a text picks: "Answer: B. Wait, no: C."; nothing where it only takes back."""
    corrected = behind_correction(text[-LONGEST:])
    pick = _first(clean(corrected), menu) if corrected != text[-LONGEST:] else NOTHING
    return pick if pick.strength >= Strength.STATED else NOTHING


def _shares(said: str, menu: Menu) -> set[int | None]:
    """The options whose labels a text gives a percentage each; none where the options themselves are percentages."""
    if any("%" in text for text in menu.folded):
        return set()
    return {menu.label(match[1]) for match in _SHARE.finditer(said)} - {None}


def _first(said: str, menu: Menu, *, bare: bool = False) -> Pick:
    """The first way of reading a commitment that finds something; with `bare` of those that find a bare label or text."""
    for way in _BARE_WAYS if bare else _WAYS:
        pick = way(said, menu)
        if pick is not None:
            return pick
    return NOTHING


def read_whole(text: str, menu: Menu) -> Pick:
    """Return what a line picks that is an option's text and nothing else, perhaps with its label or a lead before it."""
    said = clean(text[:LONGEST])
    pick = read_text(said, menu)
    if pick is not None:
        return pick
    match = _HEAD.match(said) if menu.ends(said) else None
    place = menu.label(match[1]) if match else None
    whole = match is not None and place is not None and menu.text(said[match.end() :]) == place
    return Pick(frozenset([place]), Strength.BARE) if whole and place is not None else NOTHING


def _whole(said: str, menu: Menu) -> Pick | None:
    """A label and nothing else; a letter that is no option says so."""
    match = _WHOLE.fullmatch(said)
    if match is None:
        return None
    place = menu.label(match[1])
    if place is not None:
        return Pick(frozenset([place]), Strength.BARE)
    if menu.text(said) is not None or not match[1].isalpha():
        return None
    return Pick(strength=Strength.BARE, reason=f"{match[1]} is none of the options {', '.join(menu.labels)}")


def _list(said: str, menu: Menu) -> Pick | None:
    """Several labels and nothing else: "A, C", "B or C", "AC"."""
    letters = said.rstrip(" .")
    if letters.isalpha() and letters.isupper() and 2 <= len(letters) <= len(menu.labels):
        places = [menu.label(letter) for letter in letters]
        if None not in places and len(set(places)) == len(places):
            return _several(places)
    if len(said) > 200 or _WORD_END.search(said) or not _LIST.fullmatch(said):
        return None
    places = [place for item in _ITEM.finditer(said) if (place := menu.label(item[1])) is not None]
    if len(set(places)) < 2:
        return None
    if re.search(r"(?i:\bor\b)|/", said):
        return Pick(strength=Strength.BARE, reason=f"{shorten(said)} offers a choice")
    return _several(places)


def _several(places: Iterable[int | None], strength: Strength = Strength.BARE) -> Pick:
    return Pick(frozenset(place for place in places if place is not None), strength)


def _head(said: str, menu: Menu) -> Pick | None:
    """A label with what belongs to it: "C. Jupiter", "C) Jupiter is the largest", "C, because ..."."""
    match = _HEAD.match(said)
    if match is None or (match[1].islower() and "," in match[0]):
        match = _TOUCHING.match(said)
        place = menu.label(match[1]) if match else None
        if match is None or place is None:
            return None
        if not _names(said[match.end() :], place, menu) and not _GROUND.match(said, match.end()):
            return None
    place = menu.label(match[1])
    if place is None:
        return None
    rest = said[match.end() :]
    if "=" in match[0] and not _names(rest, place, menu):  # "F = ma"
        return None
    further = _FURTHER.match(said, match.end(1))
    if further and menu.label(further[1]) not in (None, place):
        return Pick(strength=Strength.BARE, reason=f"{shorten(said)} offers a choice")
    if menu.text(rest) == place:
        return Pick(frozenset([place]), Strength.BARE)
    listed = _named_list(said, match.end(1), place, menu)
    if listed is not None:
        return listed
    if _WRONG.match(rest) and not _names(rest, place, menu):
        return NOTHING
    if _denied(said, match, place, menu):
        return None
    others = {
        menu.label(other[1])
        for other in _HEAD.finditer(rest)
        if (other[0][0] in "([" or other[1].isupper()) and not denied_before(rest, other.start())
    }
    if (others | {menu.label(rest)}) - {None, place}:
        return Pick(strength=Strength.BARE, reason="several options are listed and none is chosen")
    return _consistent(place, said, match.start(1), match.end(), menu, Strength.BARE)


def _named_list(said: str, end: int, place: int, menu: Menu) -> Pick | None:
    """Labels with their texts, one behind the other: "A (bat) and C (whale)", "B. Velocity or C"."""
    places, joined, named, ends = [place], "", True, _own_end(said, end, place, menu)
    if ends == end:
        return None
    while (link := _LINK.match(said, ends)) is not None:
        following = menu.label(link[1])
        if following is None:
            break
        places.append(following)
        joined += said[ends : link.start(1)]
        ends = _own_end(said, link.end(1), following, menu)
        named = named and ends > link.end(1)
    listed = _LISTED.match(said, ends) if len(set(places)) > 1 else None
    if listed is None or (";" in joined and listed.lastgroup != "end") or (listed["are"] and not named):
        return None  # "C. Jupiter; A and B are smaller"
    if _CHOICE.search(joined):
        names = ", ".join(menu.labels[each] for each in places)
        return Pick(strength=Strength.BARE, reason=f"{names} are offered as a choice")
    if listed["are"]:  # "A (mass) and C (energy) are scalars, so B"
        return _stated(said, menu) or _several(places, Strength.MENTIONED)
    return _several(places)


def read_further(pick: Pick, behind: str, menu: Menu) -> Pick:
    """Return the pick of a label, with the labels behind it where they are listed: "B" of "B. Velocity, C. Energy"."""
    if len(pick.places) != 1 or len(behind) < 2:
        return pick
    (place,) = pick.places
    return _named_list(clean(behind), 0, place, menu) or pick


def _own_end(said: str, end: int, place: int, menu: Menu) -> int:
    """Where an option's text ends that stands right behind its label; where the label does if it does not."""
    own = menu.folded[place]
    near = said[end : end + len(own) + 8]
    behind = near.lstrip(" )].:,([=\"'")
    if not own or not behind.casefold().startswith(own) or behind[len(own) : len(own) + 1].isalnum():
        return end
    return end + len(near) - len(behind) + len(own)


def _names(rest: str, place: int, menu: Menu) -> bool:
    """Whether a text begins with one option's own."""
    own = menu.folded[place]
    return bool(own) and fold(rest).startswith(own)


def _consistent(place: int, said: str, start: int, end: int, menu: Menu, strength: Strength) -> Pick:
    """The option at a place, unless the text that touches its label is another option's, or denies or doubts it."""
    rest = said[end:]
    other = option_beside(rest, menu)
    if other is not None and other != place and not _names(rest, place, menu):
        return Pick(
            strength=strength,
            reason=f"the label {menu.labels[place]} stands beside the text of {menu.labels[other]}",
        )
    if _doubted(said, start):
        return Pick(strength=strength, reason=f"{shorten(said)} is a hedge")
    owner = _text_before(said[:start], menu)
    if owner is not None and owner != place:
        return Pick(
            strength=strength,
            reason=f"the text of {menu.labels[owner]} stands beside the label {menu.labels[place]}",
        )
    return Pick(frozenset([place]), strength)


def _text_before(before: str, menu: Menu) -> int | None:
    """Which option's text leads to a label: "Jupiter (C)", "I think it is Jupiter, so C"."""
    if before.endswith(("(", "[")):
        folded = fold(before.rstrip(" ([\"'"))
        ends = [text for text in menu.places if len(text) > 1 and folded.endswith(text)]
        return menu.places[max(ends, key=len)] if ends else None
    so = _SO.search(before)
    pick = read_text(before[: so.start()].strip(" ,;"), menu) if so else None
    return next(iter(pick.places)) if pick else None


def _nth(found: re.Match[str], menu: Menu) -> str:
    """The label that "the third option" stands for."""
    place = _PLACES[found[1].lower()]
    return f"option {menu.labels[place]}" if place < len(menu.labels) else found[0]


def _closing(said: str, menu: Menu) -> Pick | None:
    """A sentence that closes with a label: "After deciding between A and D, D."."""
    match = _CLOSING.search(said)
    place = menu.label(match[2]) if match else None
    if match is None or place is None or HEDGED.search(said, match.start()):
        return None
    before = said[: match.start()]
    words = [word for word in before.split() if len(word) > 2]
    if len(words) < 2 or (not match[1] and _ANY_DENIAL.search(before)):
        return None
    return Pick(frozenset([place]), Strength.STATED)


def _doubted(said: str, at: int) -> bool:
    """Whether a sentence is a hedge; "torn between B and C, but I go with C" decides in its last part."""
    turns = [turn.end() for turn in _TURN.finditer(said, 0, at)]
    return HEDGED.search(said, turns[-1] if turns else 0) is not None


def _stated(said: str, menu: Menu) -> Pick | None:
    """A sentence that says which label is the answer."""
    found: dict[int, re.Match[str]] = {}
    refused, labels = "", _labels_in(said, menu)
    affirmed = _affirmed(labels)
    if not affirmed:
        return None
    for run in _runs(said, labels, menu):
        if not any(match.start(1) in affirmed for match in run):
            continue
        spans = pairwise(run)
        if any(OR.search(said[one.end(1) : other.start(1)]) for one, other in spans):
            refused = f"{shorten(said)} offers a choice"
        if found and _CONTRAST.search(said[max(each.end(1) for each in found.values()) : run[0].start(1)]):
            found.clear()  # "many pick B; the truth is C"
        for match in run:
            found.setdefault(menu.label(match[1]) or 0, match)
    if not found:
        return None
    if refused or _doubted(said, max(match.start(1) for match in found.values())):
        return Pick(strength=Strength.STATED, reason=refused or f"{shorten(said)} is a hedge")
    if len(found) == 1:
        ((place, match),) = found.items()
        if _HEARSAY.search(said, 0, match.start(1)) and _CONTRAST.search(said, match.end(1)):
            return Pick(strength=Strength.STATED, reason=f"{shorten(said)} tells what somebody else says")
        return _consistent(place, said, match.start(1), match.end(1), menu, Strength.STATED)
    return Pick(frozenset(found), Strength.STATED)


def _denied(said: str, match: re.Match[str], place: int, menu: Menu) -> bool:
    """Whether a sentence denies a label, or its option's text right behind it."""
    if denied_before(said, match.start(1)):
        return True
    return DENIED_AFTER.match(said, _own_end(said, match.end(1), place, menu)) is not None


_Labels = dict[re.Pattern[str], list[re.Match[str]]]


def _labels_in(said: str, menu: Menu) -> _Labels:
    """What may be labels that a sentence says to be the answer, by the pattern that says how they stand there."""
    lower, capital = said.lower(), menu.capital.search(said) is not None
    return {
        pattern: list(pattern.finditer(said))
        if (any(word in lower for word in holds) if holds else capital)
        else []
        for pattern, holds in _STANDINGS
    }


def _runs(said: str, labels: _Labels, menu: Menu) -> list[list[re.Match[str]]]:
    """The labels in a sentence that it does not deny, those joined by commas, "and" or "or" together."""
    marks = {
        match.start(1): match
        for matches in (_ITEM.finditer(said), *labels.values())
        for match in matches
        if menu.label(match[1]) is not None
    }
    runs: list[list[re.Match[str]]] = []
    previous, denied = -1, False
    for at, match in sorted(marks.items()):
        linked = previous >= 0 and BETWEEN.match(said[previous:at]) is not None
        place = menu.label(match[1]) or 0
        denied = _denied(said, match, place, menu) or (linked and denied)
        previous = _own_end(said, match.end(1), place, menu)
        if denied:
            continue
        if linked and runs:
            runs[-1].append(match)
        else:
            runs.append([match])
    return runs


def _affirmed(labels: _Labels) -> set[int]:
    """Where labels stand that a sentence says to be the answer."""
    affirmed = {match.start(1) for way in (_SAID, _SAID_SMALL, _JUDGED_SMALL) for match in labels[way]}
    affirmed |= {match.start(1) for match in labels[_JUDGED] if _JUDGED_WELL.search(match[0].strip())}
    enclosed = [match.start(1) for match in labels[_ENCLOSED]]
    return affirmed | set(enclosed) if len(enclosed) == 1 else affirmed


def _mentioned(said: str, menu: Menu) -> Pick | None:
    """The texts of options that a sentence holds."""
    return read_mentions(said, menu, lambda: _denied_labels(said, menu))


def _denied_labels(said: str, menu: Menu) -> set[int]:
    """The options whose labels a sentence denies: "B is wrong, since uracil ..." does not choose uracil."""
    places = {match: menu.label(match[1]) for match in _ITEM.finditer(said) if match[1].isupper()}
    return {
        place for match, place in places.items() if place is not None and _denied(said, match, place, menu)
    }


def _sole(said: str, menu: Menu) -> Pick | None:
    """The one label of which a sentence says something: "only B is a vector"; what else is said goes before it."""
    match = _SOLE.search(said) if "nly " in said and menu.capital.search(said) else None
    place = menu.label(match[1] or match[2]) if match else None
    if place is None or HEDGED.search(said) or _ANY_DENIAL.search(said):
        return None
    return Pick(frozenset([place]), Strength.MENTIONED)


_BARE_WAYS: tuple[_Way, ...] = (_whole, read_text, _list, _head)
_WAYS: tuple[_Way, ...] = (*_BARE_WAYS, _stated, _closing, read_tail, _mentioned, _sole)
