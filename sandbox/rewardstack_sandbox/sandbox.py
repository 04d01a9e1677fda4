"""`Sandbox`: runs untrusted programs in confined processes and judges them by tests they never see."""

import os
import threading
import warnings
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, cast, get_args, overload

from rewardstack_sandbox.batch import Batch
from rewardstack_sandbox.cores import usable_cores
from rewardstack_sandbox.errors import SandboxError
from rewardstack_sandbox.jobs import Job, Run, Tests
from rewardstack_sandbox.layers import Layer
from rewardstack_sandbox.limits import Limits
from rewardstack_sandbox.results import ExecutionResult, TestReport
from rewardstack_sandbox.worker import Worker

__all__ = ["Isolation", "Sandbox", "default_workers"]

Isolation = Literal["strict", "best_effort", "restricted", "monty"]
One = TypeVar("One", ExecutionResult, TestReport)


class Sandbox:
    """Runs untrusted programs. A context manager; thread-safe; call it from async code by `asyncio.to_thread`.

    Args:
        isolation: "strict" refuses to start where seccomp is missing, or Landlock is and no mount namespace takes
            its place; "best_effort" warns and runs with the layers there are; "restricted" also compiles programs
            with RestrictedPython, for platforms without kernel layers; "monty" has Monty run them, an interpreter in Rust.
        workers: How many worker processes run at one time; None for one a processor, divided among the ranks of
            this machine (`LOCAL_WORLD_SIZE`), unless `REWARDSTACK_WORKERS` says otherwise.
        limits: What a run may take where the call does not say.

    Workers start when they are first needed, by exec: the caller is never forked. A worker that dies is replaced.
    After a fork of the caller, the child starts workers of its own.
    """

    def __init__(
        self,
        isolation: Isolation = "strict",
        *,
        workers: int | None = None,
        limits: Limits | None = None,
    ) -> None:
        known = get_args(Isolation)
        if isolation not in known:
            raise SandboxError(f"isolation must be one of {', '.join(known)}, not {isolation!r}")
        self.isolation: str = isolation
        self.workers = default_workers() if workers is None else workers
        if self.workers < 1:
            raise SandboxError(f"workers must be at least 1, not {workers!r}")
        self.limits = limits or Limits()
        self._prepare()

    def _prepare(self) -> None:
        self._owner = os.getpid()
        self._change = threading.Condition()
        self._turns: deque[object] = deque()  # who waits for a worker, the first to come first
        self._idle = deque(Worker(self.isolation) for _ in range(self.workers))
        self._all = tuple(self._idle)
        self._closed = False
        self._warned = False

    def run(
        self, program: str, *, stdin: str = "", args: Sequence[str] = (), limits: Limits | None = None
    ) -> ExecutionResult:
        """Run a program as a script and return what came of it."""
        return self._one(Run(program, stdin, args, limits), ExecutionResult)

    def run_tests(
        self,
        program: str,
        tests: str | Sequence[str],
        *,
        entry_point: str | None = None,
        setup: str = "",
        stop_early: bool = False,
        limits: Limits | None = None,
    ) -> TestReport:
        """Judge a program's definitions by tests (see `Tests`) and return what came of each."""
        return self._one(Tests(program, tests, entry_point, setup, stop_early, limits), TestReport)

    @overload
    def run_many(self, jobs: Sequence[Run]) -> Sequence[ExecutionResult]: ...
    @overload
    def run_many(self, jobs: Sequence[Tests]) -> Sequence[TestReport]: ...
    @overload
    def run_many(self, jobs: Sequence[Job]) -> Sequence[ExecutionResult | TestReport]: ...
    def run_many(self, jobs: Sequence[Job]) -> Any:
        """Do a batch of jobs on all workers that are free, and return what came of each, in order."""
        if not jobs:
            return []
        batch = Batch(jobs, self.limits, lambda: bool(self._turns))
        while batch.waiting:
            workers = self._check_out(len(batch.waiting))
            try:
                batch.run(workers)
            finally:
                self._check_in(workers)
        return batch.results

    def capabilities(self) -> tuple[Layer, ...]:
        """Return the layers of confinement and their states, as a worker found them; starts one if need be."""
        workers = self._check_out(1)
        try:
            return workers[0].layers
        finally:
            self._check_in(workers)

    def close(self) -> None:
        """End all workers. Calls that are running end with an infrastructure error."""
        if self._owner != os.getpid():
            return
        with self._change:
            self._closed = True
            self._change.notify_all()
            for worker in self._all:
                worker.close()
            for worker in self._idle:  # a worker that is busy is reaped by whoever has it
                worker.kill()

    def pids(self) -> list[int]:
        """Return the process numbers of the running workers, for tests and `rewards doctor`."""
        return [worker.process.pid for worker in self._all if worker.process is not None]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_all"):
            self.close()

    def _one(self, job: Job, _kind: type[One]) -> One:
        return cast("One", self.run_many([job])[0])

    def _check_out(self, wanted: int) -> list[Worker]:
        """Return ready workers: one at least, as many as are free at most."""
        if self._owner != os.getpid():
            self._prepare()
        turn = object()
        with self._change:
            self._turns.append(turn)
            try:
                while not self._closed and (not self._idle or self._turns[0] is not turn):
                    self._change.wait()
            finally:
                self._turns.remove(turn)
                self._change.notify_all()
            if self._closed:
                raise SandboxError("this sandbox is closed")
            taken = [self._idle.popleft() for _ in range(min(wanted, len(self._idle)))]
        try:
            for worker in taken:
                if worker.process is None:
                    worker.start()
            for worker in taken:
                worker.ensure()
        except BaseException:
            self._check_in(taken)
            raise
        self._warn(taken[0].layers)
        return taken

    def _check_in(self, workers: list[Worker]) -> None:
        with self._change:
            for worker in workers if self._closed else ():
                worker.kill()
            # those that run come first, so that single calls do not start what they do not need
            self._idle.extendleft(worker for worker in workers if worker.process is not None)
            self._idle.extend(worker for worker in workers if worker.process is None)
            self._change.notify_all()

    def _warn(self, layers: Sequence[Layer]) -> None:
        lacking = [f"{layer.name} ({layer.detail})" for layer in layers if layer.state == "absent"]
        if lacking and not self._warned and self.isolation != "strict":
            warnings.warn(f"the sandbox runs without: {', '.join(lacking)}", RuntimeWarning, stacklevel=5)
        self._warned = True


def default_workers() -> int:
    """Return one worker a processor that this process can use, divided among the ranks on this machine.

    `REWARDSTACK_WORKERS` overrides it; it is 1 in processes that rewardstack started for isolated calls, so that all of
    them together have as many as their parent would.
    """
    told = os.environ.get("REWARDSTACK_WORKERS", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    ranks = os.environ.get("LOCAL_WORLD_SIZE", "1")
    return max(1, usable_cores() // max(1, int(ranks) if ranks.isdigit() else 1))
