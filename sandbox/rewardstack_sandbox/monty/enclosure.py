"""The layers around Monty: the worker's own, with one door left open, to start Monty's processes."""

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pydantic_monty

from rewardstack_sandbox.confinement import Confinement, confine
from rewardstack_sandbox.kernel import landlock, namespaces, process, seccomp
from rewardstack_sandbox.kernel.seccomp import CLONE_THREAD, Rule
from rewardstack_sandbox.layers import Layer
from rewardstack_sandbox.monty.candidate import MontyCandidate
from rewardstack_sandbox.monty.scripts import judge_run
from rewardstack_sandbox.nursery import Ended

__all__ = ["MontyNursery", "enclose"]

PARENT_WAITS = 0x4000  # of clone: the parent stands still until the child begins another program
PROGRAM = "monty.exe" if sys.platform == "win32" else "monty"
LOADERS = (
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
)
OPENED = (
    Rule("clone", (0, CLONE_THREAD | PARENT_WAITS, (CLONE_THREAD, PARENT_WAITS))),
    *map(Rule, ("execve", "kill", "pidfd_open", "pidfd_send_signal", "wait4")),
)
FILTER = (*(rule for rule in seccomp.CANDIDATE if rule.call not in ("clone", "kill")), *OPENED)
GRACE = 0.1
OTHERWISE = {  # what this package's own candidates have and Monty's processes do not
    "seccomp": Layer("seccomp", "degraded", "processes may be started; Landlock says of what program"),
    "limits": Layer(
        "limits", "active", "Monty's own: objects, running time of each call, output; address space"
    ),
    "descriptors": Layer("descriptors", "active", "all closed but pipes for requests and answers"),
}


class MontyNursery:
    """A pool of Monty's processes, one for each program."""

    judge_run = staticmethod(judge_run)
    forker = 0

    def __init__(self, pool: Any) -> None:
        self.pool = pool

    def take(self) -> MontyCandidate:
        """Return a candidate; its process begins with its program, whose limits it needs."""
        return MontyCandidate(self.pool)

    def prepare(self) -> None:
        """Do nothing: the pool keeps a process ready."""

    def retire(self, candidate: MontyCandidate) -> None:
        """End a candidate's process."""
        candidate.close()

    def tidy(self) -> None:
        """Do nothing: none is left to end."""

    def bury(self, candidate: MontyCandidate) -> Ended:
        """End a candidate's process; how much it took is not known."""
        candidate.close()
        return Ended(candidate.exit_code, 0.0, 0)


def enclose(memory: int) -> tuple[MontyNursery, Confinement]:
    """Put on the layers and return what makes candidates within them. `memory` bounds each process's addresses.

    Only Monty's own program can be executed (Landlock).
    """
    binary = find_program()
    confinement = confine([(path, landlock.READ | landlock.EXECUTE) for path in (binary, *LOADERS)])
    if confinement.process_namespaces:
        move_inside()
    os.dup2(
        os.open(os.devnull, os.O_WRONLY), 2
    )  # where Monty's processes would write whenever they run out of memory
    process.limit("CORE", 0)
    if sys.platform == "linux":
        process.limit("AS", memory)
    if confinement.capabilities:
        process.drop_capabilities()
    if confinement.seccomp:
        seccomp.install(seccomp.assemble(FILTER, os.getpid()))
    pool = pydantic_monty.Monty(
        binary_path=binary, max_processes=1, max_checkouts_per_worker=1, feed_duration_limit_grace=GRACE
    )
    layers = tuple(
        OTHERWISE.get(one.name, one) if one.state == "active" else one for one in confinement.layers
    )
    interpreter = Layer("interpreter", "active", "Monty: no files, network, processes, or machine code")
    return MontyNursery(pool.__enter__()), confinement._replace(layers=(*layers, interpreter))


def find_program() -> str:
    """Return the path of Monty's program, which is installed beside the interpreter."""
    places = [Path(sysconfig.get_path("scripts")), Path(sys.base_prefix) / "bin"]
    found = next((path for place in places if (path := place / PROGRAM).is_file()), None)
    if found is None:
        raise FileNotFoundError(f"there is no {PROGRAM} in {' or '.join(map(str, places))}")
    return str(found)


def move_inside() -> None:
    """Go on as the first process of the new namespace, so that all that is started ends with this process.

    The old process waits outside; each ends with the other.
    """
    child = namespaces.fork_inside()
    if child:
        os.closerange(0, 1 << 10)
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    process.die_with_parent(None)
