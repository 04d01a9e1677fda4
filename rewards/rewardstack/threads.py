"""Daemon threads that are used again: a batch has many terms, and making a thread for each takes longer than most.

Daemon threads, unlike those of `concurrent.futures`, never keep the interpreter from ending: one whose reward hangs
is given up with it.
"""

import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable

__all__ = ["run_in_thread"]

KEPT = 16
"""How many idle threads are kept for later."""


def run_in_thread(work: Callable[[], object], name: str) -> None:
    """Run `work`, which must not raise, in a thread of its own that bears the name meanwhile; do not wait for it."""
    context = contextvars.copy_context()
    try:
        worker = idle.pop()
    except IndexError:
        worker = Worker()
    worker.start(lambda: context.run(work), name)


class Worker:
    """A thread that does one work after the other, and waits in `idle` in between."""

    def __init__(self) -> None:
        self.work: Callable[[], object] | None = None
        self.given = threading.Lock()
        self.given.acquire()
        self.thread: threading.Thread | None = None

    def start(self, work: Callable[[], object], name: str) -> None:
        """Begin with a work."""
        self.work = work
        if self.thread is None:
            self.thread = threading.Thread(target=self.loop, name=name, daemon=True)
            self.thread.start()
        else:
            self.thread.name = name
        self.given.release()

    def loop(self) -> None:
        """Work; end where enough others are idle."""
        while True:
            self.given.acquire()
            work, self.work = self.work, None
            assert work is not None  # `start` gives work before it releases the lock
            work()
            del work  # an idle thread must not keep a batch alive
            if len(idle) >= KEPT:
                return
            idle.append(self)


idle: deque[Worker] = deque()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=idle.clear)  # threads do not survive a fork
