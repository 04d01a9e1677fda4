"""What stops a run in the middle is a sentence; a bug stays a traceback."""

import pytest

pytest.importorskip("torch")

import torch

from rewardstack.errors import StackError
from rewardstack_trainers.errors import TrainingError
from rewardstack_trainers.training.faults import told_plainly

FAULTS = [
    (torch.OutOfMemoryError("CUDA out of memory."), "out of memory: CUDA out of memory. `rewards plan` says"),
    (OSError(28, "No space left on device", "x.bin"), "stopped at the disk: No space left on device .x.bin"),
    (
        RuntimeError("[enforce fail] PytorchStreamWriter failed"),
        "a checkpoint could not be saved; is the disk full",
    ),
]


@pytest.mark.parametrize(("fault", "message"), FAULTS, ids=lambda value: type(value).__name__)
def test_a_full_card_and_a_full_disk_are_sentences(fault, message):
    with pytest.raises(TrainingError, match=message) as found, told_plainly():
        raise fault
    assert found.value.__cause__ is fault


@pytest.mark.parametrize("fault", [StackError("too many rows erred"), RuntimeError("a bug")])
def test_all_else_stays_what_it_is(fault):
    with pytest.raises(type(fault)) as found, told_plainly():
        raise fault
    assert found.value is fault
