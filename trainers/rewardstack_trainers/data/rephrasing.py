"""Says a question differently without changing what is asked: numbers and names stay as they are."""

import json
import os
import random
import re
import urllib.request
from collections import Counter
from collections.abc import Callable
from functools import partial

from rewardstack.errors import RecordError

__all__ = ["Rephrase", "by_endpoint", "by_rules", "keeps_facts"]

Rephrase = Callable[[str, random.Random], str]

FACT = re.compile(r"\d[\d,.]*|\$[^$]+\$|\b[A-Z]\w+")
WORD = re.compile(r"\w+")
OPENINGS = ("", "Consider the following. ", "Here is a question. ", "Please answer this. ")
CLOSINGS = ("", " Give your answer.", " Show how you find it.")
SYNONYMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\bcalculate\b", ("compute", "work out", "determine")),
    (r"\bfind\b(?= (?:the|a|an|all|how)\b)", ("determine", "work out")),
    (r"\bhow many\b", ("what number of",)),
    (r"\bin total\b", ("altogether",)),
    (r"\bwhich of the following\b", ("which one of these",)),
    (r"\bbegins? with\b", ("starts with",)),
    (r"\brequires?\b", ("needs",)),
    (r"\bobtain\b", ("get",)),
)


def by_rules(question: str, chance: random.Random) -> str:
    """Return the question with some words and its frame changed; the question itself where that loses a fact."""
    text = question
    for pattern, words in SYNONYMS:
        if chance.random() < 0.7:
            chosen = chance.choice(words)
            text = re.sub(pattern, partial(cased, chosen), text, flags=re.IGNORECASE)
    text = f"{chance.choice(OPENINGS)}{text}{chance.choice(CLOSINGS)}"
    return text if keeps_facts(question, text) else question


def cased(word: str, found: re.Match[str]) -> str:
    """Return a word that begins with a capital where the one it replaces does."""
    return word[0].upper() + word[1:] if found[0][:1].isupper() else word


def keeps_facts(before: str, after: str) -> bool:
    """Whether a text has all numbers and formulae of another, as often, and both name the same.

    Order is free, and so is what a pronoun stands for: a word that only begins a sentence is taken for no name.
    """
    numbers, names = facts(before)
    others, other_names = facts(after)
    words, other_words = set(WORD.findall(before)), set(WORD.findall(after))
    return numbers == others and names <= other_words and other_names <= words


def facts(text: str) -> tuple[Counter[str], set[str]]:
    """Return the numbers and formulae of a text with their counts, and the names inside its sentences."""
    found = [(each[0].rstrip(".,"), text[: each.start()].rstrip()[-1:]) for each in FACT.finditer(text)]
    numbers = Counter(fact for fact, _ in found if not fact[0].isalpha())
    return numbers, {fact for fact, before in found if fact[0].isalpha() and before not in {"", *".?!:"}}


def by_endpoint(url: str, model: str, timeout: float = 30.0) -> Rephrase:
    """Return a rewriter that asks an OpenAI-compatible endpoint; what loses a fact is refused, the question stays."""

    def rephrase(question: str, chance: random.Random) -> str:
        text = ask(url, model, question, chance.randrange(2**31), timeout)
        return text if keeps_facts(question, text) else question

    return rephrase


def ask(url: str, model: str, question: str, seed: int, timeout: float) -> str:
    """Return what the endpoint makes of a question; `RecordError` where it does not answer.

    Sends the key in OPENAI_API_KEY where that is set, as OpenAI's own clients do.
    """
    order = (
        "Rewrite the question in other words. Keep every number, unit, name and formula. Reply with it alone."
    )
    messages = [{"role": "system", "content": order}, {"role": "user", "content": question}]
    body = json.dumps({"model": model, "messages": messages, "seed": seed}).encode()
    key = os.environ.get("OPENAI_API_KEY")
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    request = urllib.request.Request(  # noqa: S310 - the address is the user's own
        f"{url.rstrip('/')}/chat/completions", body, headers
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout) as reply:  # noqa: S310
            return str(json.load(reply)["choices"][0]["message"]["content"]).strip()
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise RecordError(f"the endpoint {url} did not rephrase a question: {error}") from error
