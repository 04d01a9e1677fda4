"""`science.choice`: which option a reply chooses, or why it chooses none."""

import re
from typing import Any, Literal

import msgspec

from rewardstack import Answer, Score, beside, find_answer, reward, visible_text
from rewardstack_science.commitments import find_rival
from rewardstack_science.marks import is_crossed, leave_out_struck, read_marked
from rewardstack_science.mentions import option_beside
from rewardstack_science.menus import NOTHING, Menu, Pick, Strength, gold_options, read_menu
from rewardstack_science.picks import read_bare, read_corrected, read_further, read_pick, read_whole
from rewardstack_science.plain_replies import read_plain
from rewardstack_science.wording import CORRECTION, clean, shorten

__all__ = ["Chosen", "choice", "find_choice"]

# Characters at a reply's start and end that are read where no slot or phrase commits
HEAD, TAIL = 2_000, 6_000
LONGEST_LIST = 600  # characters behind an answer phrase in which further options may be listed
_SENTENCE = re.compile(
    r"\n+|(?<=[.!?。])(?<![\s(][A-Za-z0-9][.])(?<!^[A-Za-z0-9][.])\s+(?!(?i:or)\b)|(?<=。)"
)
_CONCLUDES = re.compile(
    r"(?i:\s*[*_]*(?:so|thus|hence|therefore|in conclusion|overall|in summary|finally)\b)|(?i:.{0,80}\banswer\b)"
)
_QUESTION = re.compile(r"[?？]\W*\Z")


class Chosen(msgspec.Struct, frozen=True):
    """The places of the options a reply chooses; none, with the `reason`, where it does not commit itself."""

    places: frozenset[int]
    reason: str
    form: str = ""


@reward(equal_forms=("spacing",))
def choice(
    completion: str,
    answer: str | int | list[str | int],
    options: Any = None,
    choices: Any = None,
    prompt: str = "",
    *,
    several: Literal["refuse", "last"] = "refuse",
    thinking: bool = False,
    tag: str = "answer",
) -> Score:
    """1 when the reply chooses the right option, by its label or its text, and commits itself to no other.

    The options are the column `options`, else `choices`, else what the prompt lists: label to text, a list of texts,
    or text ("A. Mars"). `answer` is a label, an option's text, a place counted from 0 or a list of several right
    options, all of which must then be chosen. The committed answer is found as `rewardstack.find_answer` does; of it
    a label counts, then an option's text, exact after normalisation. A letter within prose counts only where the
    sentence says that it is the answer: the article "a" and the pronoun "I" are none.

    Options:
        several: Different answers without a correction between them ("wait", "final answer") are no answer; `last`
            takes the last one, as `find_answer` does.
        thinking: An answer inside thinking counts too.
        tag: The tag that holds answers.

    Range: 0 or 1. A hedge, a negation, a letter that is no option, and a letter beside another option's text choose
    nothing. Does not know synonyms: "table salt" is not sodium chloride. Abstains where gold names no option.
    """
    menu = read_menu(options, prompt) or read_menu(choices, prompt)
    if menu is None:
        return Score(None, reason="the row has no options: two or more in `options`, `choices` or the prompt")
    gold = gold_options(answer, menu)
    if gold is None:
        return Score(None, reason=f"the gold answer {shorten(str(answer))} names none of the options")
    chosen = find_choice(completion, menu, several=several, thinking=thinking, tag=tag)
    said, wanted = _labels(chosen.places, menu), _labels(gold, menu)
    details = {"chosen": said, "gold": wanted, "form": chosen.form}
    if not chosen.places:
        return Score(0.0, f"no answer: {chosen.reason}", details)
    verdict = "as expected" if chosen.places == gold else f"expected {', '.join(wanted)}"
    return Score(float(chosen.places == gold), f"chose {', '.join(said)}, {verdict}", details)


def _labels(places: frozenset[int], menu: Menu) -> list[str]:
    return [menu.labels[place] for place in sorted(places)]


def find_choice(
    completion: str,
    menu: Menu,
    *,
    several: Literal["refuse", "last"] = "refuse",
    thinking: bool = False,
    tag: str = "answer",
) -> Chosen:
    """Find the options a reply chooses, or the reason why it chooses none. Linear in its length, never raises."""
    plain = read_plain(completion, menu) if tag == "answer" else None
    if plain is not None:
        return Chosen(frozenset([plain.place]), plain.reason, plain.form)
    return weigh_reply(completion, menu, several=several, thinking=thinking, tag=tag)


def weigh_reply(
    completion: str, menu: Menu, *, several: Literal["refuse", "last"], thinking: bool, tag: str
) -> Chosen:
    """Find the options a reply chooses the whole way, which can tell of every reply."""
    if "~~" in completion:
        completion = leave_out_struck(completion)
    found = find_answer(completion, thinking=thinking, tag=tag)
    text = completion if thinking else visible_text(completion).text
    exact = _last_line(text, menu) if found.form in ("line", "phrase") else NOTHING
    if exact.places:
        reason = "" if several == "last" else _contradiction(text, exact, menu, tag)
        return Chosen(frozenset() if reason else exact.places, reason or "the last line", "line")
    withdrawn = found.text is None and "taken back" in found.reason
    negated = found.form == "phrase" and found.text is None and "negated" in found.reason
    if found.form is None or negated or (found.form == "line" and not withdrawn):
        chosen = _from_sentences(text, found, menu, several)
        reason = (
            _contradiction(text, Pick(chosen.places), menu, tag)
            if chosen.places and several == "refuse"
            else ""
        )
        return Chosen(frozenset(), reason, chosen.form) if reason else chosen
    if found.text is None:
        instead = read_corrected(text, menu) if withdrawn else NOTHING
        return Chosen(instead.places, "put right at last" if instead.places else found.reason, found.form)
    _, behind = beside(completion, found)
    pick = _slots(found, menu)
    if behind and pick.places:
        pick = read_further(pick, behind, menu)
    if found.form == "phrase" and found.span and pick.places and completion.find("\n", found.span[1]) >= 0:
        pick = _lines_behind(completion[found.span[1] : found.span[1] + LONGEST_LIST], pick, menu)
    if not pick.places:
        reason = pick.reason or f"{shorten(found.text)} is none of the options"
        return Chosen(frozenset(), reason, found.form)
    reason = _text_behind(behind, pick, menu) if behind else ""
    if not reason and several == "refuse":
        reason = _contradiction(text, pick, menu, tag)
    if reason:
        return Chosen(frozenset(), reason, found.form)
    return Chosen(pick.places, found.reason, found.form)


def _last_line(text: str, menu: Menu) -> Pick:
    """Read the last line where it is an option's text as a whole and no other line is another's."""
    lines = text.rstrip()[-TAIL:].split("\n")[-60:]
    last = read_whole(lines[-1], menu)
    rivals = (
        {place for line in lines[:-1] for place in read_whole(line, menu).places} if last.places else set()
    )
    return NOTHING if rivals - last.places else last


def _slots(found: Answer, menu: Menu) -> Pick:
    """Read the committed answer, which may be several slots side by side."""
    if found.alternatives:
        pick = read_pick(found.text or "", menu)
        if pick.strength is Strength.BARE and len(pick.places) == 1:
            return pick  # an option whose own text has an "or"
        sides = {read_pick(side, menu).places for side in found.alternatives}
        if len(sides) != 1:
            return Pick(reason=f"{shorten(found.text or '')} offers a choice")
        return Pick(next(iter(sides)), Strength.BARE)
    if found.parts:
        places = frozenset[int]().union(*(read_pick(part, menu).places for part in found.parts))
        return Pick(places, Strength.BARE)
    return read_pick(found.text or "", menu)


def _lines_behind(behind: str, pick: Pick, menu: Menu) -> Pick:
    """A pick with the options that have the lines behind it to themselves: "Answer:", "A. Bat", "C. Whale"."""
    places = set[int]()
    for line in behind.split("\n")[1:]:
        label = menu.label(line)
        found = read_whole(line, menu).places if label is None else frozenset([label])
        if not found and line.strip(" *-,").lower() not in ("", "or", "and"):
            break
        places |= found
    return pick if places & pick.places else Pick(pick.places | places, pick.strength)


def _text_behind(behind: str, pick: Pick, menu: Menu) -> str:
    r"""Why the text right behind a commitment contradicts it: \boxed{C} Saturn, "the answer is C, which is Saturn"."""
    if is_crossed(behind):
        return "a cross stands behind it"
    other = option_beside(clean(behind), menu)
    if other is None or other in pick.places:
        return ""
    said = ", ".join(_labels(pick.places, menu))
    return f"the label {said} stands beside the text of {menu.labels[other]}"


def _contradiction(text: str, pick: Pick, menu: Menu, tag: str) -> str:
    """Why other commitments of a reply leave it without an answer, empty where none does."""

    def agrees(content: str) -> bool | None:
        other = read_pick(content, menu)
        return other.places <= pick.places if other.places else None

    rival = find_rival(text, tag, agrees)
    if rival is None:
        return ""
    both = (
        ", ".join(_labels(read_pick(rival.content, menu).places, menu)),
        ", ".join(_labels(pick.places, menu)),
    )
    return f"several different answers, {' and '.join(both)}"


def _from_sentences(text: str, found: Answer, menu: Menu, several: str) -> Chosen:
    """Read a reply without a slot or an answer phrase: the sentences that pick a label, else those with its text."""
    if found.form is None or not text.strip():
        return Chosen(frozenset(), found.reason)
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    sentences = read_marked(
        text, [sentence for sentence in _SENTENCE.split(text) if sentence and sentence.strip()]
    )
    whole = read_bare("\n".join(sentences), menu) if len(text) < 300 and len(sentences) > 1 else NOTHING
    if whole.places:
        return Chosen(whole.places, "the whole reply", "line")
    picks = [
        (sentence, read_pick(sentence, menu)) for sentence in sentences if not _QUESTION.search(sentence)
    ]
    plain = [each for each in picks if each[1].strength >= Strength.STATED]
    if plain:
        return _settle(plain, sentences, menu, several)
    weak = [each for each in picks if each[1].strength is Strength.MENTIONED]
    if not weak:
        return Chosen(frozenset(), found.reason if found.text is None else "no option is named", "line")
    return _settle_mentions(weak)


def _settle(plain: list[tuple[str, Pick]], sentences: list[str], menu: Menu, several: str) -> Chosen:
    """Choose among sentences that each name a label."""
    last = plain[-1][1]
    if not last.places:
        return Chosen(frozenset(), last.reason, "line")
    listed = {place for _, pick in plain if pick.strength is Strength.BARE for place in pick.places}
    if (
        len(listed) > 2 and len(listed) >= len(menu.labels) - 1
    ):  # the options are gone through, one after another
        stated = [each for each in plain if each[1].strength is Strength.STATED]
        alone = [each for each in plain if len(each[0].strip(" *_`$().")) == 1]
        if len(alone) == 1 and alone[0] is plain[-1]:  # a lone letter below them
            stated = alone
        if not stated or stated[-1][0] != plain[-1][0]:
            return Chosen(frozenset(), "several options are listed and none is chosen", "line")
        plain = stated
    differing = [sentence for sentence, pick in plain if pick.places and pick.places != last.places]
    if differing and several == "refuse":
        since = sentences.index(differing[-1])
        if not CORRECTION.search(" ".join(sentences[since + 1 :])) and not CORRECTION.search(plain[-1][0]):
            return Chosen(frozenset(), "several different answers without a correction", "line")
    return Chosen(last.places, "a sentence names it", "line")


def _settle_mentions(weak: list[tuple[str, Pick]]) -> Chosen:
    """Choose among sentences that only hold an option's text: all must agree, or one draws the conclusion."""
    picks = {pick.places for _, pick in weak}
    concluding = [pick for sentence, pick in weak if _CONCLUDES.match(sentence)]
    last = concluding[-1] if concluding else weak[-1][1]
    if not last.places:
        return Chosen(frozenset(), last.reason, "line")
    if len(picks) == 1 or concluding:
        return Chosen(last.places, "a sentence holds its text", "line")
    return Chosen(frozenset(), "the texts of several options are mentioned and none is chosen", "line")
