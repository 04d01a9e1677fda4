r"""The first rung of `science.choice`: short replies that hold a label and nothing to weigh, read in one look.

"C", "**(C)**", "The answer is (C).", "\boxed{C}", "<answer>C</answer>". All others are left to the whole way, with
which a test compares this one reply by reply: it is quicker, and never says anything else.
"""

import re
from typing import NamedTuple

from rewardstack_science.menus import Menu

__all__ = ["PlainReply", "read_plain"]

LONGEST = 60  # characters of a reply that is looked at


class PlainReply(NamedTuple):
    """The place of the option that a plain reply chooses, and how `Chosen` puts it."""

    place: int
    reason: str
    form: str


_LABEL = r"(?:\*\*)?[(\[]?(?P<FORM>[A-Za-z]|[0-9]{1,2})[)\]]?(?:\*\*)?"
_ANNOUNCED = (
    r"(?:\*\*)?(?:(?:So|Thus|Hence|Therefore),? )?(?:[Tt]he |[Mm]y )?(?:(?:[Ff]inal|[Cc]orrect) )?"
    r"(?:[Aa]nswer|(?<=[Cc]orrect )(?:option|choice))(?: is:? |:(?:\*\*)?\s{0,2})"
)
# form: what a reply of it looks like, and the reason that the whole way gives
_FORMS = {
    "line": (_LABEL, "a sentence names it"),
    "phrase": (_ANNOUNCED + _LABEL, "after the last answer phrase"),
    "box": (
        rf"(?:{_ANNOUNCED})?\$?\\boxed\{{(?P<wrap>\\(?:text|textbf|mathbf|mathrm)\{{)?{_LABEL}(?(wrap)\}})\}}\$?",
        "in the last box",
    ),
    "tag": (rf"<answer>\s?{_LABEL}\s?</answer>", "in the last answer tag"),
}
_SHAPES = "|".join(shape.replace("FORM", form) for form, (shape, _) in _FORMS.items())
_PLAIN = re.compile(rf"\s*(?:{_SHAPES})[.!]?\s*")


def read_plain(reply: str, menu: Menu) -> PlainReply | None:
    """Return what a plain reply chooses, None where the whole way has to tell."""
    match = _PLAIN.fullmatch(reply) if len(reply) <= LONGEST else None
    if match is None or match.lastgroup is None:
        return None
    label = match[match.lastgroup]
    place = menu.letters.get(label.upper())
    if place is None or menu.holds(label):  # an option's text goes before a label: "A" among genotypes
        return None
    return PlainReply(place, _FORMS[match.lastgroup][1], match.lastgroup)
