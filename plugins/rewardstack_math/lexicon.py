"""The words of mathematics: LaTeX commands, function names, letters, stock phrases, as tables."""

__all__ = [
    "COMMANDS",
    "CONNECTIVES",
    "FUNCTIONS",
    "GREEK",
    "LEADING",
    "MAGNITUDES",
    "NUMBER_WORDS",
    "PLAIN_NAMES",
    "PROGRAM_WORDS",
    "SHORT_WORDS",
    "STOCK",
    "SYMBOLS",
    "TEXT_COMMANDS",
    "TRIG",
    "words",
]


def words(text: str) -> list[str]:
    """Return the words of a text; tables of words read best as texts."""
    return text.split()


GREEK = frozenset(
    words(
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron rho sigma tau upsilon phi chi "
        "psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega hbar ell partial nabla aleph"
    )
)

TRIG = frozenset(words("sin cos tan cot sec csc"))

FUNCTIONS = {
    **{
        name: name
        for name in words("sin cos tan cot sec csc sinh cosh tanh coth exp ln log gcd lcm max min det cis")
    },
    **{f"arc{name}": f"arc{name}" for name in TRIG},
    **{f"a{name}": f"arc{name}" for name in TRIG},
    **{name: name for name in words("floor ceil abs sqrt frac binom re im deg arg")},
    "lg": "lg",
    "cosec": "csc",
    "ctg": "cot",
    "cotg": "cot",
    "tg": "tan",
    "arctg": "arctan",
    "arsinh": "arcsinh",
    "sgn": "sign",
    "sign": "sign",
    "cbrt": "cbrt",
    "sup": "max",
    "inf": "min",
    "Re": "re",
    "Im": "im",
    "Log": "log",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "arccosh": "arccosh",
    "arctanh": "arctanh",
}

# LaTeX commands whose braces hold words, or whose style says nothing about the value.
TEXT_COMMANDS = frozenset(
    words(
        "text textbf textit textrm textsf texttt textnormal textup textmd mbox hbox mathrm mathbf mathit mathsf mathtt "
        "operatorname boldsymbol bm pmb rm bf mathnormal emph underline mathop mathcal mathscr mathfrak ensuremath "
        "textcolor"
    )
)

_DROPPED = words(
    "displaystyle textstyle scriptstyle limits nolimits quad qquad thinspace enspace space left right middle big Big "
    "bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr hfill hspace vspace strut phantom nonumber notag label "
    "large Large LARGE huge Huge small tiny normalsize footnotesize scriptsize hline cr noindent smallskip medskip bigskip par newline cdotp negthinspace relax allowbreak "
    "blacksquare square Box qed qedhere qedsymbol checkmark"
)

# command -> (kind, text); kinds are those of tokens.py
COMMANDS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(_DROPPED, ("", "")),
    **{name: ("s", name) for name in GREEK},
    **{f"var{name}": ("s", name) for name in words("epsilon theta phi rho sigma kappa")},
    **{name: ("f", FUNCTIONS[name]) for name in FUNCTIONS if name not in {"frac", "binom", "abs"}},
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac", "sfrac", "nicefrac"), ("f", "frac")),
    **dict.fromkeys(("binom", "dbinom", "tbinom"), ("f", "binom")),
    **{
        name: ("a", name)
        for name in words("overline bar hat widehat vec overrightarrow tilde widetilde dot ddot")
    },
    **dict.fromkeys(("cdot", "times", "ast", "bullet"), ("o", "*")),
    **dict.fromkeys(("le", "leq", "leqslant", "leqq"), ("o", "<=")),
    **dict.fromkeys(("ge", "geq", "geqslant", "geqq"), ("o", ">=")),
    **dict.fromkeys(("approx", "simeq", "doteq", "thickapprox"), ("o", "~")),
    **dict.fromkeys(("to", "rightarrow", "longrightarrow", "mapsto"), ("o", "->")),
    **dict.fromkeys(("dots", "ldots", "cdots", "dotsc", "dotsb", "vdots", "ddots"), ("o", "...")),
    **dict.fromkeys(("setminus", "backslash", "smallsetminus"), ("o", "minus")),
    **dict.fromkeys(("emptyset", "varnothing", "oslash", "O"), ("k", "empty")),
    **dict.fromkeys(("R", "reals", "Reals"), ("k", "R")),
    **dict.fromkeys(("land", "wedge"), ("o", "and")),
    **dict.fromkeys(("lor", "vee"), ("o", "or")),
    **dict.fromkeys(("Rightarrow", "implies", "Longrightarrow", "therefore"), ("o", "=>")),
    **{name: ("g", name) for name in ("sum", "prod", "int", "lim", "iint", "oint")},
    **dict.fromkeys(("vert", "mid"), ("o", "|")),
    **dict.fromkeys(("Vert", "lVert", "rVert"), ("o", "||")),
    "lvert": ("o", "lvert"),
    "rvert": ("o", "rvert"),
    "div": ("o", "/"),
    "lt": ("o", "<"),
    "gt": ("o", ">"),
    "neq": ("o", "!="),
    "ne": ("o", "!="),
    "equiv": ("o", "=="),
    "cong": ("o", "=="),
    "sim": ("o", "==="),
    "parallel": ("o", "par"),
    "perp": ("o", "perp"),
    "propto": ("o", "prop"),
    "pm": ("o", "±"),
    "mp": ("o", "∓"),
    "circ": ("o", "°"),
    "degree": ("o", "°"),
    "prime": ("o", "'"),
    "infty": ("k", "inf"),
    "pi": ("k", "pi"),
    "cup": ("o", "cup"),
    "bigcup": ("o", "cup"),
    "cap": ("o", "cap"),
    "bigcap": ("o", "cap"),
    "in": ("o", "in"),
    "notin": ("o", "notin"),
    "subset": ("o", "sub"),
    "subseteq": ("o", "sub"),
    "colon": ("o", ":"),
    "ratio": ("o", ":"),
    "lbrace": ("o", "{{"),
    "rbrace": ("o", "}}"),
    "lbrack": ("o", "["),
    "rbrack": ("o", "]"),
    "langle": ("o", "<<"),
    "rangle": ("o", ">>"),
    "lfloor": ("o", "lfloor"),
    "rfloor": ("o", "rfloor"),
    "lceil": ("o", "lceil"),
    "rceil": ("o", "rceil"),
    "over": ("o", "over"),
    "choose": ("o", "choose"),
    "bmod": ("o", "mod"),
    "mod": ("o", "mod"),
    "pmod": ("o", "pmod"),
    "angle": ("q", "angle"),
    "measuredangle": ("q", "angle"),
    "triangle": ("q", "triangle"),
    "degrees": ("o", "°"),
    "percent": ("o", "%"),
    "pounds": ("o", "£"),
    "euro": ("o", "€"),
    "dollar": ("o", "cur"),
    "And": ("o", "and"),
    "textdegree": ("o", "°"),
    "imath": ("s", "i"),
    "jmath": ("s", "j"),
    "slash": ("o", "/"),
}

# Plain names that stand for a constant or letter when they are written without a backslash.
PLAIN_NAMES: dict[str, tuple[str, str]] = {
    **{name: ("s", name) for name in GREEK if len(name) > 2 and name not in {"partial", "aleph", "ell"}},
    "pi": ("k", "pi"),
    "Pi": ("k", "pi"),
    "PI": ("k", "pi"),
    "inf": ("k", "inf"),
    "Inf": ("k", "inf"),
    "infty": ("k", "inf"),
    "infinity": ("k", "inf"),
    "Infinity": ("k", "inf"),
    "oo": ("k", "inf"),
    "mod": ("o", "mod"),
    "union": ("o", "cup"),
    "choose": ("o", "choose"),
    "Rs": ("w", "Rs"),
}

CONNECTIVES = {
    "and": "and", "or": "or", "und": "and", "oder": "or", "et": "and", "ou": "or", "和": "and", "与": "and", "及": "and",
    "以及": "and", "或": "or", "或者": "or", "或是": "or",
}  # fmt: skip

# Characters outside ASCII that stand for LaTeX.
SYMBOLS: dict[str, str] = {
    **dict.fromkeys("−–—‐‑‒﹣－", "-"),
    **dict.fromkeys("×·⋅∙•✕∗⁎", " \\cdot "),
    **dict.fromkeys("÷∕⁄", "/"),
    **dict.fromkeys("，、､", ", "),
    **dict.fromkeys("；", "; "),
    **dict.fromkeys("：∶", ":"),
    **dict.fromkeys("≤⩽≦", " \\le "),
    **dict.fromkeys("≥⩾≧", " \\ge "),
    **dict.fromkeys("≈≃", " \\approx "),
    **dict.fromkeys("ϕφ", "\\phi "),
    **dict.fromkeys("ϵε", "\\epsilon "),
    **dict.fromkeys("ϑθ", "\\theta "),
    **dict.fromkeys("∅⌀∅", "\\emptyset "),
    **dict.fromkeys("∖", "\\setminus "),
    **dict.fromkeys("“”„«»＂", '"'),
    **dict.fromkeys("‘’′´", "'"),
    **dict.fromkeys("→⟶", "\\to "),
    **dict.fromkeys("⟹⇒∴", "\\Rightarrow "),
    **dict.fromkeys("…⋯", "\\dots "),
    **dict.fromkeys("°º˚", "\\circ "),
    **dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u2061\u2062\u2063", ""),
    **dict.fromkeys("⟨〈", "\\langle "),
    **dict.fromkeys("⟩〉", "\\rangle "),
    **{chr(0x3B1 + k): f"\\{name} " for k, name in enumerate(
        words("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau "
        "upsilon phi chi psi omega"))},
    "Γ": "\\Gamma ", "Δ": "\\Delta ", "∆": "\\Delta ", "Θ": "\\Theta ", "Λ": "\\Lambda ", "Σ": "\\Sigma ",
    "Φ": "\\Phi ", "Ψ": "\\Psi ", "Ω": "\\Omega ", "µ": "\\mu ", "ℏ": "\\hbar ", "∂": "\\partial ",
    "√": "\\sqrt ", "∛": "\\sqrt[3] ", "∜": "\\sqrt[4] ", "∞": "\\infty ", "±": "\\pm ", "∓": "\\mp ",
    "≠": " \\ne ", "≡": " \\equiv ", "∈": " \\in ", "∉": " \\notin ", "∪": " \\cup ", "∩": " \\cap ",
    "∑": "\\sum ", "∏": "\\prod ", "∫": "\\int ", "⌊": "\\lfloor ", "⌋": "\\rfloor ", "⌈": "\\lceil ",
    "⌉": "\\rceil ", "ℝ": "\\mathbb{R} ", "ℤ": "\\mathbb{Z} ", "ℕ": "\\mathbb{N} ", "ℚ": "\\mathbb{Q} ",
    "ℂ": "\\mathbb{C} ", "∠": "\\angle ", "△": "\\triangle ", "℃": "\\circ C", "℉": "\\circ F", "⊥": "\\perp ",
    "。": ". ", "・": " ", "٫": ".", "٬": ",", "％": "%", "∧": "\\land ", "∨": "\\lor ", "∥": "\\parallel ",
    "（": "(", "）": ")", "【": "[", "】": "]", "∣": "|", "∼": "\\sim ", "ℓ": "\\ell ", "∝": "\\propto ",
}  # fmt: skip

# Words that multiply the number before them.
MAGNITUDES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}

NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        words(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen twenty"
        )
    )
}

# Words that say nothing about the value when they stand before it.
LEADING = frozenset(
    words(
        "answer answers is are the final solution solutions result results value values therefore so hence thus we get "
        "have find that a an of equals equal to approximately about roughly around be it its exactly solving gives "
        "obtain yields correct total simplified expression equation option choice when for domain range "
        "解得 答案 答 是 为 等于 所以 故 因此 约 大约 约为 得 共 则 即 共有 有 答案是 答案为 最终答案"
    )
)

# Text with these words is a program, or is hedged or denied; it is never read as a number with noise around it.
PROGRAM_WORDS = frozenset(
    words(
        "if else for lambda import eval exec open print return def class while try none null nan in or not no never "
        "except assert del global yield with from as pass break continue raise async await true false but maybe either "
        "neither nor otherwise unless more less greater fewer least most than between wrong incorrect"
    )
)

SHORT_WORDS = frozenset(
    words(
        "yes no odd all the not are is if for of any non day two one six ten dne per cm mm km kg ft lbs hrs mph kph am pm "
        "pct sq cu in yuan deg usd eur to so we it an as be by its kmh red men"
    )
)

# Whole answers that mean a symbol, in lower case without punctuation.
STOCK: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("no solution", "no solutions", "no real solution", "no real solutions", "none", "empty set", "the empty set",
         "empty", "no such solution", "there is no solution", "there are no solutions", "no such values",
         "无解", "空集", "no integer solutions", "no integer solution", "there are no real solutions",
         "there is no real solution", "no roots", "no real roots", "null set"),
        ("k", "empty")),
    **dict.fromkeys(
        ("all real numbers", "all reals", "the set of all real numbers", "any real number", "real numbers",
         "all real x", "the real numbers", "every real number", "all real", "the set of real numbers", "reals",
         "全体实数", "all real number"), ("k", "R")),
    **dict.fromkeys(("infinity", "positive infinity", "infinite", "无穷大"), ("k", "inf")),
    **dict.fromkeys(("dne", "does not exist", "the limit does not exist", "limit does not exist", "d n e",
                     "doesnt exist", "不存在"), ("w", "does not exist")),
    **dict.fromkeys(("undefined", "not defined", "is undefined", "is not defined"), ("w", "undefined")),
    **dict.fromkeys(("infinitely many", "infinitely many solutions", "infinite solutions",
                     "infinite number of solutions"), ("w", "infinitely many")),
    **dict.fromkeys(("all integers", "the integers", "any integer", "integers", "the set of all integers"), ("k", "Z")),
}  # fmt: skip
