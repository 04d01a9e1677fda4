"""`rewards new`: the plugin it writes installs, is found, and passes its own tests."""

import importlib.metadata
import os
import subprocess
import sys
import tomllib

import pytest


def test_it_writes_a_whole_distribution(run, folder):
    result = run("new", "no-smalltalk", "--path", "plugins")
    root = folder / "plugins" / "rewardstack-no-smalltalk"
    assert result.exit_code == 0
    assert sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()) == [
        ".gitignore",
        "README.md",
        "pyproject.toml",
        "src/rewardstack_no_smalltalk/__init__.py",
        "src/rewardstack_no_smalltalk/no_smalltalk.py",
        "src/rewardstack_no_smalltalk/py.typed",
        "tests/test_no_smalltalk.py",
    ]
    assert [path.name for path in (folder / "plugins").iterdir()] == ["rewardstack-no-smalltalk"]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert project["name"] == "rewardstack-no-smalltalk"
    assert project["dependencies"] == [f"rewardstack>={importlib.metadata.version('rewardstack')}"]
    assert project["entry-points"] == {
        "rewardstack": {"no_smalltalk": "rewardstack_no_smalltalk.no_smalltalk"}
    }
    assert "rewards try no_smalltalk.no_smalltalk" in result.stdout


def test_no_placeholder_is_left(run, folder):
    run("new", "brief")
    for path in (folder / "rewardstack-brief").rglob("*"):
        assert not path.is_file() or "$" not in path.read_text()


@pytest.mark.slow
def test_what_it_writes_installs_and_passes_its_own_tests(run, folder):
    run("new", "very-brief")
    root, target = folder / "rewardstack-very-brief", folder / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--no-index"]
    environment = {**os.environ, "PYTHONPATH": str(target)}

    def call(*command):
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    call(*pip, "--quiet", "--target", str(target), ".")
    assert "5 passed" in call(sys.executable, "-m", "pytest", "-W", "error", "-p", "no:cacheprovider")
    assert "very_brief.very_brief  1 at or" in call(
        sys.executable, "-m", "rewardstack.cli", "list", "very_brief"
    )
    assert (target / "rewardstack_very_brief" / "py.typed").exists()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("3d", "must be lower-case letters, digits and single underscores or hyphens"),
        ("Brief", "must be lower-case letters"),
        ("a--b", "must be lower-case letters"),
        ("../up", "must be lower-case letters"),
        ("", "must be lower-case letters"),
        ("class", "is a word of Python itself"),
        ("max", "is a function of Python itself, which the reward would hide"),
        ("rewards", "would hide a name of rewardstack"),
        ("rewardstack-x", "would hide a name of rewardstack"),
        ("testing", "would be taken for a test"),
    ],
)
def test_a_name_that_cannot_be_is_refused(told, folder, name, why):
    before = sorted(folder.iterdir())
    assert f"NAME: {name!r} {why}" in told("new", name)
    assert sorted(folder.iterdir()) == before


def test_a_name_that_is_taken_is_refused(told, monkeypatch):
    entry = importlib.metadata.EntryPoint("polite", "somewhere", "rewardstack")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry])
    assert "there is a plugin 'polite' already, from an unknown distribution" in told("new", "polite")


def test_without_a_name_one_line_says_what_is_missing(run):
    result = run("new")
    assert result.exit_code == 2
    assert result.stderr == "Usage: rewards new [OPTIONS] NAME\nerror: missing argument 'NAME'\n"


def test_a_folder_that_is_there_is_left_alone(told, folder):
    (folder / "rewardstack-brief").mkdir()
    assert "rewardstack-brief exists already; remove it, or choose another name" in told("new", "brief")
    assert list((folder / "rewardstack-brief").iterdir()) == []


def test_a_place_that_cannot_be_written_to_is_told_of(told, folder):
    assert "cannot write my.py/rewardstack-brief" in told("new", "brief", "--path", "my.py/")
