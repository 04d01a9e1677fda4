"""The words by which an answer is announced, denied, joined and hedged, in one table of languages.

`answer.py` reads completions with what is compiled here. To teach it a language, add one row to `LANGUAGES`
(and its "or", "and", "because" to the tuples below): nothing else knows a language by name.

Patterns start with a literal wherever they are searched for, so that the search itself runs at the speed of
`str.find`, and they hold no quantifier inside an unbounded one, so that they are linear in the text.
"""

import re
from typing import NamedTuple

# How thinking opens and closes. A closer counts without its opener: many chat templates prefill the opener.
THINKING = (
    ("<think>", "</think>"),  # DeepSeek-R1, Qwen3, most recipes
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),  # the GSM8K notebooks
    ("<scratchpad>", "</scratchpad>"),
    ("<seed:think>", "</seed:think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),  # Sky-T1, OpenThinker
    ("<|START_THINKING|>", "<|END_THINKING|>"),  # Cohere
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),  # gpt-oss
    ("[THINK]", "[/THINK]"),  # Magistral
    ("◁think▷", "◁/think▷"),  # Kimi
)


class Language(NamedTuple):
    """How one language announces an answer: noun, what may stand between, then "is", "is not" or a colon.

    `nouns` are stems without a first letter that may be a capital; the other fields are regular expressions.
    """

    name: str
    nouns: tuple[str, ...]
    says: str
    denies: str = "(?!)"
    between: str = ""


# "This answer is correct." judges an answer and states none.
_JUDGED = (
    r"(?!(?:\s{1,2}(?:indeed|also|clearly|definitely|certainly|obviously|actually|really|therefore|thus|now)\b)?"
    r"\s{0,2}[*_]{0,2}(?:correct|incorrect|right|wrong|valid|reasonable|sensible|verified|confirmed|checked)[*_]{0,2}"
    r"(?:[.,;:!?)\n]|\Z|\s(?:because|since|as|and|but|so|for|if|when|unless)\b))"
)
# Somebody else's or a withdrawn answer; looked up after the stem, which must stay the pattern's literal start.
_OTHERS = "".join(f"(?<!{word} .nswer)" for word in ("rong", "ncorrect", "revious", "nitial", "'s", "’s"))
_IS = r"(?i:is|are|equals|must be|should be|would be|will be|becomes|comes to|comes out to)(?![^\W_])"
_ADVERB = r"(?:\s(?:therefore|thus|then|hence|simply|just|indeed|clearly|given by|equal to|as follows)\b)?"
_OF = r"s?(?: to (?:the |this |your )?(?:[a-z]+ )?(?:question|problem|part)\S{0,4})?[*_]{0,2}"
_EN = (
    r"\s{1,2}" + _IS + _JUDGED + _ADVERB,
    r"\s{1,2}(?i:(?:is|are|was)(?:n['’]t|(?:\s\w{1,12}ly)?\W{1,5}not)|cannot be|can't be)\b",
)

LANGUAGES = (
    Language("English", ("nswer", "NSWER"), *_EN, between=_OTHERS + _OF),
    Language(
        "English",
        ("orrect ",),
        *_EN,
        between="(?<!ncorrect )(?:option|choice|value|result|solution|number)" + _OF,
    ),
    Language("English", ("inal ",), *_EN, between="(?:result|solution)" + _OF),
    Language(
        "Chinese",
        ("答案", "正解"),
        r"(?:应该?|就|應該?)?(?:是|为|為|等于|選|选)(?!正确|错误|正確|錯誤)",
        r"(?:并|並)?(?:不是|不为|不等于)",
    ),
    Language("Chinese", ("故选", "故選"), r"\s?", "(?!)"),
    Language("Japanese", ("答え", "解答"), r"は|が"),
    Language("Korean", ("정답", "답"), r"(?:은|는|이)\s", between="(?:변)?"),
    Language(
        "French",
        ("éponse",),
        r" (?:est|vaut)\b",
        r" n['’]est pas\b",
        r"s?(?: finale| correcte| exacte)?",
    ),
    Language("Spanish", ("espuesta",), r" es\b", r" no es\b", r"s?(?: final| correcta)?"),
    Language(
        "Portuguese, Italian",
        ("sposta",),
        r" (?:é\b|è\b|e')",
        r" n[ãa]o é\b| non è\b",
        r"s?(?: final| correta| certa| finale| corretta| esatta)?",
    ),
    Language(
        "German",
        ("ntwort", "ndergebnis"),
        r" (?:ist|lautet|wäre)\b(?: also| somit| daher)?",
        r" (?:ist|lautet) nicht\b",
    ),
    Language("Dutch", ("ntwoord",), r" is\b", r" is niet\b"),
    Language("Russian", ("твет", "ТВЕТ"), r"\s?[—–]|\s-\s|\s(?:это|равен|есть)\b", r"\s(?:это )?не\b"),
    Language("Ukrainian", ("ідповідь",), r"\s?[—–]|\s-\s|\s(?:це|є|дорівнює)\b", r"\sне\b"),
    Language("Polish", ("dpowiedź",), r" (?:to|brzmi|wynosi|jest)\b", r" (?:to )?nie\b"),
    Language("Czech", ("dpověď",), r" (?:je|zní)\b", r" není\b"),
    Language("Scandinavian", ("var",), r" (?:är|er)\b", r" (?:är inte|er ikke)\b", r"(?<=[Ss]var)(?:et)?"),
    Language("Finnish", ("astaus",), r" on\b", r" ei ole\b"),
    Language("Hungarian", ("álasz",), r" (?:az|a)\b"),
    Language("Romanian", ("ăspunsul",), r" (?:este|e)\b", r" nu este\b", "(?: final| corect)?"),
    Language("Turkish", ("evap", "anıt"), r"(?!)", between="(?:ı)?"),
    Language("Greek", ("πάντηση",), r" είναι\b", r" δεν είναι\b"),
    Language(
        "Arabic",
        ("الإجابة", "الجواب"),
        r" (?:هي|هو)",
        r" (?:ليست|ليس)",
        r"(?: النهائية| النهائي| الصحيحة| الصحيح)?",
    ),
    Language("Persian", ("پاسخ",), r"(?!)", between=r"(?: نهایی| صحیح)?"),
    Language("Hebrew", ("התשובה",), r" (?:היא|הינה)", r" (?:אינה|היא לא)", r"(?: הסופית| הנכונה)?"),
    Language("Hindi", ("उत्तर", "जवाब"), r" है"),
    Language("Bengali", ("উত্তর",), r" (?:হলো|হল)"),
    Language("Telugu", ("సమాధానం",), r"(?!)"),
    Language("Tamil", ("பதில்",), r"(?!)"),
    Language("Thai", ("คำตอบ",), r"(?:สุดท้าย)?\s?(?:คือ|เท่ากับ)", r"\s?ไม่ใช่"),
    Language(
        "Vietnamese", ("áp án", "áp số", "âu trả lời"), r" là\b", r" không phải là\b", "(?: cuối cùng| đúng)?"
    ),
    Language(
        "Indonesian",
        ("awaban",),
        r" (?:adalah|ialah)\b",
        r" bukan\b",
        "(?:nya)?(?: akhir| yang benar)?(?:nya)?",
    ),
    Language("Swahili", ("ibu",), r" ni\b", r" si\b", "(?: sahihi| la mwisho)?"),
    Language("Tagalog", ("agot",), r" ay\b"),
)

# Lines that hold nothing but one of these announce what the next line says.
HEADINGS = (
    *(
        "Final Answer",
        "Final answer",
        "FINAL ANSWER",
        "The Final Answer",
        "Answer",
        "ANSWER",
        "Correct Answer",
    ),
    *(
        "最终答案",
        "答案",
        "答え",
        "정답",
        "Réponse",
        "Réponse finale",
        "Respuesta",
        "Respuesta final",
        "Antwort",
    ),
    *("Resposta", "Resposta final", "Risposta", "Risposta finale", "Ответ", "Окончательный ответ", "Jawaban"),
)

# The first words of a #### line that is a heading of Markdown and no answer.
SECTIONS = (
    *(
        "step",
        "case",
        "part",
        "method",
        "approach",
        "solution",
        "conclusion",
        "verification",
        "check",
        "explanation",
    ),
    *(
        "summary",
        "answer",
        "final",
        "result",
        "given",
        "analysis",
        "calculation",
        "note",
        "problem",
        "question",
    ),
    *("schritt", "étape", "paso", "passo", "шаг", "步骤", "第", "手順", "단계"),
)

# "or" between two answers is a hedge, or an answer of two values: only the gold can tell.
OR = (
    *("or", "oder", "ou", "или", "або", "veya", "hoặc", "atau", "lub", "nebo", "eller", "tai", "vagy"),
    *("or maybe", "or perhaps", "or possibly", "or else", "alternatively", "otherwise", "otherwise it is"),
    *("but it could be", "but it could also be", "but it might be", "but it might also be", "but it may be"),
    *("but it may also be", "but could also be", "but might also be", "possibly"),
)
AND = (
    "and",
    "und",
    "et",
    "y",
    "e",
    "и",
    "i",
    "en",
    "og",
    "och",
    "ve",
    "và",
    "dan",
    "和",
    "与",
    "と",
    "and also",
)

# What ends with one of these, right before a slot, denies the slot. Lower case.
DENIALS = (
    *(
        " not",
        "n't",
        "n’t",
        " never",
        " not be",
        " not equal",
        " not equal to",
        "n't be",
        "cannot be",
        "≠",
        "\\ne",
    ),
    *(
        "\\neq",
        "rather than",
        "instead of",
        "不是",
        "不等于",
        "不为",
        " nicht",
        "n'est pas",
        "n’est pas",
        " no es",
    ),
    *(" não é", " non è", " не", "ليس", "ليست", " ei ole", " inte", " niet", " nie jest"),
)


def _any(words: tuple[str, ...]) -> str:
    """One alternation of literal words, the longest first so that none hides another."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_MARK = r"[*_}\"'`]{0,4}"
_COLON = r"\s{0,2}(?:\([^()\n]{0,40}\)\s{0,2})?" + _MARK + r"\s?[:：]"


def _pattern(noun: str, language: Language) -> re.Pattern[str]:
    says = f"(?:(?P<no>{language.denies})|(?:{language.says})|{_COLON})"
    return re.compile(re.escape(noun) + language.between + _MARK + says)


PHRASES = tuple((noun, _pattern(noun, row)) for row in LANGUAGES for noun in row.nouns)
ASCII_PHRASES = tuple((noun, pattern) for noun, pattern in PHRASES if noun.isascii())

_LABEL = r"[ \t>#*_]{0,8}(?:"
_ITSELF = (
    r"(?:Ans|ANS)(?:\.|[*_]{0,2}[ \t]?[:：=])|Answer[ \t]?="
    rf"|(?:{_any(HEADINGS)})[*_ \t]{{0,4}}\n)"
)
_LETTER = r"(?:A|答)[*_]{0,2}[ \t]?[:：]|"
# What announces an answer from the start of a line: a pattern for the text's start, one for all later lines.
LABELS_NOT_A = re.compile(_LABEL + _ITSELF), re.compile(r"\n" + _LABEL + _ITSELF)
LABELS = re.compile(_LABEL + _LETTER + _ITSELF), re.compile(r"\n" + _LABEL + _LETTER + _ITSELF)
# What stands between two phrases that announce the same answer: "Final Answer: The final answer is"
CHAINED = re.compile(r"[\s*_:：#]{0,8}(?:[Tt]he |[Mm]y |[Ss]o the )?(?:[Ff]inal |[Cc]orrect )?\w?")
OPTION_B = re.compile(r"\n[ \t>*_-]{0,8}B[*_]{0,2}[ \t]?[:：]")

_HEDGE = rf"\b(?i:{_any(OR)})(?![^\W\d_])|(?<=\s)o(?=\s)|或者?|または|또는"
# "3 or more" and "or equivalently" hedge nothing.
_ONE = r"(?!\s*(?:more|less|fewer|greater|higher|lower|above|below|equal|equivalently|simply|so|over|under|better)\b)"
HEDGE = re.compile(rf"(?:{_HEDGE}){_ONE}")
# What clings to a side of a hedge and belongs to the whole: "either", the LaTeX around the "or"
SIDE_STARTS = ("}", "\\quad", "\\ ", "either ", "entweder ")
SIDE_ENDS = ("\\text{", "\\mathrm{", "\\textrm{", "\\mbox{", "\\quad", "\\ ")

_NAMED = r"(?:(?:[Pp]art )?\(?[a-zA-Z0-9]{1,3}[).:]|[A-Za-z]\w{0,7}[\s$]{0,3}(?:&?=|is\b|:))?"
_LOOSE = r"[\s$*_.,;()\\\[\]&]"
# What may stand between two slots that belong together.
JOINT = re.compile(
    rf"{_LOOSE}{{0,20}}(?:(?P<alternative>{_HEDGE})|(?P<contrast>(?:and |but )?not|rather than|instead of)|{_any(AND)})?"
    rf"{_LOOSE}{{0,8}}{_NAMED}{_LOOSE}{{0,8}}"
)

# The clause after an answer that gives its ground or what it is not.
CLAUSE = re.compile(
    r"[,;]?\s(?:because|since|rather than|instead of|weil|porque|parce que|потому что)\b"
    r"|[,;]\s(?:not|and not|but not|which|as|so|it|this|where|nicht|pas)\b"
    r"|[，,；]?\s?(?:因为|因為|而不是|不是)"
)
# "not 42 but 43", "cannot be anything other than 43": what is said instead.
INSTEAD = re.compile(
    r"(?:\b(?:any|no|none)\w{0,5}(?: \w{1,12})? (?:(?:other|else) than|except|save)|\bbut rather|\bbut instead|\bbut|\bit is|\bit's|\bsondern|\bsino|\bmais|而是)(?: it is| it's)?\s"
)
# Verbs and denials that stand after the answer.
ENDING = re.compile(r"\s?(?:です|である|となります|になります|입니다|이다|है|হয়)\Z")
DENIED_AFTER = re.compile(r"(?:ではない|ではありません|じゃない|아닙니다|아니다|नहीं है)\Z")

# A full stop after one of these ends no sentence. Lower case.
ABBREVIATIONS = ("i.e", "e.g", "approx", " ca", " vs", " resp", " dr", " mr", " mrs", " cf")
# "Answer: Let us think ..." opens an explanation.
EXPLAINS = re.compile(
    r"(?i:let|to|first|we|step|since|given|if|okay|ok|sure|start|consider|when|there|in order)\b"
)
SECTION = re.compile(rf"(?i:(?:{_any(SECTIONS)})(?![a-z]))|\d{{1,2}}[.)]\s+[^\W\d_]")
