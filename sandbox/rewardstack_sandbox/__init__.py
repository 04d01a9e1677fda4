"""Runs untrusted programs in confined processes and judges them by tests they never see. Knows nothing of rewards."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewardstack_sandbox.entry_points import EntryPoint, read_entry_point
    from rewardstack_sandbox.errors import IsolationUnavailable, SandboxError
    from rewardstack_sandbox.jobs import Job, Run, Tests
    from rewardstack_sandbox.layers import Layer
    from rewardstack_sandbox.limits import Limits
    from rewardstack_sandbox.results import ExecutionResult, Status, TestReport, TestResult
    from rewardstack_sandbox.sandbox import Isolation, Sandbox

__all__ = [
    "EntryPoint",
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
    "read_entry_point",
]

MODULES = {
    "entry_points": ("EntryPoint", "read_entry_point"),
    "errors": ("IsolationUnavailable", "SandboxError"),
    "jobs": ("Job", "Run", "Tests"),
    "layers": ("Layer",),
    "limits": ("Limits",),
    "results": ("ExecutionResult", "Status", "TestReport", "TestResult"),
    "sandbox": ("Isolation", "Sandbox"),
}
HOMES = {name: module for module, names in MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a name on first use: the workers, which import this package too, have need of none.

    What they load every candidate pays for, in pages to share and to copy after its fork.
    """
    if name not in HOMES:
        raise AttributeError(f"module 'rewardstack_sandbox' has no attribute {name!r}")
    return getattr(importlib.import_module(f"rewardstack_sandbox.{HOMES[name]}"), name)
