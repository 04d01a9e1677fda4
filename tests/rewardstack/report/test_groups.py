import pytest

from rewardstack import Stack
from rewardstack.report.groups import find_groups
from rewardstack.sample import Sample


def group(prompts, completions, terms=None, **options):
    stack = Stack(terms or {"it": lambda completion: float(completion)})
    samples = [Sample(text, prompt) for prompt, text in zip(prompts, completions, strict=True)]
    return find_groups(samples, stack.score(samples), stack.terms, **options)


def test_groups_without_variance_are_counted():
    found = group("aabbcc", ["1", "0", "1", "1", "0", "x"])
    assert (found.rows, found.flat, found.flat_share) == ([[0, 1], [2, 3], [4, 5]], 2, 2 / 3)


def test_rows_of_their_own_and_rows_without_a_prompt_are_in_no_group():
    assert group(["a", "b", None, None, ""], ["1", "0", "1", "0", "1"]) is None


def test_advantages_keep_the_place_of_their_row():
    found = group("xabab", ["9", "1", "0", "3", "0"], scale="none")
    assert found.advantages == [0.0, -1.0, 0.0, 1.0, 0.0]


def test_chat_prompts_are_groups_too():
    prompt = [{"role": "user", "content": "?"}]
    assert group([prompt, list(prompt)], ["1", "0"]).rows == [[0, 1]]


def test_terms_can_be_normalised_before_they_are_summed():
    terms = {
        "big": lambda completion: 100.0 * (completion == "b"),
        "small": lambda completion: 1.0 * (completion == "s"),
    }
    big, small, none = group("aaa", "bsn", terms, normalise_terms=True).advantages
    assert big == pytest.approx(small, rel=1e-3)  # but for the epsilon of the divisor both terms count alike
    assert big > 0 > none
    big, small, none = group("aaa", "bsn", terms).advantages
    assert big > 0 > small > none


def test_a_masked_row_has_no_advantage_whatever_its_terms_gave():
    terms = {"good": lambda completion: 1.0, "bad": lambda completion: float(completion)}
    for normalise in (False, True):
        found = group("aaa", ["1", "0", "x"], terms, normalise_terms=normalise)
        assert found.advantages[2] == 0.0
        assert found.advantages[0] == -found.advantages[1] != 0
