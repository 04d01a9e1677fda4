import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack import Stack, reward
from rewardstack.errors import ColumnError
from rewardstack.report.scoring import score_in_chunks
from rewardstack.sample import Sample


@reward(scope="group")
def largest(completion: list[str]) -> list[float]:
    return [float(len(each) == max(map(len, completion))) for each in completion]


def length(completion, answer="?"):
    return len(completion) / 100


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.text("x", max_size=4)), min_size=1, max_size=30),
    st.integers(1, 5),
)
def test_no_score_depends_on_where_the_samples_are_cut(rows, size):
    stack = Stack({"largest": largest, "length": length})
    samples = [Sample(completion, prompt) for prompt, completion in rows]
    cut = score_in_chunks(stack, samples, size=size)
    whole = stack.run(samples)
    assert [score.total for score in cut.scores] == [score.total for score in whole.scores]
    assert [score.id for score in cut.scores] == [score.id for score in whole.scores]
    assert [score.value for score in cut.terms["largest"].scores] == [
        score.value for score in whole.terms["largest"].scores
    ]
    assert cut.terms["length"].calls + cut.terms["length"].shared == len(rows)


def test_somebody_is_told_how_far_it_is():
    told = []
    score_in_chunks(Stack({"length": length}), [Sample("x")] * 10, size=4, tell=told.append)
    assert told == [4, 4, 2]


def test_a_batch_reward_gets_all_rows_at_once_unless_told_otherwise():
    seen = []

    def counted(completions):
        seen.append(len(completions))
        return [1.0] * len(completions)

    samples = [Sample("x")] * 100
    score_in_chunks(Stack({"it": counted}), samples)
    score_in_chunks(Stack({"it": counted}), samples, size=60)
    assert seen == [100, 60, 40]


def test_slow_rewards_are_cut_into_small_chunks():
    told = []

    def slow(completion):
        time.sleep(0.05)
        return 1.0

    score_in_chunks(Stack({"it": slow}), [Sample(str(row)) for row in range(90)], tell=told.append)
    assert told[0] == 64
    assert told[1] < 20


def test_a_column_that_only_later_rows_have_is_known_from_the_start():
    def strict(completion, answer):
        return float(completion == answer)

    samples = [Sample("a", None, {"task": "x"}), Sample("b", None, {"answer": "b"})]
    run = score_in_chunks(Stack({"it": strict}), samples, size=1)
    assert run.scores[0].rewards["it"].error == "the row has no column 'answer'"
    assert run.scores[1].total == 1.0
    with pytest.raises(ColumnError, match="'answer'"):
        score_in_chunks(Stack({"it": strict}), samples[:1], size=1)
