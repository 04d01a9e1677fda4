"""The filter program, interpreted here as the kernel would, for both machines."""

import itertools
import struct

import pytest

from rewardstack_sandbox.kernel import seccomp
from rewardstack_sandbox.kernel.calls import MACHINES, NUMBERS
from rewardstack_sandbox.kernel.seccomp import (
    ALLOW,
    ARCHITECTURES,
    CANDIDATE,
    FORKER,
    KILL,
    MISSING,
    PLAIN,
    REFUSE,
    SERVER,
)

OWN = 77
RULED = {rule.call for rule in CANDIDATE}


def judge(program: bytes, number: int, arguments=(0,) * 6, architecture: int = 0) -> int:
    """Interpret a filter for one call; return its verdict."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *arguments)
    code = list(struct.iter_unpack("<HBBI", program))
    place = accumulator = 0
    while True:
        what, yes, no, value = code[place]
        place += 1
        if what == seccomp.LOAD:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif what == seccomp.AND:
            accumulator &= value
        elif what == seccomp.JUMP_EQUAL:
            place += yes if accumulator == value else no
        elif what == seccomp.JUMP_AT_LEAST:
            place += yes if accumulator >= value else no
        elif what == seccomp.RETURN:
            return value


@pytest.fixture(params=MACHINES)
def machine(request):
    return request.param


def judge_candidate(machine: str, number: int, arguments=(0,) * 6) -> int:
    """Return the verdict on a call of a candidate, which has two filters: the strictest verdict counts."""
    programs = seccomp.assemble(FORKER, 1, machine), seccomp.narrow(OWN, machine)
    verdicts = [judge(program, number, arguments, ARCHITECTURES[machine]) for program in programs]
    return min(verdicts)


@pytest.fixture
def verdict(machine):
    def ask(name: str, *arguments: int) -> int:
        number = NUMBERS[name][MACHINES[machine]]
        assert number is not None
        return judge_candidate(machine, number, (*arguments, *[0] * (6 - len(arguments))))

    return ask


def test_every_number_is_judged_by_the_list(machine):
    column = MACHINES[machine]
    allowed = {NUMBERS[name][column] for name in PLAIN}
    absent = {NUMBERS[name][column] for name in seccomp.ABSENT}
    ruled = {NUMBERS[name][column] for name in RULED}
    for number in set(range(600)) - ruled:
        expected = ALLOW if number in allowed else MISSING if number in absent else REFUSE
        assert judge_candidate(machine, number) == expected, number


def test_another_architecture_is_killed(machine):
    program = seccomp.assemble(FORKER, OWN, machine)
    assert judge(program, 0, architecture=0x40000003) == KILL


def test_the_x32_door_is_closed():
    program = seccomp.assemble(FORKER, OWN, "x86_64")
    assert judge(program, seccomp.X32, architecture=ARCHITECTURES["x86_64"]) == KILL
    assert judge(program, 2**32 - 1, architecture=ARCHITECTURES["x86_64"]) == KILL


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("clone", (0x10000 | 0x100,), ALLOW),
        ("clone", (0x11,), REFUSE),
        ("clone", (0x20000000,), REFUSE),
        ("kill", (OWN, 9), ALLOW),
        ("kill", (OWN + 1, 9), REFUSE),
        ("kill", (2**32 - 1, 9), REFUSE),
        ("tgkill", (OWN,), ALLOW),
        ("tgkill", (1,), REFUSE),
        ("socketpair", (1, 1), ALLOW),
        ("socketpair", (1, 1 | 0x80000), ALLOW),
        ("socketpair", (1, 2), REFUSE),
        ("sendto", (3, 0, 0, 0x4040), ALLOW),
        ("sendto", (3, 0, 0, 0x4041), REFUSE),
        ("recvfrom", (3, 0, 0, 1), REFUSE),
        ("recvmsg", (3, 0, 0), ALLOW),
        ("recvmsg", (3, 0, 1), REFUSE),
        ("socketpair", (2, 1), REFUSE),
        ("fcntl", (0, 1), ALLOW),
        ("fcntl", (0, 8), REFUSE),
        ("fcntl", (0, 1033), REFUSE),
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), REFUSE),
        ("prlimit64", (0,), ALLOW),
        ("prlimit64", (OWN,), ALLOW),
        ("prlimit64", (1,), REFUSE),
        ("prctl", (15,), ALLOW),
        ("prctl", (1,), REFUSE),
    ],
)
def test_arguments(verdict, call, arguments, expected):
    assert verdict(call, *arguments) == expected


@pytest.mark.parametrize(
    "call",
    [
        "unshare",
        "setns",
        "seccomp",
        "landlock_restrict_self",
        "memfd_create",
        "capset",
        "wait4",
        "pidfd_open",
        "pidfd_send_signal",
        "sendmsg",
        "tkill",
    ],
)
def test_refused(verdict, call):
    assert verdict(call) == REFUSE


def test_the_worker_may_end_candidates_and_no_more(machine):
    program = seccomp.assemble(SERVER, OWN, machine)
    allowed = dict.fromkeys(("pidfd_send_signal", "memfd_create", "sendmsg"), ALLOW)
    for name, expected in {**allowed, "clone": REFUSE, "unshare": REFUSE}.items():
        number = NUMBERS[name][MACHINES[machine]]
        assert judge(program, number, architecture=ARCHITECTURES[machine]) == expected


def test_two_filters_are_as_strict_as_one(machine):
    whole = seccomp.assemble(CANDIDATE, OWN, machine)
    two = seccomp.assemble(FORKER, 1, machine), seccomp.narrow(OWN, machine)
    values = {
        0,
        1,
        OWN,
        OWN + 1,
        2**32 - 1,
        *(one for rule in CANDIDATE for test in rule.tests for one in test[2]),
    }
    for name in {*RULED, *seccomp.FORKING} - {
        "socketpair",
        "ioctl",
        "fcntl",
    }:  # these are judged by the first alone
        number = NUMBERS[name][MACHINES[machine]]
        for first, second in itertools.product(values - {seccomp.SELF}, {0, 1, OWN}):
            call = (number, (first, second, 0, 0, 0, 0), ARCHITECTURES[machine])
            assert min(judge(program, *call) for program in two) == judge(whole, *call), (name, first, second)


def test_numbers_are_distinct(machine):
    numbers = [pair[MACHINES[machine]] for pair in NUMBERS.values() if pair[MACHINES[machine]] is not None]
    assert len(numbers) == len(set(numbers))
