"""The interpreter's machine code on huge pages.

A fork passes on no mapped pages of files: each child meets the interpreter's code anew, by some forty page faults, and has
it all unmapped at its end. A huge page of memory is passed on as one entry. So the code is copied onto huge pages, and
these take its place, as in Intel's "iodlr" library and in Node.js with `--use-largepages`.
"""

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any

from rewardstack_sandbox.kernel.calls import checked, libc, machine

__all__ = ["move_to_huge_pages", "span_of_code"]

HUGE = 2 << 20
READ, WRITE, EXECUTE = 1, 2, 4
PRIVATE, ANONYMOUS = 2, 0x20
MAY_MOVE, FIXED = 1, 2
ADVISE_HUGE, COLLAPSE = 14, 25  # the second, since Linux 6.1, fails unless all of a range is on huge pages
FAILED = ctypes.c_void_p(-1).value


def move_to_huge_pages() -> int:
    """Move what fills whole huge pages of the interpreter's code there; return how many bytes that are.

    0 where the kernel has no huge pages to give, or forbids code in memory that was written, and on all but x86-64. For a
    process with one thread.
    """
    if machine() != "x86_64":
        return 0
    begin, end = span_of_code()
    first, size = round_up(begin), end // HUGE * HUGE - round_up(begin)
    if size <= 0:
        return 0
    room = size + HUGE
    block = memory_call("mmap")(None, room, READ | WRITE, PRIVATE | ANONYMOUS, -1, 0)
    if block == FAILED:
        return 0
    try:
        copy = round_up(block)
        return size if fill(copy, first, size) and replace(first, copy, size) else 0
    finally:
        memory_call("munmap")(block, room)


def fill(copy: int, code: int, size: int) -> bool:
    """Copy code; return whether it is on huge pages and may be executed there."""
    advise = memory_call("madvise")
    advise(copy, size, ADVISE_HUGE)
    ctypes.memmove(copy, code, size)
    return not advise(copy, size, COLLAPSE) and not memory_call("mprotect")(copy, size, READ | EXECUTE)


def replace(code: int, copy: int, size: int) -> bool:
    """Put a copy in the place of code, in one step; `OSError` where the kernel does not."""
    found = memory_call("mremap")(copy, size, size, MAY_MOVE | FIXED, code)
    checked(0 if found == code else -1, "mremap")
    return True


def span_of_code() -> tuple[int, int]:
    """Return where the interpreter's code and constants begin and end, 0 and 0 where that cannot be read.

    They are in a library or in the program itself, as one file's neighbouring mappings that cannot be written.
    """
    inside = ctypes.cast(ctypes.pythonapi.Py_Initialize, ctypes.c_void_p).value or 0
    begin, end, file = 0, 0, ""
    for first, last, writable, path in mappings():
        if writable or path != file or first != end:
            if begin <= inside < end:
                return begin, end
            begin, file = first, path
        end = last
    return 0, 0


def mappings() -> Iterator[tuple[int, int, bool, str]]:
    """Yield each mapping of this process: where it begins and ends, whether it can be written, its file."""
    with (
        contextlib.suppress(OSError),
        open("/proc/self/maps", encoding="utf-8", errors="replace") as lines,  # noqa: PTH123 - as in `process`
    ):
        for line in lines:
            addresses, access, _, _, _, *path = line.split(maxsplit=5)
            begin, end = (int(address, 16) for address in addresses.split("-"))
            yield begin, end, "w" in access, path[0] if path else ""


def round_up(address: int) -> int:
    """Return the first address from one on at which a huge page may begin."""
    return -(-address // HUGE) * HUGE


def memory_call(name: str) -> Any:
    """Return a function of the C library that takes and returns addresses."""
    call = libc()[name]
    call.restype = ctypes.c_void_p if name in ("mmap", "mremap") else ctypes.c_int
    call.argtypes = SIGNATURES[name]
    return call


ADDRESS, SIZE, NUMBER = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
SIGNATURES = {
    "mmap": (ADDRESS, SIZE, NUMBER, NUMBER, NUMBER, ctypes.c_long),
    "munmap": (ADDRESS, SIZE),
    "mprotect": (ADDRESS, SIZE, NUMBER),
    "madvise": (ADDRESS, SIZE, NUMBER),
    "mremap": (ADDRESS, SIZE, SIZE, NUMBER, ADDRESS),
}
