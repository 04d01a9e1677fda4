import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardstack.report.advantages import EPSILON, grpo_advantages

values = st.one_of(st.none(), st.floats(-5, 5, allow_nan=False))


def pairs(size):
    return [[row, row + 1] for row in range(0, size, 2)]


def test_a_group_of_right_and_wrong_is_centred_and_scaled_by_its_deviation():
    found = grpo_advantages([[1.0], [0.0]], [1.0], [[0, 1]])
    deviation = 0.5**0.5
    assert found == pytest.approx([0.5 / (deviation + EPSILON), -0.5 / (deviation + EPSILON)], abs=1e-12)


def test_scale_none_only_centres():
    assert grpo_advantages([[3.0], [1.0]], [2.0], [[0, 1]], scale="none") == [2.0, -2.0]


def test_a_masked_row_moves_neither_itself_nor_the_baseline():
    found = grpo_advantages([[1.0], [0.0], [None]], [1.0], [[0, 1, 2]], scale="none")
    assert found == [0.5, -0.5, 0.0]


def test_groups_may_differ_in_size_and_stand_anywhere():
    rows = [[1.0], [5.0], [3.0], [5.0], [5.0]]
    assert grpo_advantages(rows, [1.0], [[0, 2], [1, 3, 4]], scale="none") == [-1.0, 0.0, 1.0, 0.0, 0.0]


@given(st.lists(st.floats(-5, 5, allow_nan=False), min_size=2, max_size=8))
def test_advantages_of_a_group_sum_to_nothing(totals):
    found = grpo_advantages([[total] for total in totals], [1.0], [range(len(totals))], scale="none")
    assert sum(found) == pytest.approx(0, abs=1e-9)


def advantages_by_torch(rows, weights, size, scale, normalise_terms):
    """Recompute with the lines of TRL 1.16's GRPOTrainer, in 64 bits."""
    import torch
    from trl.trainer.utils import nanstd

    rewards_per_func = torch.tensor(
        [[float("nan") if v is None else v for v in row] for row in rows]
    ).double()
    reward_weights = torch.tensor(weights).double()
    unscorable = torch.isnan(rewards_per_func).all(dim=1)
    if normalise_terms:
        grouped = rewards_per_func.view(-1, size, len(weights))
        mean_k = torch.nanmean(grouped, dim=1, keepdim=True)
        std_k = nanstd(grouped, dim=1, keepdim=True) if size > 1 else torch.zeros_like(mean_k)
        reward_k = ((grouped - mean_k) / (std_k + 1e-4)).view(-1, len(weights))
        rewards = (reward_k * reward_weights.unsqueeze(0)).nansum(dim=1)
        rewards[unscorable] = torch.nan
        std = nanstd(rewards).expand_as(rewards) if rewards.numel() > 1 else torch.zeros_like(rewards)
        advantages = (rewards - torch.nanmean(rewards)) / (std + 1e-4)
        return torch.nan_to_num(advantages, nan=0.0).tolist()
    rewards = (rewards_per_func * reward_weights.unsqueeze(0)).nansum(dim=1)
    rewards[unscorable] = torch.nan
    mean = torch.nanmean(rewards.view(-1, size), dim=1).repeat_interleave(size, dim=0)
    if scale in ["group", "none"]:
        std = nanstd(rewards.view(-1, size), dim=1) if size > 1 else torch.zeros(len(rows) // size)
        std = std.repeat_interleave(size, dim=0)
    else:
        std = nanstd(rewards).expand_as(rewards) if rewards.numel() > 1 else torch.zeros_like(rewards)
    advantages = rewards - mean
    if scale != "none":
        advantages = advantages / (std + 1e-4)
    return torch.nan_to_num(advantages, nan=0.0).tolist()


@pytest.mark.parametrize("normalise_terms", [False, True])
@pytest.mark.parametrize("scale", ["group", "batch", "none"])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_advantages_equal_those_of_trl(size, scale, normalise_terms):
    pytest.importorskip("torch")
    pytest.importorskip("trl")

    # exactly equal values of a group may leave torch a deviation of one rounding; a coarse grid keeps both at zero
    coarse = st.one_of(st.none(), st.integers(-8, 8).map(lambda number: number / 4))
    batches = st.integers(1, 4).flatmap(
        lambda groups: st.lists(st.tuples(coarse, coarse), min_size=groups * size, max_size=groups * size)
    )

    @settings(max_examples=40)
    @given(batches, st.sampled_from([[1.0, 1.0], [2.0, 0.5], [1.0, -0.5]]))
    def equal(rows, weights):
        groups = [list(range(start, start + size)) for start in range(0, len(rows), size)]
        ours = grpo_advantages(rows, weights, groups, scale=scale, normalise_terms=normalise_terms)
        theirs = advantages_by_torch(rows, weights, size, scale, normalise_terms)
        assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-6)

    equal()
