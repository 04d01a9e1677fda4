"""What stops a run in the middle, told in a sentence."""

import contextlib
from collections.abc import Iterator

from rewardstack.errors import RewardstackError
from rewardstack_trainers.errors import TrainingError
from rewardstack_trainers.training.models import first_line

__all__ = ["told_plainly"]

DISK = ("PytorchStreamWriter", "No space left", "os error")
"""How torch, C libraries, and safetensors and tokenizers (in Rust) tell of a disk, in errors of kinds of their own."""


@contextlib.contextmanager
def told_plainly() -> Iterator[None]:
    """Turn a full disk and a full card into a sentence."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        raise TrainingError(
            f"out of memory: {first_line(error)} `rewards plan` says what would fit"
        ) from error
    except OSError as error:
        raise TrainingError(
            f"the run stopped at the disk: {error.strerror or error} ({error.filename})"
        ) from error
    except RewardstackError:
        raise
    except Exception as error:
        if any(sign in str(error) for sign in DISK):
            raise TrainingError(
                f"a checkpoint could not be saved; is the disk full? {first_line(error)}"
            ) from error
        raise
