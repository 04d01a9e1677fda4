"""Tasks, prompts, gold answers, and questions asked differently."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack.errors import ColumnError, OptionError, RecordError
from rewardstack_trainers.data.options import lettered, shuffled
from rewardstack_trainers.data.rephrasing import by_rules, keeps_facts
from rewardstack_trainers.data.rows import fill, filter_by_length, make_rows, split_off
from rewardstack_trainers.data.taking import take
from rewardstack_trainers.data.tasks import TASKS, stack_of
from rewardstack_trainers.training.config import DataTable

GSM8K = '{"question": "Tom has 3 apples and buys 4. How many in total?", "answer": "3+4=7\\n#### 7"}\n'
ARC = {"question": "What melts?", "choices": {"text": ["ice", "fire"], "label": ["1", "2"]}, "answerKey": "1"}
SCIQ = {"question": "q", "correct_answer": "w", "distractor1": "x", "distractor2": "y", "distractor3": "z"}


@pytest.mark.parametrize(
    ("how", "gold"),
    [
        ("after_hashes", "7"),
        ("last_number", "7"),
        ("first_line", "3+4=7"),
        ("last_box", "3+4=7\n#### 7"),
        (None, "3+4=7\n#### 7"),
    ],
)
def test_the_gold_is_taken_by_name(how, gold):
    assert take("3+4=7\n#### 7", how) == gold


def test_the_last_box_of_a_solution():
    assert take(r"so \boxed{2}, no: $\boxed{\frac{1}{2}}$.", "last_box") == r"\frac{1}{2}"


def test_an_unknown_take_names_the_nearest():
    with pytest.raises(OptionError, match="did you mean 'after_hashes'"):
        take("x", "after_hash")


class TestRows:
    def test_a_tasks_rows_have_prompt_answer_and_what_the_stack_reads(self, write):
        path = write("rows.jsonl", GSM8K)
        (row,) = make_rows(DataTable(path=path.name), ["gsm8k"], [], path.parent, chat=True)
        assert row["answer"] == "7"
        assert [message["role"] for message in row["prompt"]] == ["system", "user"]
        assert set(row) == {"prompt", "answer", "task"}

    def test_several_tasks_may_have_a_file_each(self, write):
        path = write("gsm8k.jsonl", GSM8K)
        write("sciq.jsonl", json.dumps(SCIQ) + "\n")
        rows = make_rows(
            DataTable(path="{task}.jsonl"), ["gsm8k", "sciq"], ["options"], path.parent, chat=False
        )
        assert [(row["task"], row["answer"]) for row in rows] == [("gsm8k", "7"), ("sciq", "A")]

    def test_a_data_set_of_ones_own(self, write):
        path = write("rows.jsonl", '{"q": "1+1", "gold": 2, "completion": "x"}\n')
        table = DataTable(path=path.name, prompt="What is {q}?", answer="gold", system="Be brief.")
        assert make_rows(table, [], [], path.parent, chat=False) == [
            {"prompt": "Be brief.\n\nWhat is 1+1?", "answer": 2}
        ]

    def test_a_template_is_filled_not_evaluated(self):
        assert fill("{a} {a.__class__} {b}", {"a": "{b}", "b": 1}) == "{b} {a.__class__} 1"
        with pytest.raises(ColumnError, match=r"reads \{question\}.*did you mean 'questions'"):
            fill("{question}", {"questions": ""})

    def test_a_missing_answer_and_a_missing_file(self, write):
        path = write("rows.jsonl", '{"prompt": "x", "answers": 1}\n')
        with pytest.raises(ColumnError, match="no column 'answer'.*did you mean 'answers'"):
            make_rows(DataTable(path=path.name), [], ["answer"], path.parent, chat=False)
        with pytest.raises(RecordError, match="cannot read"):
            make_rows(DataTable(path="none.jsonl"), [], [], path.parent, chat=False)

    @pytest.mark.parametrize(("too_long", "left"), [("drop", ["short"]), ("cut", ["short", "y" * 9])])
    def test_long_prompts_are_left_out_or_lose_their_beginning(self, tokenizer, too_long, left):
        rows = [{"prompt": "short"}, {"prompt": "x" * 20 + "y" * 9}]
        kept, long = filter_by_length(rows, DataTable(prompt_tokens=9, too_long=too_long), tokenizer)
        assert ([row["prompt"] for row in kept], long) == (left, 1)

    @given(st.integers(2, 99), st.data())
    def test_rows_are_held_out_evenly_and_none_is_lost(self, size, data):
        count = data.draw(st.integers(0, size - 1))
        kept, held = split_off([{"n": n} for n in range(size)], count)
        assert len(held) == count
        assert sorted(row["n"] for row in kept + held) == list(range(size))


class TestTasks:
    def test_every_task_says_what_it_is_for(self):
        for task in TASKS.values():
            assert task.summary
            assert task.rewards

    def test_mixed_tasks_are_routed(self):
        mixed = stack_of(["gsm8k", "math"])
        assert set(mixed) == {"gsm8k_form", "gsm8k_correct", "math_form", "math_correct"}
        assert mixed["math_correct"]["when"] == {"task": "math"}
        assert "when" not in TASKS["math"].rewards["correct"]

    @pytest.mark.parametrize(
        "row", [ARC, SCIQ, {**ARC, "choices": {"A": "ice", "B": "fire"}, "answerKey": "A"}]
    )
    def test_options_become_letters(self, row):
        made = lettered(row)
        assert made["answer"] == "A"
        assert made["choices"].startswith(("A. ice\nB. fire", "A. w\nB. x"))

    def test_code_rows_have_what_the_tests_need(self, write):
        mbpp = {
            "text": "Add.",
            "code": "x",
            "test_list": ["assert add(1, 2) == 3"],
            "test_setup_code": "import math",
        }
        path = write("rows.jsonl", json.dumps(mbpp) + "\n")
        (row,) = make_rows(DataTable(path=path.name), ["mbpp"], ["tests", "setup"], path.parent, chat=False)
        assert row["prompt"].endswith("Add.\nIt must pass: assert add(1, 2) == 3")
        assert (row["tests"], row["setup"]) == (["assert add(1, 2) == 3"], "import math")
        assert "code" not in row

    @given(st.integers(0, 99))
    def test_the_answer_moves_with_its_text(self, seed):
        row = lettered(SCIQ)
        moved = shuffled(row, random.Random(seed))
        assert moved["options"][moved["answer"]] == "w"
        assert sorted(moved["options"].values()) == list("wxyz")


class TestRephrasing:
    QUESTION = "Calculate the force in N on 2.5 kg when Alice finds $F = ma$. How many N in total?"

    @given(st.integers(0, 999))
    def test_numbers_names_and_formulae_stay(self, seed):
        assert keeps_facts(self.QUESTION, by_rules(self.QUESTION, random.Random(seed)))

    def test_it_says_it_differently(self):
        said = {by_rules(self.QUESTION, random.Random(seed)) for seed in range(20)}
        assert len(said) > 10

    @pytest.mark.parametrize("after", ["Find 3 of 5.", "Find 4.", "Find 5 of 4 for 4."])
    def test_what_changes_a_number_is_seen(self, after):
        assert not keeps_facts("Find 4 of 5.", after)
