"""Replies that say nothing: empty, or only the words a solution opens with.

Such "master keys" make judges say yes in up to 80-90 % of cases (Zhao et al. 2025, "One Token to Fool LLM-as-a-Judge"),
so they are refused before any call.
"""

import re
import unicodedata

__all__ = ["find_nothing"]

MOST_WORDS = 60  # a text of more words says something, if only by its order
WORDS = frozenset(
    """
    a about all alright analysis analyze and answer answering approach as at be begin below break by calculate can
    carefully certainly compute conclusion consider course detailed down each evaluate examine exercise explain
    explanation final finally find first following follows for given go going great have help here hmm how i in is it
    its let lets ll look me method my need now of ok okay one order our out parts pieces please problem proceed process
    proof provide question reasoning reply response result s see simple so solution solve solved solving start step
    steps sure systematically take task tackle that the then think thinking this thought thoughts through to together
    understand up us want we well will with work working write you your
    antwort denken die frage ist lass lösen lösung problem schritt schritte uns wir zuerst für das der
    el la lo los paso pasos por primero problema razonamiento resolver resolvamos respuesta solución vamos a de
    d'abord étape étapes la le les par pensons problème raisonnement résolvons réponse
    давайте задача задачу ответ по рассуждение решение решим шаг шагам шагу эту
    passo passi per problema risolviamo risposta ragionamento soluzione resposta resolvamos raciocínio solução
    """.split()  # noqa: SIM905 - a list of words is read best as a text
)
PHRASES = (
    "让我们一步一步地解决这个问题", "让我们一步一步地思考", "让我们一步步思考", "让我们逐步解决这个问题", "一步一步", "解题过程", "思考过程",
    "最终答案", "答案是", "答案", "解答", "解析", "首先", "解", "かいせつ", "解説", "考え方", "答え", "回答", "ステップごとに考えましょう",
    "단계별로 풀어봅시다", "사고 과정", "풀이", "정답", "해설", "답",
)  # fmt: skip
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
CHOICE = re.compile(r"(?<!\w)[A-Za-z]\W*\Z")
NUMBERED = re.compile(r"\b(?:step|schritt|paso|étape|шаг|passo)s?\s*\d+", re.IGNORECASE)


def find_nothing(reply: str, reference: str = "") -> str:
    """Return why a reply says nothing; empty where it says something, or just what the reference says."""
    text = unicodedata.normalize("NFKC", reply).strip()
    if not any(speaks(each) for each in text):
        return "the reply is empty" if not text else "the reply is punctuation alone"
    if reference and plain(text) == plain(reference):
        return ""
    rest = NUMBERED.sub(" ", text.casefold())
    for phrase in PHRASES:
        rest = rest.replace(phrase, " ")
    words = WORD.findall(rest)
    if CHOICE.search(text):  # "Answer: A"
        return ""
    said = any(ord(each) > 127 and unicodedata.category(each).startswith("S") for each in rest)
    if said or len(words) > MOST_WORDS:
        return ""
    return "" if any(not opens(word) for word in words) else "the reply opens a solution and gives none"


def speaks(character: str) -> bool:
    """Whether a character can carry an answer: a letter, a digit, a symbol that is not one of ASCII's."""
    category = unicodedata.category(character)
    return category[0] in "LN" or (category[0] == "S" and ord(character) > 127)


def opens(word: str) -> bool:
    """Whether a word is one of those that solutions open with."""
    return word.replace("’", "'") in WORDS or re.split("['’]", word)[0] in WORDS


def plain(text: str) -> str:
    """Return the words of a text alone, to compare by."""
    return " ".join(WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
