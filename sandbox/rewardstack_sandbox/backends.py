"""What runs code: the protocol that `Sandbox` fulfils, and that a container or a remote service may fulfil as well."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from rewardstack_sandbox.jobs import Job
from rewardstack_sandbox.layers import Layer

__all__ = ["Backend"]


@runtime_checkable
class Backend(Protocol):
    """Runs untrusted programs.

    `run_many` returns an `ExecutionResult` for each `Run` and a `TestReport` for each `Tests`, in order, and raises
    only `SandboxError`. It must be safe to call from several threads, keep to each job's limits, keep tests out of
    the process that runs the program, and report what was not the program's doing as `infrastructure_error`.
    """

    def run_many(self, jobs: Sequence[Job]) -> Any:
        """Do a batch of jobs."""
        ...

    def capabilities(self) -> tuple[Layer, ...]:
        """Return the layers of confinement and their states."""
        ...

    def close(self) -> None:
        """End everything that was started."""
        ...
