"""The options of a multiple-choice question: read from a dict, a list or the prompt, looked up in a reply, picked."""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from string import ascii_uppercase
from typing import Any

import msgspec

from rewardstack_science.wording import clean, fold, squeeze

__all__ = ["NOTHING", "Menu", "Pick", "Strength", "gold_options", "read_menu"]

MOST_OPTIONS = 26
_LABEL = re.compile(r"(?:^|(?<=\s))[(\[]?([A-Za-z]|\d{1,2})[)\].:]\s+(?=\S)", re.MULTILINE)
_PRONOUN = re.compile(r"\A(?:it|they|he|she|this|these|there|the|an?)\s+")
_SIDES = " \t\n.,:;!()[]{}<>*\"'`"
_PLAIN = str.maketrans("", "", _SIDES)
# Cyrillic and Greek capitals that look like Latin ones
_LOOKS_LIKE = str.maketrans("АВСЕНІЈΑΒΕΗΙ", "ABCEHIJABEHI")

_COMPARED: tuple[Callable[[str], str], ...] = (
    lambda text: text.rstrip(" .,;:!"),
    fold,
    lambda text: squeeze(fold(text)),
)


class Strength(IntEnum):
    """How plainly a stretch of text picks an option."""

    NONE = 0
    MENTIONED = 1  # it holds an option's text
    STATED = 2  # a sentence says that a label is the answer
    BARE = 3  # it is a label, alone or before a text


class Pick(msgspec.Struct, frozen=True):
    """The places of the options picked. None picked and a `reason`: something was said that cannot count."""

    places: frozenset[int] = frozenset()
    strength: Strength = Strength.NONE
    reason: str = ""


NOTHING = Pick()


class Menu:
    """Some options under their labels, prepared for being found in replies.

    `labels` are as the question has them; `texts` their texts, empty where they are not known. Places count from 0.
    """

    def __init__(self, labels: Sequence[str], texts: Sequence[str]) -> None:
        self.labels, self.texts = tuple(labels), tuple(texts)
        self.letters = {bare(label).upper(): place for place, label in enumerate(labels)}
        # A label as a word of its own, or the end of another one; what no label stands in need not be searched for one
        ends = "".join(sorted({re.escape(name[-1]) for name in self.letters if name}))
        self.capital = re.compile(rf"[{ends or 'A-Z'}](?![A-Za-z0-9_])")
        cleaned = [clean(text) for text in texts]
        # From the strictest way of comparing to the most tolerant one; the first that finds one option alone decides
        self.longest = max(map(len, cleaned))
        self.keys = [index(map(make, cleaned)) for make in _COMPARED]
        self._endings = tuple(self.keys[-1])
        sought = {fold(text): place for place, text in enumerate(cleaned)}
        for place, text in enumerate(cleaned):  # "The water condenses" for "It condenses"
            shorter = _PRONOUN.sub("", fold(text))
            if " " in shorter:
                sought.setdefault(shorter, place)
        self.folded = tuple(fold(text) for text in cleaned)
        found = [re.escape(text) for text in sorted(sought, key=len, reverse=True) if mentionable(text)]
        # All texts in one pattern, the longest first, so that "sodium chloride" is not found as "chloride"
        self.mentions = re.compile(rf"(?<![\w.\-])(?:{'|'.join(found)})(?![\w])(?!\.\d)") if found else None
        self.places = sought

    def label(self, token: str) -> int | None:
        """Return the place of the option a token names ("C", "(c)", "С" in Cyrillic), None where it names none."""
        if token in self.letters:
            return self.letters[token]
        name = token.strip(_SIDES).upper()
        if not name.isascii():
            name = name.translate(_LOOKS_LIKE)
        return self.letters.get(name) if name else None

    def holds(self, cleaned: str) -> bool:
        """Return whether a clean text is some option's in the most tolerant comparison; most of what is asked for is none."""
        return len(cleaned) <= self.longest + 10 and squeeze(fold(cleaned)) in self.keys[-1]

    def ends(self, cleaned: str) -> bool:
        """Return whether a clean text ends with some option's; most do not, which spares looking for where one begins."""
        return squeeze(fold(cleaned)).endswith(self._endings)

    def text(self, cleaned: str) -> int | None:
        """Return the place of the one option whose text a clean text is, None where there is none or several."""
        if not self.holds(cleaned):
            return None
        for keys, make in zip(self.keys, _COMPARED, strict=True):
            found = keys.get(make(cleaned), ())
            if found:
                return found[0] if len(found) == 1 else None
        return None


def bare(label: str) -> str:
    """Return a label without brackets and full stops: (a) is a."""
    return label.translate(_PLAIN) or label


def index(keys: Any) -> dict[str, list[int]]:
    """Return which places have a key, by key; empty keys belong to nobody."""
    found: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        if key:
            found.setdefault(key, []).append(place)
    return found


def mentionable(text: str) -> bool:
    """Whether a text is long enough to be looked for within sentences: "P" and "7" are found everywhere."""
    return sum(char.isalpha() for char in text) >= 3 or len(text) >= 4


@lru_cache(maxsize=1024)
def _menu(labels: tuple[str, ...], texts: tuple[str, ...]) -> Menu:
    return Menu(labels, texts)


def read_menu(options: Any, prompt: str = "") -> Menu | None:
    """Return the options of a row, None where neither the column nor the prompt has two or more.

    `options` is a mapping of label to text, a list of texts (labelled A, B, C, ...), ARC's lists `text` and `label`,
    or text with one labelled option after another, as the prompt may have them.
    """
    if isinstance(options, dict) and 2 <= len(options) <= MOST_OPTIONS and _all_text(options):
        return _menu(tuple(options), tuple(options.values()))
    pairs: Sequence[tuple[str, str]]
    if isinstance(options, Mapping):
        if isinstance(options.get("text"), Sequence) and isinstance(options.get("label"), Sequence):
            pairs = list(zip(map(str, options["label"]), map(str, options["text"]), strict=False))
        else:
            # a table of rows with different labels has None where a row lacks one
            pairs = [(str(label), str(text)) for label, text in options.items() if text is not None]
    elif isinstance(options, str):
        pairs = listed(options)
    elif isinstance(options, Sequence) and options:
        pairs = list(zip(ascii_uppercase, map(str, options), strict=False))
    else:
        pairs = listed(prompt)
    if not 2 <= len(pairs) <= MOST_OPTIONS:
        return None
    labels, texts = zip(*pairs, strict=True)
    return _menu(labels, texts)


_TEXT = frozenset({str})


def _all_text(options: dict[Any, Any]) -> bool:
    return _TEXT.issuperset(map(type, options)) and _TEXT.issuperset(map(type, options.values()))


@lru_cache(maxsize=64)
def listed(text: str) -> tuple[tuple[str, str], ...]:
    """Return the last run of labelled options in a text: "A. Mars", "(B) Saturn", one a line or all in one."""
    marks = list(_LABEL.finditer(text[-20_000:]))
    text = text[-20_000:]
    for first in range(len(marks) - 1, -1, -1):
        if marks[first][1] not in ("A", "a", "1"):
            continue
        run = [marks[first]]
        for mark in marks[first + 1 :]:
            if mark[1] == chr(ord(run[-1][1]) + 1) or (mark[1].isdigit() and mark[1] == str(len(run) + 1)):
                run.append(mark)
        if len(run) >= 2:
            ends = [mark.start() for mark in run[1:]]
            last = text.find("\n", run[-1].end())
            ends.append(last if last >= 0 else len(text))
            return tuple(
                (mark[1], text[mark.end() : end].strip()) for mark, end in zip(run, ends, strict=True)
            )
    return ()


def gold_options(answer: Any, menu: Menu) -> frozenset[int] | None:
    """Return the places of the right options, None where gold names none of them.

    A whole number is a place, counted from 0. Text is a label, else an option's text, else several labels ("AC",
    "A, C"), else a place. A list holds several right options.
    """
    if isinstance(answer, bool) or answer is None:
        return gold_options(str(answer), menu) if answer is not None else None
    if isinstance(answer, int | float):
        place = int(answer)
        return frozenset([place]) if place == answer and 0 <= place < len(menu.labels) else None
    if not isinstance(answer, str):
        each = [gold_options(part, menu) for part in answer]
        return frozenset().union(*each) if each and None not in each else None  # type: ignore[arg-type]
    return _gold_text(answer, menu)


@lru_cache(maxsize=1024)
def _gold_text(answer: str, menu: Menu) -> frozenset[int] | None:
    """Return the places that a gold in words stands for."""
    cleaned = clean(answer)
    one = menu.label(cleaned)
    one = menu.text(cleaned) if one is None else one
    if one is not None:
        return frozenset([one])
    parts = re.split(r"\s*(?:[,;/&+]|\band\b)\s*", cleaned)
    parts = list(cleaned) if len(parts) == 1 and cleaned.isalpha() else parts
    places = [menu.label(part) for part in parts]
    if len(places) > 1 and None not in places:
        return frozenset(place for place in places if place is not None)
    return gold_options(int(cleaned), menu) if cleaned.isdecimal() and len(cleaned) < 3 else None
