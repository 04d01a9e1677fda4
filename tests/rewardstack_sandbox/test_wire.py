"""Jobs and results survive the way through JSON."""

import json

import pytest

from rewardstack_sandbox import Limits, Run, Tests, wire

JOBS = [
    Run("print(input())", "\ud800é", ("a", "b"), Limits(wall=2.0, cpu=1.0)),
    Run("1 / 0"),
    Tests("def f(x): return x", ["assert f(1) == 1", "assert f(1) == 2"], setup="import math"),
    Tests("def f(x): return x", "def check(g):\n    assert g(1) == 1", "f", stop_early=True),
]


@pytest.mark.parametrize("job", JOBS)
def test_jobs(job):
    sent = json.loads(json.dumps(wire.job_to_data(job)))
    back = wire.job_from_data(sent)
    assert type(back) is type(job)
    assert wire.job_to_data(back) == {
        **wire.job_to_data(job),
        **({"args": sent["args"]} if "args" in sent else {}),
    }


def test_results(sandbox):
    results = sandbox.run_many(JOBS)
    assert [result.status for result in results] == ["accepted", "runtime_error", "wrong_answer", "accepted"]
    assert [
        wire.result_from_data(json.loads(json.dumps(wire.result_to_data(one)))) for one in results
    ] == results


def test_unknown_fields_are_refused():
    with pytest.raises(TypeError, match="language"):
        wire.job_from_data({"program": "", "language": "rust"})


@pytest.mark.parametrize("job", JOBS[1:3])
def test_what_could_not_be_done(job):
    result = wire.infrastructure_error(job, "the container is gone")
    assert (result.status, result.reason) == ("infrastructure_error", "the container is gone")
