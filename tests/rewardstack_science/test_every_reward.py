"""What holds for every reward of the plugin; a new one is covered as soon as it is in `__all__`."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plugins import assert_described, loaded_by_importing

import rewardstack_science
from rewardstack import Score
from rewardstack.contract import is_marked
from rewardstack.registry import registry

REWARDS = {
    name: registry().find(f"science.{name}")[0]
    for name in rewardstack_science.__all__
    if name != "split_sections"
}
COLUMNS = {
    "choice": {"answer": "C", "options": {"A": "Mars", "B": "Saturn", "C": "Jupiter", "D": "None of it"}}, "quantity": {"answer": "9.8 m/s^2"},
    "text": {"answer": ["Isaac Newton", "solid, liquid, gas", "26 April 1986", "46", "H2O", "yes", "2 H2 + O2 -> 2 H2O"]},
    "chemistry": {"answer": ["2 H2 + O2 -> 2 H2O", "SO4^2-"]}, "balanced": {}, "consistent": {"reference": "Water boils at 100 °C at sea level. g = 9.81 m/s^2"},
    "sections": {"answer": "9.8 m/s^2"},
}  # fmt: skip
PARTS = {"1": {"use": "science.quantity"}, "result": {"use": "science.text"}}
FRAGMENTS = (
    "<think>", "</think>", "<answer>", "</answer>", "\\boxed{", "}", "{", "(", ")", "[", "]", "$", "The answer is ", "A: ", "A", "C", "I", "(B) ", "Jupiter", " or ", " and ",
    "not ", "9.8 m/s^2", "9.8", " m", "/s", "^2", "^(10^10)", "10^10^10", "1e999", "-", "−", "±", "×", "·", "°C", "½", "⁻¹⁹", "µ", "Ω", "%", "H2O", "->", "→", " + ", "SO4^2-",
    "\\ce{", "\\frac{", "\\mathrm{", "## Result\n", "1. ", "**", "\n", "26 April 1986", "99/99/9999", "forty six", "\u200b", "\ud800", "\0", "é", "因为", "９", "٣", "²", "__import__('os')",
)  # fmt: skip
texts = st.text(st.characters(exclude_categories=()), max_size=100)
hostile = st.lists(st.one_of(st.sampled_from(FRAGMENTS), texts), max_size=20).map("".join)
all_rewards = pytest.mark.parametrize("name", REWARDS)


def call(name, text):
    """Call a reward with the columns it reads and the options it needs."""
    if name == "sections":
        made = rewardstack_science.sections(sections=PARTS)
        return made([text], answer=[COLUMNS[name]["answer"]])[0]
    returned = REWARDS[name].target(text, **COLUMNS[name])
    assert isinstance(returned, Score)
    return returned


def test_the_plugin_lists_all_its_rewards():
    found = {name for name, value in vars(rewardstack_science).items() if is_marked(value)}
    assert found == set(REWARDS) == set(COLUMNS)


@all_rewards
@settings(max_examples=80)
@given(text=hostile)
def test_no_text_makes_it_raise_or_leave_its_range(name, text):
    score = call(name, text)
    assert score.error is None
    assert score.value is None or 0.0 <= score.value <= 1.0
    assert score == call(name, text), "the same twice"
    json.dumps([score.reason, dict(score.details)])
    score.reason.encode()


@settings(max_examples=80)
@given(gold=hostile)
def test_no_gold_makes_one_raise(gold):
    rewards = rewardstack_science
    scores = [
        rewards.quantity("5 m", gold),
        rewards.text("5 m", gold),
        rewards.chemistry("H2O", gold),
        rewards.balanced("H2 -> H2", gold),
        rewards.consistent("g = 9.8 m/s^2", gold),
        rewards.choice("C", "A", gold),
        rewards.choice("C", gold, ["x", gold, "y"]),
    ]
    assert all(score.value is None or 0.0 <= score.value <= 1.0 for score in scores)


@all_rewards
@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "\u200b" * 9, "\n" * 9], ids=repr)
def test_a_text_that_says_nothing_earns_nothing(name, text):
    assert call(name, text).value in (0.0, None)


HOSTILE = {
    "open tags": "<think>", "answers": "<answer>\n", "boxes": "\\boxed{", "phrases": "the answer is 5. ", "brackets": "(", "units": "m ", "slashes": "1/", "powers": "10^",
    "raised": "⁻¹", "letters": "C ", "listed": "C, ", "states": "is B ", "labels": "A. ", "texts": "Jupiter ", "not": "not ", "quantities": "5 m, ", "equal": "= 5 N", "formulae": "H2O ",
    "nested formulae": "(H", "arrows": "-> ", "terms": "H2 + ", "dates": "1/1/2000 ", "numbers": "one ", "headings": "# Result\n", "parts": "1. a\n", "fractions": "\\frac{1}{",
    "digits": "9", "groups": ",000", "uncertain": "±5", "text": "\\text{", "marks": "\u0301\u0316", "alternatives": "3 or ", "spaces": " ", "newlines": "\n", "surrogates": "\ud800",
}  # fmt: skip


@all_rewards
def test_a_megabyte_of_hostile_text_takes_under_two_seconds(name):
    call(name, "The registry of units is made on first use. 5 m")
    slow = {}
    for kind, piece in HOSTILE.items():
        for lead in ("", "A: 1"):
            text = lead + piece * (1_000_000 // len(piece))
            began = time.process_time()  # of this process alone: others may be busy
            call(name, text)
            spent = time.process_time() - began
            if spent > 2.0:
                slow[kind] = spent
    assert not slow


@all_rewards
def test_its_docstring_serves_listing_and_manual(name):
    assert_described(REWARDS[name])


def test_importing_the_plugin_imports_nothing_big():
    assert not loaded_by_importing(
        "rewardstack_science", ["pint", "sympy", "mpmath", "numpy", "asyncio", "rich"]
    )
