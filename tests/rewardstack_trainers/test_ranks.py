"""One rank and two: the same rewards, the same metrics, and a stop that all ranks take at the same step."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl")
pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("two_ranks.py")


def run(folder, ranks, kind):
    """Run the script on some ranks and return what each wrote."""
    folder.mkdir(exist_ok=True)
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node", str(ranks), "--standalone"] * (ranks > 1)
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "PASSIVE",
        "CUDA_VISIBLE_DEVICES": "",
    }
    done = subprocess.run(
        [sys.executable, *launcher, str(SCRIPT), str(folder), kind],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads((folder / f"{ranks}-{rank}.json").read_text()) for rank in range(ranks)]


def test_two_ranks_reward_and_measure_as_one(tmp_path):
    (alone,) = run(tmp_path / "one", 1, "equal")
    both = run(tmp_path / "two", 2, "equal")
    assert sorted(alone["scored"]) == sorted(both[0]["scored"] + both[1]["scored"])
    assert len(alone["scored"]) == 48
    assert both[0]["logs"] == both[1]["logs"]
    for one, two in zip(alone["logs"], both[0]["logs"], strict=True):
        assert one.keys() == two.keys()
        for key, value in one.items():
            assert two[key] == (value if value is None else pytest.approx(value, rel=1e-6)), key


def test_errors_on_one_rank_stop_all_at_the_same_step_with_the_cause(tmp_path):
    outcomes = run(tmp_path, 2, "errors")
    assert {outcome["step"] for outcome in outcomes} == {2}, "12 errors of 200 are more than 5 %"
    for outcome in outcomes:
        assert "12 of the last 48 rows erred on 2 ranks" in outcome["error"]
        assert "broken: raised ValueError: no gold for p3" in outcome["error"]


def test_all_ranks_stop_early_at_the_same_step_where_one_has_reason_to(tmp_path):
    first, second = run(tmp_path, 2, "stop")
    assert (first["step"], second["step"]) == (2, 2)
    assert (first["stop"], second["stop"]) == ("another rank stopped", "enough")
    assert len(first["scored"]) == len(second["scored"]) == 2 * 8


def test_an_alarm_on_one_rank_stops_all_at_the_same_step(tmp_path):
    outcomes = run(tmp_path, 2, "alarm")
    assert [outcome["step"] for outcome in outcomes] == [2, 2]
