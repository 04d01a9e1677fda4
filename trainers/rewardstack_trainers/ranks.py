"""The other processes of a run: what all of them must decide alike is summed or gathered here.

One process is the usual case and costs nothing. With several, every function here is a collective: all ranks must
call it, in the same order. torch is only used where it has been imported already.
"""

import os
import sys
from collections.abc import Sequence
from typing import Any

__all__ = ["gather", "leave", "sum_over_ranks", "world_size"]


def distributed() -> Any:
    """Return `torch.distributed` when a process group runs, else None."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available() or not torch.distributed.is_initialized():
        return None
    return torch.distributed


def world_size() -> int:
    """Return how many processes take part in the run."""
    group = distributed()
    return 1 if group is None else int(group.get_world_size())


def sum_over_ranks(values: Sequence[float]) -> list[float]:
    """Return the sums of the values over all ranks, in double precision."""
    group = distributed()
    if group is None or group.get_world_size() == 1:
        return list(values)
    torch = sys.modules["torch"]
    total = torch.tensor(values, dtype=torch.float64, device=collective_device(group))
    group.all_reduce(total)
    return [float(value) for value in total.tolist()]


def gather(value: Any) -> list[Any]:
    """Return the values of all ranks, in the order of ranks."""
    group = distributed()
    if group is None or group.get_world_size() == 1:
        return [value]
    torch = sys.modules["torch"]
    device = collective_device(group)
    if device.type != "cpu":  # a thread of its own (an async reward) starts on the first device
        torch.accelerator.set_device_index(device.index)
    values = [None] * group.get_world_size()
    group.all_gather_object(values, value)
    return values


def leave() -> None:
    """Leave the process group once all ranks are here: its threads must have ended before the interpreter does."""
    group = distributed()
    if group is not None:
        group.barrier()
        group.destroy_process_group()


def collective_device(group: Any) -> Any:
    """Return the device whose tensors the process group can reduce: this rank's own, or the CPU under gloo."""
    torch = sys.modules["torch"]
    backend = str(group.get_backend())
    if "gloo" in backend or "mpi" in backend or not torch.accelerator.is_available():
        return torch.device("cpu")
    return torch.device(torch.accelerator.current_accelerator().type, int(os.environ.get("LOCAL_RANK", "0")))
