"""What else the kernel holds a process to: limits, privileges, death with its parent, no open descriptors."""

import contextlib
import ctypes
import functools
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from rewardstack_sandbox.kernel.calls import checked, libc, number, prctl, syscall

__all__ = [
    "capability_step",
    "closing_step",
    "deny_new_privileges",
    "die_with_parent",
    "drop_capabilities",
    "has_capabilities",
    "limit",
    "limiter",
    "own_address_space",
    "prepared",
    "return_free_memory",
    "single_arena",
]

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 1, 38, 39
CAPABILITY_VERSION = 0x20080522
M_ARENA_MAX = -8
LAST_DESCRIPTOR = 0xFFFFFFFF


def deny_new_privileges() -> None:
    """Make set-user-id programs and file capabilities useless to this process; checked by reading it back."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    if prctl(PR_GET_NO_NEW_PRIVS) != 1:
        raise OSError(os.EX_OSERR, "no_new_privs did not stay set")


def die_with_parent(parent: int | None) -> None:
    """Ask the kernel to end this process with its parent; `parent` None where that has another number space."""
    if sys.platform != "linux":
        return
    prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if parent is not None and os.getppid() != parent:  # it died before the kernel knew
        os._exit(1)


def has_capabilities() -> bool:
    """Whether this process has any capability."""
    header, data = capability_buffers()
    syscall("capget", ctypes.byref(header), ctypes.byref(data))
    return any(data)


def drop_capabilities() -> None:
    """Give up every capability of this process."""
    step = capability_step()
    checked(step(), "capset")
    if has_capabilities():
        raise OSError(os.EX_OSERR, "capabilities did not drop")


def capability_step() -> Callable[[], int]:
    """Return a call that gives up every capability, made ready; it returns 0 where that worked."""
    header, data = capability_buffers()
    return prepared("capset", ctypes.byref(header), ctypes.byref(data))


def prepared(name: str, *arguments: Any) -> Callable[..., int]:
    """Return a system call with its arguments made ready. References to buffers keep these alive."""
    code = number(name)
    if code is None:
        raise OSError(os.EX_OSERR, f"{name}: no such system call on this machine")
    whole = [ctypes.c_long(value) if isinstance(value, int) else value for value in (code, *arguments)]
    return functools.partial(libc().syscall, *whole)


def capability_buffers() -> tuple[Any, Any]:
    """Return the header and the (zero) sets that the two calls take."""
    return (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()


def limit(kind: str, value: int) -> None:
    """Lower a resource limit of this process for good (`kind` as in `resource.RLIMIT_*`)."""
    limiter(kind)(value)


def limiter(kind: str) -> Callable[[int], None]:
    """Return a call that lowers a resource limit for good, made ready; it raises where it fails."""
    import resource  # noqa: PLC0415 - POSIX alone has it

    code, put = getattr(resource, f"RLIMIT_{kind}"), resource.setrlimit
    hard = resource.getrlimit(code)[1]
    highest = sys.maxsize if hard == resource.RLIM_INFINITY else hard

    def lower(value: int) -> None:
        value = min(value, highest)
        put(code, (value, value))

    return lower


def closing_step(first: int) -> Callable[[], int]:
    """Return a call that closes every descriptor from `first` on, made ready; it returns 0 where that worked."""
    try:
        syscall("close_range", LAST_DESCRIPTOR, LAST_DESCRIPTOR, 0)
    except OSError:  # before Linux 5.9
        return functools.partial(close_each, first)
    return prepared("close_range", first, LAST_DESCRIPTOR, 0)


def close_each(first: int) -> int:
    """Close descriptors one by one; return 0."""
    import resource  # noqa: PLC0415 - POSIX alone has it

    highest = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    os.closerange(first, highest if 0 < highest < 1 << 20 else 1 << 20)
    return 0


def own_address_space() -> int:
    """Return how many bytes of addresses this process has mapped, 0 where that cannot be read."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - no pathlib in what candidates inherit
            return int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0


def single_arena() -> None:
    """Keep the C library from mapping 64 MiB of addresses for every thread, which would count as memory."""
    with contextlib.suppress(AttributeError, OSError):
        libc().mallopt(M_ARENA_MAX, 1)


def return_free_memory() -> None:
    """Give free pages back to the kernel, where the C library can: a process that is forked has them listed too."""
    with contextlib.suppress(AttributeError, OSError):
        libc().malloc_trim(0)
