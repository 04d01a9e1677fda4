"""Runs pages by hand: `python -m tests.docs README.md` shows where they part from what really happens.

With `--write`, sessions whose output differs are rewritten with the real one.
"""

import sys
import tempfile
from pathlib import Path

from tests.docs.blocks import Block, blocks_of, pages
from tests.docs.running import Page, opened
from tests.docs.sessions import agrees, commands_of


def rewrite(page: Page, block: Block) -> str:
    """Return a console block with what its commands really print."""
    lines = []
    for command in commands_of(block.text):
        printed = page.shell.run(command.text)
        shown = command.shown if agrees(command.shown, printed) else printed.rstrip("\n")
        first, *rest = command.text.split("\n")
        lines += [f"$ {first}", *(f"> {line}" for line in rest), *([shown] if shown else [])]
    return "".join(f"{line.rstrip()}\n" for line in "\n".join(lines).splitlines())


def main(arguments: list[str]) -> int:
    """Run the named pages, or all; return 1 when one of them is wrong."""
    write = "--write" in arguments
    chosen = [Path(name).resolve() for name in arguments if name != "--write"] or pages()
    wrong = 0
    for path in chosen:
        text = path.read_text("utf-8")
        with tempfile.TemporaryDirectory() as folder, opened(path, Path(folder)) as page:
            for block in blocks_of(text):
                try:
                    if write and block.language == "console":
                        text = text.replace(block.text, rewrite(page, block), 1)
                    else:
                        page.run_block(block)
                except Exception as error:
                    wrong = 1
                    print(f"{path}:{block.line}: {type(error).__name__}: {error}")
                    break
        if write:
            path.write_text(text, "utf-8")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
