"""The words by which an answer is doubted, supposed, asked, taken back or remarked on.

`answer.py` and `answer_statements.py` read with them what stands around a slot or a phrase: "I doubt that", "which is
wrong", "the answer is rounded". The patterns look at a bounded stretch of text, or match at one place, so all are
linear.
"""

import re

__all__ = [
    "AFFIRMED", "ASIDE", "ASKED", "CORRECTS", "DISCLAIMED", "DOUBTED", "EXAMINED", "FACTORIAL", "JUDGEMENT",
    "OTHERWISE", "QUESTION", "QUESTION_END", "REJECTED", "REJECTED_NEXT", "REJECTED_WITHIN", "RIGHTNESS", "SUBSTANCE",
    "SUPPOSED", "VERDICT", "WITHDRAWN",
]  # fmt: skip

# Before a phrase, in small letters. All end where its noun begins, with the noun's first letter: "I doubt that the
# correct a|nswer is". Words begin where no other goes on: said once at the front and not before every word, this lets the
# regex engine pass over a place by its first character, which makes the search five times as quick.

_TO_NOUN = (
    r"(?:,? (?:that|if|whether|que|che|что|що))?(?: (?:the|my|this|that|our|your|its|any|la|le|el|a|o))?"
    r"(?: (?:final|correct|right|real|actual|true|best)){0,2} ?\w?\Z"
)
_NO = r"(?:not|cannot|n['’]t|never|hardly)(?: [\w%]{1,12}){0,2}"
DOUBTED = re.compile(
    rf"(?:(?<!\w)|(?=n['’]t|[不怀]))(?:{_NO} (?:think|believe|say|claim|mean|agree|accept|conclude|sure|certain|convinced|clear)"
    rf"|{_NO} (?:the case|true|possible|likely|plausible)|no (?:way|chance)"
    r"|(?:i|we)(?: \w{1,12}ly| do| really| still)? (?:doubt|deny|disagree|reject)"
    r"|(?<!not )(?<!n['’]t )\b(?:unlikely|impossible|doubtful|(?:false|untrue|wrong|incorrect|mistaken)(?= that)"
    r"|(?:wrong|incorrect|mistaken) to \w{1,12})"
    r"|ne (?:pense|crois) pas|doute|no creo|dudo|não acho|non credo|не думаю|сомневаюсь"
    rf"|不认为|不相信|不觉得|怀疑){_TO_NOUN}"
)
SUPPOSED = re.compile(
    r"(?:\b(?:if|whether|unless|suppose|supposing|assume|assuming|imagine|pretend|si|se|если)"
    rf"|如果|假设){_TO_NOUN}"
)
# "If the question had asked for the mean, the answer would be 5" answers another question.
OTHERWISE = re.compile(
    r"\bif (?:the|this|that) (?:question|problem|exercise|task|statement)(?: had| were| was)?"
    r" (?:ask(?:ed|ing)|were|was|had|said|meant|wanted)\b[^.!?\n]{0,60}?[,\s]" + _TO_NOUN
)
# "Let me verify my answer: 5 + 5 = 10" examines an answer; only a phrase that ends in a colon is meant.
# A participle needs an article or the like behind it, since "Verified answer: 5" states one.
EXAMINED = re.compile(
    r"(?:\b(?:verif(?:y|ies|ying)|(?:double[- ]?)?check(?:s|ing)?|confirm(?:s|ing)?|validat(?:e|es|ing)|test(?:s|ing)?"
    r"|review(?:s|ing)?|justif(?:y|ies|ying)|explain(?:s|ing)?|support(?:s|ing)?|trust|defend|reflect on"
    r"|(?:verified|checked|confirmed|validated|tested|reviewed|justified|explained)(?= (?:the|my|this|that|our|your) )"
    r"|(?:confident|certain|sure)(?: in| of| about)"
    r"|(?:check|confidence|verification|explanation|reasons?|proof|discussion)(?: of| for| in| behind))"
    rf"{_TO_NOUN})"
)

# Around a slot or a phrase

_CLOSERS = r"[\s$*_`)\\\]}\"'”’]{0,8}"
ASKED = re.compile(_CLOSERS + r"[?？؟]")
AFFIRMED = re.compile(
    _CLOSERS + r"[?？؟]" + _CLOSERS + r"(?i:yes|yep|yeah|indeed|correct|right|exactly|it is)\b"
)
# The question that a slot stands in: how its sentence begins, and that it ends in a question mark
QUESTION = re.compile(
    r"[.!?\n][\s*_$(]{0,8}(?:(?:so|but|and|or|hmm+|wait|then|well|now)[,.…\s]{1,4}){0,2}"
    r"(?:is|are|was|could|can|might|may|would|should|does|do|did|what if|how about)\b[^.!?\n]*\Z",
    re.IGNORECASE,
)
QUESTION_END = re.compile(r"[^.!?。？\n]{0,80}[?？]")

_INTERJECTIONS = (
    r"(?:(?:oh|oops|hm+|no|wait|hold on|sorry|actually|but|however|although|though|yet|and|unfortunately|well|ah)"
    r"[\s,.!:;…—–-]{1,4}){0,4}"
)
_SUBJECT = (
    r"(?:which|that|this|it|the above|(?:that|this|the|my)(?: final| last| above| boxed)?"
    r" (?:answer|result|value|solution|choice|option|one))"
)
_RIGHT = "(?:the |a |my |our )?(?:correct|right|final answer|answer|option|choice|solution)"
_NOT_RIGHT = (
    r"(?:(?:is|was|are|were|seems|looks|must be|['’]s)(?: \w{1,10}ly| to be| also| just){0,2}"
    r" (?:wrong|incorrect|mistaken|erroneous|a mistake|an error"
    rf"|not(?: \w{{1,10}}ly| at all| quite)? {_RIGHT})|(?:is|was|are|were)n['’]t(?: quite)? {_RIGHT}"
    r"|(?:cannot be|can['’]t be|could not be|couldn['’]t be) (?:correct|right|true|it))"
    r"\b(?! (?:to|that|if|for|about|we|you|I|one)\b)"
)
_SLIP = (
    r"I(?: have|['’]ve)? (?:made|found|see|spotted) (?:a|an|my)(?: \w{1,12})? (?:mistake|error|slip)"
    r"(?! (?:earlier|before|above|at|in)\b)"
    r"|I (?:was|am) (?:wrong|mistaken)(?! (?:about|earlier|before|at|in|to|when)\b)|scratch that\b|strike that\b"
    r"|(?:I(?:['’]m| am| was) )?(?:just|only) (?:kidding|joking)\b|I(?:['’]m| am| was) (?:kidding|joking)\b|or not(?=[.!]?\s*\Z)|no[.!]?(?=\s*\Z)"
    r"|(?:wait[\s,.!…—-]{1,3}no|no[\s,.!…—-]{1,3}wait)(?=[\s,.:;!…—-]{1,3}[\w\\$]{1,20}(?:\W|\Z))(?=[,.:;!…—-])"
    r"|(?:let me|I(?:['’]ll| will| must| need to| should)) (?:correct|redo|fix|revise|retract) (?:this|that|it|my|the)\b"
    r"|(?:das|dies) ist (?:falsch|nicht richtig)|c['’]est (?:faux|incorrect)|est[oá] (?:es incorrecto|mal)"
    r"|это (?:неверно|неправильно)|(?:这|那)?(?:是)?(?:错的|错误的|不对|不正确)"
)
_BACK = rf"{_INTERJECTIONS}(?:(?:{_SUBJECT}\s?)?{_NOT_RIGHT}|{_SLIP})"
# Behind a slot or a value: "\boxed{7} is wrong", "\boxed{7}. Wait, that is not right", "The answer is 7, which is wrong"
REJECTED_NEXT = re.compile(rf"[\s$*_`.,;:!?)\\\]}}\"'”’—–。，-]{{0,12}}(?i:{_BACK})")
REJECTED_WITHIN = re.compile(
    rf"(?:[,;(—–]\s?|\s(?=(?:but|though|although|however|yet|which) )|\s-\s)"
    rf"(?i:{_INTERJECTIONS}(?:{_SUBJECT}\s?{_NOT_RIGHT}|{_SLIP}))"
)
# "Is it so? The answer is no: it is incorrect." says why and takes nothing back.
VERDICT = re.compile(r"(?i:\b(?:no|not|false|wrong|incorrect|invalid|untrue|disagree)\b)")
# What ends a last line and puts nothing instead: "It is 7. Just kidding." A "no" may be the answer itself.
WITHDRAWN = re.compile(
    rf"(?:\A|[.!;,…—–-]\s{{1,2}})(?!no\b[.!]?\s*\Z)(?i:{_INTERJECTIONS}(?:{_SLIP}))[\s.!)]*\Z",
    re.IGNORECASE,
)
# In a last line
REJECTED = re.compile(
    r"(?:is|are|was|were)(?:n['’]t| not) (?:the |a |my |our )?(?:correct|right|final|answer|option|choice|solution)"
    r"|(?:is|are|was|were) (?:wrong|incorrect)\b"
)
DISCLAIMED = re.compile(
    r"\b(?:cannot|can't|can’t|could not|couldn't|unable to|do not know how to|don't know how to)"
    r" (?:solve|determine|answer|find|tell|say|compute)\b(?!.{0,80}\bbut\b)|\bI (?:do not|don't|don’t) know\b(?!.{0,80}\bbut\b)"
)

# What a phrase announces: an answer, or only something about it ("rounded", "in metres", "right because it checks")

# Numbers and units in a remark: "rounded to 2 decimal places", "in km/h"
ASIDE = re.compile(
    r"\b\d{1,2} (?:decimal|significant|digits?|places?|sig)\b|\A(?:given |expressed |measured )?in [^\s(\[]+"
)
_WORDS_OF_NUMBER = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|half"
)
# Anything but plain small letters, a letter that stands alone, or a word that is an answer by itself
SUBSTANCE = re.compile(
    r"[^a-zß-öø-ÿœа-яё\s.,;:!()'’—–-]|(?<!\w)['’]\w|(?<![\w'’])(?:[b-z]|a(?! \w))(?![\w'’])"
    rf"|\A(?:(?:minus |about |exactly |approximately )?(?:{_WORDS_OF_NUMBER})\b|no solutions?\b"
    r"|(?:yes|no|true|false|none|both|neither|undefined|infinity|infinite|infinitely many|does(?: not|n['’]t) exist)\Z)"
)
# What is said of an answer that is denied: "not right" takes it back, "not unique" does not.
RIGHTNESS = re.compile(
    r"(?:the |a )?(?:correct\w{0,2}|right|true|valid|this|that|it|richtig|juste|exacte?)\b"
)
# "So my answer is wrong": of several the last judges.
_ANOTHER = ("'s", "’s", "your", "Your", "irst", "revious", "nitial", "arlier", "riginal", "ther", "old")
_MINE = "".join(f"(?<!{word} answer)" for word in _ANOTHER)
JUDGEMENT = re.compile(
    "nswer" + _MINE + r"\s{1,2}(?:is|was)(?: \w{1,10}ly| also| indeed| thus){0,2}"
    r"\s{1,2}[*_]{0,2}(?:(?P<wrong>wrong|incorrect|mistaken|not (?:right|correct))|right|correct)\b"
    r"(?![*_]{0,2} (?:if|when|unless|angle|to)\b)"
)
CORRECTS = re.compile(r"(?i:\b(?:wait|no,|actually|oops|sorry|correction|instead|rather))")

# "5! = 120", "5! ways", "(n-1)! + 1", "5!.": a factorial and no exclamation
FACTORIAL = re.compile(
    r"(?:(?<=[\d)\]}])|(?<=\b[a-z]))!{1,2}"
    r"(?:[ ]{0,2}(?:[=+×·÷^<>≈≤≥.,;:]|\\[a-zA-Z]|[-−*/][ ]?[\d(\\])|(?<=[\d)\]}]!) (?=[a-z]))"
)
