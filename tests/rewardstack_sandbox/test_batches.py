"""Many jobs at a time: order, replacement of what died, threads, async code, nothing left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rewardstack_sandbox import Limits, Run, Sandbox, SandboxError, Tests
from rewardstack_sandbox.batch import Batch
from rewardstack_sandbox.sandbox import default_workers
from rewardstack_sandbox.worker import Worker

ROOT = str(Path(__file__).parents[2] / "sandbox")


def test_results_come_in_order(sandbox):
    jobs = [Run(f"print({place})") for place in range(30)]
    assert [result.stdout for result in sandbox.run_many(jobs)] == [f"{place}\n" for place in range(30)]


def test_kinds_may_be_mixed(sandbox):
    first, second = sandbox.run_many([Run("print(1)"), Tests("x = 1", ["assert x == 1"])])
    assert (first.stdout, second.passed) == ("1\n", False)  # a constant is no use of the program


def test_nothing_to_do(sandbox):
    assert sandbox.run_many([]) == []


def test_a_worker_that_dies_is_replaced():
    with Sandbox(workers=1) as sandbox:
        sandbox.run("pass")
        os.kill(sandbox.pids()[0], signal.SIGKILL)
        results = sandbox.run_many([Run(f"print({place})") for place in range(5)])
        assert [result.status for result in results] == ["accepted"] * 5


def test_a_worker_may_die_in_the_middle_of_a_batch():
    with Sandbox(workers=2) as sandbox:
        sandbox.run_many([Run("pass")] * 2)
        timer = threading.Timer(0.3, lambda: [os.kill(pid, signal.SIGKILL) for pid in sandbox.pids()])
        timer.start()
        results = sandbox.run_many([Run("import time; time.sleep(0.1); print('ok')")] * 10)
        timer.join()
        assert [(result.stdout, result.reason) for result in results] == [("ok\n", "")] * 10


def test_an_answer_is_never_taken_for_that_of_another_job(monkeypatch):
    """A worker that dies after one answer, holding another job, must not be started anew for a third."""
    killed = []

    def hear_and_kill(self, worker):
        hear(self, worker)
        if worker.pending and not killed:
            killed.append(worker.process.pid)
            os.kill(worker.process.pid, signal.SIGKILL)
            os.waitid(os.P_PID, worker.process.pid, os.WEXITED | os.WNOWAIT)

    hear = Batch.hear
    monkeypatch.setattr(Batch, "hear", hear_and_kill)
    with Sandbox(workers=1, limits=Limits(wall=2)) as sandbox:
        results = sandbox.run_many([Run(f"print({place})") for place in range(6)])
    assert killed
    assert [result.stdout for result in results] == [f"{place}\n" for place in range(6)]


def test_long_inputs_and_long_outputs_do_not_wait_for_each_other():
    """A worker that is sending a long output reads no further job: both sides would wait for the other."""
    text = "x" * 900_000
    with Sandbox(workers=1, limits=Limits(wall=5)) as sandbox:
        results = sandbox.run_many([Run("print(input())", stdin=text)] * 4)
    assert [(result.status, len(result.stdout)) for result in results] == [("accepted", 900_001)] * 4


def test_an_answer_in_time_counts_however_late_the_caller_looks(monkeypatch):
    """The trainer may hold the interpreter for longer than a program may take."""

    def submit_and_stall(self, *job):
        submit(self, *job)
        time.sleep(0.8)

    submit = Worker.submit
    with Sandbox(workers=1, limits=Limits(wall=0.5)) as sandbox:
        sandbox.run("pass")
        monkeypatch.setattr(Worker, "submit", submit_and_stall)
        assert sandbox.run("print(1)").status == "accepted"


CRASH = "import ctypes\nctypes.string_at(0)"


def test_a_program_that_leads_tests_to_crash_their_worker_is_not_masked():
    with Sandbox("best_effort", workers=1) as sandbox:
        tests = f"found = f()\nif found == 7:\n    {CRASH.replace(chr(10), '; ')}\nassert found == 1"
        jobs = [Tests(f"def f(): return {number}", tests) for number in (7, 1, 2)]
        statuses = [result.status for result in sandbox.run_many(jobs)]
        assert statuses == ["runtime_error", "accepted", "wrong_answer"]


def test_tests_that_crash_their_worker_whatever_the_program_are_an_error():
    with Sandbox("best_effort", workers=1) as sandbox:
        jobs = [Tests("def f(): return 1", f"{CRASH}\nassert f() == 1"), Run("print(1)")]
        assert [result.status for result in sandbox.run_many(jobs)] == ["infrastructure_error", "accepted"]


def test_tests_that_kill_their_worker_are_an_error():
    with Sandbox(workers=1) as sandbox:
        killing = Tests("def f(): return 1", "import os, signal\nos.kill(os.getpid(), 9)\nassert f() == 1")
        results = sandbox.run_many([killing, Run("print(1)")])
        assert [result.status for result in results] == ["infrastructure_error", "accepted"]


def test_threads_share_a_sandbox(sandbox):
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: sandbox.run(f"print({n})").stdout, range(40)))
    assert results == [f"{n}\n" for n in range(40)]


def test_async_code_can_wait_for_it(sandbox):
    async def main():
        calls = (asyncio.to_thread(sandbox.run, f"print({n})") for n in range(4))
        return [result.stdout for result in await asyncio.gather(*calls)]

    assert asyncio.run(main()) == ["0\n", "1\n", "2\n", "3\n"]


def test_a_system_without_a_process_to_give_is_told_and_leaks_nothing(monkeypatch):
    def refuse(*_, **__):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with Sandbox(workers=1) as sandbox:
        with monkeypatch.context() as patch:
            patch.setattr(subprocess, "Popen", refuse)
            before = used(os.getpid())[0]
            with pytest.raises(SandboxError, match="could not be started: Resource temporarily"):
                sandbox.run("pass")
            assert used(os.getpid())[0] == before
        assert sandbox.run("pass").status == "accepted"


def test_closed():
    sandbox = Sandbox(workers=1)
    sandbox.run("pass")
    (pid,) = sandbox.pids()
    sandbox.close()
    with pytest.raises(SandboxError, match="closed"):
        sandbox.run("pass")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_workers_end_with_their_caller():
    script = (
        f"import sys, os; sys.path.insert(0, {ROOT!r})\n"
        "from rewardstack_sandbox import Sandbox\n"
        "sandbox = Sandbox(workers=1); sandbox.run('pass'); print(sandbox.pids()[0], flush=True); os._exit(0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=True
    )
    pid = int(done.stdout)
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists():
            break
        threading.Event().wait(0.05)
    assert not Path(f"/proc/{pid}").exists(), "the worker outlived its caller"


def test_wrong_arguments_are_refused():
    with pytest.raises(SandboxError, match="isolation must be one of"):
        Sandbox("none")
    with pytest.raises(SandboxError, match="workers"):
        Sandbox(workers=0)


def test_ranks_share_the_processors(monkeypatch):
    monkeypatch.delenv("REWARDSTACK_WORKERS", raising=False)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "1000")
    assert default_workers() == 1


def test_the_number_of_workers_may_be_told(monkeypatch):
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "1000")
    monkeypatch.setenv("REWARDSTACK_WORKERS", "3")
    assert default_workers() == 3


MIXED = [
    Run("print(1)"),
    Run("import os; os.abort()"),
    Tests("def f(): return 1", ["assert f() == 1"]),
    Tests("import os\ndef f(): os._exit(1)", ["assert f() == 1"]),
    Run("x = 1 +"),
    Tests("def f(): return 2", ["assert f() == 1"]),
    Run("while True: pass", limits=Limits(wall=0.02)),
]


def used(pid: int) -> tuple[int, int]:
    """Return a process's open descriptors and resident bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return len(list(Path(f"/proc/{pid}/fd").iterdir())), pages * os.sysconf("SC_PAGESIZE")


def tree(pid: int) -> list[int]:
    """Return a process and all below it, zombies too."""
    try:
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it ended meanwhile
        return []
    return [pid, *(one for child in below for one in tree(int(child)))]


def leak(calls: int) -> tuple[list[int], int, int, int]:
    """Do mixed calls; return descriptors gained by each process, bytes gained, and processes before and after."""
    with Sandbox(workers=1) as sandbox:
        sandbox.run_many(MIXED * 20)
        (pid,) = sandbox.pids()
        before = [used(one) for one in (os.getpid(), *tree(pid)[:2])]
        count = len(tree(pid))
        for _ in range(calls // (4 * len(MIXED))):
            sandbox.run_many(MIXED * 4)
        (pid,) = sandbox.pids()  # another one where a loaded machine made the worker too late
        after = [used(one) for one in (os.getpid(), *tree(pid)[:2])]
        gained = [new[0] - old[0] for old, new in zip(before, after, strict=True)]
        return (
            gained,
            sum(new[1] - old[1] for old, new in zip(before, after, strict=True)),
            count,
            len(tree(pid)),
        )


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_nothing_is_left_behind():
    gained, grown, before, after = leak(300)
    assert gained == [0, 0, 0]
    assert after <= before + 1
    assert grown < 5 << 20


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_nothing_is_left_behind_after_ten_thousand_calls():
    gained, grown, before, after = leak(10_000)
    assert gained == [0, 0, 0]
    assert after <= before + 1
    assert grown < 5 << 20


def test_closing_ends_calls_that_run():
    sandbox = Sandbox(workers=1)
    sandbox.run("pass")
    threading.Timer(0.3, sandbox.close).start()
    result = sandbox.run("while True: pass", limits=Limits(wall=20))
    assert (result.status, result.reason) == ("infrastructure_error", "this sandbox is closed")
    assert sandbox.pids() == []


def test_a_batch_shares_its_workers_with_those_who_wait():
    with Sandbox(workers=1) as sandbox, ThreadPoolExecutor(1) as pool:
        sandbox.run("pass")
        batch = pool.submit(
            sandbox.run_many, [Run(f"import time; time.sleep(0.1); print({n})") for n in range(30)]
        )
        time.sleep(0.3)
        assert sandbox.run("print('one')").stdout == "one\n"
        assert not batch.done(), "it would have taken three seconds"
        assert [result.stdout for result in batch.result()] == [f"{n}\n" for n in range(30)]


def test_batches_take_turns():
    with Sandbox(workers=2) as sandbox, ThreadPoolExecutor(4) as pool:
        work = [[Run(f"print({batch}, {n})") for n in range(25)] for batch in range(4)]
        for number, results in enumerate(pool.map(sandbox.run_many, work)):
            assert [result.stdout for result in results] == [f"{number} {n}\n" for n in range(25)]
