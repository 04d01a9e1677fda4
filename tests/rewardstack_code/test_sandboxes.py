"""Sandboxes by name: ours, those of plugins, none."""

import types

import pytest

from rewardstack import Stack, StackError, hookimpl
from rewardstack.registry import registry
from rewardstack_code import sandboxes
from rewardstack_sandbox import ExecutionResult, Layer, Status, TestReport, wire

ADD = "```python\ndef add(a, b):\n    return a + b\n```"
ASSERTS = ["assert add(1, 2) == 3"]


class Believing:
    """A backend that believes every program, but for one that it cannot run."""

    closed = 0

    def run_many(self, jobs):
        return [
            wire.infrastructure_error(job, "full")
            if "busy" in job.program
            else TestReport(True, Status.accepted, total=1)
            for job in jobs
        ]

    def capabilities(self):
        return (Layer("belief", "active"),)

    def close(self):
        Believing.closed += 1


@pytest.fixture
def plugin():
    """Register two backends under names of their own, one of which is none."""
    module = types.ModuleType("believing")

    @hookimpl
    def rewards_sandboxes(register):
        register("believing", lambda **_: Believing(), "believes every program")
        register("hollow", dict, "no backend at all")

    module.rewards_sandboxes = rewards_sandboxes
    registry().add(module, "believing")
    yield
    sandboxes.close_made()
    registry.cache_clear()


def stack(isolation):
    return Stack({"tests": {"use": "rewardstack_code:tests", "isolation": isolation}})


def test_a_plugins_sandbox_runs_the_jobs(plugin):
    found = stack("believing")
    wrong, busy = "```python\ndef add(a, b): return 0\n```", "```python\nbusy = 1\n```"
    assert found.score_one(wrong, tests=ASSERTS).total == 1.0
    score = found.score_one(busy, tests=ASSERTS).rewards["tests"]
    assert (score.value, score.error) == (None, "the tests could not be run: full")


def test_it_is_made_once_and_closed(plugin):
    first = sandboxes.find_sandbox("believing")
    assert sandboxes.find_sandbox("believing") is first
    before = Believing.closed
    sandboxes.close_made()
    assert Believing.closed == before + 1


def test_what_is_no_backend_is_told(plugin):
    with pytest.raises(StackError, match="'hollow' lacks run_many"):
        sandboxes.find_sandbox("hollow")


def test_an_unknown_name_is_refused_when_the_stack_is_loaded(plugin):
    with pytest.raises(StackError, match="isolation must be one of strict, .*, believing, .*, not 'strickt'"):
        stack("strickt")


@pytest.mark.parametrize("isolation", ["strict", "best_effort", "restricted", "monty"])
def test_our_own(isolation):
    if isolation in ("restricted", "monty"):
        pytest.importorskip({"restricted": "RestrictedPython", "monty": "pydantic_monty"}[isolation])
    assert stack(isolation).score_one(ADD, tests=ASSERTS).total == 1.0


def test_equal_jobs_are_done_once_and_none_stays_none():
    seen = []

    class Counting(Believing):
        def run_many(self, jobs):
            seen.append(len(jobs))
            return [ExecutionResult(Status.accepted, job.program) for job in jobs]

    from rewardstack_sandbox import Limits, Run

    sandboxes._made["counting"] = Counting()
    jobs = [Run("a"), None, Run("a"), Run("a", "1"), Run("a", limits=Limits(wall=1))]
    results = sandboxes.run_distinct(jobs, "counting")
    sandboxes.close_made()
    assert [result and result.stdout for result in results] == ["a", None, "a", "a", "a"]
    assert seen == [3]
