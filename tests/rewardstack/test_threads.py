"""Threads that are used again: context, names, many at a time, and nothing kept alive."""

import contextvars
import os
import subprocess
import sys
import threading
import weakref

import pytest

from rewardstack.threads import KEPT, idle, run_in_thread

WHO = contextvars.ContextVar("who", default="nobody")


def ran(name, work=lambda: None):
    """Run a work in a thread and return the thread, once it waits for the next."""
    found, done = [], threading.Event()

    def all_of_it():
        work()
        found.append((threading.current_thread(), threading.current_thread().name, WHO.get()))
        done.set()

    run_in_thread(all_of_it, name)
    assert done.wait(10)
    assert comes_true(
        lambda: any(worker.thread is found[0][0] for worker in idle) or not found[0][0].is_alive()
    )
    return found[0]


def comes_true(true):
    """Whether something comes true within five seconds."""
    return any(true() or threading.Event().wait(0.005) for _ in range(1000))


def test_a_thread_is_used_again_under_another_name_and_in_the_callers_context():
    first, name, who = ran("one")
    assert (name, who, first.daemon) == ("one", "nobody", True)
    token = WHO.set("me")
    try:
        again, name, who = ran("two")
    finally:
        WHO.reset(token)
    assert again is first
    assert (name, who) == ("two", "me")


def test_works_that_wait_for_one_another_all_run_at_once_and_few_threads_are_kept():
    together = threading.Barrier(2 * KEPT + 1)
    for number in range(2 * KEPT):
        run_in_thread(together.wait, f"number {number}")
    together.wait(10)
    assert comes_true(lambda: len(idle) == KEPT)
    assert comes_true(lambda: sum(each.name.startswith("number") for each in threading.enumerate()) <= KEPT)


def test_an_idle_thread_keeps_no_work_alive():
    class Big:
        pass

    big = Big()
    seen = weakref.ref(big)
    ran("one", lambda big=big: big)
    del big
    assert comes_true(lambda: seen() is None)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_after_a_fork_new_threads_are_made():
    code = (
        "import os, threading\nfrom rewardstack.threads import run_in_thread\n"
        "def work():\n    done = threading.Event(); run_in_thread(done.set, 'x'); assert done.wait(10)\n"
        "work()\nchild = os.fork()\nwork()\nif child:\n    assert os.waitpid(child, 0)[1] == 0\n"
    )
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], timeout=60).returncode == 0


def test_a_thread_that_hangs_does_not_keep_the_interpreter():
    code = "import threading\nfrom rewardstack.threads import run_in_thread\nrun_in_thread(threading.Event().wait, 'x')\n"
    assert subprocess.run([sys.executable, "-c", code], timeout=30).returncode == 0
