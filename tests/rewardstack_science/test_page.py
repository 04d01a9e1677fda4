"""The tables of docs/science.md say what the rewards do."""

import re
from pathlib import Path

import pytest

from rewardstack_science import chemistry, choice, quantity, text

PAGE = Path(__file__).parents[2] / "docs/science.md"
PLANETS = {"A": "Mars", "B": "Saturn", "C": "Jupiter", "D": "Neptune"}


def rows(section, columns):
    """The rows of a section's table that have so many cells."""
    body = PAGE.read_text("utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    lines = [re.split(r"\s*\|\s*", line.strip("| ")) for line in body.splitlines() if line.startswith("| `")]
    return [[cell.strip("`") for cell in line] for line in lines if len(line) == columns]


CHOICES = rows("Multiple choice", 2)
QUANTITIES = rows("Quantities", 3)
TEXTS = rows("Short answers", 3)
FORMULAE = rows("Chemistry", 3)


def test_the_tables_are_found():
    assert min(len(CHOICES), len(QUANTITIES), len(TEXTS), len(FORMULAE)) > 5


@pytest.mark.parametrize(("reply", "chosen"), CHOICES)
def test_multiple_choice(reply, chosen):
    assert (", ".join(choice(reply, "A", PLANETS).details["chosen"]) or "nothing") == chosen


@pytest.mark.parametrize(("gold", "reply", "fault"), QUANTITIES)
def test_quantities(gold, reply, fault):
    assert quantity(reply, gold).details["fault"] == fault


@pytest.mark.parametrize(("gold", "reply", "right"), TEXTS)
def test_short_answers(gold, reply, right):
    assert text(reply, gold).value == float(right == "yes")


@pytest.mark.parametrize(("gold", "reply", "right"), FORMULAE)
def test_chemistry(gold, reply, right):
    assert chemistry(reply, gold).value == float(right == "yes")
