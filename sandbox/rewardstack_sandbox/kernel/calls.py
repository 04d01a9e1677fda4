"""System calls by number, for the ones Python has no function for."""

import ctypes
import functools
import os
import sys
from typing import Any

__all__ = ["MACHINES", "NUMBERS", "checked", "libc", "machine", "number", "prctl", "syscall"]

MACHINES = {"x86_64": 0, "aarch64": 1}

# name: (x86-64, aarch64); None where the machine has no such call
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "access": (21, None), "alarm": (37, None), "arch_prctl": (158, None), "brk": (12, 214),
    "capget": (125, 90), "capset": (126, 91), "chdir": (80, 49), "clock_getres": (229, 114),
    "clock_gettime": (228, 113), "clock_nanosleep": (230, 115), "clone": (56, 220), "clone3": (435, 435),
    "close": (3, 57), "close_range": (436, 436), "copy_file_range": (326, 285), "dup": (32, 23),
    "dup2": (33, None), "dup3": (292, 24), "epoll_create": (213, None), "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21), "epoll_pwait": (281, 22), "epoll_wait": (232, None), "eventfd": (284, None),
    "eventfd2": (290, 19), "execve": (59, 221), "exit": (60, 93), "exit_group": (231, 94), "faccessat": (269, 48),
    "faccessat2": (439, 439), "fadvise64": (221, 223), "fchdir": (81, 50), "fcntl": (72, 25),
    "fdatasync": (75, 83), "flock": (73, 32), "fstat": (5, 80), "fstatfs": (138, 44), "fsync": (74, 82),
    "ftruncate": (77, 46), "futex": (202, 98), "get_robust_list": (274, 100), "getcpu": (309, 168),
    "getcwd": (79, 17), "getdents": (78, None), "getdents64": (217, 61), "getegid": (108, 177),
    "geteuid": (107, 175), "getgid": (104, 176), "getgroups": (115, 158), "getitimer": (36, 102),
    "getpeername": (52, 205), "getpgid": (121, 155), "getpgrp": (111, None), "getpid": (39, 172),
    "getppid": (110, 173), "getpriority": (140, 141), "getrandom": (318, 278), "getresgid": (120, 150),
    "getresuid": (118, 148), "getrlimit": (97, 163), "getrusage": (98, 165), "getsid": (124, 156),
    "getsockname": (51, 204), "getsockopt": (55, 209), "gettid": (186, 178), "gettimeofday": (96, 169),
    "getuid": (102, 174), "ioctl": (16, 29), "kill": (62, 129), "landlock_add_rule": (445, 445),
    "landlock_create_ruleset": (444, 444), "landlock_restrict_self": (446, 446), "lseek": (8, 62),
    "lstat": (6, None), "madvise": (28, 233), "membarrier": (324, 283), "memfd_create": (319, 279),
    "mmap": (9, 222), "mount": (165, 40), "mprotect": (10, 226), "mremap": (25, 216), "msync": (26, 227), "munmap": (11, 215),
    "nanosleep": (35, 101), "newfstatat": (262, 79), "open": (2, None), "openat": (257, 56),
    "openat2": (437, 437), "pause": (34, None), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
    "pipe": (22, None), "pipe2": (293, 59), "pivot_root": (155, 41), "poll": (7, None), "ppoll": (271, 73), "prctl": (157, 167),
    "pread64": (17, 67), "preadv": (295, 69), "prlimit64": (302, 261), "pselect6": (270, 72),
    "pwrite64": (18, 68), "pwritev": (296, 70), "read": (0, 63), "readlink": (89, None),
    "readlinkat": (267, 78), "readv": (19, 65), "recvfrom": (45, 207), "recvmsg": (47, 212),
    "restart_syscall": (219, 128), "rseq": (334, 293), "rt_sigaction": (13, 134), "rt_sigpending": (127, 136),
    "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137), "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126),
    "sched_getaffinity": (204, 123), "sched_getparam": (143, 121), "sched_getscheduler": (145, 120),
    "sched_yield": (24, 124), "seccomp": (317, 277), "select": (23, None), "sendfile": (40, 71),
    "sendmsg": (46, 211), "sendto": (44, 206), "set_robust_list": (273, 99), "set_tid_address": (218, 96),
    "setitimer": (38, 103), "setns": (308, 268), "setrlimit": (160, 164), "setsockopt": (54, 208),
    "shutdown": (48, 210), "sigaltstack": (131, 132), "socketpair": (53, 199), "stat": (4, None),
    "statfs": (137, 43), "statx": (332, 291), "sysinfo": (99, 179), "tgkill": (234, 131), "time": (201, None),
    "timerfd_create": (283, 85), "timerfd_gettime": (287, 87), "timerfd_settime": (286, 86),
    "times": (100, 153), "tkill": (200, 130), "umask": (95, 166), "umount2": (166, 39), "uname": (63, 160), "unshare": (272, 97),
    "wait4": (61, 260),
    "write": (1, 64), "writev": (20, 66),
}  # fmt: skip


@functools.cache
def libc() -> Any:
    """Return the C library of this process. Its calls keep the interpreter's lock: none takes long, or needs a thread."""
    return ctypes.PyDLL(None, use_errno=True)


def machine() -> str | None:
    """Return the machine's name as in `MACHINES`, or None where the kernel layers do not exist."""
    name = os.uname().machine if sys.platform == "linux" else ""
    return name if name in MACHINES and sys.maxsize > 2**32 else None


def number(name: str) -> int | None:
    """Return the number of a system call on this machine."""
    here = machine()
    return None if here is None else NUMBERS[name][MACHINES[here]]


def checked(result: int, what: str) -> int:
    """Return a C function's result; `OSError` with its errno where that is negative."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def syscall(name: str, *arguments: Any) -> int:
    """Make a system call by its number; `OSError` where it fails or does not exist here."""
    code = number(name)
    if code is None:
        raise OSError(38, f"{name}: no such system call on this machine")
    whole = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return checked(libc().syscall(ctypes.c_long(code), *whole), name)


def prctl(option: int, *arguments: Any) -> int:
    """Set or read a property of this process; `OSError` where the kernel refuses."""
    whole = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in arguments]
    whole += [ctypes.c_ulong(0)] * (4 - len(whole))
    return checked(libc().prctl(ctypes.c_int(option), *whole), f"prctl {option}")
