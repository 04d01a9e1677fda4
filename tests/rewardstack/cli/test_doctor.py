"""`rewards doctor`: what is installed, and whether it works."""

import importlib.metadata
import json
import types

import pytest

from rewardstack import hookimpl, workers
from rewardstack.cli import GROUP as COMMANDS_GROUP
from rewardstack.cli.doctor import layer_lines
from rewardstack.registry import GROUP


@pytest.fixture
def fresh_workers():
    """Let the command start its own worker processes, and end them after it."""
    workers.close_pool()
    yield
    workers.close_pool()


@pytest.fixture
def entries(monkeypatch):
    """Add entry points to those that are installed."""
    real = importlib.metadata.entry_points

    def add(*added):
        points = [importlib.metadata.EntryPoint(*each) for each in added]
        monkeypatch.setattr(
            importlib.metadata,
            "entry_points",
            lambda group: [*real(group=group), *(point for point in points if point.group == group)],
        )

    return add


@pytest.mark.usefixtures("fresh_workers")
def test_a_sound_installation(run):
    result = run("doctor", "--json")
    facts = json.loads(result.stdout)
    assert (result.exit_code, facts["broken"]) == (0, {})
    assert facts["rewardstack"] == importlib.metadata.version("rewardstack")
    assert "format" in [plugin["plugin"] for plugin in facts["plugins"]]
    assert facts["workers"]["count"] == workers.default_size()
    assert 0 < facts["workers"]["call_seconds"] < facts["workers"]["start_seconds"] < 60
    assert facts["extras"]["data"]["install"] == "pip install 'rewardstack[data]'"
    assert set(facts["extras"]["data"]["libraries"]) == {"pyarrow", "datasets"}
    assert "all" not in facts["extras"]


@pytest.mark.usefixtures("fresh_workers")
def test_it_is_shown_in_80_columns(run):
    shown = run("doctor").stdout
    assert max(map(len, shown.splitlines())) <= 80
    for label in ("rewardstack", "python", "platform", "plugins", "extras", "workers", "sandboxes", "probes"):
        assert f"\n{label} " in f"\n{shown}"
    assert shown.splitlines()[-1] == "broken       nothing"


@pytest.mark.usefixtures("fresh_workers")
def test_missing_extras_come_with_their_pip_line(run, monkeypatch):
    real = importlib.metadata.version

    def version(name):
        if name in ("datasets", "pyarrow"):
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    result = run("doctor")
    assert "data: pip install 'rewardstack[data]' (missing: datasets, pyarrow)" in result.stdout
    assert result.exit_code == 0


@pytest.mark.usefixtures("fresh_workers")
def test_what_is_broken_is_a_finding(run, entries):
    entries(
        ("gone", "no_such_module", GROUP),
        ("format", "another_package", GROUP),
        ("list", "somewhere:command", COMMANDS_GROUP),
        ("train", "no_such_module:command", COMMANDS_GROUP),
    )
    result = run("doctor", "--json")
    broken = json.loads(result.stdout)["broken"]
    assert result.exit_code == 1
    assert set(broken) == {"gone", "format", "command list", "command train"}
    assert "No module named 'no_such_module'" in broken["gone"]
    assert "has two owners: an unknown distribution and rewardstack" in broken["format"]
    assert "has the name of a command of rewards itself" in broken["command list"]


def test_workers_that_do_not_start_are_a_finding(run, monkeypatch):
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "many")
    workers.close_pool()
    result = run("doctor", "--json")
    assert result.exit_code == 1
    assert "'many'" in json.loads(result.stdout)["broken"]["workers"]


@pytest.mark.usefixtures("fresh_workers")
def test_the_number_of_workers_has_its_reason(run, monkeypatch):
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
    shown = " ".join(run("doctor").stdout.split())
    assert "workers 1 (the cores this process may use, shared by LOCAL_WORLD_SIZE=8 ranks)" in shown
    workers.close_pool()
    monkeypatch.setenv("REWARDSTACK_WORKERS", "3")
    facts = json.loads(run("doctor", "--json").stdout)["workers"]
    assert (facts["count"], facts["because"]) == (3, "REWARDSTACK_WORKERS says so")


@pytest.mark.usefixtures("fresh_workers")
def test_sandboxes_and_probes_of_plugins_are_listed(run, entries, monkeypatch):
    plugin = types.ModuleType("hooked")

    @hookimpl
    def rewards_sandboxes(register):
        register("cage", dict, "Runs code in a cage.")

    @hookimpl
    def rewards_audit_probes(register):
        register("echo", list, "Repeats the prompt.")

    plugin.rewards_sandboxes, plugin.rewards_audit_probes = rewards_sandboxes, rewards_audit_probes
    monkeypatch.setitem(__import__("sys").modules, "hooked_for_the_doctor", plugin)
    entries(("hooked", "hooked_for_the_doctor", GROUP))
    shown = run("doctor").stdout.splitlines()
    assert "sandboxes    cage: Runs code in a cage." in shown
    assert "             echo: Repeats the prompt." in shown


LAYERS = {"seccomp": "degraded (no filter)", "limits": "active (memory)", "environment": "active"}


def test_layers_that_are_active_share_a_line_unless_all_is_wanted():
    assert list(layer_lines(LAYERS, everything=False)) == [
        "active: limits, environment",
        "seccomp: degraded (no filter)",
    ]
    assert list(layer_lines(LAYERS, everything=True)) == [
        f"{name}: {state}" for name, state in LAYERS.items()
    ]
    assert list(layer_lines({"not available": "active no more"}, everything=False)) == [
        "not available: active no more"
    ]


@pytest.mark.usefixtures("fresh_workers")
def test_sandboxes_take_few_lines_and_verbosely_show_every_layer(run):
    pytest.importorskip("RestrictedPython")
    short, long = run("doctor").stdout, run("doctor", "-v").stdout
    assert len(long.splitlines()) > len(short.splitlines()) + 5
    assert "               environment: active (empty)" in long.splitlines()
    assert "environment: active" not in short


@pytest.mark.usefixtures("fresh_workers")
def test_what_is_blocked_is_shown(run, monkeypatch):
    monkeypatch.setenv("REWARDSTACK_PLUGINS", "format")
    shown = run("--no-plugin", "format", "doctor").stdout
    assert "allowed      only format (REWARDSTACK_PLUGINS)" in shown
    assert "blocked      format" in shown
