"""A mount namespace with a small read-only view of the file system: what stands in for Landlock where there is none."""

import ctypes
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from rewardstack_sandbox.kernel.calls import checked, libc, syscall

__all__ = ["enter"]

NEW_MOUNTS = 0x00020000
READ_ONLY, NO_SUID, NO_DEVICES, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
DETACH, STAY = 2, 8  # of umount2: unhook at once; do not follow links
KEPT = os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME | os.ST_RELATIME
RELATIVE_TIMES = 1 << 21  # the one flag whose number differs between statvfs and mount
PLACES = ("/tmp", "/run", "/mnt", "/var")  # noqa: S108 - only hidden for this process, nothing is written there


def enter(grants: Iterable[tuple[str, int]]) -> str:
    """Leave this process and its children a root that holds the granted paths alone, read-only; return why not.

    Rights are all taken as reading; devices stay what they are. An empty text means that every step worked and that
    each mount was seen to be read-only. Where the kernel refuses the namespace itself, nothing has changed and the
    text says so. Raises `OSError` where a later step fails: the process then has half a view and must end.

    The process needs privileges in its user namespace, and one thread.
    """
    try:
        checked(libc().unshare(NEW_MOUNTS), "unshare")
    except OSError as error:
        return str(error.strerror)
    mount(None, "/", RECURSIVE | PRIVATE)
    root = next(place for place in PLACES if Path(place).is_dir())
    sources = open_sources(grants)  # before the new root can hide one of them
    mount("tmpfs", root, NO_SUID | NO_DEVICES, kind="tmpfs", options="mode=755,size=1m")
    try:
        for path, source in sources.items():
            bind(source, f"{root}{path}")
    finally:
        for source in sources.values():
            os.close(source)
    for place in reversed(mounted_on(root)):  # the root comes last: making places needs it writable
        make_read_only(place)
    change_root(root)
    return ""


def open_sources(grants: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return a descriptor for each path that exists, shorter paths first; those within another one are left out."""
    found: dict[str, int] = {}
    for path, _ in sorted(grants):
        if any(path == other or path.startswith(f"{other}/") for other in found):
            continue
        try:
            found[path] = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # what cannot be reached needs no place
    return found


def bind(source: int, target: str) -> None:
    """Show what a descriptor stands for at a path, which is made."""
    place = Path(target)
    if stat.S_ISDIR(os.fstat(source).st_mode):
        place.mkdir(parents=True, exist_ok=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch(mode=0o444)
    mount(f"/proc/self/fd/{source}", target, BIND | RECURSIVE)


def mounted_on(root: str) -> list[str]:
    """Return the places of the mount that was last made at a path and of those on it, in the order of mounting.

    Mounts below the path that are older are listed by the kernel too, but hidden by it: they are not among these.
    """
    lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    rows = [(number, parent, name_of(place)) for number, parent, _, _, place, *_ in map(bytes.split, lines)]
    found = {next(number for number, _, place in reversed(rows) if place == root): root}
    for number, parent, place in rows:
        if parent in found:
            found[number] = place
    return list(found.values())


def name_of(place: bytes) -> str:
    """Return a path of which the kernel has written white space and backslashes as octal numbers."""
    return os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda match: bytes([int(match[1], 8)]), place))


def make_read_only(place: str) -> None:
    """Make one mount read-only and without set-user-id programs; seen by reading it back."""
    flags = os.statvfs(place).f_flag & KEPT  # some are locked: without them the kernel refuses
    if flags & os.ST_RELATIME:
        flags = flags & ~os.ST_RELATIME | RELATIVE_TIMES
    devices = 0 if stat.S_ISCHR(os.stat(place).st_mode) else NO_DEVICES  # noqa: PTH116 - no pathlib for a number
    mount(None, place, REMOUNT | BIND | READ_ONLY | NO_SUID | devices | flags)
    if not os.statvfs(place).f_flag & os.ST_RDONLY:
        raise OSError(os.EX_OSERR, f"{place} did not become read-only")


def change_root(root: str) -> None:
    """Make a mount the root of this process and take the old one away."""
    os.chdir(root)
    syscall("pivot_root", b".", b".")  # the old root now lies on top of the new one
    checked(libc().umount2(b".", DETACH | STAY), "umount2")
    os.chdir("/")


def mount(source: str | None, target: str, flags: int, *, kind: str | None = None, options: str = "") -> None:
    """Make the system call of that name; `OSError` where it fails."""
    texts = [None if one is None else os.fsencode(one) for one in (source, target, kind)]
    checked(libc().mount(*texts, ctypes.c_ulong(flags), os.fsencode(options)), f"mount {target}")
