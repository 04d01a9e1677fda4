# ruff: noqa: INP001 - a script, not a package
"""Writes the generated parts of the docs anew; with `--check`, only says which are stale and exits with 1.

A part stands between `<!-- generated: KIND NAME -->` and `<!-- /generated -->`; all around it is written by hand.
The pages of rewards are made where they are missing. Every command, hook and reward of this distribution has a
page, and there is no page for anything else.
"""

import inspect
import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Mapping
from os.path import relpath
from pathlib import Path
from typing import Any

import click

from rewardstack import Stack
from rewardstack.annotations import annotation_text
from rewardstack.cli import COMMANDS, owner, plugin_commands, rewards
from rewardstack.hookspecs import HookSpecs
from rewardstack.registry import registry
from rewardstack.signature import Reward, annotations_of, describe

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PART = re.compile(
    r"(?P<open><!-- generated: (?P<kind>[\w-]+)(?: (?P<name>\S+))? -->\n).*?(?P<close><!-- /generated -->)",
    re.DOTALL,
)
DISTRIBUTION = "rewardstack"
SCOPES = {
    "sample": "one completion",
    "group": "the completions of one prompt",
    "batch": "the whole batch",
}


def all_rewards() -> dict[str, Reward]:
    """Return the rewards of this distribution's plugins by their full name."""
    found = {}
    for plugin in registry().plugins():
        if plugin.distribution == DISTRIBUTION:
            for name, target in plugin.rewards.items():
                found[f"{plugin.name}.{name}"] = describe(target, f"{plugin.name}.{name}")
    return found


def all_commands() -> dict[str, str]:
    """Return the commands of this distribution, those of its plugins included, with the line that lists each."""
    found = {name: entry.help for name, entry in COMMANDS.items()}
    for name, entry in sorted(plugin_commands().items()):
        if owner(entry) == DISTRIBUTION:
            found[name] = entry.load().get_short_help_str(limit=200)
    return found


def all_hooks() -> dict[str, Callable[..., Any]]:
    """Return the hook specifications by name, in their order."""
    return {name: value for name, value in vars(HookSpecs).items() if name.startswith("rewards_")}


# --- Markdown ---


def code(text: str) -> str:
    """Return text as a code span that may stand in a table."""
    shown = text.replace("\n", "\\n").replace("|", "\\|")
    ticks = "``" if "`" in shown else "`"
    pad = " " if "`" in shown else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def quote(choice: str) -> str:
    """Return a choice as TOML writes it, as a code span."""
    return code(f'"{choice}"')


def prose(text: str) -> str:
    """Return text in which angle brackets outside of code spans are no HTML."""
    parts = re.split("(`[^`]*`)", text.strip("\n"))
    return "".join(part if part.startswith("`") else part.replace("<", "\\<") for part in parts)


def cell(text: str) -> str:
    """Return prose as it may stand in a table."""
    return " ".join(prose(text).replace("|", "\\|").split())


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table, nothing where there are no rows."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) if rows else ""


def link(text: str, target: Path, page: Path) -> str:
    """Return a link from a page to another."""
    return f"[{text}]({relpath(target, page.parent)})"


def split_doc(doc: str) -> tuple[list[str], dict[str, str]]:
    """Return a docstring as its paragraphs and what its section "Options:" says of each."""
    before, _, after = doc.partition("\nOptions:\n")
    entries, _, rest = after.partition("\n\n")
    described: dict[str, str] = {}
    for line in textwrap.dedent(entries).splitlines():
        name, colon, text = line.partition(": ")
        if colon and not line.startswith(" "):
            described[name] = text
        elif described:
            described[next(reversed(described))] += f" {line.strip()}"
    paragraphs = [*before.split("\n\n"), *rest.split("\n\n")]
    return [prose(part) for part in paragraphs if part.strip()], described


# --- the parts ---


def help_part(name: str, page: Path) -> str:  # noqa: ARG001
    """Return what `rewards NAME --help` prints at 80 columns (of `rewards` itself for the name `rewards`)."""
    root = click.Context(rewards, info_name="rewards", terminal_width=78, **rewards.context_settings)
    if name == "rewards":
        return f"```text\n{rewards.get_help(root)}\n```\n"
    command = rewards.get_command(root, name)
    if command is None:
        raise LookupError(f"there is no command {name!r}")
    context = click.Context(command, parent=root, info_name=name, **command.context_settings)
    return f"```text\n{command.get_help(context)}\n```\n"


def hook_part(name: str, page: Path) -> str:  # noqa: ARG001
    """Return a hook's exact arguments and what its specification says."""
    hook = all_hooks()[name]
    signature = inspect.signature(hook)
    parameters = [parameter for parameter in signature.parameters.values() if parameter.name != "self"]
    shown = plain_types(str(signature.replace(parameters=parameters)))
    arguments = [
        [code(each.name), code(plain_types(inspect.formatannotation(each.annotation)))] for each in parameters
    ]
    return "\n\n".join(
        [
            inspect.getdoc(hook) or "",
            f"```text\n{name}{shown}\n```",
            table(["Argument", "Type"], arguments),
            "An implementation may leave out arguments it does not need.\n",
        ]
    )


def plain_types(text: str) -> str:
    """Return annotations without the modules their names come from."""
    return re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", text).replace("'", "")


def reward_part(name: str, page: Path) -> str:
    """Return all that is known of a reward: its docstring, columns, options, contract, and live examples."""
    reward = all_rewards()[name]
    paragraphs, described = split_doc(reward.doc)
    hints = annotations_of(reward.target, name) if reward.options else {}
    columns = [
        [
            code(column),
            "required" if default is inspect.Parameter.empty else f"optional, {default_text(default)}",
        ]
        for column, default in reward.columns.items()
    ]
    options = [
        [
            code(option.name),
            cell(annotation_text(hints.get(option.name, Any), quote)),
            "required" if option.required else default_text(option.default),
            cell(described.get(option.name, "")),
        ]
        for option in sorted(reward.options.values(), key=lambda one: [*described, one.name].index(one.name))
    ]
    parts = [
        *paragraphs,
        "## Columns and options",
        table(["Column", ""], columns),
        table(["Option", "Type", "Default", "Meaning"], options) or "It has no options.",
        contract_text(reward),
        "## Examples",
        examples_table(name),
        f"From {link('examples.toml', DOCS / 'rewards/examples.toml', page)}, scored when this page was made.\n",
    ]
    return "\n\n".join(part for part in parts if part)


def contract_text(reward: Reward) -> str:
    """Return what a reward promises, in a sentence or two."""
    contract = reward.contract
    low, high = contract.range or (0.0, 1.0)
    parts = [
        f"Values lie in {low:g} to {high:g}.",
        f"A call sees {SCOPES[reward.scope]}.",
        "" if contract.deterministic else "Equal rows may score differently.",
        "It runs in a worker process." if contract.isolated and contract.timeout is None else "",
        f"It runs in a worker process, where a call may take {contract.timeout:g} s; a `timeout` in the stack "
        "takes the place of that."
        if contract.timeout is not None
        else "",
        f"Forms it counts as equal: {', '.join(map(code, contract.equal_forms))}."
        if contract.equal_forms
        else "",
    ]
    return textwrap.fill(" ".join(part for part in parts if part), 110)


def examples() -> Mapping[str, list[dict[str, Any]]]:
    """Return the examples of all rewards by name."""
    return tomllib.loads((DOCS / "rewards/examples.toml").read_text("utf-8"))


def examples_table(name: str) -> str:
    """Return a reward's examples with what they score now."""
    rows = []
    for example in examples().get(name, []):
        given = dict(example)
        options, completion = given.pop("options", {}), given.pop("completion")
        score = Stack({"it": {"use": name, "options": options}}).score_one(completion, **given).rewards["it"]
        value = "error" if score.error else "abstains" if score.value is None else f"{score.value:.3g}"
        with_ = ", ".join(f"{key} = {toml_value(item)}" for key, item in {**given, **options}.items())
        rows.append([code(shortened(completion)), code(with_) if with_ else "", value, reason(score)])
    return table(["Completion", "With", "Value", "Reason"], rows)


def reason(score: Any) -> str:
    """Return a score's reason as it may stand in a table: text of models, so nothing in it is Markdown."""
    return " ".join(re.sub(r"([<>*_`\[\]\\|])", r"\\\1", score.error or score.reason).split())


def shortened(text: str) -> str:
    """Return a completion short enough for a table."""
    return text if len(text) <= 90 else f"{text[:60]} … {text[-25:]}"


def default_text(value: Any) -> str:
    """Return a default as TOML would write it; TOML has no word for none."""
    return "none" if value is None else code(toml_value(value))


def toml_value(value: Any) -> str:
    """Return a value as TOML writes it, a long list shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value}'" if "\\" in value else f'"{value}"'
    if isinstance(value, (list, tuple)) and len(value) > 8:
        return f"[{', '.join(map(toml_value, value[:3]))}, … {len(value)} in all]"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {toml_value(item)}' for name, item in value.items())} }}"
    return str(value)


def rewards_table(name: str, page: Path) -> str:  # noqa: ARG001
    """Return all rewards of this distribution, one line each."""
    rows = [
        [link(f"`{use}`", DOCS / f"rewards/{use}.md", page), cell(reward.summary)]
        for use, reward in all_rewards().items()
    ]
    return table(["Reward", "Value"], rows) + "\n"


def commands_table(name: str, page: Path) -> str:  # noqa: ARG001
    """Return all commands, one line each."""
    rows = [
        [link(f"`rewards {command}`", DOCS / f"commands/{command}.md", page), cell(help)]
        for command, help in all_commands().items()
    ]
    return table(["Command", ""], rows) + "\n"


def hooks_table(name: str, page: Path) -> str:  # noqa: ARG001
    """Return all hooks, one line each."""
    rows = [
        [
            link(f"`{hook}`", DOCS / f"hooks/{hook}.md", page),
            cell((inspect.getdoc(function) or "").split("\n")[0]),
        ]
        for hook, function in all_hooks().items()
    ]
    return table(["Hook", ""], rows) + "\n"


PARTS: dict[str, Callable[[str, Path], str]] = {
    "help": help_part,
    "hook": hook_part,
    "reward": reward_part,
    "rewards-table": rewards_table,
    "commands-table": commands_table,
    "hooks-table": hooks_table,
}


# --- pages ---


def filled(text: str, page: Path) -> str:
    """Return a page with all generated parts as they are now."""

    def fill(part: re.Match[str]) -> str:
        return part["open"] + PARTS[part["kind"]](part["name"] or "", page).rstrip() + "\n" + part["close"]

    return PART.sub(fill, text)


def expected_pages() -> dict[Path, str]:
    """Return the pages there must be, each with the part it must hold."""
    commands = {DOCS / f"commands/{name}.md": f"help {name}" for name in all_commands()}
    hooks = {DOCS / f"hooks/{name}.md": f"hook {name}" for name in all_hooks()}
    return commands | hooks | {DOCS / f"rewards/{name}.md": f"reward {name}" for name in all_rewards()}


def faults_of_pages() -> list[str]:
    """Return which pages are missing, lack their part, or are about nothing."""
    expected, faults = expected_pages(), []
    for path, part in expected.items():
        if not path.exists():
            faults.append(f"{path.relative_to(ROOT)} is missing")
        elif f"<!-- generated: {part} -->" not in path.read_text("utf-8"):
            faults.append(f"{path.relative_to(ROOT)} lacks its part `{part}`")
    for folder in ("commands", "hooks", "rewards"):
        faults += [
            f"{path.relative_to(ROOT)} is about nothing there is"
            for path in sorted((DOCS / folder).glob("*.md"))
            if path not in expected and path.stem != "index"
        ]
    return faults + [f"{name} has no examples" for name in all_rewards() if not examples().get(name)]


def main(arguments: list[str]) -> int:
    """Fill all pages; with `--check` only compare. Returns 1 when something is stale, missing or superfluous."""
    check = arguments == ["--check"]
    for path, part in expected_pages().items():
        if path.parent.name == "rewards" and not path.exists() and not check:
            path.write_text(f"# {path.stem}\n\n<!-- generated: {part} -->\n<!-- /generated -->\n", "utf-8")
    faults = faults_of_pages()
    for path in [ROOT / "README.md", *sorted(DOCS.glob("**/*.md"))]:
        text = path.read_text("utf-8")
        new = filled(text, path)
        if new != text and check:
            faults.append(f"{path.relative_to(ROOT)} is stale: run `make docs`")
        elif new != text:
            path.write_text(new, "utf-8")
    for fault in faults:
        click.echo(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
