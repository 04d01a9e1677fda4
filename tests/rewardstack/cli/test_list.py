"""`rewards list`: what is installed, and what is broken."""

import importlib.metadata
import json
import sys
import types

import pytest

from rewardstack import reward
from rewardstack.registry import GROUP


@pytest.fixture
def plugins(monkeypatch):
    """Install plugins, each a module made here or the name of one that is not there."""

    def install(**modules):
        entries = []
        for name, module in modules.items():
            value = module if isinstance(module, str) else f"_plugin_{name}"
            if not isinstance(module, str):
                monkeypatch.setitem(sys.modules, value, module)
            entries.append(importlib.metadata.EntryPoint(name, value, GROUP))
        monkeypatch.setattr(
            importlib.metadata, "entry_points", lambda group: entries if group == GROUP else []
        )

    return install


def module_of(*rewards):
    module = types.ModuleType("made_here")
    module.__all__ = [each.__name__ for each in rewards]
    for each in rewards:
        setattr(module, each.__name__, each)
    return module


@reward
def polite(completion: str, answer: str = "", *, words: tuple[str, ...] = ("please",)) -> float:
    """1 when it says please.

    Longer words.
    """
    return float(any(word in completion for word in words))


@reward
def odd(completion: str, *, level: int) -> float:
    """1 for odd lengths."""
    return float(len(completion) % 2 + level)


def test_rewards_stand_under_their_plugin_with_their_first_line(run, plugins):
    plugins(tone=module_of(polite, odd))
    assert run("list").stdout.splitlines() == [
        "tone           an unknown distribution",
        "  tone.odd     1 for odd lengths.",
        "  tone.polite  1 when it says please.",
    ]


def test_verbosely_with_columns_and_options(run, plugins):
    plugins(tone=module_of(polite, odd))
    for arguments in (("-v", "list"), ("list", "-v")):
        shown = [line.strip() for line in run(*arguments).stdout.splitlines()]
        assert "reads completion, answer (optional)" in shown
        assert "words = ('please',) (list of text)" in shown
        assert "level (required; whole number)" in shown


def test_a_broken_plugin_is_told_of_and_harms_nobody(run, plugins):
    plugins(gone="no_such_module", tone=module_of(polite))
    assert run("list", "-q").stderr == ""
    result = run("list")
    assert result.exit_code == 0
    assert "tone.polite" in result.stdout
    assert result.stderr.startswith("broken: gone: ModuleNotFoundError: No module named 'no_such_module'")


def test_json_has_both(run, plugins):
    plugins(gone="no_such_module", tone=module_of(polite))
    data = json.loads(run("list", "--json").stdout)
    assert list(data["broken"]) == ["gone"]
    (plugin,) = data["plugins"]
    assert plugin["plugin"] == "tone"
    (listed,) = plugin["rewards"]
    assert listed["columns"] == {"completion": True, "answer": False}
    assert listed["options"] == {"words": {"type": "list of text", "required": False, "default": ["please"]}}


def test_one_plugin(run):
    result = run("list", "format")
    assert result.exit_code == 0
    assert "  format.tags " in result.stdout


def test_a_plugin_that_is_not_there_names_the_nearest(told):
    assert "no plugin called 'fromat' (did you mean 'format'?)" in told("list", "fromat")


def test_a_plugin_asked_for_by_name_must_load(told, plugins):
    plugins(gone="no_such_module")
    assert "plugin 'gone' (from an unknown distribution) cannot be loaded" in told("list", "gone")


def test_no_plugins_at_all(run, plugins):
    plugins()
    result = run("list")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "no plugin with rewards is installed\n"


def test_lines_fit_the_terminal(run, monkeypatch):
    for columns in (60, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert max(map(len, run("list", "-v").stdout.splitlines())) <= columns
