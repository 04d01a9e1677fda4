"""Options and arguments that commands share."""

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rewardstack.cli.naming import check_order, find_reward, load_stack
from rewardstack.errors import OptionError, nearest

if TYPE_CHECKING:
    from rewardstack.signature import Reward
    from rewardstack.stack import Stack

__all__ = [
    "block_plugins",
    "column_mapping",
    "json_or_text",
    "json_output",
    "option_values",
    "pairs",
    "reward_options",
    "sample_reading",
    "single_stack",
    "stack_and_samples",
    "stack_or_reward",
]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def pairs(*declarations: str, metavar: str, help: str) -> Callable[[Decorated], Decorated]:
    """Return an option that is given as `NAME=VALUE`, as often as wanted, and arrives as a dict.

    The value may hold further equals signs.
    """
    return click.option(*declarations, multiple=True, metavar=metavar, help=help, callback=split_pairs)


def split_pairs(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Split each `NAME=VALUE` at its first equals sign."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(f"{text!r} is not of the form NAME=VALUE", ctx, param)
        if name.strip() in found:
            raise click.BadParameter(f"{name.strip()!r} is given twice", ctx, param)
        found[name.strip()] = value
    return found


column_mapping = pairs(
    "-c", "--column", "columns", metavar="NEW=COLUMN",
    help="Read a column of the samples under another name: -c answer=solution.",
)  # fmt: skip
json_output = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, and nothing else, to standard output."
)


def sample_reading(command: Decorated) -> Decorated:
    """Add the options that say how samples are read: `columns`, `skip_bad`, `chat` (see `read_samples`)."""
    skip = click.option("--skip-bad", is_flag=True, help="Pass over bad rows and count them.")
    chat = click.option(
        "--chat", is_flag=True, help="Wrap prompts and completions that are text as chat messages."
    )
    return column_mapping(skip(chat(command)))


def reward_options(command: Decorated) -> Decorated:
    """Add `-r REWARD` and `-o OPTION=VALUE`: one reward in place of a stack (see `stack_and_samples`)."""
    reward = click.option("-r", "--reward", metavar="REWARD", help="One reward in place of a stack file.")
    options = pairs("-o", "--option", "options", metavar="OPTION=VALUE", help="Set an option of that reward.")
    return reward(options(command))


def block_plugins(command: str, blocked: Iterable[str]) -> None:
    """Start the registry for a command, without the blocked plugins; `UsageError` for one that is not installed."""
    from importlib.metadata import entry_points

    from rewardstack.registry import GROUP, HOOKS_GROUP, configure

    blocked = tuple(blocked)
    known = {entry.name for group in (GROUP, HOOKS_GROUP) if blocked for entry in entry_points(group=group)}
    for name in blocked:
        if name not in known:
            raise click.UsageError(
                f"--no-plugin {name}: no such plugin is installed{nearest(name, known)}. "
                f"Installed: {', '.join(sorted(known)) or 'none'}"
            )
    configure(command, blocked)


def json_or_text(text: str) -> Any:
    """Return the value of a JSON text, and any other text as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def option_values(reward: "Reward", given: dict[str, str]) -> dict[str, Any]:
    """Return options from the command line as their annotations ask: JSON where that fits, the text where only it does.

    Where neither fits, JSON is what the value seems to be, and what the error shall speak of.
    """
    from rewardstack.signature import annotations_of

    hints = annotations_of(reward.target, reward.name) if given else {}
    values = {}
    for name, text in given.items():
        value, annotation = json_or_text(text), hints.get(name, Any)
        values[name] = text if fits(text, annotation) and not fits(value, annotation) else value
    return values


def fits(value: Any, annotation: Any) -> bool:
    """Whether an option that is annotated so takes a value."""
    from rewardstack.signature import convert

    try:
        convert(value, annotation, "")
    except OptionError:
        return False
    return True


def single_stack(use: str, options: dict[str, str]) -> "Stack":
    """Return a stack of one term, named after the reward it uses."""
    from rewardstack.stack import Stack

    reward = find_reward(use)
    name = use.rpartition(":")[2].rpartition(".")[2]
    unknown = [option for option in options if option not in reward.options]
    if unknown:  # a word of the stack, or a slip: check_options says which options there are
        reward.check_options(dict.fromkeys(unknown), "-o")
    return Stack({name: {"use": use, "options": option_values(reward, options)}}, name=name)


def stack_or_reward(path: str | None, reward: str | None, options: dict[str, str]) -> "Stack":
    """Return the stack in a file, or that of the one reward given with `-r`."""
    if path and reward:
        raise click.UsageError(f"one argument too many: {path!r} (-r stands in place of the stack)")
    if reward:
        return single_stack(reward, options)
    if not path:
        raise click.UsageError("missing argument STACK (or -r REWARD)")
    if options:
        raise click.UsageError(
            "-o sets options of the reward given with -r; a stack's options stand in its file"
        )
    return load_stack(path)


def missing(paths: tuple[str, ...], reward: str | None) -> str:
    """Return what is not there of `STACK SAMPLES`: a lone file that is no TOML is taken for the samples."""
    if reward:
        return "SAMPLES"
    if not paths:
        return "STACK SAMPLES"
    return "SAMPLES" if paths[0].endswith(".toml") else f"STACK (or -r REWARD) before {paths[0]}"


def stack_and_samples(
    paths: tuple[str, ...], reward: str | None, options: dict[str, str]
) -> tuple["Stack", str]:
    """Return the stack and the path of the samples from the arguments `STACK SAMPLES`, or `-r REWARD SAMPLES`."""
    wanted = 1 if reward else 2
    if len(paths) > wanted:
        hint = " (-r stands in place of the stack)" if reward else ""
        raise click.UsageError(f"one argument too many: {paths[wanted]!r}{hint}")
    if len(paths) < wanted:
        raise click.UsageError(f"missing argument {missing(paths, reward)}")
    if not reward:
        check_order(*paths)
    return stack_or_reward(None if reward else paths[0], reward, options), paths[-1]
