"""The science tasks: their rows load, their default stacks find the rewards, gold earns more than what is wrong."""

import json

import pytest

from rewardstack import Stack
from rewardstack_trainers.data.rows import make_rows
from rewardstack_trainers.data.tasks import stack_of
from rewardstack_trainers.training.config import DataTable

ROWS = {
    "arc": {
        "question": "Which planet is the largest?", "answerKey": "3",
        "choices": {"text": ["Mars", "Saturn", "Jupiter", "Neptune"], "label": ["1", "2", "3", "4"]},
    },
    "sciq": {
        "question": "What gas do plants take in?", "correct_answer": "carbon dioxide",
        "distractor1": "oxygen", "distractor2": "nitrogen", "distractor3": "helium", "support": "",
    },
    "scibench": {"problem_text": "What is the force on it?", "answer_number": "1.6", "unit": "$10^{-15} \\mathrm{~N}$"},
}  # fmt: skip
REPLIES = {  # right ones, then wrong ones
    "arc": (["C", "Jupiter", "(C) Jupiter"], ["B", "Saturn", "B or C", "C. Saturn", ""]),
    "sciq": (["A", "carbon dioxide"], ["B", "oxygen", "A or B"]),
    "scibench": (["1.6 \\times 10^{-15}\\,\\mathrm{N}", "1.6e-15 N", "1.6 fN"], ["1.6", "1.6 N", "-1.6e-15 N", "1.6e-15 J"]),
}  # fmt: skip


@pytest.mark.parametrize("task", ROWS)
def test_gold_earns_more_than_wrong_answers(task, tmp_path):
    (tmp_path / f"{task}.jsonl").write_text(json.dumps(ROWS[task]) + "\n")
    stack = Stack(stack_of([task]), name=task)
    wanted = [name for name in stack.columns() if name not in ("completion", "messages", "prompt")]
    (row,) = make_rows(DataTable(path="{task}.jsonl"), [task], wanted, tmp_path, chat=True)

    def total(answer):
        return stack.score([{**row, "completion": f"Let us see.\n<answer>{answer}</answer>"}])[0].total

    right, wrong = ([total(reply) for reply in replies] for replies in REPLIES[task])
    assert min(right) == max(right) > max(wrong)


def test_shuffled_options_keep_their_gold(tmp_path):
    (tmp_path / "arc.jsonl").write_text(json.dumps(ROWS["arc"]) + "\n")
    stack = Stack(stack_of(["arc"]), name="arc")
    table = DataTable(path="arc.jsonl", shuffle_options=True)
    (row,) = make_rows(table, ["arc"], ["options", "choices"], tmp_path, chat=False)
    for text in ROWS["arc"]["choices"]["text"]:
        value = stack.score([{**row, "completion": f"<answer>{text}</answer>"}])[0].rewards["correct"].value
        assert value == float(text == "Jupiter")
