"""A reward for completions that keep to one language."""

import re
from collections import Counter
from functools import cache
from typing import Annotated

from msgspec import Meta

from rewardstack import Score, StackError, import_extra, reward
from rewardstack_format.wording import counted

__all__ = ["language"]

LONGEST = 200_000  # characters that are judged; of longer texts, stretches from all over
MOST_PARTS = 1_000  # stretches that are: a short one costs as much as a long one
LONGEST_PART = 400
SHORTEST_PART = 60

NOT_PROSE = re.compile(
    r"```[^`]*(?:```|\Z)|~~~[^~]*(?:~~~|\Z)|`[^`\n]{1,500}`"  # code
    r"|\$\$[^$]{1,5000}\$\$|\$[^$\n]{1,500}\$"  # formulae; a bracket's content ends where the next one opens
    r"|\\\[(?:[^\\]|\\[^\[\]])*+\\\]|\\\((?:[^\\]|\\[^()])*+\\\)"
    r"|\\[A-Za-z]{1,40}(?:\{[^{}\n]{0,200}\})?|<[^<>\n]{1,200}>|https?://\S{1,2000}"  # LaTeX, tags, addresses
)
LETTER_RUN = re.compile(r"[^\W\d_]+")
SENTENCE = re.compile(r"[\n。！？]|(?<=[.!?])\s")

LATIN = "Latin"  # and all that is not listed below; Greek is not, since it is every formula's
SCRIPTS = {
    "Chinese characters or kana": "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f",
    "Hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "Cyrillic": "\u0400-\u052f",
    "Arabic": "\u0600-\u06ff\u0750-\u077f",
    "Hebrew": "\u0590-\u05ff",
    "Devanagari": "\u0900-\u097f",
    "Thai": "\u0e00-\u0e7f",
}
SCRIPT_OF = {
    **dict.fromkeys(("zh", "ja"), "Chinese characters or kana"),
    **dict.fromkeys(("ru", "uk", "bg", "mk", "be", "ky", "mn", "kk", "sr"), "Cyrillic"),
    **dict.fromkeys(("ar", "fa", "ur", "ps", "ug"), "Arabic"),
    **dict.fromkeys(("hi", "mr", "ne"), "Devanagari"),
    "ko": "Hangul", "he": "Hebrew", "th": "Thai",
}  # fmt: skip
SCRIPT_RUNS = {script: re.compile(f"[{letters}]+") for script, letters in SCRIPTS.items()}
LISTED = re.compile(f"[{''.join(SCRIPTS.values())}]+")
FEWEST_LATIN = 20  # letters: fewer of them among another script are names and abbreviations


def strip_code(text: str) -> str:
    """Return a text without code, formulae, LaTeX commands, tags and addresses."""
    return NOT_PROSE.sub(" ", text)


def split_prose(text: str) -> list[str]:
    """Return a text in stretches of a few sentences: short enough to see a change of language, long enough to tell."""
    parts: list[str] = []
    gathered = ""
    for sentence in SENTENCE.split(text):
        gathered = f"{gathered} {sentence}".strip()
        if len(gathered) >= SHORTEST_PART:
            parts += [gathered[at : at + LONGEST_PART] for at in range(0, len(gathered), LONGEST_PART)]
            gathered = ""
    if len(gathered) < SHORTEST_PART and parts:  # too short to be judged alone
        gathered = f"{parts.pop()} {gathered}"
    return [*parts, gathered]


def sample_parts(parts: list[str]) -> list[str]:
    """Return all parts, or of too many as many from all over as may be judged."""
    step = max(-(-sum(map(len, parts)) // LONGEST), -(-len(parts) // MOST_PARTS))
    return parts[::step]


def split_scripts(text: str) -> dict[str, str]:
    """Return what a text has in each script, the script with the most letters first."""
    if text.isascii():
        return {LATIN: text}
    parts = {LATIN: LISTED.sub(" ", text)}
    for script, runs in SCRIPT_RUNS.items():
        if found := runs.findall(text):
            parts[script] = " ".join(found)
    return dict(sorted(parts.items(), key=lambda part: -count_letters(part[1])))


def count_letters(text: str) -> int:
    """Return how many letters a text has."""
    return sum(map(len, LETTER_RUN.findall(text)))


def judge_part(text: str, among: tuple[str, ...]) -> Counter[str]:
    """Return how many letters of a stretch are in which language (or script, where no language fits it)."""
    counts: Counter[str] = Counter()
    main = ""
    for script, written in split_scripts(text).items():
        letters = count_letters(written)
        if script == LATIN and main and letters < FEWEST_LATIN:
            counts[main] += letters
        elif letters:
            guess = guess_language(written, among)
            found = guess if SCRIPT_OF.get(guess, LATIN) == script else script
            main = main or found
            counts[found] += letters
    return counts


def guess_language(text: str, among: tuple[str, ...]) -> str:
    """Return the likeliest language of a text, of some or of all that the model knows."""
    clean = text.encode("utf-8", "ignore").decode()
    ranked = import_extra("py3langid", "format", "format.language").rank(clean)
    return str(next(code for code, _ in ranked if not among or code in among))


@cache
def known_languages() -> frozenset[str]:
    """Return the ISO 639-1 codes that py3langid knows."""
    return frozenset(code for code, _ in import_extra("py3langid", "format", "format.language").rank("a"))


def check_codes(expected: str | None, among: tuple[str, ...]) -> None:
    """Raise `StackError` for codes the model does not know, and for an expected one that is out of the question."""
    codes = tuple(filter(None, (expected, *among)))
    unknown = sorted(set(codes) - known_languages())
    if unknown:
        raise StackError(
            f"format.language: unknown language {unknown[0]!r}; it takes ISO 639-1 codes: "
            f"{', '.join(sorted(known_languages()))}"
        )
    if expected is not None and among and expected not in among:
        raise StackError(f"format.language: among = {list(among)} leaves out the expected {expected!r}")


@reward(check=lambda options: check_codes(options["expected"], options["among"]))
def language(
    completion: str,
    *,
    expected: str | None = None,
    among: tuple[str, ...] = (),
    least: Annotated[int, Meta(ge=1)] = 40,
) -> Score:
    """The share of a completion's letters that are in one language: the expected one, or its most used.

    The text is cut into stretches of a sentence or more, each is identified by py3langid, and its letters count for
    that language. Letters of another script in the same stretch (Chinese in English) are judged apart.

    Options:
        expected: The language, as an ISO 639-1 code (`en`, `zh`); without it, whichever the most letters are in.
        among: The languages that come into question; naming them helps much with short text.
        least: A completion with fewer letters of prose abstains.

    Code, formulae, LaTeX commands, tags and addresses are left out before.

    Range: 0 to 1. Needs py3langid: `pip install 'rewardstack[format]'`. What to expect, measured on 1,485 English worked
    solutions: 0.991 on average and under 0.99 for one in twenty (0.998 and 1.0 with five languages in `among`);
    formulae that are not marked as such pull a text down. Single sentences of 10 letters and more are told right 96
    times in 100, shorter ones 15 times, so stretches are 60 characters and more, and a change of language that is
    shorter goes unseen. Near kin (da, no, sv; hr, sr, bs; id, ms; cs, sk) are confused in whole sentences too. Under 20
    Latin letters among another script are taken for names. Of more than 200,000 characters or 1,000 stretches a
    sample is judged.
    """
    check_codes(expected, among)
    letters: Counter[str] = Counter()
    for part in sample_parts(split_prose(strip_code(completion))):
        letters.update(judge_part(part, among))
    total = letters.total()
    if total < least:
        return Score(reason=f"{counted(total, 'letters')} of prose: too few to tell a language")
    main = expected or letters.most_common(1)[0][0]
    shares = {code: count / total for code, count in letters.most_common(5) if count}
    return Score(
        letters[main] / total, f"{letters[main] / total:.0%} of the letters are in {main}", {"shares": shares}
    )
