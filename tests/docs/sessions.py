"""Runs the console sessions of a page and compares what they print with what the page shows.

A line that begins with `$ ` is a command, `> ` goes on with it, and everything below is its output. In the output
`...` stands for any text, on a line of its own for any lines. Times, runs of spaces and blank lines are not compared.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TIME = re.compile(r"\b\d[\d,]*(\.\d+)?(e-\d+)?\s?(µs|us|ms|s|min|rows/s)\b")
SPACES = re.compile(r"[ \t─━]+")
PIP = """#!/bin/sh
# Stands in for pip on pages: installs folders, offline and for this page alone. Other packages are taken to be there.
[ "$1" = install ] || exit 2
shift
editable=
for wanted; do
    [ "$wanted" != -e ] || editable=yes
    project=$(printf %s "$wanted" | sed 's/\\[.*//')
    [ -f "$project/pyproject.toml" ] || continue
    "{python}" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index \\
        --upgrade --target "{site}" "$project" || exit
    [ -n "$editable" ] || continue
    for package in "$(cd "$project" && pwd)"/src/*; do  # an edit shall be seen at once
        rm -rf "{site}/$(basename "$package")"
        ln -s "$package" "{site}/"
    done
done
"""
KEPT = ("LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV")
SECONDS = 120


class Command(NamedTuple):
    """One command of a session and what the page says it prints."""

    text: str
    shown: str


def commands_of(session: str) -> Iterator[Command]:
    """Yield the commands of a console block."""
    text, shown = "", list[str]()
    for line in session.splitlines():
        if line.startswith("$ "):
            if text:
                yield Command(text, "\n".join(shown))
            text, shown = line[2:], []
        elif line.startswith("> ") and not shown:
            text += f"\n{line[2:]}"
        elif not text:
            raise ValueError(f"a session begins with `$ `, not with {line!r}")
        else:
            shown.append(line)
    if text:
        yield Command(text, "\n".join(shown))


class Shell:
    """A shell of a page: every command runs in the folder the last one left it in."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.folder = folder
        self.tools = folder / ".tools"
        self.site = self.tools / "site"
        self.site.mkdir(parents=True)
        pip = self.tools / "pip"
        pip.write_text(PIP.format(python=sys.executable, site=self.site), "utf-8")
        pip.chmod(0o755)

    def run(self, command: str) -> str:
        """Run one command and return what it printed, errors included."""
        whereabouts = self.home / ".folder"
        script = f"{command}\ncode=$?; pwd > '{whereabouts}'; exit $code"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
        self.folder = Path(whereabouts.read_text("utf-8").strip())
        whereabouts.unlink()
        return done.stdout.decode("utf-8", "replace").replace(str(self.home), "~")

    def environment(self) -> dict[str, str]:
        """Return a plain terminal of 80 columns, with this interpreter's commands and a pip of its own first."""
        path = os.pathsep.join(
            [str(self.tools), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
        )
        plain = {
            "PATH": path,
            "PYTHONPATH": str(self.site),
            "HOME": str(self.home),
            "COLUMNS": "80",
            "TERM": "dumb",
            "NO_COLOR": "1",
        }
        quiet = {"PYTHONDONTWRITEBYTECODE": "1", "OMP_WAIT_POLICY": "PASSIVE"}
        return {**{name: os.environ[name] for name in KEPT if name in os.environ}, **plain, **quiet}


def lines_of(output: str) -> list[str]:
    """Return output as lines in which times and spacing do not count."""
    lines = (SPACES.sub(" ", TIME.sub("TIME", line)).strip() for line in output.splitlines())
    return [line for line in lines if line]


def agrees(shown: str, printed: str) -> bool:
    """Whether printed output is what the page shows."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*?") + r"\n"
        for line in lines_of(shown)
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines_of(printed))) is not None
