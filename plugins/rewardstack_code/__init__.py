"""Code rewards: unit tests, programs on inputs, checks without running, robustness. Code runs in the sandbox only."""

from collections.abc import Callable
from typing import Any

import rewardstack_sandbox
from rewardstack import hookimpl
from rewardstack_code.cases import io
from rewardstack_code.robustness import robust
from rewardstack_code.static_checks import static
from rewardstack_code.unit_tests import tests

__all__ = ["io", "robust", "static", "tests"]


@hookimpl
def rewards_sandboxes(register: Callable[[str, Callable[..., Any], str], None]) -> None:
    """Register the ways of running code that come with rewardstack."""
    register("process", make_process, "programs in processes the kernel confines; tests stay out of them")
    register(
        "restricted",
        make_restricted,
        "the restricted language in a limited process, where the kernel has no layers",
    )


def make_process(**options: Any) -> Any:
    """Return the sandbox that takes what layers of confinement the platform has; options are those of `Sandbox`."""
    return rewardstack_sandbox.Sandbox("best_effort", **options)


def make_restricted(**options: Any) -> Any:
    """Return the sandbox that compiles programs with RestrictedPython; options are those of `Sandbox`."""
    return rewardstack_sandbox.Sandbox("restricted", **options)
