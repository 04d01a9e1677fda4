"""Seccomp: the list of system calls a process may make, assembled here as a BPF program."""

import ctypes
import os
import struct
import sys
from collections.abc import Callable, Iterable

from rewardstack_sandbox.kernel.calls import MACHINES, NUMBERS, checked, machine, syscall
from rewardstack_sandbox.kernel.process import prepared

__all__ = [
    "CANDIDATE",
    "FORKER",
    "SERVER",
    "Rule",
    "assemble",
    "available",
    "install",
    "install_step",
    "narrow",
]

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN, AND = 0x20, 0x15, 0x35, 0x06, 0x54
KILL, REFUSE, MISSING, ALLOW = 0x80000000, 0x00050001, 0x00050026, 0x7FFF0000  # with EPERM and ENOSYS
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x40000000  # numbers of the x32 ABI, a second door to the same calls
SET_FILTER = 1

CLONE_THREAD = 0x10000
OUT_OF_BAND = 1  # of a message on a socket
SELF = -1  # stands for the process's own number in a rule

PLAIN = (
    "read", "write", "futex", "mmap", "munmap", "mprotect", "brk", "madvise", "mremap", "lseek", "openat", "open",
    "close", "fstat", "newfstatat", "stat", "lstat", "statx", "readv", "writev", "pread64", "pwrite64", "preadv",
    "pwritev", "getdents64", "getdents", "readlink", "readlinkat", "access", "faccessat", "faccessat2", "getcwd",
    "dup", "dup2", "dup3", "pipe", "pipe2", "flock", "ftruncate", "fsync", "fdatasync", "statfs", "fstatfs",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend",
    "sigaltstack", "alarm", "setitimer", "getitimer", "pause", "nanosleep", "clock_nanosleep", "clock_getres",
    "clock_gettime", "gettimeofday", "time", "times", "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid",
    "getegid", "getgroups", "getresuid", "getresgid", "getpgid", "getpgrp", "getsid", "getrusage", "getrlimit",
    "setrlimit", "sysinfo", "uname", "getrandom", "getcpu", "sched_yield", "sched_getaffinity",
    "sched_getscheduler", "sched_getparam", "sched_get_priority_max", "sched_get_priority_min", "getpriority",
    "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait",
    "epoll_pwait", "eventfd", "eventfd2", "timerfd_create", "timerfd_settime", "timerfd_gettime",
    "set_robust_list", "get_robust_list", "set_tid_address", "rseq", "arch_prctl", "membarrier",
    "restart_syscall", "exit", "exit_group", "umask", "chdir", "fchdir",
    "shutdown", "getsockname", "getpeername", "getsockopt", "setsockopt", "msync", "close_range",
    "fadvise64", "copy_file_range", "sendfile",
)  # fmt: skip


class Rule:
    """A system call allowed where each of some arguments, under a mask, has one of some values.

    Only the low 32 bits of an argument are compared: each of these arguments is an `int` to the kernel.
    """

    def __init__(self, call: str, *tests: tuple[int, int, tuple[int, ...]]) -> None:
        self.call = call
        self.tests = tests  # (which argument, mask, values)


WHOLE = 0xFFFFFFFF
CANDIDATE = (
    Rule("clone", (0, CLONE_THREAD, (CLONE_THREAD,))),  # threads, no processes
    Rule(
        "ioctl", (1, WHOLE, (0x5401, 0x541B, 0x5413, 0x5450, 0x5451, 0x5421))
    ),  # what isatty and close-on-exec need
    # descriptors and locks; never F_SETOWN, which makes the kernel signal another process
    Rule("fcntl", (1, WHOLE, (0, 1, 2, 3, 4, 5, 6, 7, 1030, 1032, 1034))),
    # a connected pair of streams for asyncio; datagrams could be sent to any address
    Rule("socketpair", (0, WHOLE, (1,)), (1, 0xF, (1,))),
    # nothing of a socket's second, out-of-band way, which no program needs and kernels have been broken by
    Rule("sendto", (3, OUT_OF_BAND, (0,))),
    Rule("recvfrom", (3, OUT_OF_BAND, (0,))),
    Rule("recvmsg", (2, OUT_OF_BAND, (0,))),
    Rule("kill", (0, WHOLE, (SELF,))),
    Rule("tgkill", (0, WHOLE, (SELF,))),
    Rule("prlimit64", (0, WHOLE, (0, SELF))),
    Rule("prctl", (0, WHOLE, (15, 16, 0x53564D41))),  # names of threads and of memory areas
)
SERVER = (*CANDIDATE, Rule("pidfd_send_signal"), Rule("memfd_create"), Rule("sendmsg"))
# what forking and confining a child takes; its children take these back by `narrow`. Among them `sendmsg`, by which
# descriptors are sent: the kernel counts those on their way for each user, and refuses more to all of the user's processes
FORKING = (
    "clone",
    "wait4",
    "pidfd_open",
    "setns",
    "unshare",
    "capset",
    "seccomp",
    "prctl",
    "kill",
    "tgkill",
    "prlimit64",
    "sendmsg",
)
FORKER = (*(rule for rule in CANDIDATE if rule.call not in FORKING), *map(Rule, FORKING))
ABSENT = ("clone3", "openat2")  # libraries fall back to what can be judged by its arguments


def available() -> bool:
    """Whether this machine's filters are known here and the kernel takes them."""
    if machine() is None:
        return False
    try:  # asks whether the action exists: SECCOMP_GET_ACTION_AVAIL
        syscall("seccomp", 2, 0, ctypes.byref(ctypes.c_uint32(KILL)))
    except OSError:
        return False
    return True


def assemble(rules: Iterable[Rule], process: int, name: str | None = None) -> bytes:
    """Return the filter program for a machine (None: this one): the rules, the plain calls, and a refusal (EPERM) of all else.

    `process` is the number that the rules' `SELF` stands for. Plain calls are found by halving: the kernel runs a new
    filter once for every number there is, and a candidate waits for that.
    """
    name = name or machine() or ""
    column = MACHINES[name]
    code = [(LOAD, 0, 0, 4), (JUMP_EQUAL, 1, 0, ARCHITECTURES[name]), (RETURN, 0, 0, KILL), (LOAD, 0, 0, 0)]
    if name == "x86_64":
        code += [(JUMP_AT_LEAST, 0, 1, X32), (RETURN, 0, 0, KILL)]
    for call in ABSENT:
        code += [(JUMP_EQUAL, 0, 1, NUMBERS[call][column] or 0), (RETURN, 0, 0, MISSING)]
    code += rules_code(rules, process, column)
    numbers = {value for call in PLAIN if (value := NUMBERS[call][column]) is not None}
    code += tree_code(bounds_of(numbers), allowed=False)
    return pack(code)


def narrow(process: int, name: str | None = None) -> bytes:
    """Return the program that leaves, under a filter for `FORKER`, what `CANDIDATE` allows.

    A filter stays with what is forked, and of several the strictest verdict counts. The kernel compiles each anew, which
    a candidate waits for: so all but this short one is installed once, in the forker.
    """
    column = MACHINES[name or machine() or ""]
    ruled = {rule.call: rule for rule in CANDIDATE}
    kept = [ruled[call] for call in FORKING if call in ruled]
    code = [(LOAD, 0, 0, 0), *rules_code(kept, process, column)]
    for call in FORKING:
        value = NUMBERS[call][column]
        if call not in ruled and value is not None:
            code += [(JUMP_EQUAL, 0, 1, value), (RETURN, 0, 0, REFUSE)]
    return pack([*code, (RETURN, 0, 0, ALLOW)])


Instruction = tuple[int, int, int, int]


def pack(code: Iterable[Instruction]) -> bytes:
    """Return a program's bytes."""
    return b"".join(struct.pack("<HBBI", *one) for one in code)


def rules_code(rules: Iterable[Rule], process: int, column: int) -> list[Instruction]:
    """Return the instructions that judge the calls that have rules; they leave others undecided."""
    code: list[Instruction] = []
    for rule in rules:
        value = NUMBERS[rule.call][column]
        if value is not None:
            block = rule_code(rule, process)
            code += [(JUMP_EQUAL, 0, len(block), value), *block]
    return code


def bounds_of(numbers: set[int]) -> list[int]:
    """Return the numbers at which "in the set" changes, ascending; below the first one none is in it."""
    return [value for value in range(max(numbers) + 2) if (value in numbers) != (value - 1 in numbers)]


def tree_code(bounds: list[int], *, allowed: bool) -> list[Instruction]:
    """Return the instructions that judge a number; `allowed` is what holds below the first bound."""
    if not bounds:
        return [(RETURN, 0, 0, ALLOW if allowed else REFUSE)]
    middle = len(bounds) // 2
    below = tree_code(bounds[:middle], allowed=allowed)
    above = tree_code(bounds[middle + 1 :], allowed=allowed ^ (middle % 2 == 0))
    return [(JUMP_AT_LEAST, len(below), 0, bounds[middle]), *below, *above]


def rule_code(rule: Rule, process: int) -> list[Instruction]:
    """Return the instructions that judge a call's arguments."""
    code: list[Instruction] = []
    for place, mask, values in rule.tests:
        code += [(LOAD, 0, 0, 16 + 8 * place), (AND, 0, 0, mask)]
        for index, value in enumerate(values):
            code.append((JUMP_EQUAL, len(values) - index, 0, process if value == SELF else value))
        code.append((RETURN, 0, 0, REFUSE))
    return [*code, (RETURN, 0, 0, ALLOW)]


class Program(ctypes.Structure):
    """The kernel's `struct sock_fprog`. `text` keeps alive what it holds the address of."""

    text: ctypes.Array[ctypes.c_char]
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def install(program: bytes) -> None:
    """Put this process under a filter for good; it must have no new privileges. `OSError` where that fails."""
    if checked(install_step(program)(), "seccomp") != 0:
        raise OSError(os.EX_OSERR, "seccomp did not return 0")


def install_step(program: bytes) -> Callable[[], int]:
    """Return a call that installs a filter, made ready; it returns 0 where that worked."""
    buffer = ctypes.create_string_buffer(program, len(program))
    whole = Program(len(program) // 8, ctypes.addressof(buffer))
    whole.text = buffer
    return prepared("seccomp", SET_FILTER, 0, ctypes.byref(whole))


if sys.byteorder != "little":  # arguments are read by their low half
    ARCHITECTURES.clear()
