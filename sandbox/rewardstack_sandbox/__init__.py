"""Runs untrusted programs in confined processes and judges them by tests they never see. Knows nothing of rewards."""

from typing import TYPE_CHECKING, Any

from rewardstack_sandbox.errors import IsolationUnavailable, SandboxError
from rewardstack_sandbox.jobs import Job, Run, Tests
from rewardstack_sandbox.limits import Limits
from rewardstack_sandbox.results import ExecutionResult, Layer, Status, TestReport, TestResult

if TYPE_CHECKING:
    from rewardstack_sandbox.sandbox import Isolation, Sandbox

__all__ = [
    "ExecutionResult",
    "Isolation",
    "IsolationUnavailable",
    "Job",
    "Layer",
    "Limits",
    "Run",
    "Sandbox",
    "SandboxError",
    "Status",
    "TestReport",
    "TestResult",
    "Tests",
]


def __getattr__(name: str) -> Any:
    """Import the caller's side on first use: the workers, which import this package too, have no need of it.

    What they load (threading above all) every candidate pays for, in pages to copy after its fork.
    """
    if name not in ("Isolation", "Sandbox"):
        raise AttributeError(f"module 'rewardstack_sandbox' has no attribute {name!r}")
    from rewardstack_sandbox import sandbox  # noqa: PLC0415

    return getattr(sandbox, name)
