"""Namespaces: a process's own view of users, network, shared memory, host name and process numbers."""

import os

from rewardstack_sandbox.kernel.calls import checked, libc

__all__ = ["KINDS", "enter", "renew_processes"]

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


def renew_processes(own: int) -> None:
    """Let the next child begin a process namespace; `own` is a pidfd of this process. `OSError` where refused.

    A process may leave the namespace of its children once only, unless it first returns to its own.
    """
    flag = KINDS["processes"]
    checked(libc().setns(own, flag), "setns")
    checked(libc().unshare(flag), "unshare")
