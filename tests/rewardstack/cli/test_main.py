"""The group of commands: its listing, its errors, its exit codes, and what plugins add to it."""

import importlib.metadata
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from rewardstack import cli


class Entries:
    """Stands in for the entry points of installed distributions."""

    def __init__(self, **targets):
        self.entries = [
            importlib.metadata.EntryPoint(name, value, cli.GROUP) for name, value in targets.items()
        ]

    def __call__(self, group):
        return self.entries if group == cli.GROUP else []


@pytest.fixture
def plugin_commands(monkeypatch):
    def install(**targets):
        monkeypatch.setattr(importlib.metadata, "entry_points", Entries(**targets))

    return install


def test_help_lists_every_command_and_the_exit_codes(run):
    result = run("--help")
    assert result.exit_code == 0
    for name, entry in cli.COMMANDS.items():
        assert re.search(rf"^  {name} +{entry.help.split()[0]}", result.output, re.MULTILINE), name
    for code in (0, 1, 2, 3, 130, 141):
        assert re.search(rf"^ +{code} ", result.output, re.MULTILINE)
    assert max(map(len, result.output.splitlines())) <= 80


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_every_command_explains_itself_in_80_columns(run, name):
    result = run(name, "--help")
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80
    assert f"Usage: rewards {name} " in result.output


def test_listing_imports_no_command():
    code = """
        import sys
        from rewardstack.cli import rewards
        try:
            rewards(["--help"])
        except SystemExit:
            pass
        names = ["rich", "pluggy", "asyncio", "logging", "rewardstack.stack", "rewardstack.registry",
                 "rewardstack.cli.score", "rewardstack.report", "rewardstack.records"]
        sys.exit(", ".join(name for name in names if name in sys.modules) or 0)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_package_can_be_run_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "rewardstack", "try", "--help"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: rewards try ")


def test_what_verbose_and_quiet_do_is_said_for_every_command(run):
    said = {name: run(name, "--help").output.partition("--verbose")[2] for name in cli.COMMANDS}
    assert "Print one line." in said["test"]
    assert "Show what each reward reads" in said["list"]
    assert "Leave out warnings." in said["try"]


@pytest.mark.parametrize(
    "name", sorted(entry.name for entry in importlib.metadata.entry_points(group=cli.GROUP))
)
def test_commands_of_plugins_take_verbose_and_quiet_too(run, name):
    shown = run(name, "--help").output
    assert "-v, --verbose" in shown
    assert "-q, --quiet" in shown


@pytest.mark.filterwarnings("default:term 'brief' has a negative weight:UserWarning")
def test_warnings_are_lines_like_errors(run, write):
    write("minus.toml", '[rewards.brief]\nuse = "my.py:brief"\nweight = -1\non_error = "low"\n')
    shown = run("show", "minus.toml")
    assert shown.stderr.startswith("warning: term 'brief' has a negative weight")
    assert ".py:" not in shown.stderr
    assert run("show", "minus.toml", "-q").stderr == ""


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("test", "[STACK] SAMPLES"), ("score", "[STACK] SAMPLES"), ("show", "[STACK]"), ("list", "[PLUGIN]"),
        ("train", "[CONFIG]"), ("plan", "[CONFIG]"), ("try", "REWARD"), ("judge-report", "STACK SAMPLES"),
    ],
)  # fmt: skip
def test_usage_lines_put_what_may_be_left_out_in_brackets(run, name, arguments):
    assert run(name, "--help").output.startswith(f"Usage: rewards {name} [OPTIONS] {arguments}\n")


def test_no_arguments_show_the_help(run):
    result = run()
    assert "Commands:" in result.output + result.stderr


def test_an_unknown_command_names_the_nearest(told):
    assert "error: there is no command 'scoer' (did you mean 'score'?)" in told("scoer")


def test_the_version(run):
    assert run("--version").output == f"rewardstack {importlib.metadata.version('rewardstack')}\n"


def test_errors_are_wrapped_and_have_no_traceback(run):
    result = run("show", "nowhere.toml")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: cannot read the stack nowhere.toml")
    assert max(map(len, result.stderr.splitlines())) <= 80


def test_a_plugin_can_be_left_out(told):
    assert "plugin 'format' is not loaded: it is blocked" in told(
        "--no-plugin", "format", "try", "format.tags", "--completion", "x"
    )


def test_leaving_out_what_is_not_there_is_a_slip(told):
    assert "--no-plugin fromat: no such plugin is installed (did you mean 'format'?)" in told(
        "--no-plugin", "fromat", "list"
    )


def test_plugins_are_told_which_command_runs(run, monkeypatch):
    from rewardstack.registry import registry

    run("list")
    assert registry().config.command == "list"


class TestCommandsOfPlugins:
    def test_they_are_listed_without_being_imported(self, run, plugin_commands):
        plugin_commands(train="nowhere.to.be.found:command")
        assert re.search(r"Commands of plugins:\n  train +from ", run("--help").output)

    def test_their_modules_first_line_says_what_they_do(self, run, plugin_commands, folder, monkeypatch):
        (folder / "of_somebody").mkdir()
        (folder / "of_somebody" / "__init__.py").write_text("raise SystemExit('imported')")
        (folder / "of_somebody" / "tools.py").write_text('"""`rewards tune`: weights that fit."""\n')
        monkeypatch.syspath_prepend(str(folder))
        plugin_commands(tune="of_somebody.tools:command")
        assert "  tune  Weights that fit." in run("--help").output

    def test_they_run(self, run, plugin_commands, folder, monkeypatch):
        (folder / "trainer.py").write_text(
            "import click\n@click.command()\ndef train():\n    click.echo('training')\n    return 1\n"
        )
        monkeypatch.syspath_prepend(folder)
        plugin_commands(train="trainer:train")
        result = run("train")
        assert (result.output, result.exit_code) == ("training\n", 1)

    @pytest.mark.parametrize(
        ("target", "why"),
        [("nowhere:x", "cannot be loaded: ModuleNotFoundError"), ("os:sep", "is no click command")],
    )
    def test_broken_ones_name_their_owner(self, told, plugin_commands, target, why):
        plugin_commands(train=target)
        assert f"error: the command 'train' (from an unknown distribution) {why}" in told("train")

    def test_they_cannot_take_a_name_of_ours(self, run, plugin_commands):
        plugin_commands(list="nowhere:x")
        assert run("list", "--json").exit_code == 0


def test_an_interrupt_ends_with_130_and_one_line(folder):
    (folder / "endless.py").write_text(
        "import time\nfrom rewardstack import reward\n@reward\ndef endless(completion: str) -> float:\n"
        "    open('started', 'w').close()\n    time.sleep(60)\n    return 1.0\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "rewardstack.cli", "try", "endless.py:endless", "--completion", "x"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for(folder / "started")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.strip()) == (130, "", "interrupted")


def test_an_impatient_second_interrupt_leaves_no_worker_behind(folder):
    (folder / "endless.py").write_text(
        "import os, time\nfrom rewardstack import reward\n@reward(isolated=True)\n"
        "def endless(completion: str) -> float:\n    open('new', 'w').write(str(os.getpid()))\n"
        "    os.rename('new', 'started')\n    time.sleep(60)\n    return 1.0\n"
    )
    with subprocess.Popen(
        [sys.executable, "-m", "rewardstack.cli", "try", "endless.py:endless", "--completion", "x"],
        cwd=folder, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        wait_for(folder / "started")
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        first = process.stderr.read(1)  # click's line end after the terminal's ^C
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()
    assert process.returncode == 130
    assert (first + err).strip() in ("interrupted", ""), "the second may come before the word"
    worker = int((folder / "started").read_text())
    deadline = time.monotonic() + 10
    while is_alive(worker):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_fault_of_our_own_has_its_traceback_and_is_no_finding(run, monkeypatch):
    monkeypatch.setitem(cli.COMMANDS, "list", cli.Entry("no_such_module", "Broken."))
    result = run("list")
    assert result.exit_code == 3
    assert "Traceback" in result.stderr
    assert "No module named 'no_such_module'" in result.stderr


def test_a_reader_that_leaves_ends_it_quietly(folder):
    source, sink = os.pipe()
    os.close(source)
    done = subprocess.run(
        [sys.executable, "-m", "rewardstack.cli", "list", "-v"],
        cwd=folder, stdout=sink, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(sink)
    assert (done.returncode, done.stderr) == (141, b"")


def wait_for(path):
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.02)


def test_a_full_disk_behind_standard_output_is_one_line():
    command = [sys.executable, "-m", "rewardstack.cli", "list"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, "error: No space left on device\n")


def rewards_of(*arguments, **streams):
    command = [sys.executable, "-m", "rewardstack", *map(str, arguments)]
    return subprocess.run(command, text=True, timeout=60, **streams)


def test_what_a_reward_prints_at_the_exit_is_no_result(folder):
    (folder / "late.py").write_text(
        "import atexit, os\natexit.register(print, 'BYE')\natexit.register(os.write, 1, b'LATE')\n"
        "def it(completion): return 1.0\n"
    )
    done = rewards_of("try", "late.py:it", "--completion", "x", "--json", cwd=folder, capture_output=True)
    assert json.loads(done.stdout)["value"] == 1.0
    assert "BYE" in done.stderr
    assert "LATE" in done.stderr


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_closed_streams_are_no_fault(folder, closed):
    command = (
        f"{sys.executable} -m rewardstack score -r my.py:brief samples.jsonl --out scores.jsonl {closed}"
    )
    assert subprocess.run(["sh", "-c", command], cwd=folder, timeout=60, check=False).returncode == 0
    assert len((folder / "scores.jsonl").read_text().splitlines()) == 20
