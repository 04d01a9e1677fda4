"""Namespaces: a process's own view of users, network, shared memory, host name and process numbers."""

import ctypes
import os
import signal
from collections.abc import Callable

from rewardstack_sandbox.kernel.calls import checked, libc, syscall
from rewardstack_sandbox.kernel.process import prepared

__all__ = ["enter", "fork_inside", "renewal"]

USER = 0x10000000
KINDS = {"network": 0x40000000, "ipc": 0x08000000, "host name": 0x04000000}
PROCESSES = 0x20000000
INNER_USER = 1000


def enter() -> dict[str, str]:
    """Move this process into namespaces of its own; return, for each kind, an empty text or why it could not.

    Process numbers are new for children by `fork_inside` alone. This process must have one thread.
    """
    outer_user, outer_group = os.geteuid(), os.getegid()
    refusals = {"user": unshare(USER)}
    if not refusals["user"]:
        refusals["user"] = map_user(outer_user, outer_group)
    for kind, flag in KINDS.items():
        refusals[kind] = unshare(flag)
    return refusals | {"processes": try_processes()}


def fork_inside() -> int:
    """Fork a child that is the first process of a new process namespace: 0 in the child; `OSError` where refused.

    For a process with one thread. That one may have more later on: it could not, had it left its namespace for its
    children as `unshare` does.
    """
    return syscall("clone", PROCESSES | signal.SIGCHLD, 0, 0, 0, 0)


def try_processes() -> str:
    """Return why processes cannot have numbers of their own, and their children again; empty where they can."""
    try:
        child = fork_inside()
    except OSError as error:
        return str(error.strerror)
    if child == 0:
        code = os.EX_OSERR
        try:
            renewal()()
            code = 0
        except OSError as error:
            code = error.errno or code
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return os.strerror(code) if code else ""


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
    back = prepared("setns", os.pidfd_open(os.getpid()), PROCESSES)
    away = prepared("unshare", PROCESSES)

    def renew() -> None:
        if back() or away():
            raise OSError(ctypes.get_errno(), "no new process namespace")

    return renew
