"""The tasks: for each, where its rows come from, the prompt made of them, the gold, and a fitting stack."""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from rewardstack.errors import OptionError, nearest
from rewardstack_trainers.data.options import lettered

__all__ = ["TASKS", "Task", "stack_of", "task_named"]

THINK = "Think step by step, then give the final answer inside <answer> and </answer>."
CODE = "Write the complete Python function in one fenced code block."

FORM = {"use": "format.tags", "tags": ["answer"], "credit": "soft", "weight": 0.5}


class Task(msgspec.Struct, frozen=True):
    """A task. `prompt` is a template of columns, `answer` the column of the gold and `take` what of it counts.

    `prepare` makes a row of the data set uniform before that. The columns that the stack reads are kept, no others.
    The gold of code is the data's own solution: tests judge, and the preflight looks whether that passes them.
    """

    summary: str
    hub: str
    prompt: str
    answer: str
    rewards: Mapping[str, Any]
    subset: str | None = None
    split: str = "train"
    system: str = THINK
    take: str = "all"
    prepare: Callable[[Mapping[str, Any]], dict[str, Any]] = dict


def quantity(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose answer has its unit behind it, and no column for that unit alone, or it would count twice."""
    answer = row.get("answer", row.get("answer_number", ""))
    return {
        **{name: value for name, value in row.items() if name != "unit"},
        "question": row.get("question", row.get("problem_text")),
        "answer": f"{answer} {row.get('unit', '')}".strip(),
    }


def mbpp_tests(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with its tests as a list; the prompt shows the first, which has the function's name.

    Reads the full set, and the sanitized one, which calls the text `prompt` and lists imports.
    """
    tests = list(row["test_list"])
    return {
        **row,
        "text": row["text"] if "text" in row else row["prompt"],
        "tests": tests,
        "setup": row.get("test_setup_code") or "\n".join(row.get("test_imports") or ()),
        "first_test": tests[0],
    }


def humaneval_tests(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with its `check(candidate)`; the prompt's code is put before a completion that goes on with it."""
    solution = f"{row['prompt']}{row['canonical_solution']}"
    return {**row, "tests": row["test"], "prompt_code": row["prompt"], "solution": solution}


TASKS: dict[str, Task] = {
    "gsm8k": Task(
        "grade-school word problems with whole-number answers",
        "openai/gsm8k", "{question}", "answer", subset="main", take="after_hashes",
        rewards={"form": FORM, "correct": {"use": "math.equal", "weight": 2.0}},
    ),
    "math": Task(
        "competition problems; answers are LaTeX",
        "DigitalLearningGmbH/MATH-lighteval", "{problem}", "solution", take="last_box",
        system=r"Think step by step, then give the final answer inside \boxed{}.",
        rewards={
            "form": {"use": "format.boxed", "weight": 0.2},
            "correct": {"use": "math.equal", "weight": 2.0},
        },
    ),
    "humaneval": Task(
        "complete a function from its docstring; hidden tests decide",
        "openai/openai_humaneval", "{prompt}", "solution", split="test", system=CODE,
        prepare=humaneval_tests,
        rewards={"passes": {"use": "code.tests", "weight": 2.0}},
    ),
    "mbpp": Task(
        "short functions from a sentence and a test",
        "google-research-datasets/mbpp", "{text}\nIt must pass: {first_test}", "code", system=CODE,
        prepare=mbpp_tests,
        rewards={"passes": {"use": "code.tests", "weight": 2.0}},
    ),
    "arc": Task(
        "science questions with options",
        "allenai/ai2_arc", "{question}\n{choices}", "answer", subset="ARC-Challenge",
        prepare=lettered,
        rewards={"form": FORM, "correct": {"use": "science.choice", "weight": 2.0}},
    ),
    "sciq": Task(
        "science questions with one right and three wrong answers",
        "allenai/sciq", "{question}\n{choices}", "answer",
        prepare=lettered,
        rewards={"form": FORM, "correct": {"use": "science.choice", "weight": 2.0}},
    ),
    "scibench": Task(
        "university problems whose answers are quantities with units",
        "xw27/scibench", "{question}", "answer", prepare=quantity,
        rewards={"form": FORM, "correct": {"use": "science.quantity", "weight": 2.0}},
    ),
}  # fmt: skip


def task_named(name: str) -> Task:
    """Return a task; `OptionError` names the nearest."""
    if name not in TASKS:
        raise OptionError(f"there is no task {name!r}{nearest(name, TASKS)}. There are: {', '.join(TASKS)}")
    return TASKS[name]


def stack_of(names: Sequence[str]) -> dict[str, Any]:
    """Return the terms of some tasks; those of several are routed by the column `task`."""
    found: dict[str, Any] = {}
    for name in names:
        for term, table in task_named(name).rewards.items():
            if len(names) == 1:
                found[term] = copy.deepcopy(table)
            else:
                found[f"{name}_{term}"] = {**copy.deepcopy(table), "when": {"task": name}}
    return found
