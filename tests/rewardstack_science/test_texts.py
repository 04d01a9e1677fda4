"""science.text: short answers in whatever writing, and what does not say them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack_science import text

NEWTON = ["Isaac Newton", "Newton"]


@pytest.mark.parametrize(("gold", "reply"), [
    (NEWTON, "ISAAC  NEWTON."), (NEWTON, "It was Newton, who published them in 1687."), (NEWTON, "\\boxed{\\text{Isaac Newton}}"), (NEWTON, "Newton, not Einstein"),
    ("Rayleigh scattering", "The sky is blue because of Rayleigh scattering of sunlight."), ("photosynthesis", "the photosynthesis"), ("X-ray", "x rays"),
    ("mitochondrion", "The mitochondria"), ("sulphur", "sulfur"), ("alpha particle", "an $\\alpha$ particle"), ("Schrödinger", "Schrodinger"),
    ("sodium chloride", "Sodium chloride (NaCl)"), ("diamond", "Diamond.\n\nIt is made of carbon."), ("(a)", "The answer is (a)."),
    ("26 April 1986", "April 26th, 1986"), ("26 April 1986", "1986-04-26"), ("26 April 1986", "26/04/1986"), ("26 April 1986", "It was on 26 April 1986."),
    ("46", "forty-six"), ("46", "There are 46 chromosomes."), ("1,000", "1000.0"), ("0.25", "25%"), ("-5", "−5"), (7, "seven"), ("46000000", "46 million"), ("-2", "It is negative 2"), ("115", "one hundred and fifteen"), ("x + 10", "It is x + 10"),
    ("Paris", "The answer is Paris. Wait, let me check: yes."), ("Paris", "I don't think it is London; it is Paris"),
    ("solid, liquid, gas", "Gases; solids; and liquids."), ("solid, liquid, gas", "- solid\n- gas\n- liquid"), ("solid, liquid, gas", "The states are solid, liquid and gas."),
    ("[0.6667, -0.6667]", "-0.6667 and 0.6667"), ("true", "Yes, since energy is conserved."), ("no", "No, it is not."), ("True", "The statement is true."),
    ("H2O", "The formula is $\\mathrm{H_2O}$."), ("Fe3+", "Fe^{3+}"), ("NaCl", "It is NaCl."), ("2H2 + O2 -> 2H2O", "O₂ + 2H₂ → 2H₂O"),
    (NEWTON, "Not Leibniz but Newton."), ("false", "That statement is not true."), ("oxidation", "It's oxidation; reduction is gain of electrons."),
    ("Marie Curie", "Curie, Marie"), (NEWTON, "It cannot have been anyone other than Newton."), (NEWTON, "Hooke. No, Newton."), ("no", "Is it an acid? No, it is a base."),
    ("Isaac Newton", "Sir Isaac Newton"), (NEWTON, "None other than Newton."),
    (NEWTON, "~~Hooke~~ Newton"), (NEWTON, "The unit is named after Newton."), ("Isaac Newton", "The English mathematician Isaac Newton"), ("carbon dioxide", "carbon dioxide gas"),
    ("Schrödinger", "Schroedinger"), ("Roentgen", "It was Röntgen."), ("Ørsted", "Orsted"), ("Ørsted", "Oersted"), ("Müller cells", "the Mueller cells"),
    ("25", "twenty-five"), ("205", "two hundred and five"),
])  # fmt: skip
def test_what_says_gold(gold, reply):
    assert text(reply, gold).value == 1.0


@pytest.mark.parametrize(("gold", "reply"), [
    (NEWTON, "Albert Einstein"), (NEWTON, "Newton or Leibniz"), (NEWTON, "Newton, Einstein, Galileo"), (NEWTON, "Newton and Leibniz"), (NEWTON, "Not Newton"),
    (NEWTON, "It was not Newton but Kepler."), (NEWTON, "Possibly Newton"), (NEWTON, "Newtonian"), (NEWTON, "A scientist"), (NEWTON, "<think>Newton"), (NEWTON, ""),
    ("chloride", "sodium chloride"), ("oxygen", "the absence of oxygen"), ("Rayleigh scattering", "Mie scattering"), ("diamond", "harder than diamond"),
    ("Mercury", "Answer: Venus. Answer: Mercury"), ("26 April 1986", "27 April 1986"), ("26 April 1986", "April 1986"), ("26 April 1986", "26 April 1986 or 27 April 1986"),
    ("46", "146"), ("46", "between 40 and 50"), ("46", "46%"), ("46", "less than 46"), (["46", "23 pairs"], "23"), ("46", "46 or 48"),
    ("solid, liquid, gas", "solid, liquid"), ("solid, liquid, gas", "solid, liquid, gas, plasma"), ("true", "It is not true."), ("true", "true or false"),
    ("Co", "CO"), ("H2O", "H2O2"), ("H2O", "HO2"), ("SO4^2-", "SO4"), ("NaCl", "nacl"), ("H2O", "H2O and CO2"),
    (NEWTON, "I don't think it was Newton."), (NEWTON, "Many believe it was Newton, but it was Hooke."), (NEWTON, "The daughter of Newton"), (NEWTON, "the enemy of Newton"),
    (NEWTON, "It could not have been Newton."), (NEWTON, "Newton (or Hooke)"), (NEWTON, "Newton did not discover it"), (NEWTON, "Newton is the wrong answer"),
    (NEWTON, "It was not discovered by Newton."), (NEWTON, "Newton or whoever is right"), ("reduction", "It's oxidation; reduction is gain of electrons."),
    ("oxidation", "Oxidation is loss, but here it is reduction."), ("false", "It is not only true."), ("5", "two three"), ("7", "two five"),
    ("Paris", "I don't think it is Paris"), ("Paris", "I doubt it is Paris"), ("Paris", "The wrong answer is Paris"), ("Paris", "The answer is Paris. Wait, London."),
    ("Paris", "\\boxed{Paris} or London"), ("Paris", "\\boxed{Paris}, no, London"), ("Paris", "Paris\nLondon"), ("yes", "Yes, no"), ("true", "hardly true"),
    ("x-1", "x+1"), ("p > 0.5", "p < 0.5"), ("HF", "Hf"), ("exothermic", "the reverse of exothermic"), ("26 April 1986", "before 26 April 1986"),
    ("uracil", "Answer: uracil. Or thymine."), (NEWTON, "Newton. No, Hooke."), (NEWTON, "It was Newton. Just kidding."), (NEWTON, "Newton: 60%, Hooke: 40%"),
    ("46", "46. No, forty-eight."), ("Marie Curie", "Curie, Pierre"), ("Marie Curie", "Marie, Curie, Pierre"), (NEWTON, "He worked with Newton."), ("oxygen", "Oxygen, I was joking: nitrogen"), ("oxygen", "Oxygen. Or nitrogen."),
    (NEWTON, "~~Newton~~ Hooke"), (NEWTON, "Newton (incorrect)"), (NEWTON, "Newton ❌"), (NEWTON, "Newton, then Einstein"), ("carbon", "the element after carbon"), (NEWTON, "Before Newton, it was Kepler."), (NEWTON, "Hooke, as Newton admitted"),
    (NEWTON, "Newton and his rival Hooke"), ("neon", "neon gas laser"), ("Röntgen", "Rentgen"), ("Schrödinger", "not Schroedinger"), ("Müller", "Moeller"),
    ("46", "46 million"), ("46", "negative 46"), ("46", "half of 46"), ("46", "46 squared"), ("46", "x^46"), ("46", "I doubt it is 46"), ("60", "twenty forty"),
])  # fmt: skip
def test_what_does_not_say_gold(gold, reply):
    assert text(reply, gold).value == 0.0


def test_lists_may_be_ordered():
    gold = "violet, blue, green"
    assert text("blue, violet and green", gold).value == 1.0
    assert text("blue, violet and green", gold, lists="ordered").value == 0.0
    assert text("Violet, blue and green", gold, lists="ordered").value == 1.0


def test_partial_credit_is_capped_and_falls_with_every_word_too_many():
    gold = "Rayleigh scattering"
    some = text("Mie scattering", gold, partial=0.4).value
    flood = text("scattering of light by dust and air and water in the sky", gold, partial=0.4).value
    assert 0 < flood < some < 0.4
    assert text("banana", gold, partial=0.4).value == 0.0
    assert text("perhaps Rayleigh scattering", gold, partial=0.4).value == 0.0


def test_a_row_without_gold_abstains():
    assert text("anything", "").value is None


def test_labelled_texts(labelled):
    rows = [row for row in labelled("free_text") if not row.get("contested")]
    wrong, accepted = [], []
    for row in rows:
        right = text(row["pred"], row["gold"]).value == 1.0
        wrong += [row["id"]] if right != bool(row["label"]) else []
        accepted += [row["id"]] if right and not row["label"] else []
    assert len(wrong) <= 0.05 * len(rows), wrong
    assert not accepted


words = st.sampled_from(
    [
        "gravity",
        "osmosis",
        "diamond",
        "igneous",
        "chlorophyll",
        "transpiration",
        "inertia",
        "covalent",
        "mitosis",
        "enzyme",
    ]
)


@given(words, words)
def test_gold_is_its_own_answer_and_another_word_is_not(gold, other):
    for reply in (
        "{}",
        "The answer is {}.",
        "<answer>{}</answer>",
        "\\boxed{{{}}}",
        "**{}**",
        "I believe that it is {}.",
    ):
        assert text(reply.format(other), gold).value == float(gold == other)


@given(
    st.permutations(["solid", "liquid", "gas", "plasma"]),
    st.sampled_from([", ", "; ", " and ", "\n", "\n- "]),
)
def test_the_order_and_the_separators_of_a_set_change_nothing(items, separator):
    assert text(f"<answer>{separator.join(items)}</answer>", "plasma, gas, liquid, solid").value == 1.0
