"""science.quantity: values, units, and what is wrong where something is."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rewardstack import Stack
from rewardstack.errors import OptionError
from rewardstack_science import quantity


@pytest.mark.parametrize(("gold", "reply"), [
    ("9.8 m/s^2", "9.8 m·s⁻²"), ("9.8 m/s^2", "$9.8~\\mathrm{m}/\\mathrm{s}^2$"), ("9.8 m/s^2", "\\boxed{9.8}\\ \\mathrm{m/s^2}"),
    ("9.8 m/s^2", "9.8 metres per second squared"), ("9.8 m/s^2", "980 cm/s2"), ("9.8 m/s^2", "9.8 N/kg"), ("9.8 m/s^2", "9.8 m/s/s"),
    ("9.8 m/s^2", "\\boxed{9.8 \\frac{\\text{m}}{\\text{s}^2}}"), ("20 m/s", "v = 60 m / 3 s = 20 m/s"), ("20 m/s", "20 m/s (72 km/h)"),
    ("20 m/s", "After 3 s the speed is 20 m/s."), ("20 m/s", "The car travels at 20 m/s after 3 s."), ("20 m/s", "about 72 kph"),
    ("20 m/s", "twenty metres per second"), ("25 m/s", "twenty-five m/s"), ("1.5 h", "one and a half hours"), ("1.5 h", "an hour and a half"), ("1.5 h", "$1\\frac{1}{2}$ h"),
    ("-5 J", "negative 5 joules"), ("5 kΩ", "5\\ \\mathrm{k}\\Omega"), ("60 Hz", "60 1/s"), ("2.5e19 1/cm^3", "2.5 × 10^25 per cubic metre"), ("6.02e23 1/mol", "6.02\\times10^{23}\\,\\mathrm{mol}^{-1}"), ("3 1/(mol K)", "3 mol⁻¹ K⁻¹"), ("5 Hz", "5\\,\\frac{1}{\\mathrm{s}}"),
    ("30.25°", "30°15'"), ("74 in", "6 ft 2 in tall"), ("5 N", "~~6 N~~ 5 N"), ("5 N", "$5~~\\text{N}$"), ("5 N", "5 N (not 6 N)"), ("5 N", "5 N > 0"),
    ("3750 s", "1 h 2 min 30 s"), ("3750 s", "1 hour, 2 minutes and 30 seconds"), ("1.5 h", "1 h 29 min 60 s"), ("20 m/s", "3 m/s. Wait, no: 20 m/s"), ("20 m/s", "The answer is 3 m/s. Wait, no: 20 m/s."),
    ("5.5 h", "5 hours and 30 minutes"), ("5.5 h", "5½ h"), ("1.7 m", "5 ft 7 in"), ("298 K", "25 degrees Celsius"), ("298 K", "77 °F"),
    ("-40 °C", "-40 °F"), ("4.2 J/(g K)", "4.2 J/g·°C"), ("6.02e23 mol^-1", "6.02\\times10^{23}\\ \\mathrm{mol}^{-1}"), ("12 %", "0.12"),
    ("30°", "\\frac{\\pi}{6}"), ("2.5 eV", "2.5 electron volts"), ("40 N m", "40 Nm"), ("0.25 mol/L", "250 mM"), ("3 m", "(3.0 ± 0.1) m"),
    ("3 m", "three metres"), ("1000 kg", "1 000 kg"), ("1000 kg", "1 t"), ("5 nm", "50 Å"), ("400 kPa", "58 psi"), ("4.2 ly", "4.2 light years"),
    ("8.85e-12 F/m", "8.85×10⁻¹² C²/(N·m²)"), ("1.602e-19 C", "1.602×10-19 C"), ("0.5 T", "5000 G"), ("2 kg", "2 Kg"), ("10 Hz", "10 cycles per second"),
    ("12 m", "12 [m]"), ("12 m", "not 14 m but 12 m"), ("6 N", "The force is 6 newtons (N)."), ("6 N", "a mass of 2 kg needs a force of 6 N"), ("0.693", "\\ln 2"),
    ("4 μm", "4.0 $\\mu\\mathrm{m}$"), ("25 years", "25 y"), ("5 kg", "5 kgs"), ("60 km/h", "60 kmph"), ("0 N", "0"), ("20 m/s", "Answer: 20 m/s\n\nThis is 72 km/h."),
    ("7.4", "pH 7.4"), ("1.5 km", "\\frac{3}{2} km"), ("470 Ω", "470 V/A"), ("$25", "\\$25.00"), ("9.8 m/s^2", "9.8 m.s^-2"), ("-5 N", "negative 5 N"), ("0 °C", "273 K"), ("1 J/mol K", "1 J/(mol K)"), ("3 ms^-1", "3 m/s"), ("25 C", "25 °C"), ("60 dB", "60 decibels"), ("1 Np", "8.686 dB"),
    ("20 °C", "293 K"), ("25.0 °C", "298 K"), ("36.6 °C", "97.9 °F"),
    ("5 N", "The answer is 5 N. Wait, let me check it: 2 kg × 2.5 m/s^2 = 5 N."), ("5 N", "I don't think it is 6 N; it is 5 N."), ("3.25 h", "3 hours and a bit, more precisely 3.25 h"),
    ("30 min", "half an hour"), ("0.5 m", "half a metre"), ("45 min", "three quarters of an hour"), ("-40 °C", "40 °C below zero"), ("-40 °C", "forty degrees Celsius below zero"),
    ("5 N", "It cannot be anything but 5 N"), ("5 kHz", "5 khz"), ("1234.5 m", "1.234,5 m"), ("5 kg", "5 kg of apples"), ("5 MHz", "5 MHZ"), ("5 keV", "5 kev"), ("5 kWh", "5 kwh"), ("3 s^-1", "3 photons per second"),
])  # fmt: skip
def test_right_quantities(gold, reply):
    assert quantity(reply, gold).value == 1.0


@pytest.mark.parametrize(("gold", "reply", "fault"), [
    ("9.8 m/s^2", "9.8", "missing_unit"), ("9.8 m/s^2", "9.8 m/s", "dimension"), ("9.8 m/s^2", "-9.8 m/s^2", "sign"),
    ("20 m/s", "20 km/s", "prefix"), ("20 m/s", "200 m/s", "prefix"), ("20 m/s", "21 m/s", "value"), ("25 °C", "25 K", "value"),
    ("7.4", "7.4 m", "dimension"), ("5 N", "5 N m", "dimension"), ("2 kg", "2 kg kg", "dimension"), ("10 Hz", "10 rad/s", "dimension"),
    ("2 kg", "2 kg. Wait, no: 3 kg", "value"), ("2 kg", "The answer is 2 kg. Wait, no: 3 kg.", "value"), ("20 m/s", "twenty two metres per second", "value"),
    ("5 N", "two three newtons", "no_answer"), ("2 kg", "If g were doubled it would be 2 kg, but it's 3 kg.", "value"), ("2 kg", "2 kg, although 3 kg is also possible", "no_answer"),
    ("2 kg", "2 kg or whatever is right", "no_answer"), ("2 kg", "There's no way it is 2 kg", "no_answer"), ("2 kg", "unlikely to be 2 kg", "no_answer"),
    ("2 kg", "", "no_answer"), ("2 kg", "<3 kg", "no_answer"), ("2 kg", "> 2 kg", "no_answer"), ("2 kg", "at least 2 kg", "no_answer"), ("2 kg", "inf kg", "no_answer"),
    ("20 m/s", "20 m/s or 30 m/s", "no_answer"), ("20 m/s", "20 m/s, 30 m/s", "no_answer"), ("20 m/s", "maybe 20 m/s", "no_answer"),
    ("20 m/s", "not 20 m/s", "no_answer"), ("6 N", "6 N 6 N", "no_answer"), ("9.81 m/s^2", "g = 9.81 m/s^2 = 98.1 cm/s^2", "prefix"), ("6 N", "2 kg, 6 N", "no_answer"), ("20 m/s", "The answer is 10 m/s. The answer is 20 m/s.", "no_answer"), ("5 nm", "5 Nm", "dimension"),
    ("3e8 m/s", "3^8 m/s", "value"), ("2 MPa", "2 mPa", "prefix"), ("30°", "30", "missing_unit"), ("1 kg", "<think>1 kg", "no_answer"),
    ("5 N", "negative 5 N", "sign"), ("-5 °C", "5 °C", "sign"), ("1 °C", "0 °C", "value"), ("20 °C", "22 °C", "value"), ("68 °F", "71 °F", "value"),
    ("5 N", "I don't think it is 5 N", "no_answer"), ("5 N", "The answer is 5 N. Wait, 6 N.", "no_answer"), ("5 N", "\\boxed{5 N} or 6 N", "no_answer"),
    ("5", "5 sqrt(2)", "no_answer"), ("5", "sin(5)", "no_answer"), ("5", "5x", "no_answer"), ("5", "5 dozen", "no_answer"), ("5 N", "twice 5 N", "no_answer"),
    ("5 N", "5 N × 2", "no_answer"), ("5 N", "the square root of 5 N", "no_answer"), ("5 m", "5 m.s", "dimension"),
    ("5 N", "5 N: 60%, 6 N: 40%", "no_answer"), ("5 N", "5 N. Just kidding.", "no_answer"), ("5 N", "5 N\nJust kidding.", "no_answer"), ("40 °C", "40 °C below zero", "sign"),
    ("5 kg", "5 apples", "dimension"), ("5 MeV", "5 mev", "dimension"), ("5 MHz", "5 mhz", "dimension"), ("5 mHz", "5 mhz", "dimension"), ("5 N", "Answer: 5 N. Or 6 N.", "no_answer"),
    ("5 N", "Answer: 5 N. Hmm, no, 6 N.", "no_answer"), ("5 N", "5 N. Or 6 N.", "no_answer"), ("5 N", "5 N; alternatively 6 N", "no_answer"),
    ("5 N", "The answer is 5 N. Actually, make that 6 N.", "no_answer"), ("5 N", "I guess it's 5 N, but it could just as well be 50 N", "no_answer"),
    ("5 N", "~~5 N~~ 6 N", "value"), ("5 N", "5 N (wrong)", "no_answer"), ("5 N", "5 N < F < 6 N", "no_answer"), ("5 N", "5 N or more", "no_answer"), ("5 N", "5 N vs 6 N", "no_answer"), ("5", "5:1", "no_answer"), ("5 N", "5 N at least", "no_answer"),
    ("1 h", "1 h 2 min 30 s", "value"), ("60 dB", "60", "missing_unit"), ("60 dB", "60 Np", "value"), ("60 dB", "60 dBm", "dimension"), ("3 ms^-1", "3 s", "dimension"),
])  # fmt: skip
def test_wrong_quantities_and_what_is_wrong_with_them(gold, reply, fault):
    score = quantity(reply, gold)
    assert score.value == 0.0
    assert score.details["fault"] == fault


def test_gold_may_have_its_unit_in_a_column_of_its_own_with_a_power_of_ten():
    assert quantity("1.6 × 10^-15 N", "1.6", "$10^{-15} \\mathrm{~N}$").value == 1.0
    assert quantity("$2283.63", "2283.63", "$").value == 1.0
    assert quantity("-36.5 J/K", -36.5, "$\\mathrm{J} \\mathrm{K}^{-1}$").value == 1.0


def test_the_tolerance_is_a_share_of_gold_or_that_of_its_digits():
    assert quantity("9.84 m", "9.8 m", tolerance="figures").value == 1.0
    assert quantity("9.86 m", "9.8 m", tolerance="figures").value == 0.0
    assert quantity("3.04e8 m/s", "3.0 × 10^8 m/s", tolerance="figures").value == 1.0
    assert quantity("10 m", "9.8 m", tolerance=0.05).value == 1.0
    assert quantity("10 m", "9.8 m").value == 0.0
    assert quantity("10 m", "9.8 m", rtol=0.05).value == 1.0, "a row's own tolerance"


@pytest.mark.parametrize(("gold", "right", "wrong"), [
    ("1/2 m", "0.5 m", "1 m"), ("2π rad", "6.28 rad", "6.5 rad"), ("1 h 30 min", "90 min", "100 min"), ("5 million", "5.4 million", "5.6 million"),
    ("3 × 10^6 m", "3.4e6 m", "3.6e6 m"), ("9.81(2) m", "9.814 m", "9.82 m"), ("1,500 m", "1500.4 m", "1501 m"),
])  # fmt: skip
def test_figures_are_those_of_the_number_as_it_is_written(gold, right, wrong):
    assert quantity(right, gold, tolerance="figures").value == 1.0
    assert quantity(wrong, gold, tolerance="figures").value == 0.0


def test_a_value_without_its_unit_earns_what_the_option_says():
    assert quantity("9.8", "9.8 m", without_unit=0.3).value == 0.3
    assert quantity("9.7", "9.8 m", without_unit=0.3, tolerance=0.001).value == 0.0
    assert quantity("It is 9.8 exactly.", "9.8 m", without_unit=0.3).value == 0.3
    assert quantity("9.8 apples", "9.8 m", without_unit=0.3).value == 0.0, "a wrong noun is no missing unit"


def test_options_are_checked_when_the_stack_is_loaded():
    for option in ({"tolerance": 1.5}, {"tolerance": "digits"}, {"without_unit": 2.0}):
        with pytest.raises(OptionError, match=next(iter(option))):
            Stack({"it": {"use": "science.quantity", **option}})


def test_a_gold_that_is_no_quantity_abstains():
    assert quantity("5 m", "a long way").value is None


@pytest.mark.parametrize("text", [
    "10^10^10 kg", "1 kg^(10^10)", "1 kg^999999999", "9" * 400 + " kg", "1e999999 kg", "__import__('os').system('x') kg", "5 (lambda: 0)()",
    "5 " + "m" * 5000, "5 " + "m " * 5000, "5 m" + "^2" * 5000, "5 " + "(" * 5000 + "m", "5 m" + "/s" * 5000, "5" + " × 10^9" * 500,
])  # fmt: skip
def test_pathological_units_and_values_are_just_wrong(text):
    assert quantity(text, "2 kg").value == 0.0


def test_labelled_quantities(labelled):
    rows = [row for row in labelled("units") if not row.get("contested")]
    wrong, accepted = [], []
    for row in rows:
        right = quantity(row["pred"], row["gold"], rtol=row["rtol"]).value == 1.0
        wrong += [row["id"]] if right != bool(row["label"]) else []
        accepted += [row["id"]] if right and not row["label"] else []
    assert len(wrong) <= 0.03 * len(rows), wrong
    assert not accepted


# pairs of units of one dimension, with how many of the second the first is
CONVERSIONS = [
    ("km", "m", 1000), ("h", "min", 60), ("kJ", "J", 1000), ("m/s", "km/h", 3.6), ("L", "mL", 1000), ("atm", "Pa", 101325), ("N", "kg m/s^2", 1),
    ("g/cm^3", "kg/m^3", 1000), ("kWh", "MJ", 3.6), ("rad", "mrad", 1000), ("mol/L", "mM", 1000), ("ft", "in", 12),
]  # fmt: skip
values = st.floats(1e-6, 1e6).map(lambda value: float(f"{value:.6g}"))


@given(values, st.sampled_from(CONVERSIONS))
def test_converting_a_unit_changes_nothing(value, conversion):
    one, other, factor = conversion
    assert quantity(f"{value * factor:.8g} {other}", f"{value} {one}", tolerance=1e-4).value == 1.0
    assert quantity(f"{value} {one}", f"{value * factor:.8g} {other}", tolerance=1e-4).value == 1.0


@given(values, st.sampled_from(CONVERSIONS))
def test_gold_is_its_own_answer(value, conversion):
    gold = f"{value} {conversion[0]}"
    for reply in (
        gold,
        f"The answer is {gold}.",
        f"\\boxed{{{gold}}}",
        f"<answer>{gold}</answer>",
        f"So it is **{gold}**.",
    ):
        assert quantity(reply, gold).value == 1.0


@given(values, st.sampled_from(CONVERSIONS), st.floats(0.01, 100))
def test_a_scaled_value_is_wrong(value, conversion, scale):
    assume(abs(scale - 1) > 0.011)
    assert quantity(f"{value * scale:.8g} {conversion[0]}", f"{value} {conversion[0]}").value == 0.0


@given(
    st.sampled_from(["", " ", "\n", "  \t"]), st.sampled_from(["{}", "**{}**", "_{}_"]),
    st.sampled_from(["{}", "Thank you for asking. {}", "{}\n\nI hope this helps!"]),
)  # fmt: skip
def test_space_emphasis_and_politeness_change_nothing(space, emphasis, polite):
    reply = polite.format(space + emphasis.format("Answer: 9.8 m/s^2") + space)
    assert quantity(reply, "9.8 m/s^2").value == 1.0
