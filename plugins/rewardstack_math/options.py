"""What counts as equal where people differ, with the defaults."""

from typing import Literal

import msgspec

from rewardstack_math.leaves import DECIMAL_TOLERANCE

__all__ = ["Rules"]


class Rules(msgspec.Struct, frozen=True, gc=False):
    """The contestable part of what counts as equal.

    `tolerance`: relative error allowed to a decimal that stands for a value without a finite decimal (1/3, pi).
    `percent`: `either` lets 10% match 0.1 and 10, `fraction` only 0.1.
    `units`: `optional` lets a unit be left out, `required` does not, `ignored` drops all units; a different unit is
    wrong and a converted one right, unless ignored.
    `ordered`: bare lists (`1, 2`) must be in gold's order; sets never, tuples always.
    `intervals`: an inequality matches the interval of its solutions.
    `simplified`: the answer must be a finished value: `6*7` and `4/8` do not match 42 and 1/2. One-sided.
    `case`: `exact` keeps x and X apart, `any` does not; words never depend on case.
    `text`: answers in words may match; if false a gold in words cannot be read.
    """

    tolerance: float = DECIMAL_TOLERANCE
    percent: Literal["either", "fraction"] = "either"
    units: Literal["optional", "required", "ignored"] = "optional"
    ordered: bool = False
    intervals: bool = True
    simplified: bool = False
    case: Literal["exact", "any"] = "exact"
    text: bool = True
