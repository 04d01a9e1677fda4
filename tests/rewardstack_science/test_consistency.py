"""science.consistent: the quantities of a reply against those of a passage."""

import pytest

from rewardstack_science import consistent

PASSAGE = (
    "Water boils at 100 °C at sea level. The speed of light is 299792458 m/s. The Earth has a mass of 5.97e24 kg and a radius"
    " of 6371 km. Near the ground g = 9.81 m/s^2. The boiling point of ethanol is 78.4 °C. The reactor was shut down in 1986."
)


@pytest.mark.parametrize("reply", [
    "At sea level water boils at 373 K.", "The speed of light is about 3e8 m/s.", "The mass of the Earth is 6.0e24 kg and its radius is 6371 km.", "With g = 9.8 m/s² it falls.",
    "The boiling point of ethanol is 351.5 K.", "Ethanol's boiling point is not 100 °C.", "The reactor was shut down in 1986.",
])  # fmt: skip
def test_what_agrees(reply):
    score = consistent(reply, PASSAGE)
    assert score.value == 1.0
    assert score.details["checked"] > 0


@pytest.mark.parametrize(("reply", "sentence", "reference"), [
    ("It is hot. Water boils at 90 °C at sea level.", "Water boils at 90 °C at sea level.", "100 °C"), ("The Earth has a radius of 6371 m.", "The Earth has a radius of 6371 m.", "6371 km"),
    ("So g = 10.5 m/s^2.", "So g = 10.5 m/s^2.", "9.81 m/s^2"), ("The boiling point of ethanol is 100 °C.", "The boiling point of ethanol is 100 °C.", "78.4 °C"),
    ("The boiling point of ethanol is not 78.4 °C.", "The boiling point of ethanol is not 78.4 °C.", "78.4 °C"), ("The reactor was shut down in 1996.", "The reactor was shut down in 1996.", "1986"),
])  # fmt: skip
def test_what_contradicts_is_named(reply, sentence, reference):
    score = consistent(reply, PASSAGE)
    assert score.value == 0.0
    assert [(one["sentence"], one["reference"]) for one in score.details["contradictions"]] == [
        (sentence, reference)
    ]


def test_contradictions_are_counted():
    reply = "Water boils at 90 °C at sea level. The Earth has a radius of 5 km. The speed of light is 299792458 m/s."
    assert consistent(reply, PASSAGE, each=0.3).value == pytest.approx(0.4)
    assert len(consistent(reply, PASSAGE).details["contradictions"]) == 2


def test_what_the_passage_does_not_speak_of_counts_only_where_that_is_asked_for():
    assert (
        consistent("The Moon has a radius of 1737 km, as everybody knows.", "Iron melts at 1538 °C.").value
        is None
    )
    assert (
        consistent(
            "The Moon has a radius of 1737 km, as everybody knows.",
            "Iron melts at 1538 °C.",
            unsupported=True,
        ).value
        == 0.0
    )


def test_a_reply_without_quantities_abstains():
    assert consistent("Water boils when it is hot.", PASSAGE).value is None
    assert consistent("<think>Water boils at 90 °C at sea level.</think>Yes.", PASSAGE).value is None
