import pytest

from rewardstack import Stack, StackError
from rewardstack_format import truncated


@pytest.mark.parametrize(
    ("ids", "value"),
    [([5, 6, 2], 0.0), ([2], 0.0), ([5, 2, 6], -1.0), ([5, 6], -1.0), ([], -1.0), ((5, 2), 0.0)],
)
def test_tokens_must_end_in_an_end_of_sequence_id(ids, value):
    assert truncated(ids, eos=2).value == value


def test_there_may_be_several_ends():
    assert [truncated([5, last], eos=(2, 7)).value for last in (2, 7, 8)] == [0.0, 0.0, -1.0]


def test_padding_is_left_out_where_it_is_named():
    assert truncated([5, 2, 0, 0], eos=2).value == -1.0
    assert truncated([5, 2, 0, 0], eos=2, pad=0).value == 0.0
    assert truncated([5, 0, 0], eos=2, pad=0).value == -1.0
    assert truncated([0, 0], eos=2, pad=0).reason == "there are no tokens"
    assert truncated([5, 2, 2], eos=2, pad=2).value == 0.0


def test_a_stack_must_say_which_id_ends_a_sequence():
    with pytest.raises(StackError, match="needs the option 'eos'"):
        Stack({"cut": "format.truncated"})
    with pytest.raises(StackError, match="completion_ids"):
        Stack({"cut": {"use": "format.truncated", "eos": 2}}).score_one("text")


def test_in_a_stack_one_id_or_a_list_will_do():
    for eos in (2, [2, 7]):
        stack = Stack({"cut": {"use": "format.truncated", "eos": eos}})
        rows = [{"completion": "x", "completion_ids": ids} for ids in ([1, 2], [1, 3])]
        assert [score.total for score in stack.score(rows)] == [0.0, -1.0]
