"""Splits a cleaned answer into tokens, in one pass.

A token is `(kind, text, spaced)`. Kinds: `n` number, `s` letter, `k` constant, `w` word, `t` a single letter written
as text, `f` function, `a` accent, `g` big operator, `q` figure name, `o` operator, `b`/`e` begin and end of an
environment. `spaced` says whether white space stood before it.
"""

import re
from functools import lru_cache

from rewardstack_math.lexicon import (
    COMMANDS,
    CONNECTIVES,
    FUNCTIONS,
    PLAIN_NAMES,
    SHORT_WORDS,
    TEXT_COMMANDS,
)
from rewardstack_math.normalisation import Unreadable
from rewardstack_math.units import is_unit

__all__ = ["Token", "tokenise"]

Token = tuple[str, str, bool]

MAX_TOKENS = 4_000

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|\\[,;:!>\ ]|\\\n|~|\{\}|\$\$?(?!\d)|\\[()\[\]](?!\d+(?:pt|ex|em)))
  | (?P<number>
        (?<![\d.])[1-9]\d{0,2}(?:(?:(?:,|\{,\}|\\!,\\!|,\\!\ ?|\\,|\\;|\\:|\\\ )\d{3})+(?!\d)
          |(?:\ \d{3})+(?!\d|\ ?/))(?:\.\d+)?(?:[eE][+-]?\d+)?
      | (?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
  | \\(?P<bar>left|right)\s*(?:\||\\vert(?![a-z]))
  | \\(?P<side>left|right|[bB]igg?[lrm]?)(?![a-zA-Z])\s*\.?
  | \\(?P<env>begin|end)\s*\{(?P<name>[a-zA-Z]+)\*?\}(?P<columns>(?<=array\})\s*(?:\[\w\])?\s*\{[^{}]*\})?
  | \\mathbb\s*\{?\s*(?P<set>[A-Z])\s*\}?
  | \\(?P<command>[a-zA-Z]+)\*?
  | \\(?P<escaped>[^a-zA-Z])
  | (?P<letters>[A-Za-z]+)
  | (?P<op>\*\*|<=>|<=|>=|!=|==|=>|->|\.\.\.+|\|\||<>|//)
  | (?P<other>[\u3040-\u30ff\u3400-\u9fff]+|[^\W\d_]+)
  | (?P<char>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = {"{": "{{", "}": "}}", "%": "%", "$": "cur", "\\": "\\\\", "&": "&", "#": "#", "_": "_", "|": "||"}
_OPS = {"**": "^", "<>": "!=", "<=>": "iff", "≤": "<="}
_DIGITS_ONLY = re.compile(r"[^\d.eE+-]")
_VOWELS = re.compile("[aeiouyAEIOUY]")
_KNOWN_PREFIXES = sorted((name for name in COMMANDS if len(name) > 1), key=len, reverse=True)


def _is_word(run: str) -> bool:
    if len(run) == 3 and run[0].isupper() and run[1:].islower():
        return True  # a name: Bob, Ann
    if len(run) >= 4:
        return _VOWELS.search(run) is not None
    return run.lower() in SHORT_WORDS


@lru_cache(maxsize=4096)
def _letters(run: str, text: bool) -> tuple[tuple[str, str], ...]:
    """Read a run of letters: a function, a name, a word, or letters that are multiplied."""
    if len(run) == 1:
        return (("t" if text else "s", run),)
    if run in PLAIN_NAMES:
        return (PLAIN_NAMES[run],)
    if run in FUNCTIONS:
        return (("f", FUNCTIONS[run]),)
    lower = run.lower()
    if lower in CONNECTIVES:
        return (("o", CONNECTIVES[lower]),)
    if text or _is_word(run):
        return (("w", run),)
    if run[:-1] in FUNCTIONS and len(run) > 3:  # sinx
        return (("f", FUNCTIONS[run[:-1]]), ("s", run[-1]))
    return tuple(("s", letter) for letter in run)


@lru_cache(maxsize=1024)
def _command(name: str) -> tuple[tuple[str, str], ...]:
    r"""Read a LaTeX command; one that ran into the letters after it (`\quadx`) is cut where a known one ends."""
    if name in COMMANDS:
        return (COMMANDS[name],)
    for known in _KNOWN_PREFIXES:
        if name.startswith(known) and len(name) - len(known) <= 3:
            return (COMMANDS[known], *_letters(name[len(known) :], False))
    return (("s", name),)  # an unknown command is a letter: it equals itself


def _number(text: str) -> str:
    return text if text.isdecimal() else _DIGITS_ONLY.sub("", text)


class _Scanner:
    """State of one pass: the tokens so far, and which open braces hold text."""

    def __init__(self, text: str, thousands: bool) -> None:
        self.text = text
        self.thousands = thousands
        self.out: list[Token] = []
        self.modes: list[str] = []  # one per open brace: "text" (dropped), "math" or "math in text"
        self.in_text = False
        self.pending_text = False
        self.spaced = False
        # An odd number of dollar signs, or one before a digit that nothing closes, is money.
        dollars = text.count("$") - text.count("\\$")
        self.money = dollars % 2 == 1

    def put(self, kind: str, text: str) -> None:
        if not kind:
            self.spaced = True
            return
        self.out.append((kind, text, self.spaced))
        self.spaced = False
        if len(self.out) > MAX_TOKENS:
            raise Unreadable(f"more than {MAX_TOKENS} tokens")

    def brace(self, char: str) -> None:
        if char == "{":
            self.modes.append("text" if self.pending_text else "text in" if self.in_text else "math")
            if self.pending_text:
                self.in_text = True
                self.spaced = True
            else:
                self.put("o", "{")
            self.pending_text = False
            return
        mode = self.modes.pop() if self.modes else "none"
        if mode == "text":
            self.in_text = any(m == "text" for m in self.modes)
        elif mode == "none":
            return  # a stray closing brace
        else:
            self.put("o", "}")

    def other(self, kind: str, match: re.Match[str]) -> None:
        text = match.group(kind)
        if kind == "command":
            if text in TEXT_COMMANDS:
                self.pending_text = True
                return
            for part in _command(text):
                self.put(*part)
        elif kind == "escaped":
            self.put("o", _ESCAPED.get(text, text))
        elif kind == "op":
            self.put("o", _OPS.get(text, "..." if text.startswith("...") else text))
        elif kind == "bar":
            self.put("o", "lvert" if text == "left" else "rvert")
        elif kind == "side":
            pass
        elif kind in ("env", "name", "columns"):
            self.put("b" if match.group("env") == "begin" else "e", match.group("name"))
        elif kind == "set":
            self.put("k", text) if text in "RZNQC" else self.put("s", text)
        else:
            self.put("o" if text in CONNECTIVES else "w", CONNECTIVES.get(text, text))

    def char(self, text: str) -> None:
        if text in "{}":
            self.brace(text)
        elif text == "." and self.out and self.out[-1][0] == "w":
            self.spaced = True  # an abbreviation's full stop: "sq. units"
        elif text == "$":
            self.put("o", "cur") if self.money else self.put("", "")
        else:
            self.put("o", text)

    def _measures(self, run: str) -> bool:
        """Whether letters are a unit: only behind a value, for mg alone is m times g."""
        if not 1 < len(run) < 5 or not self.out or not is_unit(run):
            return False
        kind, text, _ = self.out[-1]
        return kind == "n" or (kind == "o" and text in (")", "}"))

    def run(self) -> list[Token]:
        put = self.put
        for match in _TOKEN.finditer(self.text):
            kind = match.lastgroup or "char"
            if kind == "space":
                self.spaced = True
                continue
            if self.pending_text and kind not in ("char", "command", "env"):
                self.pending_text = False  # \rm and \bf without braces
            if kind == "number":
                put("n", _number(match.group()) if self.thousands else match.group())
            elif kind == "letters":
                if self._measures(match.group()):
                    put("w", match.group())
                    continue
                for part in _letters(match.group(), self.in_text):
                    put(*part)
            elif kind == "char":
                self.char(match.group())
            else:
                self.other(kind, match)
        return self.out


def tokenise(text: str, thousands: bool = True) -> list[Token]:
    """Return the tokens of a cleaned answer.

    With `thousands=False` a comma before three digits separates: `(100,200)` can be read as a pair.
    """
    if not thousands:
        text = re.sub(r"(?<=\d),(?=\d)", ", ", text)
    return _Scanner(text, True).run()
