"""Gold answers of published sets as completions, in five phrasings; and another row's answer in the same."""

import pytest
from tests.benchmarks.bench_science import golds_in, phrase_golds
from tests.rewardstack_science.conftest import DATA

GOLDS = golds_in(DATA)


@pytest.mark.parametrize("source", GOLDS)
def test_golds_are_accepted_and_those_of_other_rows_are_not(source):
    own, others = phrase_golds(GOLDS[source])
    refused = [(completion, row["answer"]) for row, completion, said in own if not said]
    accepted = [(completion, row["answer"]) for row, completion, said in others if said]
    assert len(own) >= 700
    assert len(refused) <= 0.005 * len(own), refused[:5]
    assert len(accepted) <= 0.002 * len(others), accepted[:5]
