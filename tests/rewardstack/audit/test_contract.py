"""Every way of breaking a reward's contract is found and named."""

import itertools
import random

import pytest

from rewardstack import Stack, reward
from rewardstack.audit.contract import check_contract
from rewardstack.audit.equalities import FORMS, rewrite
from rewardstack.contract import EQUAL_FORMS
from rewardstack.sample import Sample

SAMPLES = [
    Sample(f"{'word ' * row}A: {row}", f"Question {row // 2}?", {"answer": str(row)}, str(row))
    for row in range(8)
]
EQUAL = "equal forms of the answer"
PLACES = [f"s.jsonl:{row + 1}" for row in range(8)]


def check(rewards, samples=SAMPLES, rows=None, places=None):
    """Return the checks of a stack by (term, name)."""
    stack = Stack(rewards if isinstance(rewards, dict) else {"it": {"use": rewards}})
    places = places or [f"s.jsonl:{row + 1}" for row in range(len(samples))]
    checks = check_contract(stack, stack.run(samples), samples, places, rows=rows)
    return {check.name: check for check in checks if check.term == "it"}


def failures(checks):
    return {name: check.findings[0] for name, check in checks.items() if check.status == "failed"}


@reward
def fair(completion: str, answer: str) -> float:
    return float(completion.endswith(answer))


def trl_style(completions, answer, **kwargs):
    texts = [text if isinstance(text, str) else text[-1]["content"] for text in completions]
    return [float(text.endswith(gold)) for text, gold in zip(texts, answer, strict=True)]


@reward(scope="group")
def shortest(completion: list[str]) -> list[float]:
    least = min(map(len, completion))
    return [float(len(each) == least) for each in completion]


@reward
async def patient(completion: str) -> float:
    return min(1.0, len(completion) / 100)


@pytest.mark.parametrize("good", [fair, trl_style, shortest, patient])
def test_a_reward_that_keeps_its_word_passes_every_check(good):
    checks = check(good)
    assert failures(checks) == {}
    assert checks["same twice"].status == checks["inputs not changed"].status == "passed"
    assert checks["same twice"].rows == 8


def test_a_random_reward_does_not_score_the_same_twice():
    numbers = iter([0.25, 0.75] + [0.0] * 1000)

    def moody(completion):
        return next(numbers)

    checks = check(moody, SAMPLES[:1])
    found = failures(checks)
    assert list(found) == ["same twice"]
    assert (found["same twice"].place, found["same twice"].message) == (
        "s.jsonl:1",
        "gave 0.75, then 0 for the same row",
    )
    assert checks["same twice"].note == "a reward that is meant to vary says so: @reward(deterministic=False)"
    assert checks["permuted batch, permuted scores"].note == "it does not score the same twice"


def test_a_reward_declared_as_varying_is_not_compared():
    @reward(deterministic=False)
    def moody(completion: str) -> float:
        return random.random()

    checks = check(moody)
    assert failures(checks) == {}
    assert checks["same twice"].status == "skipped"
    assert checks["same twice"].note == "declared as not deterministic"
    assert checks["inputs not changed"].status == "passed"


def test_a_reward_that_goes_by_the_place_in_the_batch_is_found():
    def by_place(completions, **kwargs):
        return [place / 10 for place in range(len(completions))]

    found = failures(check(by_place))
    assert found["alone equals in batch"].place == "s.jsonl:2"
    assert found["alone equals in batch"].message == "gave 0.1 in a batch of 8, 0 alone"
    assert "and 0" in found["permuted batch, permuted scores"].message
    assert found["permuted batch, permuted scores"].message.startswith("gave 0")


def test_a_reward_relative_to_its_batch_passes_only_when_declared():
    def rank(completions):
        return [sum(other < each for other in completions) / 10 for each in completions]

    assert list(failures(check(rank, [Sample(text) for text in "abcd"]))) == ["alone equals in batch"]
    declared = check(reward(scope="batch")(rank), [Sample(text) for text in "abcd"])
    assert failures(declared) == {}
    assert declared["alone equals in batch"].note == "declared to score a batch as a whole"


def test_a_group_reward_that_sees_other_groups_is_found():
    seen = []

    @reward(scope="group")
    def jealous(completion: list[str]) -> list[float]:
        seen.append(len(completion))
        return [float(len(seen) % 5 == 1)] * len(completion)

    assert "same twice" in failures(check(jealous))


def test_a_reward_that_reads_chat_and_text_differently_is_found():
    def partial(completions, **kwargs):
        return [0.5 if isinstance(each, str) else 1.0 for each in completions]

    found = failures(check(partial))
    assert list(found) == ["text equals chat messages"]
    assert found["text equals chat messages"].message == "gave 0.5 for text, 1 for the same as chat messages"


def test_refusing_chat_messages_is_a_note_not_a_fault():
    def plain(completions, **kwargs):
        return [float(each.startswith("word")) for each in completions]

    checks = check(plain)
    assert failures(checks) == {}
    assert checks["text equals chat messages"].note == (
        "reads raw completions, and refuses chat messages: "
        "raised AttributeError: 'list' object has no attribute 'startswith'"
    )


def test_a_reward_that_wants_chat_messages_is_told_of_the_option():
    def chatty(completions, **kwargs):
        return [float(len(each[0]["content"]) > 8) for each in completions]

    checks = check(chatty)
    assert checks["text equals chat messages"].note == (
        "it refuses text, and takes chat messages; `--chat` hands text over as chat messages"
    )
    assert checks["same twice"].status == "skipped"


def test_chat_samples_are_tried_as_text():
    samples = [
        Sample([{"role": "assistant", "content": f"A: {row}"}], [{"role": "user", "content": "?"}])
        for row in range(3)
    ]

    def partial(completions, **kwargs):
        return [0.5 if isinstance(each, str) else 1.0 for each in completions]

    found = failures(check(partial, samples))
    assert found["text equals chat messages"].message == "gave 1 for chat messages, 0.5 for the same as text"


def test_tool_traces_have_no_text_form():
    trace = [
        {"role": "assistant", "content": "", "tool_calls": [{"name": "f"}]},
        {"role": "tool", "content": "1"},
    ]
    checks = check(lambda completion: 1.0, [Sample(trace)])
    assert checks["text equals chat messages"].note == "no row can be written in the other form"


def test_a_column_nobody_asked_for_must_not_matter():
    def counting(completions, **kwargs):
        return [float(len(kwargs))] * len(completions)

    found = failures(check(counting))
    assert list(found) == ["unused columns change nothing"]
    assert found["unused columns change nothing"].message == (
        "gave 2, and 3 once the samples had a column that it does not name"
    )


def test_a_reward_that_writes_to_its_messages_is_found():
    def tidy(completion, messages):
        messages[-1]["content"] = messages[-1]["content"].strip()
        return 1.0

    samples = [Sample("x", "?"), Sample(" y", "?")]
    found = failures(check(tidy, samples))
    assert found["inputs not changed"].place == "s.jsonl:2"
    assert found["inputs not changed"].message == (
        "changed its argument 'messages': {'role': 'assistant', 'content': ' y'} became {'role': 'assistant', 'content': 'y'}"
    )


def test_a_batch_reward_that_writes_to_its_lists_is_found():
    def clean(completions, answer):
        for place, each in enumerate(completions):
            completions[place] = each.removeprefix("word ")
        return [1.0] * len(completions)

    found = failures(check(clean))
    assert found["inputs not changed"].place == "s.jsonl:2"
    assert (
        found["inputs not changed"].message == "changed its argument 'completions': 'word A: 1' became 'A: 1'"
    )


def test_an_async_reward_that_empties_a_list_is_found():
    async def greedy(completion, tags):
        return float(bool(tags.pop()))

    found = failures(check(greedy, [Sample("x", None, {"tags": ["a", "b"]})]))
    assert found["inputs not changed"].message == "changed its argument 'tags': ['a', 'b'] became ['a']"


def test_a_batch_reward_that_loses_duplicates_is_found():
    def by_text(completions, **kwargs):
        return list(dict.fromkeys(completions, 1.0).values())

    found = failures(check(by_text))
    assert list(found) == ["duplicates keep the length"]
    assert found["duplicates keep the length"].message == (
        "returned 8 values for 16 completions, each of which stood twice"
    )


RETURNS = [
    (lambda completion: "1.0", "returns numbers", "returned str '1.0', expected a number, None or a Score"),
    (lambda completion: float("nan"), "finite", "returned nan, which is no finite number"),
    (lambda completion: float("-inf"), "finite", "returned -inf, which is no finite number"),
    (
        reward(lambda completion: 1.5),
        "in the declared range",
        "returned 1.5, outside its declared range 0 to 1; @reward(range=(low, high)) declares another",
    ),
    (lambda completions: [1.0] * 3, "one value a row", "returned 3 values for 8 completions"),
    (lambda completions: 1.0, "one value a row", "returned float, expected a list of 8 values"),
]


@pytest.mark.parametrize(("bad", "name", "message"), RETURNS)
def test_what_comes_back_is_checked_on_every_row(bad, name, message):
    found = failures(check(bad, rows=1))
    assert list(found) == [name]
    assert (found[name].place, found[name].message, found[name].rows) == ("s.jsonl:1", message, 8)


@pytest.mark.parametrize("dies", [SystemExit, KeyboardInterrupt, ZeroDivisionError])
def test_a_reward_that_dies_now_and_then_is_no_match_for_itself(dies):
    calls = itertools.count()

    def fragile(completion):
        if next(calls) == 9:
            raise dies("enough")
        return 1.0

    found = failures(check(fragile))
    said, _, line = found["same twice"].message.partition(", tests/rewardstack/audit/test_contract.py:")
    assert said == f"gave an error (raised {dies.__name__}: enough"
    assert line.partition(")")[2] == ", then 1 for the same row"


def test_a_reward_that_always_dies_is_only_said_to():
    def dead(completion):
        raise SystemExit(3)

    checks = check(dead)
    assert failures(checks) == {}
    assert {check.note for check in checks.values()} == {"it erred on every row"}
    assert {check.status for check in checks.values()} == {"skipped"}


def test_a_reward_is_tried_without_its_gates_on_rows_they_opened():
    called = []

    def counted(completion):
        called.append(completion)
        return 1.0

    stack = {
        "gate": {"use": lambda completion: float("word" in completion)},
        "it": {"use": counted, "requires": {"gate": 1.0}},
    }
    assert check(stack)["same twice"].rows == 7
    assert "A: 0" not in called


def test_rows_that_routing_leaves_out_are_not_tried():
    checks = check({"it": {"use": lambda completion: 1.0, "when": {"answer": "nobody's"}}})
    assert checks["same twice"].note == "it was called on no row"


def test_rows_are_spread_and_the_same_every_time():
    seen = []

    def noted(completion):
        seen.append(completion)
        return 1.0

    samples = [Sample(str(row)) for row in range(100)]
    check(noted, samples, rows=4)
    assert set(seen[100:]) == {"0", "25", "50", "75"}


def test_groups_are_tried_whole():
    assert check(shortest, rows=3)["same twice"].rows == 2
    assert check(shortest, rows=5)["same twice"].rows == 4


def test_slow_rewards_are_tried_on_fewer_rows():
    from rewardstack.audit.contract import affordable
    from rewardstack.runner import TermRun
    from rewardstack.score import Score

    def taking(seconds):
        return affordable(
            TermRun([Score(1.0, seconds=seconds)] * 50, calls=50, shared=0, closed=0, seconds=1.0)
        )

    assert (taking(0.001), taking(0.5), taking(60)) == (32, 7, 2)


def test_the_instance_of_a_dataclass_is_made_once():
    made = []
    from dataclasses import dataclass

    @reward
    @dataclass
    class Model:
        size: int = 1

        def __post_init__(self):
            made.append(self)

        def __call__(self, completion: str) -> float:
            return 1.0

    assert failures(check(Model)) == {}
    assert len(made) == 1


def test_a_row_that_lacks_a_column_is_no_reason_to_stop():
    samples = [Sample("A: 2", None, {"answer": "2"}), Sample("A: 3")]
    checks = check(fair, samples)
    assert failures(checks) == {}
    assert checks["alone equals in batch"].rows == 2


def test_what_runs_in_a_worker_process_is_tried_there(write):
    path = write(
        "far.py",
        "from rewardstack import reward\n\n@reward(isolated=True)\ndef far(completion):\n    return 1.0\n",
    )
    checks = check({"it": {"use": f"{path}:far"}}, SAMPLES[:2])
    assert failures(checks) == {}
    assert checks["inputs not changed"].note == "it runs in a worker process, on copies"


def test_time_outs_prove_nothing(write):
    slow = "import time\n\ndef slow(completion):\n    time.sleep(9 if completion == 'hang' else 0)\n    return 1.0\n"
    path = write("slow.py", slow)
    checks = check({"it": {"use": f"{path}:slow", "timeout": 0.3}}, [Sample("hang"), Sample("go")])
    assert failures(checks) == {}
    assert checks["same twice"].rows == 1


def test_a_reward_is_held_to_the_answer_forms_it_promises():
    rows = [Sample(answer, None, {"answer": answer}) for answer in ("Paris", "1000", "a b", "7")]
    right = check({"it": {"use": "format.exact", "match": "number"}}, rows)[EQUAL]
    assert (right.status, right.rows) == ("passed", 4)

    @reward(equal_forms=("case", "thousands"))
    def too_strict(completion: str, answer: str) -> float:
        return float(completion == answer)

    wrong = check(too_strict, rows)[EQUAL]
    assert [(finding.place, finding.message) for finding in wrong.findings] == [
        ("s.jsonl:1", "gave 1, and 0 for the answer in another form (case)"),
        ("s.jsonl:3", "gave 1, and 0 for the answer in another form (case)"),
        ("s.jsonl:2", "gave 1, and 0 for the answer in another form (thousands)"),
    ]


def test_a_reward_that_promises_no_forms_is_not_held_to_any():
    checks = check({"it": {"use": "format.exact", "match": "exact"}})
    assert checks[EQUAL].note == "it promises none"


def test_every_equal_form_has_a_way_to_write_it():
    assert FORMS.keys() == EQUAL_FORMS.keys()
    assert [rewrite("1000", form) for form in FORMS] == [None, "  1000 ", "1,000", "1000.0"]
    assert [rewrite("a b", form) for form in FORMS] == ["A B", "  a  b ", None, None]
    assert rewrite(1000, "thousands") is None
