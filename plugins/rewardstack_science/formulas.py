r"""Chemical formulae: read into elements, charge and state, from plain text, LaTeX, `\ce{}` and subscripts.

Own and small: the libraries that read formulae take longer to import than this takes to read a thousand. Depth,
length and counts are bounded before anything is multiplied.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

import msgspec

from rewardstack_science.wording import word_set

__all__ = ["Formula", "notation", "read_formula"]

LONGEST = 200
MOST_DEPTH = 12
MOST_ATOMS = 10**9

ELEMENTS = word_set(
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb "
    "Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu "
    "Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db "
    "Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og D T"
)


class Formula(msgspec.Struct, frozen=True):
    """A formula: how many atoms of each element, sorted; its charge; its state where it has one; its writing.

    An electron has no atoms and the charge -1.
    """

    atoms: tuple[tuple[str, int], ...]
    charge: int
    state: str
    text: str

    @property
    def substance(self) -> tuple[tuple[tuple[str, int], ...], int]:
        """What it is whatever its state and the order of its atoms."""
        return self.atoms, self.charge


_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₍₎", "0123456789+-()")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_MARKS = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "⋅": "·", "•": "·", "∙": "·", "×": " ", "｡": "·", "⊖": "-", "⊕": "+"}
)
_ARROW = re.compile(
    r"<=>|<->|<-->|-{1,3}>|={1,2}>|[→⟶⇌⇋⇄⟷↔⇒➔]|\\(?:long)?(?:rightarrow|leftrightarrow)(?![a-z])|\\(?:xrightarrow\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}|to(?![a-z])|rightleftharpoons|Rightarrow|longleftrightarrow|implies)"
)
_WRAPPER = re.compile(
    r"\\(?:ce|text[a-z]*|math(?:rm|bf|it|sf|normal)|operatorname|mbox|boxed|pu)\s*\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_BRACED = re.compile(r"([_^])\s*\{\s*([^{}]{0,12}?)\s*\}")
_SPACING = re.compile(r"\\[,;:! ]|~|\$|\\(?:left|right|bigl|bigr|quad)(?![a-z])|\*\*|`")


@lru_cache(maxsize=256)
def notation(text: str) -> str:
    r"""Return chemistry in one notation: `SO4^2-`, `CuSO4·5H2O`, `->`; subscripts, `\ce{}` and braces undone."""
    text = text[:4_000].translate(_DIGITS).translate(_MARKS)
    text = _SUPERSCRIPT.sub(lambda found: "^" + found[0].translate(_RAISED), text)
    text = unicodedata.normalize("NFKC", text)
    text = _ARROW.sub(" -> ", text)
    for _ in range(3):
        text, count = _WRAPPER.subn(r"\1", text)
        if not count:
            break
    text = _BRACED.sub(lambda found: f"^{found[2]}" if found[1] == "^" else found[2], text)
    text = text.replace("\\cdot", "·").replace("\\bullet", "·")
    text = _SPACING.sub(" ", text).replace("_", "").replace("{}", "")
    return " ".join(text.split())


_STATE = re.compile(r"\s?\((s|l|g|aq|c|cr)\)\Z")
_CHARGES = (
    re.compile(r"\s?\^\s?\(?(\d{0,2})([+-])\)?\Z"),  # ^2-
    re.compile(r"\s?\^\s?\(?([+-])(\d{0,2})\)?\Z"),  # ^+2
    re.compile(r"\s?\((\d{0,2})([+-])\)\Z"),  # (2-)
    re.compile(r"\s(\d{1,2})([+-])\Z"),  # SO4 2-
    re.compile(r"(?<=\])(\d{1,2})([+-])\Z"),  # [Fe(CN)6]4-
)
_SIGNS = re.compile(r"([+]{1,4}|-{1,4})\Z")
_SINGLE_ION = re.compile(r"\A([A-Z][a-z]?)(\d)([+-])\Z")
_GLUED = re.compile(r"(?<=\d)(\d)([+-])\Z")
_PIECE = re.compile(r"([A-Z][a-z]?)(\d*)|([(\[])|([)\]])(\d*)")
_COEFFICIENT = re.compile(r"\s*(\d{0,4})\s*")


@lru_cache(maxsize=2048)
def read_formula(text: str) -> Formula | None:
    """Return the formula that a text in this module's notation is, None where it is none."""
    if not 0 < len(text) <= LONGEST:
        return None
    body = text.strip()
    state = _STATE.search(body)
    body = body[: state.start()] if state else body
    body, charge = _charge(body)
    if body in ("e", "β") and charge in (-1, 0) and "-" in text:
        return Formula((), -1, "", text)
    atoms: Counter[str] = Counter()
    for part in re.split(r"\s?[·*.]\s?", body):
        lead = _COEFFICIENT.match(part)
        times = int(lead[1] or 1) if lead and body != part else 1
        found = _atoms(part[lead.end() :] if lead and body != part else part)
        if not found or not times:
            return None
        for element, count in found.items():
            atoms[element] += count * times
    if max(atoms.values()) > MOST_ATOMS:
        return None
    return Formula(tuple(sorted(atoms.items())), charge, state[1] if state else "", text.strip())


def _charge(body: str) -> tuple[str, int]:
    """Take the charge off the end of a formula: SO4^2-, Fe3+, NH4+, SO42-."""
    for pattern in _CHARGES:
        match = pattern.search(body)
        if match:
            size, sign = match.groups() if match[2] in ("+", "-") else (match[2], match[1])
            return body[: match.start()], int(size or 1) * (1 if sign == "+" else -1)
    if ion := _SINGLE_ION.match(body):  # Fe3+ is one atom with three charges
        return ion[1], int(ion[2]) * (1 if ion[3] == "+" else -1)
    if glued := _GLUED.search(body):  # SO42-
        return body[: glued.start()], int(glued[1]) * (1 if glued[2] == "+" else -1)
    signs = _SIGNS.search(body)
    if signs and signs.start() > 0:
        return body[: signs.start()].rstrip("^ "), len(signs[1]) * (1 if signs[1][0] == "+" else -1)
    return body, 0


def _atoms(body: str) -> Counter[str] | None:
    """Count the atoms of a formula without charge and state; None for what is no formula."""
    levels: list[tuple[str, Counter[str]]] = [("", Counter())]
    at = 0
    while at < len(body):
        piece = _PIECE.match(body, at)
        if piece is None:
            return None
        at = piece.end()
        if piece[1]:
            count = int(piece[2][:7] or 1)
            if piece[1] not in ELEMENTS:  # "CO" is matched as C and O, but "Xy" may be X and y
                return None
            levels[-1][1][piece[1]] += count
        elif piece[3]:
            if len(levels) > MOST_DEPTH:
                return None
            levels.append((piece[3], Counter()))
        else:
            opened, inner = levels.pop()
            if not levels or {"(": ")", "[": "]"}.get(opened) != piece[4]:
                return None
            for element, count in inner.items():
                levels[-1][1][element] += min(MOST_ATOMS + 1, count * int(piece[5][:7] or 1))
    return levels[0][1] if len(levels) == 1 else None
