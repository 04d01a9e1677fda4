"""Code rewards: unit tests, programs on inputs, checks without running, robustness. Code runs in the sandbox only."""

from collections.abc import Callable
from functools import partial
from typing import Any

import rewardstack_sandbox
from rewardstack import hookimpl
from rewardstack_code.cases import io
from rewardstack_code.probes import PROBES
from rewardstack_code.robustness import robust
from rewardstack_code.static_checks import static
from rewardstack_code.unit_tests import tests

__all__ = ["io", "robust", "static", "tests"]

SANDBOXES: dict[str, tuple[rewardstack_sandbox.Isolation, str]] = {
    # name: (isolation, what doctor says of it)
    "process": ("best_effort", "programs in processes the kernel confines: strict, best_effort"),
    "restricted": (
        "restricted",
        "the restricted language in a limited process, where the kernel has no layers",
    ),
    "monty": ("monty", "a part of Python in Monty, an interpreter written in Rust"),
}


@hookimpl
def rewards_sandboxes(register: Callable[[str, Callable[..., Any], str], None]) -> None:
    """Register the ways of running code that come with rewardstack."""
    for name, (isolation, summary) in SANDBOXES.items():
        register(name, partial(rewardstack_sandbox.Sandbox, isolation), summary)


@hookimpl
def rewards_audit_probes(register: Callable[[str, Callable[..., Any], str], None]) -> None:
    """Register the changes of a program that must not change its score, and those that must not be paid."""
    for name, (probe, summary) in PROBES.items():
        register(f"code.{name}", probe, summary)
