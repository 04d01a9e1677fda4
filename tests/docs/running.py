"""Runs a page: its blocks in order, in one namespace and one folder."""

import contextlib
import difflib
import doctest
import importlib
import os
import sys
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.docs.blocks import ROOT, Block, blocks_of
from tests.docs.sessions import Shell, agrees, commands_of

from rewardstack import Stack
from rewardstack.registry import registry

SHOWN_ONLY = frozenset({"sh", "text", "json", "jsonl", "diff", "yaml"})
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Page:
    """A page that is being run in a folder; `examples` and `tests` of the repository are at hand there.

    Blocks with a name are written to that file. Python and doctest blocks share `namespace`; Python files in
    sub-folders are only written, for a session to run. TOML that holds rewards is loaded as a stack.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.folder = folder
        self.shell = Shell(folder)
        self.namespace: dict[str, Any] = {"__name__": "page"}
        for name in ("examples", "tests"):
            (folder / name).symlink_to(ROOT / name)

    def run(self) -> int:
        """Run every block and return how many there were; the first that fails raises, naming page and line."""
        blocks = blocks_of(self.path.read_text("utf-8"))
        for block in blocks:
            self.run_block(block)
        return len(blocks)

    def run_block(self, block: Block) -> None:
        """Write a block where it names a file, and run it by its language."""
        if block.name:
            target = self.folder / block.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, "utf-8")
        if block.language not in SHOWN_ONLY:
            RUNNERS[block.language](self, block)

    def run_python(self, block: Block) -> None:
        """Run Python in the page's namespace, its line numbers being the page's."""
        code = compile("\n" * (block.line - 1) + block.text, str(self.path), "exec", dont_inherit=True)
        if "/" not in block.name:
            exec(code, self.namespace)

    def run_doctest(self, block: Block) -> None:
        """Run an interpreter session and compare what it shows."""
        test = doctest.DocTestParser().get_doctest(
            block.text, self.namespace, self.path.name, str(self.path), block.line - 1
        )
        report: list[str] = []
        failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
        self.namespace.update(test.globs)
        assert not failed, "".join(report)

    def run_toml(self, block: Block) -> None:
        """Check TOML, and load it as a stack where it holds rewards."""
        if "rewards" in tomllib.loads(block.text):
            path = self.folder / (block.name or "unnamed.toml")
            path.write_text(block.text, "utf-8")
            Stack.load(path)

    def run_console(self, block: Block) -> None:
        """Run a console session and compare what it prints."""
        for command in commands_of(block.text):
            printed = self.shell.run(command.text)
            assert agrees(command.shown, printed), self.difference(
                block, command.text, command.shown, printed
            )

    def difference(self, block: Block, command: str, shown: str, printed: str) -> str:
        """Return where the page and the real output part."""
        diff = difflib.unified_diff(
            shown.splitlines(), printed.splitlines(), "the page", "the command", lineterm="", n=100
        )
        return "\n".join([f"{self.path}:{block.line}: $ {command}", *diff])


RUNNERS = {
    "python": Page.run_python,
    "pycon": Page.run_doctest,
    "toml": Page.run_toml,
    "console": Page.run_console,
}


@contextlib.contextmanager
def opened(path: Path, folder: Path) -> Iterator[Page]:
    """Give a page at work in a folder, with a fresh registry and a stand-in for the trainer; all is put back."""
    before, found = Path.cwd(), list(sys.path)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    registry.cache_clear()
    try:
        page = Page(path, folder)
        sys.path.insert(0, str(page.shell.site))
        with trainer_replaced():
            yield page
    finally:
        os.chdir(before)
        sys.path[:] = found
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None)).startswith(f"{folder}{os.sep}"):
                del sys.modules[name]
        registry.cache_clear()


@contextlib.contextmanager
def trainer_replaced() -> Iterator[None]:
    """Put the stand-ins into trl, or into an empty module of its name where it is not installed."""
    try:
        trl = importlib.import_module("trl")
    except ModuleNotFoundError:
        trl = types.ModuleType("trl")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "trl", trl)
        for stand_in in (GRPOConfig, GRPOTrainer):  # not as attributes: trl would load its own first
            patch.setitem(vars(trl), stand_in.__name__, stand_in)
        yield


class GRPOConfig:
    """Stands in for TRL's on pages: it only takes what it is given."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings


class GRPOTrainer:
    """Stands in for TRL's on pages: calls the rewards the way a training step does, and generates nothing.

    The live trainer is tested with a stack in tests/rewardstack/test_trl.py.
    """

    def __init__(self, *, model: Any, reward_funcs: Any, train_dataset: Any, **settings: Any) -> None:
        self.settings = {"model": model, **settings}
        self.reward_funcs = reward_funcs if isinstance(reward_funcs, list) else [reward_funcs]
        self.rows = list(train_dataset)

    def train(self) -> None:
        """Hand every reward two completions of each prompt, as TRL hands them."""
        rows = [row for row in self.rows for _ in range(2)]
        columns = {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"}
        prompts = [row["prompt"] for row in rows]
        texts = [f"I think it is {number}." for number in range(len(rows))]
        chat = not isinstance(prompts[0], str)
        completions = [[{"role": "assistant", "content": text}] if chat else text for text in texts]
        for function in self.reward_funcs:
            values = function(
                prompts=prompts, completions=completions, completion_ids=[[1, 2, 3]] * len(rows),
                trainer_state=types.SimpleNamespace(global_step=1), log_extra=lambda column, values: None,
                log_metric=lambda name, value: None, **columns,
            )  # fmt: skip
            assert len(values) == len(rows)
            assert all(value is None or float(value) == value for value in values)
