"""What the plugin gives audits: found by the registry, and true to what each probe says of itself."""

import json
from pathlib import Path

import pytest

from rewardstack import extensions
from rewardstack_code import tests

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "examples/code/completions.jsonl")
    .read_text("utf-8")
    .splitlines()
]
RIGHT = [row for row in ROWS if row["label"] and row["tests"]][:8]
PROBES = {one.name: one for one in extensions("rewards_audit_probes") if one.name.startswith("code.")}


def test_the_registry_collects_them():
    assert {"code.renamed", "code.uncommented", "code.reformatted", "code.exits"} <= PROBES.keys()
    assert all(one.summary for one in PROBES.values())


@pytest.mark.parametrize("name", sorted(PROBES))
def test_a_sound_reward_pays_what_the_probe_says(name):
    probe = PROBES[name].make
    changed = [probe(**row) for row in RIGHT]
    scores = tests(where="fence")(
        changed,
        [row["tests"] for row in RIGHT],
        entry_point=[row["entry_point"] for row in RIGHT],
    )
    assert [score.value for score in scores] == [float(probe.keeps_meaning)] * len(RIGHT)
    assert all(one != row["completion"] for one, row in zip(changed, RIGHT, strict=True))


def test_the_rest_of_the_completion_stays():
    completion = "<think>x = 1</think>Here:\n```python\nx = 1  # one\n```\nDone."
    assert PROBES["code.uncommented"].make(completion=completion) == completion.replace("  # one", "")


@pytest.mark.parametrize("name", sorted(PROBES))
def test_a_completion_without_code_gives_none(name):
    assert PROBES[name].make(completion="```bash\nls\n```") is None
