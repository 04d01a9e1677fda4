"""The tables of docs/math-equal.md say what `compare` does."""

from pathlib import Path

import pytest

from rewardstack_math import compare

PAGE = Path(__file__).parents[2] / "docs" / "math-equal.md"
VALUES = {"true": True, "false": False, "0.01": 0.01}


def table(columns):
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == columns:
            yield cells


@pytest.mark.parametrize(("gold", "answer", "equal"), list(table(3)))
def test_defaults(gold, answer, equal):
    assert compare(gold, answer).equal == (equal == "yes")


@pytest.mark.parametrize(("option", "value", "gold", "answer", "equal"), list(table(5)))
def test_options(option, value, gold, answer, equal):
    assert compare(gold, answer, **{option: VALUES.get(value, value)}).equal == (equal == "yes")
