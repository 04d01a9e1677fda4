"""Finds what is named on the command line; names that are nearly right get a hint how to write them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rewardstack.errors import RewardNotFound, StackError

if TYPE_CHECKING:
    from rewardstack.signature import Reward
    from rewardstack.stack import Stack

__all__ = ["check_order", "find_reward", "load_stack"]

PYTHON = ".py"
STACK_SUFFIX = ".toml"
SAMPLE_SUFFIXES = (".jsonl", ".json", ".gz", ".parquet")


def find_reward(use: str) -> "Reward":
    """Return the reward that a name leads to; `RewardNotFound` says how to write what seems to be meant."""
    from rewardstack.registry import registry

    if use.endswith(PYTHON):
        raise RewardNotFound(f"{use} is a file. {how_to_name(use)}")
    try:
        return registry().find(use)[0]
    except RewardNotFound as error:
        place, _, name = use.rpartition(":")
        file = f"{place.replace('.', '/')}{PYTHON}"
        if not place or place.endswith(PYTHON) or not Path(file).is_file():
            raise
        raise type(error)(f"{error}. A reward in the file {file} is named '{file}:{name}'") from error


def how_to_name(path: str, option: str = "") -> str:
    """Return how to name a reward in a file, `option` before it, and which rewards are there."""
    from rewardstack.files import load_source, read_source

    module = load_source(str(Path(path).resolve()), read_source(Path(path), path))
    own = [
        name
        for name, value in vars(module).items()
        if callable(value) and name[0] != "_" and getattr(value, "__module__", None) == module.__name__
    ]
    if not own:
        return "There is no function in it"
    return f"Name a reward in it: {' or '.join(f'{option}{path}:{name}' for name in preferred(module, own))}"


def preferred(module: object, names: list[str]) -> list[str]:
    """Return those of a module's functions that `@reward` marks, or all of them where it marks none."""
    from rewardstack.contract import is_marked

    return [name for name in names if is_marked(getattr(module, name))] or names


def load_stack(path: str) -> "Stack":
    """Read a stack file; the error says how to name a single reward where one seems to be meant."""
    from rewardstack.stack import Stack

    if path.endswith(PYTHON):
        raise StackError(f"{path} is no stack, which is a TOML file. {how_to_name(path, '-r ')}")
    try:
        return Stack.load(path)
    except StackError as error:
        if Path(path).suffix == STACK_SUFFIX or Path(path).exists():
            raise
        raise StackError(
            f"{error}. A stack is a TOML file; a single reward is named with -r {path}"
        ) from error


def check_order(stack: str, samples: str) -> None:
    """Raise `UsageError` where the samples stand in the place of the stack, and the stack in theirs."""
    if stack.endswith(SAMPLE_SUFFIXES) and samples.endswith(STACK_SUFFIX):
        raise click.UsageError(f"the stack comes first, then the samples: {samples} {stack}")
