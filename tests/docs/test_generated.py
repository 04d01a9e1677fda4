"""The generated parts of the docs are those of today, and everything has its page."""

import importlib.util

import pytest
from tests.docs.blocks import ROOT
from tests.docs.sessions import Shell

from rewardstack.registry import registry
from rewardstack.signature import describe


@pytest.fixture(scope="module")
def generate():
    """Return docs/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def book(generate, monkeypatch, tmp_path):
    """Return a small book of its own that is as it should be: one command, one hook, one reward."""
    docs = tmp_path / "docs"
    for folder in ("commands", "hooks", "rewards"):
        (docs / folder).mkdir(parents=True)
    (docs / "rewards/examples.toml").write_text('[["format.boxed"]]\ncompletion = "\\\\boxed{4}"\n', "utf-8")
    found = generate.all_rewards()
    hooks = generate.all_hooks()
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "DOCS", docs)
    commands = generate.all_commands()
    monkeypatch.setattr(generate, "all_commands", lambda: {"try": commands["try"]})
    monkeypatch.setattr(generate, "all_hooks", lambda: {"rewards_configure": hooks["rewards_configure"]})
    monkeypatch.setattr(generate, "all_rewards", lambda: {"format.boxed": found["format.boxed"]})
    pages = {
        "README.md": "rewards-table",
        "docs/commands/try.md": "help try",
        "docs/hooks/rewards_configure.md": "hook rewards_configure",
        "docs/rewards/format.boxed.md": "reward format.boxed",
    }
    for name, part in pages.items():
        text = f"# Title\n\n<!-- generated: {part} -->\n<!-- /generated -->\n\nBy hand.\n"
        (tmp_path / name).write_text(text, "utf-8")
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    return tmp_path


def test_all_generated_parts_are_as_they_would_be_written_now(generate, capsys):
    pytest.importorskip("torch")  # examples of learned rewards are scored anew
    code = generate.main(["--check"])
    assert capsys.readouterr().out == ""
    assert code == 0


def test_parts_are_filled_and_what_is_written_by_hand_stays(book):
    text = (book / "docs/commands/try.md").read_text("utf-8")
    assert "Usage: rewards try [OPTIONS] REWARD" in text
    assert text.startswith("# Title\n")
    assert text.endswith("\n\nBy hand.\n")
    assert "| `\\boxed{4}` |  | 1 |" in (book / "docs/rewards/format.boxed.md").read_text("utf-8")
    assert "[`format.boxed`](docs/rewards/format.boxed.md)" in (book / "README.md").read_text("utf-8")


def test_helps_are_what_the_command_prints(generate, tmp_path):
    for name in ("try", "test"):
        printed = Shell(tmp_path / name).run(f"rewards {name} --help")
        assert generate.help_part(name, tmp_path) == f"```text\n{printed.rstrip()}\n```\n"


@pytest.mark.parametrize("name", ["commands/try.md", "hooks/rewards_configure.md", "rewards/format.boxed.md"])
def test_what_has_no_page_is_told(generate, book, capsys, name):
    (book / "docs" / name).unlink()
    assert generate.main(["--check"]) == 1
    assert f"docs/{name} is missing" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["commands/tyr.md", "hooks/rewards_gone.md", "rewards/format.gone.md"])
def test_pages_of_what_is_no_more_are_told(generate, book, capsys, name):
    (book / "docs" / name).write_text("# Gone\n", "utf-8")
    assert generate.main(["--check"]) == 1
    assert f"docs/{name} is about nothing there is" in capsys.readouterr().out


def test_stale_parts_are_told_and_mended(generate, book, capsys):
    page = book / "docs/hooks/rewards_configure.md"
    right = page.read_text("utf-8")
    page.write_text(right.replace("| `config` |", "| `settings` |"), "utf-8")
    assert generate.main(["--check"]) == 1
    assert "docs/hooks/rewards_configure.md is stale" in capsys.readouterr().out
    assert generate.main([]) == 0
    assert page.read_text("utf-8") == right


def test_a_page_without_its_part_is_told(generate, book, capsys):
    (book / "docs/commands/try.md").write_text("# rewards try\n", "utf-8")
    assert generate.main(["--check"]) == 1
    assert "docs/commands/try.md lacks its part `help try`" in capsys.readouterr().out


def test_a_reward_without_examples_is_told(generate, book, capsys):
    (book / "docs/rewards/examples.toml").write_text("", "utf-8")
    assert generate.main(["--check"]) == 1
    assert "format.boxed has no examples" in capsys.readouterr().out


def test_every_option_of_every_reward_is_described():
    missing = [
        f"{name}: {option}"
        for plugin in registry().plugins()
        for name, target in plugin.rewards.items()
        for option in describe(target, name).options
        if f"\n    {option}: " not in describe(target, name).doc
    ]
    assert missing == []
