"""Answers to science questions: options, quantities with units, short texts, chemistry, sections."""

from rewardstack_science.choices import choice
from rewardstack_science.quantities import quantity

__all__ = ["choice", "quantity"]
