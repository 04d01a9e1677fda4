"""Order, sharing, gates, batch and group forms, async terms, and rewards that misbehave."""

import logging
import random
import threading
import time
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardstack import Sample, Score, Stack, completion_text, reward, runner
from rewardstack.errors import ColumnError, OptionError, RecordError


def run(use, rows, **words):
    return Stack({"it": {"use": use, **words}}).run(rows)


def values(use, rows, **words):
    return [score.rewards["it"].value for score in run(use, rows, **words).scores]


def errors(use, rows, **words):
    return [score.rewards["it"].error for score in run(use, rows, **words).scores]


@reward
def length(completion: str) -> float:
    return min(1.0, len(completion) / 100)


@given(st.lists(st.text(max_size=20), min_size=1, max_size=30), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_results_keep_the_order_of_the_samples(texts, shuffle):
    places = list(range(len(texts)))
    shuffle.shuffle(places)
    straight = values(length, [Sample(text) for text in texts])
    assert straight == [length(completion_text(text)) for text in texts]
    assert values(length, [Sample(texts[place]) for place in places]) == [straight[place] for place in places]


def test_no_samples_give_no_scores():
    assert Stack({"length": length, "reads": lambda completion, answer: 1.0}).score([]) == []
    assert Stack({"length": length})(prompts=[], completions=[]) == []


def test_rows_equal_in_what_is_read_are_scored_once():
    called = []

    @reward
    def seen(completion: str, answer: object) -> float:
        called.append((completion, answer))
        return 1.0

    rows = [
        Sample("a", columns={"answer": answer, "id": place})
        for place, answer in enumerate([1, 1, 1.0, True, [1], [1]])
    ]
    ran = run(seen, rows)
    assert called == [("a", 1), ("a", 1.0), ("a", True), ("a", [1])], "1, 1.0 and True are told apart"
    assert (ran.terms["it"].calls, ran.terms["it"].shared) == (4, 2)


@dataclass
class Named:
    """Reads its columns by name alone."""

    def __call__(self, completion, *, answer):
        return float(completion == answer)


def test_columns_read_by_name_count_when_rows_are_shared():
    rows = [Sample("4", columns={"answer": answer}) for answer in ("5", "4", "4")]
    ran = run(Named, rows)
    assert [score.total for score in ran.scores] == [0.0, 1.0, 1.0]
    assert (ran.terms["it"].calls, ran.terms["it"].shared) == (2, 1)


small = st.sampled_from([0, 0.0, -0.0, 1, 1.0, True, "1", None, [1], [True], {"a": 1}, {"a": 1.0}])


@given(st.lists(st.tuples(st.sampled_from("ab"), small, small), min_size=1, max_size=12))
@settings(max_examples=60)
def test_sharing_changes_no_score(rows):
    @dataclass
    class Shown:
        def __call__(self, completion, first, *, second):
            return (hash(repr((completion, first, second))) % 1000) / 1000

    @reward(deterministic=False)
    @dataclass
    class Each(Shown):
        pass

    samples = [Sample(text, columns={"first": one, "second": two}) for text, one, two in rows]
    assert values(Shown, samples) == values(Each, samples)


@pytest.mark.parametrize("kind", ["random", "keywords", "batch"])
def test_rewards_that_may_see_more_than_their_columns_are_not_shared(kind):
    called = []

    @reward(deterministic=False)
    def drawn(completion: str) -> float:
        called.append(completion)
        return random.random()

    def keywords(completion, **columns):
        called.append(completion)
        return 1.0

    def batch(completions, **columns):
        called.extend(completions)
        return [1.0] * len(completions)

    ran = run({"random": drawn, "keywords": keywords, "batch": batch}[kind], [Sample("a"), Sample("a")])
    assert called == ["a", "a"]
    assert ran.terms["it"].shared == 0


def test_every_call_gets_its_own_copy_of_mutable_columns():
    @reward
    def greedy(completion: str, tests: list[int], messages: list[dict]) -> float:
        tests.pop()
        messages[0]["content"] = "gone"
        return len(tests) / 10

    rows = [Sample(text, [{"role": "user", "content": "q"}], {"tests": [1, 2, 3]}) for text in "aba"]
    assert values(greedy, rows) == [0.2, 0.2, 0.2]
    assert all(row.columns["tests"] == [1, 2, 3] and row.prompt[0]["content"] == "q" for row in rows)


def test_batch_functions_get_copies_of_their_own_too_whatever_the_columns_hold():
    loop = [1]
    loop.append(loop)
    held = {"ids": [1, 2], "turns": [{"role": "user", "content": ["x"]}], "pair": ([3],), "loop": loop}

    def spoil(completions, ids, turns, pair, loop, **kwargs):
        ids[0].pop()
        turns[0][0]["content"].clear()
        pair[0][0].clear()
        assert loop[0][1] is loop[0], "what holds itself still does"
        loop[0].clear()
        return [1.0] * len(completions)

    rows = [Sample(text, None, held) for text in "ab"]
    first, second = run(spoil, rows).scores, run(spoil, rows).scores
    assert [score.total for score in first + second] == [1.0] * 4
    assert (held["ids"], held["turns"][0]["content"], held["pair"]) == ([1, 2], ["x"], ([3],))
    assert len(loop) == 2


def test_every_call_gets_its_own_copy_of_mutable_options():
    @reward
    def greedy(completion: str, *, words: list[str]) -> float:
        words.append(completion)
        return len(words) / 10

    @reward
    async def greedy_too(completion: str, *, words: list[str]) -> float:
        return greedy(completion, words=words)

    rows = [Sample(text) for text in "abc"]
    assert values(greedy, rows, words=["x"]) == values(greedy_too, rows, words=["x"]) == [0.2, 0.2, 0.2]


def test_batch_functions_get_the_full_batch_and_gates_apply_to_their_results():
    seen = {}

    def batch(completions, task, log_extra, **columns):
        seen["completions"] = list(completions)
        log_extra("length", [len(text) for text in completions])
        return [1.0] * len(completions)

    logged = {}
    stack = Stack({
        "short": {"use": lambda completion: float(len(completion) < 3)},
        "batch": {"use": batch, "requires": {"short": 1.0}, "when": {"task": "math"}},
    })  # fmt: skip
    columns = {"task": ["math", "math", "code"]}
    stack(prompts=["p"] * 3, completions=["a", "abcd", "b"], log_extra=logged.__setitem__, **columns)
    assert seen["completions"] == ["a", "abcd", "b"]
    assert logged["length"] == [1, 4, 1]
    assert logged["stack/batch"] == [1.0, 0.0, None]


def test_batch_functions_get_messages_as_the_trainer_hands_them():
    def contents(completions, prompts, **kwargs):
        return [
            float(completion[0]["content"] == prompt[-1]["content"])
            for completion, prompt in zip(completions, prompts)
        ]

    chat = [{"role": "assistant", "content": "hi"}]
    assert values(contents, [Sample(chat, [{"role": "user", "content": "hi"}])]) == [1.0]


def test_a_batch_reward_may_ask_for_normalised_texts():
    @reward(scope="batch")
    def texts(completion: list[str]) -> list[float]:
        return [float(text == "hi") for text in completion]

    assert values(texts, [Sample([{"role": "assistant", "content": "hi<|im_end|>"}]), Sample("ho")]) == [
        1.0,
        0.0,
    ]


def test_defaulted_batch_parameters_are_options_columns_or_defaults_in_that_order():
    def scaled(completions, scale=0.5):
        return [scale] * len(completions) if isinstance(scale, float) else scale

    assert values(scaled, [Sample("a")]) == [0.5]
    assert values(scaled, [Sample("a", columns={"scale": 0.25})]) == [0.25]
    assert values(scaled, [Sample("a", columns={"scale": 0.25})], scale=0.75) == [0.75]


def test_a_batch_dataclass_may_have_optional_columns_that_are_not_there():
    @reward(scope="batch")
    @dataclass
    class Compares:
        def __call__(self, completion: list[str], hint: list | None = None, answer: list | None = None):
            return [float(hint is None and text == gold) for text, gold in zip(completion, answer)]

    assert values(Compares, [Sample("4", columns={"answer": "4"})]) == [1.0]


def test_group_rewards_get_one_prompts_rows():
    groups = []

    @reward(scope="group")
    def rank(completions: list[str], *, best: int = 1) -> list[float]:
        groups.append(list(completions))
        longest = sorted(map(len, completions))[-best]
        return [float(len(text) >= longest) for text in completions]

    rows = [Sample("a", "p"), Sample("bb", "q"), Sample("cc", "p"), Sample("d", "q")]
    assert values(rank, rows) == [0.0, 1.0, 1.0, 0.0]
    assert groups == [["a", "cc"], ["bb", "d"]]


@pytest.mark.parametrize(
    ("returned", "error"),
    [
        ([1.0], "returned 1 value for 2 completions"),
        (1.0, "returned float, expected a list of 2 values"),
        (["1", 0.5], "returned str '1', expected a number, None or a Score"),
        ([float("nan"), 0.5], "returned nan, which is no finite number"),
    ],
)
def test_a_batch_that_returns_nonsense_is_an_error_of_its_rows(returned, error):
    assert errors(lambda completions: returned, [Sample("a"), Sample("b")])[0] == error


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("not even this")


@pytest.mark.parametrize("form", ["plain", "async"])
@pytest.mark.parametrize(
    "fault",
    [
        ValueError("no"),
        SystemExit(3),
        KeyboardInterrupt(),
        RecursionError(),
        MemoryError(),
        Mute(),
        GeneratorExit(),
    ],
)
def test_what_a_reward_raises_is_its_rows_error(fault, form):
    def plain(completion):
        if completion == "bad":
            raise fault
        return 1.0

    async def awaited(completion):
        return plain(completion)

    stack = Stack({"it": plain if form == "plain" else awaited})
    for _ in range(2):  # and the next batch is none the worse for it
        scores = stack.score([Sample("good"), Sample("bad"), Sample("fine")])
        assert [score.total for score in scores] == [1.0, None, 1.0]
        assert scores[1].rewards["it"].error.startswith(f"raised {type(fault).__name__}")


class Unshowable:
    def __repr__(self):
        raise ValueError("no repr")

    def __float__(self):
        raise ZeroDivisionError


def failing_generator():
    yield 1.0
    raise LookupError("half way")


@pytest.mark.parametrize("form", ["plain", "async"])
def test_returned_objects_that_fail_when_touched_are_their_rows_error(form):
    def odd(completion):
        return Unshowable()

    async def awaited(completion):
        return Unshowable()

    expected = "returned Unshowable <Unshowable>, expected a number, None or a Score"
    assert errors(odd if form == "plain" else awaited, [Sample("a")]) == [expected]


@pytest.mark.parametrize("form", ["plain", "async"])
def test_a_batch_that_breaks_off_half_way_is_the_error_of_its_rows(form):
    async def awaited(completions):
        return failing_generator()

    use = (lambda completions: failing_generator()) if form == "plain" else awaited
    assert errors(use, [Sample("a"), Sample("b")]) == ["raised LookupError: half way"] * 2


def test_a_dataclass_is_made_once_for_all_batches():
    made = []

    @reward
    @dataclass
    class Model:
        size: int = 1

        def __post_init__(self):
            made.append(self.size)

        def __call__(self, completion: str) -> float:
            return self.size / 10

    stack = Stack({"model": {"use": Model, "size": 3}})
    assert [stack.score_one("a").total, stack.score_one("b").total] == [0.3, 0.3]
    assert made == [3]


def test_terms_run_concurrently():
    meeting = threading.Barrier(2, timeout=5)

    def meets(completion):
        meeting.wait()
        return 1.0

    assert Stack({"one": meets, "two": meets}).score_one("a").total == 2.0


def test_the_watchdog_names_the_row_that_hangs(monkeypatch, caplog):
    monkeypatch.setattr(runner, "WATCHDOG_SECONDS", 0.1)

    def sleepy(completion):
        time.sleep(0.4 if completion == "b" else 0)
        return 1.0

    with caplog.at_level(logging.WARNING, "rewardstack"):
        run(sleepy, [Sample("a", id="first"), Sample("b", id="second")])
    assert "term 'it' has been on row 1 (id 'second')" in caplog.text
    assert caplog.text.count("has been on row") == 1


def test_clip_bounds_values_and_leaves_the_rest_alone():
    def wide(completion):
        return {"low": -5.0, "high": 5.0, "none": None}[completion]

    assert values(wide, [Sample("low"), Sample("high"), Sample("none")], clip=[-1, 2]) == [-1.0, 2.0, None]


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "x" * 10_000_000, "", "\n" * 1000])
def test_odd_texts_are_scored_like_any_other(text):
    assert values(length, [Sample(text)]) == [length(text)]


def test_values_that_cannot_be_compared_or_copied_are_that_rows_error_or_unshared():
    class Sealed:
        def __deepcopy__(self, memo):
            raise TypeError("sealed")

        def __eq__(self, other):
            raise TypeError("incomparable")

        __hash__ = None

    found = errors(
        lambda completion, thing: 1.0,
        [Sample("a", columns={"thing": Sealed()}), Sample("a", columns={"thing": 1})],
    )
    assert found == ["raised TypeError: sealed", None]


def test_a_dataclass_that_refuses_its_options_names_the_term():
    @dataclass
    class Model:
        path: str

        def __post_init__(self):
            raise FileNotFoundError(self.path)

        def __call__(self, completion):
            return 1.0

    with pytest.raises(
        OptionError, match="term 'it': Model cannot be made with its options: FileNotFoundError: here"
    ):
        values(Model, [Sample("a")], path="here")


def test_the_derived_columns_are_the_same_whatever_the_data_set_calls_its_own():
    rows = [{"completion": "b", "prompt": "a", "messages": "own", "id": "7", "answer": "x"}]
    seen = {}

    def reads(completion, messages, id, **columns):
        seen.update(messages=messages, id=id, **columns)
        return 1.0

    assert values(reads, rows) == [1.0]
    assert [message["content"] for message in seen["messages"]] == ["a", "b"]
    assert (seen["id"], seen["answer"]) == ("7", "x")


@pytest.mark.parametrize(
    ("score", "wrong"),
    [
        (Score(1.0, details=None), "details is None"),
        (Score(1.0, details={1: "a"}), "details have names that are no text"),
        (Score(1.0, reason=5), "reason is 5"),
        (Score(error=5), "error is 5"),
    ],
)
def test_a_score_whose_fields_are_of_the_wrong_kind_is_an_error(score, wrong):
    assert errors(lambda completion: score, [Sample("a")]) == [f"returned a Score whose {wrong}"]


def test_a_batch_that_cannot_be_copied_is_the_error_of_its_rows():
    rows = [Sample("a", columns={"lock": threading.Lock()}), Sample("b", columns={"lock": threading.Lock()})]
    found = errors(lambda completions, lock: [1.0, 1.0], rows)
    assert all(error.startswith("a column cannot be copied for it: raised TypeError") for error in found)


def test_when_compares_what_can_be_compared():
    class Array:
        def __eq__(self, other):
            raise ValueError("the truth value of an array is ambiguous")

        __hash__ = None

    rows = [Sample("a", columns={"k": value}) for value in (Array(), 1, True, 1.0, "1")]
    scores = Stack({"it": {"use": lambda completion: 1.0, "when": {"k": 1}}}).score(rows)
    assert [score.total for score in scores] == [None, 1.0, None, 1.0, None]


@pytest.mark.parametrize(
    "completion", [5, b"x", [5], float("nan"), [{"role": "assistant", "content": "x"}, 5]]
)
def test_a_completion_that_is_none_is_refused(completion):
    with pytest.raises(RecordError, match="expected text or a list of messages|is no message"):
        Stack({"length": length}).score([Sample(completion)])


@pytest.mark.parametrize("values_given", [["1"], "12", 5, ("1", "2", "3")])
def test_columns_that_do_not_fit_the_completions_are_refused_by_name(values_given):
    stack = Stack({"it": lambda completion, answer: 1.0})
    with pytest.raises(
        ColumnError, match="the column 'answer' must be a list of 2 values, one a completion, not "
    ):
        stack(prompts=["p", "p"], completions=["a", "b"], answer=values_given)
