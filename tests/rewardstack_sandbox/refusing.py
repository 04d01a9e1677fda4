"""Runs a Python script in a process to which the kernel refuses some system calls, as containers do."""

import ctypes
import struct
import subprocess
import sys
from pathlib import Path

from rewardstack_sandbox.kernel import calls, process, seccomp

ROOT = Path(__file__).parents[2] / "sandbox"


def run_refused(names: list[str], script: str, **options) -> subprocess.CompletedProcess[str]:
    """Run a script in a new interpreter without these calls."""
    code = "import sys; sys.path.insert(0, {!r}); sys.path.insert(0, {!r}); import refusing; refusing.refuse({!r})\n"
    head = code.format(str(ROOT), str(Path(__file__).parent), names)
    return subprocess.run(
        [sys.executable, "-c", head + script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


def refuse(names: list[str]) -> None:
    """Refuse system calls to this process and its children: EPERM, as a container's own filter would."""
    process.deny_new_privileges()
    program = [(seccomp.LOAD, 0, 0, 0)]
    for name in names:
        program += [(seccomp.JUMP_EQUAL, 0, 1, calls.number(name)), (seccomp.RETURN, 0, 0, seccomp.REFUSE)]
    program.append((seccomp.RETURN, 0, 0, seccomp.ALLOW))
    data = b"".join(struct.pack("<HBBI", *one) for one in program)
    buffer = ctypes.create_string_buffer(data, len(data))
    whole = seccomp.Program(len(program), ctypes.addressof(buffer))
    calls.prctl(22, 2, ctypes.byref(whole))
