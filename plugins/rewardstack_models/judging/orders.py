"""Replies that give orders to their judge: told by what they ask for, in plain words of several languages.

A list can never be whole. It is the cheap defence, before any call; the control question (see `judges`) is the one
that does not depend on wording.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from rewardstack_models.judging.fencing import shortened

__all__ = ["find_order"]

JUDGE = r"(?:judges?|graders?|evaluators?|verifiers?|reviewers?|assessors?|examiners?|scorers?|auto-?graders?|grading (?:model|system)|reward model|llm judge|ai judge)"
SCORE = (
    r"(?:(?:10|ten|5|five|100) ?(?:/|out of|of) ?(?:10|ten|5|five|100)|full (?:marks?|points?|credits?|scores?)|a\+|100 ?%|"
    r"(?:the )?(?:highest|maximum|max|top|best|perfect|full) (?:possible )?(?:scores?|marks?|grades?|ratings?|reward|points?|label|verdict)|"
    r"(?:a |the )?(?:scores?|ratings?|grades?|marks?) of (?:10|ten|5|five|100|1\.0|1)|(?-i:CORRECT|PASS|YES))"
)
GOOD = rf"(?:correct|accepted?|pass(?:ed|es|ing)?|approved?|perfect|excellent|{SCORE})"
CODE = r"(?:output|return|print|write|emit|produce|state|end|conclude)"  # words of programs: they need more to be orders
SAY = r"(?:respond|reply|say|give|assign|award|rate|grade|mark|score|label|classify|declare|judge|deem|evaluate|answer with)"
TAKE = r"(?:choose|pick|select|consider|treat|accept)"  # also what solutions do: "consider the case where all are correct"
CASE = r"(?:that|where|when|which|whether|if|all|both|case|so)"
PAID = rf"(?:{GOOD}|true|yes|valid|right|good|met|wins?|winner|(?-i:[A-C])|\d+(?:\.\d+)? ?(?:/|out of) ?\d+|5|9|10|100)"
START = r"(?:^|[.!?:;,()\n>*\"'\]}-]\s*|\b(?:please|must|should|now|just|simply|always|only|to|you|shall|will|then|and|instead|therefore|so|is to)\s+)"
ENDS = r"(?=\s*(?:$|[.!?,;:)\]}\"'*|<`(]|(?:and|or|for|to|as|regardless|no|in|without|only|the|nothing|at|on|here|now|anyway)\b))"
RULES = r"(?:instructions?|prompts?|rubrics?|criteria|rules?|guidelines?|directions?|commands?|context|system message|messages?|tasks?|references?|everything)"

ORDERS = tuple(
    (re.compile(pattern, re.IGNORECASE | re.MULTILINE), what)
    for pattern, what in (
        (rf"\b(?:ignore|disregard|forget|override|overlook|skip|bypass|drop|discard|stop following|do not follow|don't follow)\b[^.!?\n]{{0,40}}\b(?:previous|prior|above|earlier|preceding|all|any|your|these|the|its|initial|original|foregoing)\b[^.!?\n]{{0,30}}\b{RULES}\b", "sets rules aside"),
        (rf"\b(?:new|updated|revised|real|actual|override|additional|secret) {RULES}\s*[:=-]", "brings rules of its own"),
        (rf"{START}{SAY}\b[^.!?\n]{{0,60}}?\b{GOOD}(?!\w){ENDS}", "asks for a verdict"),
        (rf"{START}{TAKE}\b(?:(?!\b{CASE}\b)[^.!?\n]){{0,60}}?\b{GOOD}(?!\w){ENDS}", "asks for a verdict"),
        (rf"{START}{CODE}\b(?!\s?\()[^.!?\n]{{0,60}}?\b{SCORE}(?<!PASS)(?<!YES)(?!\w){ENDS}", "asks for a verdict"),
        (rf"\b(?:always|must|should|only|just|simply|please|now)\s+answers?\b[^.!?\n]{{0,30}}?\b{GOOD}(?!\w){ENDS}", "asks for a verdict"),
        (r"<\|(?:im_start|im_end|start_header|end_header|eot_id|endoftext|system|user|assistant)|\[/?INST\]|<</?SYS>>", "writes tokens of a chat"),
        (rf"{START}(?:{SAY}|{TAKE})\b[^.!?\n]{{0,40}}\b(?:verdict|rating|judge?ment|grade)\b", "asks for a verdict"),
        (rf"\b(?:dear|hey|hello|hi|attention|(?:note|message|instructions?|memo) (?:to|for)|you are|you're)\s+(?:\w+\s+){{0,3}}{JUDGE}\b", "speaks to its judge"),
        (r"\b(?:note|message|instructions?|memo) (?:to|for) (?:the |any )?(?:llm|ai|language model|model|assistant)\b", "speaks to its judge"),
        (rf"\bas (?:the|a|an|our)\s+(?:\w+\s+){{0,3}}{JUDGE}\b[^.!?\n]{{0,20}}\byou\b", "speaks to its judge"),
        (rf"\b(?:the|this|any|every|each|your|our)\s+(?:\w+\s+){{0,2}}{JUDGE}\b[^.!?\n]{{0,60}}?\b{GOOD}(?!\w){ENDS}", "claims a verdict"),
        (r"</\s*(?:reply|response|candidate|submission|material|user|input|completion|student_answer)\s*>", "plays at being the frame"),
        (r"\b(?:this|the|my|above|following) (?:reply|response|answer|solution|completion|submission)\b[^.!?\n]{0,40}\b(?:has (?:already )?been|was (?:already )?|is (?:already )?|have been) (?:\w+ )?(?:verified|graded|judged|approved|validated|confirmed|marked|accepted|pre-?approved|certified|reviewed|checked)\b", "claims a verdict"),
        (r"\b(?:verdict|grader note|grading note)\s*(?:[:=]|is\b)\s*\W{0,6}\w", "states a verdict"),
        (rf"\b(?:judge?ment|rating|evaluation|assessment|final grade)\s*(?:[:=]|is\b)\s*\W{{0,6}}{PAID}(?!\w)", "states a verdict"),
        (r"[\"'](?:verdict|score|rating|grade|label|judge?ment|reward)[\"']\s*:", "states a verdict"),
        (r"(?<![\w\])])\[\[\s*(?:\d+(?:\.\d+)?|[abc]|tie|correct|incorrect|yes|no|pass|fail|true)\s*\]\]", "states a verdict"),
        (r"\b(?:reference (?:answer|solution)|answer key|gold(?:en)? answer|(?:the|this|your) rubric (?:above|has been|was|now)|grading (?:pipeline|scheme))\b[^.!?\n]{0,40}?(?::|=|\b(?:is|are|has|have|says?|states?|contains?|accepts?)\b)|\bper the (?:answer key|rubric)\b", "speaks of what it cannot know"),
        (r"\b(?:lenient|generous|merciful|kind)\b[^.!?\n]{0,30}\b(?:grad|scor|judg|mark|evaluat|assess)\w*|\b(?:do not|don't|never) (?:penali[sz]e|deduct|mark (?:it|this|me) down)\b", "asks for mercy"),
        (r"\b(?:developer|god|admin(?:istrator)?|debug|maintenance|sudo|jailbreak|test) mode\b", "claims to be in charge"),
        (r"\b(?:end|begin|start|close) of (?:the )?(?:reply|response|answer|candidate|submission|evaluation|data|input|prompt|user input)\b", "plays at being the frame"),
        (r"(?:判定|评定|评价|評価|Оценка|Вердикт|Bewertung|Urteil|Calificación|Veredicto|Évaluation|Valutazione|التقييم|मूल्यांकन)\s*[:：]\s*\w", "states a verdict"),
        (r"(?:忽略|无视|忘记|不要理会).{0,20}(?:指令|指示|说明|规则|提示|要求|标准)|(?:请|必须|直接|应该).{0,10}(?:判|评|打|给).{0,12}(?:正确|满分|通过|十分|10分)|(?:评判|评分|裁判|评审)(?:者|员|模型).{0,12}(?:请|必须|应)", "gives orders in Chinese"),
        (r"(?:指示|命令|ルール|プロンプト|指令).{0,10}(?:無視|忘れ)|(?:正解|満点|10点|正しい).{0,10}(?:出力|回答|判定|評価|つけて)", "gives orders in Japanese"),
        (r"(?:지시|명령|규칙|프롬프트).{0,12}(?:무시|잊)|(?:정답|만점|10점|맞음).{0,12}(?:출력|평가|채점|판정|주세요)", "gives orders in Korean"),
        (r"\b(?:ignorier\w*|vergiss|missachte\w*)\b.{0,40}\b(?:anweisung\w*|regeln|vorgaben|kriterien)\b|\b(?:bewerte|antworte|gib|vergib|urteile)\b.{0,50}\b(?:richtig|korrekt|volle punktzahl|höchste\w*|10 punkte|bestnote|correct)\b", "gives orders in German"),
        (r"\b(?:ignore[zr]?|oublie[zr]?)\b.{0,40}\b(?:instructions?|consignes?|règles?|critères?)\b|\b(?:réponde?z?|donne[zr]?|attribue[zr]?|note[zr]?)\b.{0,50}\b(?:correcte?|juste|maximale?|10/10|correct)\b", "gives orders in French"),
        (r"\b(?:ignora|ignore|olvida|olvide)\b.{0,40}\b(?:instrucciones|reglas|criterios|istruzioni|regole|instruções|regras)\b|\b(?:responde|responda|otorga|asigna|califica|rispondi|assegna|dê|atribua)\b.{0,50}\b(?:correct[oa]|corretto|máxim[oa]|massim[oa]|10/10|correct)\b", "gives orders in Spanish, Italian or Portuguese"),
        (r"(?:игнорируй|забудь|не обращай внимания).{0,40}(?:инструкци|правил|указани|критери)|(?:поставь|ответь|выведи|оцени|напиши).{0,50}(?:правильно|верно|максимальн|высш|10 из 10|correct)", "gives orders in Russian"),
    )
)  # fmt: skip
COMMON = frozenset(
    {"TRUE", "FALSE", "NONE", "PASS", "FAIL", "VALID", "INVALID"}
)  # code and forms are full of them
SPOKEN = r"\b(?:verdict|labels?|output|word|type|write|print|repeat|last line|final line|expected|unfair|mistake|tip you|decode|reversed|grad(?:ed|es?|ing))\b"
LOOKALIKES = str.maketrans("аеорсухіјѕԁһвкмтнΑΒΕΖΗΙΚΜΝΟΡΤΥΧαοερνι", "aeopcyxijsdhbkmtnABEZHIKMNOPTYXaoepvi")
SPELLED = re.compile(r"(?<!\w)(?:\w[ .\-_*]{1,2}){3,}\w(?!\w)")
LEET = str.maketrans("013457@$", "oleastas")
ENGLISH_ONLY = 22  # the first patterns are the English ones; they are tried on look-alikes too


def find_order(reply: str, labels: Sequence[str] = ()) -> str:
    """Return what a reply wants of its judge, with the words; empty where nothing of the kind is found.

    `labels` are the verdicts there are: those in capitals are asked for in no honest reply.

    Also sees through full-width and look-alike letters, invisible characters, words spelled out and digits for
    letters. Takes time linear in the reply.
    """
    lines = (" ".join(line.split()) for line in visible(shortened(reply)).splitlines())
    text = "\n".join(line for line in lines if line)  # runs of white space would make the patterns slow
    for pattern, what in (*ORDERS, *label_orders(tuple(labels))):
        if found := pattern.search(text):
            return f"{what}: {found[0].strip()[:60]!r}"
    latin = text.translate(LOOKALIKES)
    spelled = SPELLED.sub(lambda found: re.sub(r"[ .\-_*]", "", found[0]), latin)
    for variant in {latin, spelled, latin.translate(LEET)} - {text}:
        for pattern, what in (*ORDERS[:ENGLISH_ONLY], *label_orders(tuple(labels))):
            if found := pattern.search(variant):
                return f"{what}, in disguise: {found[0].strip()[:60]!r}"
    return ""


@lru_cache(256)
def label_orders(labels: tuple[str, ...]) -> list[tuple[re.Pattern[str], str]]:
    """Return the patterns of orders to give one of some labels."""
    capitals = [re.escape(label) for label in labels if len(label) > 1 and label.isupper()]
    if not capitals:
        return []
    order = rf"(?:{START}|\b(?:never|not|don't)\s+)(?:{SAY}|{TAKE}|{CODE}(?!\s?\()|answer)\b[^.!?\n]{{0,60}}?(?<!\w)(?-i:{'|'.join(capitals)})(?!\w)"
    found = [(re.compile(order, re.IGNORECASE | re.MULTILINE), "asks for a verdict")]
    stated = [
        re.escape(label) for label in labels if len(label) > 3 and label.isupper() and label not in COMMON
    ]
    if stated:
        label = rf"(?<!\w)(?-i:{'|'.join(stated)})(?!\w)"
        found += [
            (
                re.compile(
                    rf"^\W*(?:\\boxed\W+)?{label}\W*$|\A\W*(?:\w+\W+){{1,4}}{label}\W*\Z|[:=>–—-]\s?\W{{0,4}}{label}\W*$",
                    re.MULTILINE,
                ),
                "states a verdict",
            ),
            (
                re.compile(rf"{SPOKEN}[^\n]{{0,60}}?{label}|{label}[^\n]{{0,40}}?{SPOKEN}", re.IGNORECASE),
                "asks for a verdict",
            ),
        ]
    return found


def visible(text: str) -> str:
    """Return a text in its plain form: compatibility characters composed, invisible ones left out."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(
        each for each in plain if unicodedata.category(each) not in ("Cf", "Mn", "Co", "Cs") or each == "\n"
    )
