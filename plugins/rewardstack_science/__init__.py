"""Answers to science questions: options, quantities with units, short texts, chemistry, sections."""

from rewardstack_science.chemistry import balanced, chemistry
from rewardstack_science.choices import choice
from rewardstack_science.consistency import consistent
from rewardstack_science.quantities import quantity
from rewardstack_science.sections import sections
from rewardstack_science.splitting import split_sections
from rewardstack_science.texts import text

__all__ = ["balanced", "chemistry", "choice", "consistent", "quantity", "sections", "split_sections", "text"]
