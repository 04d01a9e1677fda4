"""Landlock: what of the file system, the network and other processes a process may still reach."""

import ctypes
import os
from collections.abc import Iterable

from rewardstack_sandbox.kernel.calls import syscall

__all__ = ["EXECUTE", "READ", "READ_WRITE_FILE", "abi", "restrict"]

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE, IOCTL = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
READ = READ_FILE | READ_DIR
READ_WRITE_FILE = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL
FILE_RIGHTS = READ_WRITE_FILE | EXECUTE

# ABI: all file rights known since then. What is handled and not granted by a rule is refused.
FILE_RIGHTS_SINCE = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
NETWORK_SINCE, NETWORK = 4, 0b11  # TCP bind and connect
SCOPES_SINCE, SCOPES = 6, 0b11  # abstract sockets and signals stay within the domain
GET_VERSION = 1
BENEATH = 1


class Ruleset(ctypes.Structure):
    """The kernel's `struct landlock_ruleset_attr`."""

    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class Beneath(ctypes.Structure):
    """The kernel's `struct landlock_path_beneath_attr`."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("rights", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """Return the kernel's Landlock version, 0 where it has none or refuses it."""
    try:
        return syscall("landlock_create_ruleset", 0, 0, GET_VERSION)
    except OSError:
        return 0


def restrict(grants: Iterable[tuple[str, int]]) -> None:
    """Confine this process and its children to the given (path, rights), for good.

    Paths that do not exist are left out. The process must have no new privileges. Raises `OSError` where any step
    fails.
    """
    version = abi()
    files = FILE_RIGHTS_SINCE[max(since for since in FILE_RIGHTS_SINCE if since <= version)]
    rules = Ruleset(
        files, NETWORK if version >= NETWORK_SINCE else 0, SCOPES if version >= SCOPES_SINCE else 0
    )
    size = 8 + 8 * (version >= NETWORK_SINCE) + 8 * (version >= SCOPES_SINCE)
    ruleset = syscall("landlock_create_ruleset", ctypes.byref(rules), size, 0)
    try:
        for path, rights in grants:
            grant(ruleset, path, rights & files)
        if syscall("landlock_restrict_self", ruleset, 0) != 0:
            raise OSError(os.EX_OSERR, "landlock_restrict_self did not return 0")
    finally:
        os.close(ruleset)


def grant(ruleset: int, path: str, rights: int) -> None:
    """Add a rule for everything beneath a path."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what cannot be reached needs no grant
    try:
        if not os.path.isdir(path):  # noqa: PTH112 - pathlib is not needed here
            rights &= FILE_RIGHTS
        rule = Beneath(rights, place)
        syscall("landlock_add_rule", ruleset, BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(place)
