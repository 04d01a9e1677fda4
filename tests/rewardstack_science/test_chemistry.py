"""science.chemistry and science.balanced: formulae and reactions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack_science import balanced, chemistry
from rewardstack_science.formulas import notation, read_formula


@pytest.mark.parametrize(("one", "other"), [
    ("SO4^2-", "SO₄²⁻"), ("SO4^2-", "\\ce{SO4^{2-}}"), ("SO4^2-", "SO42-"), ("SO4^2-", "SO4(2-)"), ("Fe3+", "$\\mathrm{Fe^{3+}}$"), ("NH4+", "NH₄⁺"),
    ("CuSO4·5H2O", "CuSO_4 \\cdot 5H_2O"), ("CuSO4.5H2O", "CuSO4*5H2O"), ("Ca(OH)2", "\\text{Ca(OH)}_2"), ("H2O", "HOH"), ("[Fe(CN)6]4-", "[Fe(CN)6]^{4-}"),
    ("C6H12O6", "The formula of glucose is C6H12O6."), ("Co", "The symbol is Co."), ("NaCl(aq)", "NaCl"), ("e-", "e^-"), ("H2O", "CO2, no wait, H2O"),
    ("H2O", "The answer is H2O. In other words, the answer is HOH."),
])  # fmt: skip
def test_equal_formulae(one, other):
    assert chemistry(other, one).value == 1.0
    assert read_formula(notation(one)) is not None


@pytest.mark.parametrize(("gold", "reply"), [
    ("H2O", "H2O2"), ("H2O", "h2o"), ("Co", "CO"), ("SO4^2-", "SO4"), ("SO4^2-", "SO3^2-"), ("SO4^2-", "SO4^2+"), ("Fe3+", "Fe2+"), ("NaCl(aq)", "NaCl(s)"),
    ("H2O", "H2O or CO2"), ("H2O", "H2O, CO2"), ("H2O", "water"), ("CO2", "It is not CO2."), ("CuSO4·5H2O", "CuSO4"), ("H2O", ""), ("H2O", "H2O, no, CO2"), ("H2O", "The answer is CO2. The answer is H2O."),
    ("H2O", "\\boxed{H2O} or CO2"), ("H2O", "The answer is H2O. Wait, CO2."), ("H2O", "I don't think it is H2O"),
])  # fmt: skip
def test_different_formulae(gold, reply):
    assert chemistry(reply, gold).value == 0.0


def test_the_order_of_the_atoms_and_states_may_count():
    assert chemistry("CH3OCH3", "CH3CH2OH").value == 1.0
    assert chemistry("CH3OCH3", "CH3CH2OH", writing="order").value == 0.0
    assert chemistry("NaCl", "NaCl(aq)", states="required").value == 0.0
    assert chemistry("NaCl(aq)", "NaCl(aq)", states="required").value == 1.0


WATER = "2 H2 + O2 -> 2 H2O"


@pytest.mark.parametrize("reply", [
    "O2 + 2H2 → 2H2O", "2H₂(g) + O₂(g) ⟶ 2H₂O(l)", "\\ce{2H2 + O2 -> 2H2O}", "H2 + 1/2 O2 = H2O", "4 H2 + 2 O2 ⇌ 4 H2O", "The equation is 2 H2 + O2 → 2 H2O.",
    "$$2H_2 + O_2 \\rightarrow 2H_2O$$", "Balancing gives:\n2 H2 + O2 -> 2 H2O\nThis conserves all atoms.",
])  # fmt: skip
def test_one_reaction_in_many_writings(reply):
    assert chemistry(reply, WATER).value == 1.0


@pytest.mark.parametrize(
    "reply", ["H2 + O2 -> H2O", "2 H2O -> 2 H2 + O2", "2 H2 + O2 -> H2O2", "2 H2 + O2", "2 H2 -> 2 H2O"]
)
def test_other_reactions(reply):
    assert chemistry(reply, WATER).value == 0.0


def test_coefficients_may_have_to_be_golds():
    assert chemistry("H2 + 1/2 O2 -> H2O", WATER, scaled=False).value == 0.0


def test_a_gold_that_is_no_chemistry_abstains():
    assert chemistry("H2O", "sulfate").value is None


@pytest.mark.parametrize("reply", [
    "2 H2 + O2 -> 2 H2O", "C3H8 + 5O2 → 3CO2 + 4H2O", "MnO4^- + 8H^+ + 5e^- \\rightarrow Mn^{2+} + 4H_2O", "Fe3+ + 3 OH- -> Fe(OH)3", "Na+ + Cl- -> NaCl",
    "\\boxed{N2 + 3H2 \\rightleftharpoons 2NH3}", "CuSO4·5H2O -> CuSO4 + 5 H2O", "2 Fe^{3+}(aq) + Sn^{2+}(aq) → 2 Fe^{2+}(aq) + Sn^{4+}(aq)",
])  # fmt: skip
def test_balanced_equations(reply):
    assert balanced(reply).value == 1.0


@pytest.mark.parametrize(("reply", "lost"), [
    ("H2 + O2 -> H2O", "O: 2 on the left, 1 on the right"), ("Fe2+ -> Fe3+", "charge: 2 on the left, 3 on the right"), ("no reaction", "states no chemical equation"),
    ("Na -> K", "K: 0 on the left, 1 on the right"), ("", "no answer"), ("x = 5", "states no chemical equation"),
])  # fmt: skip
def test_what_is_not_balanced_says_why(reply, lost):
    score = balanced(reply)
    assert score.value == 0.0
    assert lost in score.reason


def test_a_balanced_reply_must_be_the_reaction_asked_for():
    assert balanced("H2 -> H2", "H2 + O2 -> H2O").value == 0.0
    assert balanced("2 H2 + O2 -> 2 H2O", "H2 + O2 -> H2O").value == 1.0


@pytest.mark.parametrize("reply", ["H2 -> H2", "C -> C", "2 NaCl -> NaCl + NaCl", "H2 + O2 -> O2 + H2"])
def test_an_equation_in_which_nothing_reacts_earns_nothing_though_it_conserves_all(reply):
    assert balanced(reply).value == 0.0
    assert balanced("H2O(l) -> H2O(g)").value == 1.0


def test_a_gold_without_an_equation_abstains():
    assert balanced("2 H2 + O2 -> 2 H2O", "water").value is None


def test_coefficients_may_have_to_be_the_smallest():
    assert balanced("4 H2 + 2 O2 -> 4 H2O", smallest=True).value == 0.0
    assert balanced("2 H2 + O2 -> 2 H2O", smallest=True).value == 1.0


TERMS = ["2 H2", "O2", "C3H8", "5 NaCl", "Fe^3+", "3 OH^-"]


@given(st.permutations(TERMS), st.integers(2, 9), st.sampled_from(["->", "→", "⇌", "\\to", "="]))
def test_order_scaling_and_arrows_change_nothing(terms, factor, arrow):
    def scaled(term):
        count, _, formula = term.rpartition(" ")
        return f"{int(count or 1) * factor} {formula}"

    gold = f"{' + '.join(TERMS)} -> H2O + 2 CO2"
    reply = f"{' + '.join(map(scaled, terms))} {arrow} {2 * factor} CO2 + {factor} H2O"
    assert chemistry(reply, gold).value == 1.0
    assert chemistry(reply.replace("CO2", "CO"), gold).value == 0.0
