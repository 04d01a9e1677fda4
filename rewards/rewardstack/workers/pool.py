"""Worker processes for rewards that may hang, crash or eat memory: started by exec, killed at their deadline.

One pool serves a process. A single dispatcher thread owns all of its state: it starts workers, hands out tasks,
watches deadlines and replaces what it killed from a warm spare. Nothing here forks the caller, uses signals or needs
the main thread.
"""

import contextlib
import hashlib
import os
import pickle
import selectors
import socket
import threading
import time
from collections import deque
from concurrent.futures import Future
from typing import Any

import msgspec

from rewardstack.errors import IsolationError
from rewardstack.workers.messages import Call, Fault, Load, Recipe, frame, is_fault, read_reply
from rewardstack.workers.process import LOAD_SECONDS, Settled, Task, TimedOut, Worker

__all__ = ["Pool"]

CLOSING_SECONDS = 0.2
CLOSED = "the worker pool was closed"


class Pool:
    """Worker processes and the thread that feeds them.

    `size` workers at most run tasks at one time, `memory` bytes of address space each (0: no limit). Beside them
    one spare is kept warm, and more while calls come near their deadlines, so that a kill costs no start-up.
    """

    def __init__(self, size: int, memory: int) -> None:
        self.size = size
        self.memory = memory
        self.owner = os.getpid()
        self._submitted: deque[Task] = deque()
        self._queue: deque[Task] = deque()
        self._workers: list[Worker] = []
        self._recipes: dict[str, Recipe] = {}  # what has been called since the pool was last at rest
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = socket.socketpair()
        self._wake_read.setblocking(False)
        self._selector.register(self._wake_read, selectors.EVENT_READ)
        self.closed = False
        self._start_failures = 0
        self._thread = threading.Thread(target=self._serve, name="rewardstack-workers", daemon=True)
        self._thread.start()

    def submit(self, recipe: Recipe, call: Call, limit: float | None) -> "Future[Settled]":
        """Queue a call of a reward and return its future: the outcome, and the seconds it ran.

        `limit` is the seconds it may run. Cancelling the future drops a waiting call and kills a running one. Raises
        `IsolationError` when the arguments cannot be sent to another process.
        """
        key = recipe_key(recipe)
        try:
            payload = frame(msgspec.structs.replace(call, key=key))
        except Exception as error:
            raise IsolationError(f"{culprit(call)} cannot be sent to a worker process: {error}") from error
        task = Task(key, recipe, payload, limit, Future())
        self._submitted.append(task)
        self._wake()
        if self.closed:  # the thread may have ended before it saw the task
            settle(task, Fault(CLOSED), 0.0)
        return task.future

    def close(self) -> None:
        """Kill all workers and end the thread."""
        self.closed = True
        self._wake()
        self._thread.join(timeout=5)

    def pids(self) -> list[int]:
        """Return the process ids of the living workers, for tests and the doctor."""
        return [worker.process.pid for worker in self._workers]

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            self._wake_write.send(b"\0")

    def _serve(self) -> None:
        while not self.closed:
            try:
                self._step()
            except (
                Exception
            ) as error:  # whatever breaks the dispatcher must reach those who wait, not hang them
                self._fail_all(f"the worker pool failed: {type(error).__name__}: {error}")
        for worker in list(self._workers):
            self._remove(worker)
        self._fail_all(CLOSED)

    def _step(self) -> None:
        for key, _ in self._selector.select(self._patience()):
            if key.fileobj is self._wake_read:
                self._wake_read.recv(4096)
            else:
                self._hear(key.data)
        while self._submitted:
            task = self._submitted.popleft()
            self._recipes[task.key] = task.recipe
            self._queue.append(task)
        self._reap()
        self._staff()
        self._assign()

    def _patience(self) -> float | None:
        now = time.monotonic()
        times = [worker.deadline for worker in self._workers if worker.deadline is not None]
        times += [
            moment for worker in self._workers if (moment := worker.overdue_at) is not None and moment > now
        ]
        waits = (
            [0.1] if any(worker.task for worker in self._workers) else []
        )  # cancelled futures are looked for
        return max(0.0, min([moment - now for moment in times] + waits)) if times or waits else None

    def _hear(self, worker: Worker) -> None:
        try:
            replies = worker.read()
        except EOFError:
            until = time.monotonic() + CLOSING_SECONDS
            while not worker.has_ended() and time.monotonic() < until:
                time.sleep(0.005)  # else its own end could not be told from our kill
            self._bury(worker, worker.kill())
            return
        for reply in replies:
            self._answer(worker, reply)

    def _answer(self, worker: Worker, reply: bytes) -> None:
        if not worker.ready:
            worker.ready, self._start_failures = True, 0
        elif worker.loading is not None:
            key, worker.loading = worker.loading, None
            worker.loaded.add(key)
            if is_fault(reply):
                worker.loaded.discard(key)
                why = read_reply(reply).text  # made by our own code alone
                self._fail_key(key, f"the reward cannot be rebuilt in a worker process: {why}")
        elif worker.task is not None:
            task, worker.task = worker.task, None
            settle(task, reply, time.monotonic() - worker.started)

    def _reap(self) -> None:
        now = time.monotonic()
        for worker in list(self._workers):
            if worker.task is not None and worker.task.future.cancelled():
                self._remove(worker)
            elif worker.gone:
                self._bury(worker, worker.kill())
            elif worker.deadline is not None and now >= worker.deadline:
                task = worker.task
                self._remove(worker)
                if task is not None:
                    settle(task, TimedOut(task.limit or 0.0), now - worker.started)
                elif worker.loading is not None:
                    self._fail_key(
                        worker.loading, f"the reward took over {LOAD_SECONDS:g} s to load in a worker"
                    )
                else:
                    self._start_failures += 1

    def _bury(self, worker: Worker, how: str) -> None:
        self._remove(worker)
        if worker.task is not None:
            settle(worker.task, Fault(f"the worker process died ({how})"), time.monotonic() - worker.started)
        elif worker.loading is not None:
            self._fail_key(worker.loading, f"loading the reward ended its worker process ({how})")
        elif not worker.ready:
            self._start_failures += 1

    def _staff(self) -> None:
        """Start what is missing: a worker for every waiting task up to `size`, and the spares."""
        if self._start_failures >= 3:
            self._fail_all("worker processes do not start; see standard error")
            self._start_failures = 0
            return
        now = time.monotonic()
        running = sum(worker.task is not None for worker in self._workers)
        due = [moment for worker in self._workers if (moment := worker.overdue_at) is not None]
        wanted = min(self.size, running + len(self._queue))
        if running or self._queue:
            wanted += max(1, sum(moment <= now for moment in due))
        else:
            self._recipes.clear()
        while len(self._workers) < wanted:
            worker = Worker(self.memory)
            self._workers.append(worker)
            self._selector.register(worker.channel, selectors.EVENT_READ, worker)

    def _assign(self) -> None:
        running = sum(worker.task is not None for worker in self._workers)
        for worker in sorted(self._workers, key=lambda worker: -len(worker.loaded)):
            if not worker.idle:
                continue
            while self._queue and self._queue[0].future.cancelled():
                self._queue.popleft()
            task = self._queue[0] if self._queue and running < self.size else None
            missing = {key: recipe for key, recipe in self._recipes.items() if key not in worker.loaded}
            if task is not None and task.key in worker.loaded:
                self._queue.popleft()
                self._start(worker, task)
                running += 1
            elif missing:
                key = task.key if task is not None else next(iter(missing))
                self._load(worker, key, missing[key])

    def _start(self, worker: Worker, task: Task) -> None:
        worker.task, worker.started = task, time.monotonic()
        self._send(worker, task.payload)

    def _load(self, worker: Worker, key: str, recipe: Recipe) -> None:
        worker.loading, worker.started = key, time.monotonic()
        self._send(worker, Load(key, recipe))

    def _send(self, worker: Worker, message: Any) -> None:
        try:
            worker.send(message)
        except OSError:
            self._bury(worker, worker.kill())

    def _remove(self, worker: Worker) -> None:
        if worker in self._workers:
            self._workers.remove(worker)
            self._selector.unregister(worker.channel)
        worker.kill()

    def _fail_key(self, key: str, why: str) -> None:
        """Fail every waiting task of a reward that cannot be loaded."""
        failed = [task for task in self._queue if task.key == key]
        self._queue = deque(task for task in self._queue if task.key != key)
        for task in failed:
            settle(task, Fault(why), 0.0)

    def _fail_all(self, why: str) -> None:
        while self._submitted:  # others may append meanwhile
            self._queue.append(self._submitted.popleft())
        for task in [*self._queue, *(worker.task for worker in self._workers if worker.task)]:
            settle(task, Fault(why), 0.0)
        self._queue.clear()
        for worker in list(self._workers):
            self._remove(worker)


def settle(task: Task, outcome: bytes | Fault | TimedOut, seconds: float) -> None:
    """Give a task its outcome, unless its caller has given it up."""
    with contextlib.suppress(Exception):  # a future cancelled meanwhile refuses a result
        if not task.future.done():
            task.future.set_result((outcome, seconds))


def culprit(call: Call) -> str:
    """Return what of a call's arguments cannot be pickled."""
    arguments = [(f"argument {place + 1}", value) for place, value in enumerate(call.arguments)]
    for name, value in [*arguments, *((repr(name), value) for name, value in call.keywords.items())]:
        try:
            pickle.dumps(value, protocol=5)
        except Exception:  # that it fails is what is asked
            return name
    return "a call"


def recipe_key(recipe: Recipe) -> str:
    """Return a key that is equal for equal recipes."""
    return hashlib.sha256(pickle.dumps(recipe, protocol=5)).hexdigest()
