"""The checkpoints of a run's folder, and which of them a run can go on from."""

import json
from collections.abc import Iterator
from pathlib import Path

__all__ = ["last_checkpoint", "step_of"]

STATE = "trainer_state.json"
"""Transformers writes it last, so a checkpoint without it was not written to its end."""


def last_checkpoint(folder: Path) -> tuple[Path | None, list[Path]]:
    """Return the newest whole checkpoint, None where there is none, and the newer ones that are not whole."""
    broken: list[Path] = []
    for path in newest_first(folder):
        if is_whole(path):
            return path, broken
        broken.append(path)
    return None, broken


def newest_first(folder: Path) -> Iterator[Path]:
    """Return the folders `checkpoint-N`, the highest number first."""
    found = [path for path in folder.glob("checkpoint-*") if path.is_dir() and step_text(path).isdecimal()]
    yield from sorted(found, key=step_of, reverse=True)


def is_whole(path: Path) -> bool:
    """Whether a checkpoint's last file is there and can be read; its weights are not looked at."""
    try:
        json.loads((path / STATE).read_bytes())
    except (OSError, ValueError):
        return False
    return True


def step_of(path: Path | None) -> int:
    """Return the number of steps taken before a checkpoint, 0 without one."""
    return 0 if path is None else int(step_text(path))


def step_text(path: Path) -> str:
    """Return the number in a checkpoint's name."""
    return path.name.removeprefix("checkpoint-")
