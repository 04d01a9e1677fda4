"""Tasks, prompts, gold answers, and questions asked differently."""

import copy
import json
import random
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack.errors import ColumnError, OptionError, RecordError
from rewardstack_trainers.data.options import lettered, shuffled
from rewardstack_trainers.data.rephrasing import by_endpoint, by_rules, keeps_facts
from rewardstack_trainers.data.replies import rephrase_all
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

    def test_a_long_chat_loses_the_beginning_of_its_last_message(self, tokenizer):
        tokenizer = copy.deepcopy(tokenizer)
        tokenizer.chat_template = "{% for message in messages %}<{{ message.content }}>{% endfor %}"
        system = {"role": "system", "content": "be brief"}
        rows = [
            {"prompt": [system, {"role": "user", "content": text}]} for text in ("x" * 9 + "y" * 7, "short")
        ]
        kept, long = filter_by_length(rows, DataTable(prompt_tokens=19, too_long="cut"), tokenizer)
        assert [row["prompt"][-1]["content"] for row in kept] == ["y" * 7, "short"]
        assert (kept[0]["prompt"][0], long) == (system, 1)
        kept, long = filter_by_length(rows, DataTable(prompt_tokens=12, too_long="cut"), tokenizer)
        assert [row["prompt"][-1]["content"] for row in kept] == []
        assert long == 2

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

    @pytest.mark.parametrize(
        "row",
        [{"options": ["ice", "fire"], "answer": "A"}, {"options": {"A": "ice", "B": "fire"}, "answer": "ice"},
         {"options": {"A": "ice"}}],
    )  # fmt: skip
    def test_options_that_cannot_be_shuffled_are_told(self, write, row):
        path = write("rows.jsonl", json.dumps({"prompt": "What melts?", **row}) + "\n")
        with pytest.raises(RecordError, match=r"shuffle_options needs `options`, letter to text"):
            make_rows(DataTable(path=path.name, shuffle_options=True), [], [], path.parent, chat=False)


class TestRephrasingByAnEndpoint:
    QUESTION = "Tom has 3 apples and buys 4. How many in total?"

    def test_the_question_is_sent_and_the_reply_taken(self, endpoint, write, monkeypatch):
        url, replies, seen = endpoint
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        replies.append(" With 3 apples in hand, Tom buys 4 more. What is their number? ")
        path = write("rows.jsonl", GSM8K)
        table = DataTable(path=path.name, rephrase=f"{url}#small")
        (row,) = make_rows(table, ["gsm8k"], [], path.parent, chat=True)
        assert row["prompt"][-1]["content"] == "With 3 apples in hand, Tom buys 4 more. What is their number?"
        assert row["answer"] == "7"
        ((address, key, body),) = seen
        assert (address, key, body["model"]) == ("/v1/chat/completions", "Bearer k", "small")
        assert body["messages"][-1] == {"role": "user", "content": self.QUESTION}

    @pytest.mark.parametrize("reply", ["With 3 apples Tom buys 5 more.", "He has 3 and buys 4.", ""])
    def test_a_reply_that_loses_a_number_or_a_name_is_not_used(self, endpoint, reply):
        url, replies, _ = endpoint
        replies.append(reply)
        question = "Asked yesterday: how many apples has Tom with 3 and 4 more?"
        assert by_endpoint(url, "small")(question, random.Random(0)) == question

    @pytest.mark.parametrize("reply", [500, 404, b"no JSON", b'{"choices": []}', b"[]"])
    def test_no_answer_is_told_with_the_address(self, endpoint, reply):
        url, replies, _ = endpoint
        replies.append(reply)
        with pytest.raises(RecordError, match=f"the endpoint {url} did not rephrase"):
            by_endpoint(url, "small")("What is 3?", random.Random(0))

    def test_replies_are_kept_and_only_what_is_new_is_asked(self, endpoint, write, tmp_path):
        url, replies, seen = endpoint
        kept = tmp_path / "run/rephrased.jsonl"
        table = DataTable(path="q.jsonl", rephrase=f"{url}#small", prompt="{question}")

        def prompts_of(*numbers):
            write("q.jsonl", "".join(json.dumps({"question": f"what is {n}?"}) + "\n" for n in numbers))
            return [row["prompt"] for row in make_rows(table, [], [], tmp_path, chat=False, kept=kept)]

        replies.append("say 1!")
        assert prompts_of(1, 1) == ["say 1!", "say 1!"]
        replies.append(500)
        with pytest.raises(RecordError, match="did not rephrase"):
            prompts_of(1, 2)
        replies.append("say 2!")
        assert prompts_of(2, 1) == ["say 2!", "say 1!"]
        assert prompts_of(1, 2, 1) == ["say 1!", "say 2!", "say 1!"]
        assert [body["messages"][-1]["content"][8:9] for _, _, body in seen] == ["1", "2", "2"]

    def test_several_questions_wait_together_and_keep_their_order(self, tmp_path):
        together = threading.Barrier(4, timeout=20)  # breaks unless four are asked at the same time

        def rephrase(question, chance):
            together.wait()
            return question.upper()

        questions = ["a", "b", "c", "d"]
        assert rephrase_all(rephrase, "it", questions, random.Random(0), None) == ["A", "B", "C", "D"]

    def test_nobody_there(self):
        with pytest.raises(RecordError, match="did not rephrase"):
            by_endpoint("http://127.0.0.1:9/v1", "small", timeout=2)("What is 3?", random.Random(0))

    @pytest.mark.parametrize("how", ["rule", "http://host/v1", "ftp://host/v1#m"])
    def test_what_is_neither_rules_nor_an_address_with_a_model(self, write, how):
        path = write("rows.jsonl", GSM8K)
        with pytest.raises(OptionError, match='rephrase is "rules" or "http://host/v1#model"'):
            make_rows(DataTable(path=path.name, rephrase=how), ["gsm8k"], [], path.parent, chat=True)


class TestRephrasing:
    QUESTION = "Calculate the force in N on 2.5 kg when Alice finds $F = ma$. How many N in total?"

    @given(st.integers(0, 999))
    def test_numbers_names_and_formulae_stay(self, seed):
        assert keeps_facts(self.QUESTION, by_rules(self.QUESTION, random.Random(seed)))

    def test_it_says_it_differently(self):
        said = {by_rules(self.QUESTION, random.Random(seed)) for seed in range(20)}
        assert len(said) > 10

    @pytest.mark.parametrize(
        "after",
        [
            "Bob finds 3 of 5.",
            "Bob finds 4.",
            "Bob finds 5 of 4 for 4.",
            "Of 5 he finds 4.",
            "Of 5 Bob and Eve find 4.",
        ],
    )
    def test_what_changes_a_number_or_a_name_is_seen(self, after):
        assert not keeps_facts("So Bob finds 4 of 5.", after)

    @pytest.mark.parametrize("after", ["Of 5 things, how many does Bob find? 4.", "Bob, given 5, finds 4."])
    def test_another_order_is_no_loss(self, after):
        assert keeps_facts("So Bob finds 4 of 5.", after)
