"""Mathematical answers: found in a completion, and compared with gold, quickly and without executing anything."""

from rewardstack_math.comparison import Comparison, compare
from rewardstack_math.extraction import Extraction, extract
from rewardstack_math.numeric import numeric_value
from rewardstack_math.rewards import close, equal, steps
from rewardstack_math.solution_steps import StepCheck, check_steps

__all__ = [
    "Comparison",
    "Extraction",
    "StepCheck",
    "check_steps",
    "close",
    "compare",
    "equal",
    "extract",
    "numeric_value",
    "steps",
]
