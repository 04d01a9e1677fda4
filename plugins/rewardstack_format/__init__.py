"""Format rewards: tags, patterns, answer text, numbers, JSON, length, repetition, steps, language, keywords."""

from rewardstack_format.answers import answer, exact, xml_answer
from rewardstack_format.json_documents import json
from rewardstack_format.keyword_lists import keywords
from rewardstack_format.languages import language
from rewardstack_format.lengths import length, length_cosine, length_overlong
from rewardstack_format.numbers import boxed, number
from rewardstack_format.patterns import regex
from rewardstack_format.repetitions import repetition
from rewardstack_format.step_markers import steps
from rewardstack_format.tag_structure import tags, xmlcount
from rewardstack_format.truncations import truncated

__all__ = [
    "answer",
    "boxed",
    "exact",
    "json",
    "keywords",
    "language",
    "length",
    "length_cosine",
    "length_overlong",
    "number",
    "regex",
    "repetition",
    "steps",
    "tags",
    "truncated",
    "xml_answer",
    "xmlcount",
]
