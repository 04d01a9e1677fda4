"""What decides a run's scores, written beside it: a run goes on under the same, or where it is asked for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from rewardstack.errors import ResumeError
from rewardstack_trainers.errors import TrainingError
from rewardstack_trainers.training.config import Config
from rewardstack_trainers.training.stack_file import write_stack

__all__ = ["check_identity"]


def check_identity(
    config: Config, folder: Path, tell: Callable[[str, str], None], *, resume: bool, force: bool
) -> None:
    """Write down what decides the scores; `ResumeError` when the run so far had another stack, unless forced."""
    path = folder / "run.json"
    now = {"stack": config.stack.fingerprint(), "model": config.model.name}
    if path.exists() and resume:
        then = read_identity(path)
        if then != now:
            what = " and ".join(name for name in now if then.get(name) != now[name])
            if not force:
                raise ResumeError(
                    f"{folder} was begun with another {what}. Choose another `output`, or go on all the same with "
                    "--force"
                )
            tell("resume", f"with another {what} than the run was begun with")
    write_stack(config.stack, folder / "stack.toml")
    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(now), indent=2) + b"\n")
    except OSError as error:
        raise TrainingError(f"cannot write {path}: {error.strerror or error}") from error


def read_identity(path: Path) -> dict[str, Any]:
    """Return what decided the scores of the run so far."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        raise ResumeError(f"cannot tell what run {path.parent} holds: {path.name}: {error}") from error
