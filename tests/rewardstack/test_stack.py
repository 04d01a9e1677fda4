from rewardstack import Stack, reward


@reward
def brief(completion: str, *, limit: int = 200) -> float:
    """1 at or under `limit` words, falling to 0 at twice that."""
    return max(0.0, min(1.0, 2 - len(completion.split()) / limit))


def test_a_stack_scores_in_order():
    stack = Stack({"brief": {"use": brief, "limit": 2, "weight": 2.0}})
    scores = stack.score([{"completion": "a b"}, {"completion": "a b c"}])
    assert [score.total for score in scores] == [2.0, 1.0]
