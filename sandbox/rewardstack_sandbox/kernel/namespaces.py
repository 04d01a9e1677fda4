"""Namespaces: a process's own view of users, network, shared memory, host name and process numbers."""

import ctypes
import os
from collections.abc import Callable

from rewardstack_sandbox.kernel.calls import checked, libc
from rewardstack_sandbox.kernel.process import prepared

__all__ = ["KINDS", "enter", "renewal"]

USER = 0x10000000
KINDS = {"network": 0x40000000, "ipc": 0x08000000, "host name": 0x04000000, "processes": 0x20000000}
INNER_USER = 1000


def enter() -> dict[str, str]:
    """Move this process into namespaces of its own; return, for each kind, an empty text or why it could not.

    Process numbers are new for its children only. It must have one thread.
    """
    outer_user, outer_group = os.geteuid(), os.getegid()
    refusals = {"user": unshare(USER)}
    if not refusals["user"]:
        refusals["user"] = map_user(outer_user, outer_group)
    for kind, flag in KINDS.items():
        refusals[kind] = unshare(flag)
    return refusals


def unshare(flag: int) -> str:
    """Leave a namespace; return why not, where the kernel refuses."""
    try:
        checked(libc().unshare(flag), "unshare")
    except OSError as error:
        return str(error.strerror)
    return ""


def map_user(user: int, group: int) -> str:
    """Give this process's user and group a number within its new user namespace; return why not, if it fails."""
    maps = {"setgroups": "deny", "uid_map": f"{INNER_USER} {user} 1", "gid_map": f"{INNER_USER} {group} 1"}
    try:
        for name, text in maps.items():
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123 - no pathlib in what candidates share
                file.write(text)
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return ""


def renewal() -> Callable[[], None]:
    """Return a call, made ready, that lets the next child begin a process namespace; it raises `OSError` where refused.

    A process may leave the namespace of its children once only, unless it first returns to its own.
    """
    flag = KINDS["processes"]
    back, away = prepared("setns", os.pidfd_open(os.getpid()), flag), prepared("unshare", flag)

    def renew() -> None:
        if back() or away():
            raise OSError(ctypes.get_errno(), "no new process namespace")

    return renew
