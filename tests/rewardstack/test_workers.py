"""Worker processes: killed at their deadline, replaced, and harmless to everybody else."""

import asyncio
import gc
import math
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.timing import seconds_at_best

from rewardstack import Sample, Stack, call_isolated, workers
from rewardstack.errors import IsolationError, StackError
from rewardstack_sandbox import cores

RISKY = str(Path(__file__).parents[1] / "data/rewards/risky.py")


def stack(name="acts", **words):
    return Stack({"it": {"use": f"{RISKY}:{name}", **words}})


def scores(made, completions, prompts=None):
    rows = [
        Sample(text, (prompts or [None] * len(completions))[place]) for place, text in enumerate(completions)
    ]
    return [score.rewards["it"] for score in made.score(rows)]


@pytest.fixture(scope="module", autouse=True)
def _warm():
    scores(stack(timeout=30), ["a"])


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("hanging", [1, 3, 5])
def test_hanging_rows_cost_their_deadlines_and_half_a_second(hanging):
    deadline = 0.6
    texts = ["a", *(f"hang{place}" for place in range(hanging)), "b"]

    def score_them():
        got = scores(stack(timeout=deadline), texts)
        assert [score.value for score in got] == [1.0, *[None] * hanging, 1.0]
        assert {score.error for score in got[1:-1]} == {"timed out after 0.6 s"}

    bound = math.ceil(hanging / workers.pool().size) * deadline + 0.5
    assert seconds_at_best(score_them, bound) <= bound


def test_a_time_out_may_be_the_policys_fault():
    got = scores(stack(timeout=0.5, on_timeout="low", clip=[-1, 1]), ["hang"])[0]
    assert (got.value, got.error, got.reason) == (-1.0, None, "timed out after 0.5 s")


def test_a_gate_that_times_out_is_no_error_of_the_terms_behind_it_either():
    words = {
        "gate": {"use": f"{RISKY}:acts", "timeout": 0.3},
        "it": {"use": f"{RISKY}:acts", "requires": {"gate": 1.0}, "on_timeout": "low"},
    }
    made = Stack(words, max_error_share=0.0)
    assert made(prompts=["p"], completions=["hang"]) == [None]
    assert made.recent_errors() == (0, 1)
    assert made.score_one("hang").rewards["it"].value == 0.0


def test_a_reward_that_runs_out_of_its_own_time_is_no_error_of_the_run():
    made = Stack({"here": late, "there": {"use": f"{RISKY}:late", "timeout": 20}}, max_error_share=0.0)
    assert made(prompts=["p"], completions=["a"]) == [None]
    assert made.recent_errors() == (0, 1)


def late(completion):
    raise TimeoutError("the judge did not answer")


def test_time_outs_do_not_count_toward_the_error_share():
    made = Stack({"it": {"use": f"{RISKY}:acts", "timeout": 0.3}}, max_error_share=0.0)
    assert made(prompts=["p", "p"], completions=["hang", "a"]) == [None, 1.0]


@pytest.mark.parametrize(
    ("completion", "error"),
    [
        ("exit", "the worker process died (exit code 7)"),
        ("segfault", "the worker process died (signal SIGSEGV)"),
        ("memory", "raised MemoryError"),
        ("systemexit", "raised SystemExit: bye"),
        ("unpicklable", "its result cannot leave the worker: "),
    ],
)
def test_what_kills_a_worker_harms_its_own_row_alone(completion, error):
    got = scores(stack(timeout=20), ["a", completion, "b"])
    assert [score.value for score in got] == [1.0, None, 1.0]
    assert got[1].error.startswith(error)


def test_children_of_a_killed_call_die_with_it():
    made = stack(timeout=20)
    child = scores(made, ["child"])[0].details["child"]
    assert alive(child)
    workers.close_pool()
    deadline = time.monotonic() + 5
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(child)


def test_workers_see_no_gpu_and_are_reused():
    made = stack(timeout=20)
    first, second = (scores(made, ["environment"])[0].details for _ in range(2))
    assert first["gpu"] == ""
    assert {first["pid"], second["pid"]} <= set(workers.pool().pids())


def test_what_a_reward_prints_does_not_reach_the_callers_output(capfd):
    scores(stack(timeout=20), ["print"])
    assert capfd.readouterr().out == ""


def test_a_dataclass_lives_in_the_worker():
    got = scores(stack("Counts", step=0.25), [str(place) for place in range(3)])
    assert sum(score.value for score in got) in {0.25 + 0.5 + 0.75, 0.25 + 0.5 + 0.25}, "one worker or two"


def test_a_batch_that_hangs_is_retried_row_by_row():
    extra, metrics = {}, []
    made = stack("batch", timeout=1.0)
    began = time.monotonic()
    values = made(
        prompts=["p"] * 6,
        completions=["a", "bb", "hang", "ccc", "dddddd", "e"],
        log_extra=extra.__setitem__,
        log_metric=lambda name, value: metrics.append((name, value)),
    )
    assert values == [1.0, 1.0, None, 1.0, 0.0, 1.0]
    assert extra["length"] == [1, 2, None, 3, 6, 1], "logged columns keep the full length"
    assert ("rows", 1.0) in metrics
    assert time.monotonic() - began < 2 * 1.0 + 0.5


def test_rows_that_a_retry_had_no_time_for_are_not_blamed():
    texts = [f"hang{place}" for place in range(12)] + ["fine", "good"]
    made = stack("batch_of_hangs", timeout=0.6, on_timeout="low")
    got = scores(made, texts)
    assert {score.value for score in got[:2]} == {0.0}, "these had a fair part of the timeout"
    assert all(score.value in (None, 0.0) for score in got[:12])
    for score in got[12:]:
        assert score.value == 1.0 or score.error.startswith("not tried: "), "and never the low end"
    counted = Stack({"it": {"use": f"{RISKY}:batch_of_hangs", "timeout": 0.6}}, max_error_share=0.0)
    counted(prompts=texts, completions=texts)
    assert counted.recent_errors() == (0, len(texts))


def test_a_batch_reward_declared_as_such_is_not_called_row_by_row():
    got = scores(stack("relative", timeout=0.6), ["a", "hang", "ccc"])
    assert {score.error for score in got} == {"timed out after 0.6 s"}


def test_a_group_that_hangs_is_one_groups_time_out():
    got = scores(stack("group", timeout=0.5), ["a", "hang", "b", "c"], ["p", "p", "q", "q"])
    assert [score.value for score in got] == [None, None, 1.0, 1.0]


def test_a_value_that_cannot_be_sent_is_its_rows_error_by_name(write):
    path = write("thing.py", "def it(completion, thing): return 1.0")
    made = Stack({"it": {"use": f"{path}:it", "timeout": 5}})
    rows = [Sample("a", columns={"thing": lambda: 1}), Sample("b", columns={"thing": 1})]
    bad, good = made.score(rows)
    assert bad.rewards["it"].error.startswith("argument 2 cannot be sent to a worker process: ")
    assert good.total == 1.0


def test_a_reward_that_cannot_be_rebuilt_says_so(write):
    path = write(
        "once.py",
        "import os\nif os.environ.get('CUDA_VISIBLE_DEVICES') == '': raise ImportError('no GPU')\ndef it(completion): return 1.0",
    )
    made = Stack({"it": {"use": f"{path}:it", "timeout": 5}})
    error = made.score_one("a").rewards["it"].error
    assert error.startswith("the reward cannot be rebuilt in a worker process: ")
    assert "ImportError: no GPU" in error


def test_it_works_off_the_main_thread_and_inside_an_event_loop():
    made, got = stack(timeout=0.5), []
    thread = threading.Thread(target=lambda: got.extend(scores(made, ["a", "hang"])))
    thread.start()
    thread.join(20)
    assert [score.value for score in got] == [1.0, None]
    inside = asyncio.run(made.ascore([Sample("a"), Sample("hang2")]))
    assert [score.total for score in inside] == [1.0, None]


def test_two_batches_at_once_share_the_pool():
    made, totals = stack(timeout=20), {}

    def score(name):
        totals[name] = [score.value for score in scores(made, [f"{name}{place}" for place in range(20)])]

    threads = [threading.Thread(target=score, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert totals == dict.fromkeys("abc", [1.0] * 20)
    assert len(workers.pool().pids()) <= workers.pool().size + 1


SCRIPT = """
import sys
from rewardstack import Sample, Stack
stack = Stack({{"it": {{"use": "{risky}:acts", "timeout": 0.5}}}})  # no `if __name__` guard: nothing needs one
print([score.total for score in stack.score([Sample("a"), Sample("hang")])])
"""


def test_an_unguarded_script_works_and_leaves_no_process_behind(write):
    path = write("script.py", SCRIPT.format(risky=RISKY))
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[1.0, None]\n"
    assert f"{RISKY}" not in subprocess.run(["ps", "ax"], capture_output=True, text=True, check=True).stdout


def test_workers_die_with_a_parent_that_is_killed(write):
    script = SCRIPT.format(risky=RISKY) + (
        "from rewardstack.workers import pool\n"
        "print(*pool().pids(), flush=True)\n"
        f"stack = Stack({{'it': {{'use': '{RISKY}:acts', 'timeout': 600}}}})\n"
        "stack.score([Sample('hang for good')])\n"
    )
    parent = subprocess.Popen([sys.executable, write("parent.py", script)], stdout=subprocess.PIPE, text=True)
    parent.stdout.readline()
    pids = list(map(int, parent.stdout.readline().split()))
    assert pids
    assert all(map(alive, pids))
    time.sleep(0.5)
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 5
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, pids))


def test_files_in_the_working_folder_do_not_shadow_the_workers_imports(write, monkeypatch, tmp_path):
    for name in ("random", "pickle", "socket", "msgspec"):
        write(f"{name}.py", "raise RuntimeError('not this one')")
    monkeypatch.chdir(tmp_path)
    workers.close_pool()
    assert scores(stack(timeout=20), ["a"])[0].value == 1.0


def test_the_memory_limit_can_be_set(monkeypatch):
    monkeypatch.setenv("REWARDSTACK_WORKER_MEMORY", "0.5")
    workers.close_pool()
    got = scores(stack(timeout=20), ["gigabyte", "a"])
    assert [score.error for score in got] == ["raised MemoryError", None]
    monkeypatch.delenv("REWARDSTACK_WORKER_MEMORY")
    workers.close_pool()
    assert scores(stack(timeout=20), ["gigabyte"])[0].value == 1.0


@pytest.mark.parametrize("variable", ["REWARDSTACK_WORKERS", "LOCAL_WORLD_SIZE"])
@pytest.mark.parametrize("text", ["0", "-1", "two", "nan"])
def test_a_number_of_workers_that_is_none_is_refused(monkeypatch, variable, text):
    monkeypatch.setenv(variable, text)
    with pytest.raises(StackError, match=f"{variable} must be a number of at least 1, not '{text}'"):
        workers.default_size()


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "x" * 10_000_000])
def test_odd_texts_reach_a_worker_process_whole(text):
    assert scores(stack("length", timeout=20), [text])[0].details == {"length": len(text)}


def test_the_number_of_workers_is_shared_by_the_ranks_of_a_machine(monkeypatch):
    monkeypatch.delenv("REWARDSTACK_WORKERS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)))
    monkeypatch.setattr(cores, "QUOTAS", ())
    assert workers.default_size() == 16
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
    assert workers.default_size() == 2
    monkeypatch.setenv("REWARDSTACK_WORKERS", "5")
    assert workers.default_size() == 5


def test_a_stack_pickles_as_a_recipe_and_scores_in_a_fresh_process(write, tmp_path):
    path = write(
        "mine.py",
        "from rewardstack import reward\n@reward\ndef short(completion: str, *, limit: int) -> float:\n    return float(len(completion) <= limit)\n",
    )
    made = Stack({"short": {"use": f"{path}:short", "limit": 3, "weight": 2.0}}, name="mine")
    data = pickle.dumps(made)
    path.unlink()  # the source travels with the recipe
    (tmp_path / "stack.pickle").write_bytes(data)
    code = (
        "import pickle, sys\n"
        "stack = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(stack.name, [s.total for s in stack.score([{'completion': 'abc'}, {'completion': 'abcd'}])], stack.fingerprint())"
    )
    command = [sys.executable, "-c", code, tmp_path / "stack.pickle"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"mine [2.0, 0.0] {made.fingerprint()}\n"


def test_functions_that_live_in_this_process_alone_are_not_pickled():
    with pytest.raises(
        IsolationError, match="cannot be pickled; term 'it': <lambda> lives only in this process"
    ):
        pickle.dumps(Stack({"it": lambda completion: 1.0}))


def test_a_plain_function_can_be_called_in_a_worker_process():
    assert call_isolated("math:comb", 5, 2, timeout=20) == 10
    assert call_isolated("os:getpid", timeout=20) in workers.pool().pids()
    with pytest.raises(TimeoutError, match="time:sleep was stopped after 0.2 s"):
        call_isolated("time:sleep", 60, timeout=0.2)
    with pytest.raises(IsolationError, match="math:sqrt: raised ValueError: .*"):
        call_isolated("math:sqrt", -1, timeout=20)
    with pytest.raises(IsolationError, match="there is no module 'no_such_module'"):
        call_isolated("no_such_module:thing", timeout=20)


def test_a_reward_that_forks_answers_once():
    both = Stack(
        {"forks": {"use": f"{RISKY}:forks", "timeout": 20}, "it": {"use": f"{RISKY}:length", "timeout": 20}}
    )
    for _ in range(3):
        rows = both.score([Sample(str(place)) for place in range(6)])
        assert {row.rewards["forks"].value for row in rows} == {0.5}
        assert {row.rewards["it"].value for row in rows} == {1.0}


def test_results_that_do_harm_when_they_are_rebuilt_harm_their_own_row_alone():
    began = time.monotonic()
    got = scores(stack("returns_odd", timeout=20), ["a", "exit", "picky", "b"])
    assert [score.value for score in got] == [1.0, None, None, 1.0]
    assert {score.error for score in got[1:3]} == {
        "its result cannot be read: SystemExit",
        "its result cannot be read: TypeError",
    }
    assert time.monotonic() - began < 10


def test_a_result_that_takes_its_time_to_be_rebuilt_delays_no_deadline():
    slow = threading.Thread(target=scores, args=(stack("returns_odd", timeout=20), ["sleep"]))
    slow.start()
    assert seconds_at_best(lambda: scores(stack(timeout=0.3), ["hang"]), 1.2, attempts=2) <= 1.2
    slow.join()


def test_what_a_killed_call_has_started_dies_with_it_wherever_it_went(monkeypatch, tmp_path):
    monkeypatch.setenv("REWARDSTACK_TEST_FILE", str(tmp_path / "pid"))
    workers.close_pool()
    assert scores(stack("leaves", timeout=3.0), ["session"])[0].error == "timed out after 3 s"
    assert gone_soon(int((tmp_path / "pid").read_text()))


def gone_soon(pid):
    deadline = time.monotonic() + 5
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


def test_a_worker_that_ends_is_missed_even_if_its_child_holds_on(monkeypatch, tmp_path):
    monkeypatch.setenv("REWARDSTACK_TEST_FILE", str(tmp_path / "pid"))
    workers.close_pool()
    began = time.monotonic()
    got = scores(stack("leaves", timeout=60), ["holder", "a"])
    assert gone_soon(int((tmp_path / "pid").read_text())), "and the child ends with it"
    assert got[0].error == "the worker process died (exit code 3)"
    assert got[1].value == 1.0
    assert time.monotonic() - began < 5


def test_cancelling_ascore_kills_what_runs_for_it(caplog):
    async def main():
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(stack(timeout=600).ascore([Sample("hang")]), 0.5)
        return time.monotonic() - began

    assert asyncio.run(main()) < 2
    assert scores(stack(timeout=20), ["a"])[0].value == 1.0
    gc.collect()
    assert "never retrieved" not in caplog.text  # as asyncio says of an error nobody looked at
