"""A batch of jobs on some workers: keeps each busy, replaces those that die, gathers what came of each job."""

import marshal
import select
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from rewardstack_sandbox.cores import cores_for
from rewardstack_sandbox.errors import SandboxError
from rewardstack_sandbox.jobs import Job, Run, Tests
from rewardstack_sandbox.limits import Limits
from rewardstack_sandbox.results import ExecutionResult, Status, TestReport, TestResult
from rewardstack_sandbox.worker import DEAD, LATE, Worker

__all__ = ["Batch"]

AHEAD = 2  # jobs a worker holds, so that it need not wait for the caller between two
# bytes, well below what a socket holds: a busy worker reads nothing, and may itself be sending
ROOM_AHEAD = 1 << 16
TRIES = 2
WORTHWHILE = 2  # jobs for each worker from which on it keeps to a core


class Batch:
    """Jobs, the workers that do them, and what has come of them so far.

    `must_share` says whether others wait for a worker. Then no more is begun: `run` returns with jobs still `waiting`,
    and is to be called again with the next workers.
    """

    def __init__(self, jobs: Sequence[Job], limits: Limits, must_share: Callable[[], bool]) -> None:
        self.jobs = jobs
        self.messages = [job.message(limits) for job in jobs]
        self.must_share = must_share
        self.workers: Sequence[Worker] = ()
        self.waiting = deque(range(len(jobs)))
        self.tries = [0] * len(jobs)
        self.found: list[ExecutionResult | TestReport | None] = [None] * len(jobs)
        self.controls: set[int] = set()  # jobs done without their program, to see whose doing a crash is

    @property
    def results(self) -> list[ExecutionResult | TestReport]:
        """What came of the jobs, once all are done."""
        return [result for result in self.found if result is not None]

    def run(self, workers: Sequence[Worker]) -> None:
        """Do the jobs that wait, until all are done or others wait for a worker; one for each worker at least."""
        self.workers = workers
        cores = cores_for(len(workers)) if len(self.waiting) >= WORTHWHILE * len(workers) else ()
        try:
            for worker, core in zip(workers, cores, strict=False):
                worker.keep_to(core)
            for worker in self.workers:
                self.feed(worker)
            while busy := [worker for worker in self.workers if worker.pending]:
                for worker in self.wait(busy):
                    self.hear(worker)
                    if not self.must_share():
                        self.feed(worker)
        finally:
            for worker in self.workers:
                worker.keep_to(None)
                if worker.pending:  # an exception here (Ctrl-C) leaves answers that nobody waits for
                    worker.kill()
                    worker.pending.clear()

    def feed(self, worker: Worker) -> None:
        """Give a worker jobs to do."""
        while self.waiting and len(worker.pending) < AHEAD:
            if worker.pending and len(self.waiting) <= len(self.workers):
                return  # the last jobs go to whoever is free first
            message = self.messages[self.waiting[0]]
            data = marshal.dumps(message)  # the interpreter's own format: a worker trusts its caller
            if worker.pending and len(data) > ROOM_AHEAD:
                return
            index = self.waiting.popleft()
            try:
                if (
                    not worker.pending
                ):  # one that died with jobs is started anew once they have been taken back
                    worker.ensure()
            except SandboxError as error:
                self.settle(index, failure(self.jobs[index], Status.infrastructure_error, str(error)))
                continue
            self.tries[index] += 1
            worker.submit(index, data, message["limits"]["wall"])

    def wait(self, busy: list[Worker]) -> list[Worker]:
        """Return the workers that have answered or are overdue."""
        if len(busy) == 1 or any(worker.answered for worker in busy):
            return [worker for worker in busy if worker.answered] or busy
        poll = select.poll()
        places = {worker.channel.fileno(): worker for worker in busy if worker.channel is not None}
        for place in places:
            poll.register(place, select.POLLIN)
        now = time.monotonic()
        left = max(0.0, min(worker.deadline for worker in busy) - now)
        heard = [places[place] for place, _ in poll.poll(left * 1000 + 1)]
        return heard or [worker for worker in busy if worker.deadline <= time.monotonic()]

    def hear(self, worker: Worker) -> None:
        """Take an answer. When a worker died, its job is tried once more; its other jobs were not begun."""
        index, wall = worker.pending[0]
        answer = worker.take()
        if index in self.controls:
            self.settle(index, after_control(self.jobs[index], answer))
        elif answer is LATE:
            reason = f"over {wall:g} s, spent in judging what the program returned"
            self.settle(index, failure(self.jobs[index], Status.time_limit_exceeded, reason, wall))
        elif "exhausted" in answer:
            reason = "judging what the program returned takes more memory than there is for it"
            self.settle(index, failure(self.jobs[index], Status.memory_limit_exceeded, reason))
        elif answer is DEAD or "fatal" in answer:
            reason = answer.get("fatal", "the sandbox worker died")
            if self.tries[index] < TRIES:
                self.waiting.appendleft(index)
            elif worker.crashed and isinstance(self.jobs[index], Tests):
                self.controls.add(index)
                self.messages[index] |= {"program": ""}
                self.waiting.appendleft(index)
            else:
                self.settle(index, failure(self.jobs[index], Status.infrastructure_error, str(reason)))
        else:
            self.settle(index, build(self.jobs[index], answer))
        if worker.process is None:
            for unbegun, _ in reversed(worker.pending):
                if unbegun != index:
                    self.tries[unbegun] -= 1
                    self.waiting.appendleft(unbegun)
            worker.pending.clear()

    def settle(self, index: int, result: ExecutionResult | TestReport) -> None:
        """Note what came of a job."""
        self.found[index] = result


def after_control(job: Job, answer: dict[str, Any]) -> ExecutionResult | TestReport:
    """Return the result of tests in which a worker crashed, given what came of them without the program.

    Where they end then, it is the program that leads them to the crash, and it must not choose to be masked.
    """
    if answer is LATE or answer is DEAD or "fatal" in answer or "exhausted" in answer:
        return failure(job, Status.infrastructure_error, "the tests crash the sandbox worker")
    return failure(job, Status.runtime_error, "judging what the program does crashes the sandbox worker")


def build(job: Job, answer: dict[str, Any]) -> ExecutionResult | TestReport:
    """Return a worker's answer as the result it is."""
    values = {**answer, "status": Status(answer["status"])}
    if isinstance(job, Run):
        return ExecutionResult(**values)
    values["tests"] = tuple(
        TestResult(name, passed, Status(status), reason) for name, passed, status, reason in values["tests"]
    )
    return TestReport(**values)


def failure(job: Job, status: Status, reason: str, wall: float = 0.0) -> ExecutionResult | TestReport:
    """Return the result of a job that no worker answered."""
    if isinstance(job, Run):
        return ExecutionResult(status, reason=reason, wall_time=wall)
    return TestReport(False, status, reason=reason, wall_time=wall)
