"""Files that several processes share: what was spent, and what was said."""

import asyncio
import gc
import os
import sqlite3
import subprocess
import sys
import warnings
from contextlib import closing

import pytest
from tests.rewardstack_models.endpoint import HANG, answer, status, verdict

pytest.importorskip("httpx")

from rewardstack import Stack
from rewardstack_models.errors import BudgetSpent
from rewardstack_models.judging.budget import Budget, Cost, Limits
from rewardstack_models.judging.cache import Cache
from rewardstack_models.judging.replies import Reply

ROWS = [{"completion": f"The number is {n}."} for n in range(30)]


def stack_of(server, **options):
    return Stack(
        {
            "it": {
                "use": "models.judge",
                "model": "m",
                "endpoint": server.url,
                "output": "text",
                "max_tokens": 100,
                **options,
            }
        }
    )


def spent_in(path):
    return asyncio.run(Budget(path).spent())


def test_calls_stop_before_the_budget_is_passed(serve, tmp_path):
    server = serve(answer("VERDICT: CORRECT", tokens=(900, 100)))
    path = tmp_path / "budget.sqlite"
    scores = stack_of(server, budget_file=str(path), budget_tokens=10_000).score(ROWS)
    spent = spent_in(path)
    assert 1 <= server.calls <= 10
    assert spent.tokens == 1000 * server.calls <= 10_000
    assert (spent.calls, spent.under_way) == (server.calls, 0)
    errors = [score.errors["it"] for score in scores if score.total is None]
    assert len(errors) == 30 - server.calls
    assert "the judge's budget is spent" in errors[0]
    assert "Raise budget_tokens" in errors[0]


@pytest.mark.parametrize("count", [2**62, 2**63, 10**30])
def test_counts_of_tokens_that_cannot_be_are_not_believed(serve, tmp_path, count):
    path = tmp_path / "budget.sqlite"
    stack = stack_of(
        serve(answer("VERDICT: CORRECT", tokens=(count, 1))),
        budget_file=str(path),
        budget_money=1.0,
        price_read=1.0,
    )
    assert stack.score_one("The number is 1.").rewards["it"].value == 1.0
    spent = spent_in(path)
    assert 0 < spent.nanos < 10**7, "the most that the call can have cost"
    assert (spent.calls, spent.under_way) == (1, 0)


def test_money_is_counted_at_its_price(serve, tmp_path):
    server = serve(answer("VERDICT: CORRECT", tokens=(1000, 100)))
    path = tmp_path / "budget.sqlite"
    prices = {"price_read": 3.0, "price_written": 15.0}
    scores = stack_of(server, budget_file=str(path), budget_money=1.0, **prices).score(ROWS[:10])
    assert spent_in(path).nanos == 10 * (1000 * 3_000 + 100 * 15_000)
    assert scores[0].rewards["it"].details["judges"][0]["cost"] == pytest.approx(0.0045)


@pytest.mark.parametrize("limit", [{"budget_tokens": 0}, {"budget_money": 0.0, "price_read": 1.0}])
def test_a_budget_of_nothing_allows_no_call(serve, tmp_path, limit):
    server = serve(verdict("CORRECT"))
    score = stack_of(server, budget_file=str(tmp_path / "b"), **limit).score(ROWS[:3])[0]
    assert score.total is None
    assert server.calls == 0


def test_what_is_in_the_cache_costs_nothing_even_where_nothing_is_left(serve, tmp_path):
    server = serve(verdict("CORRECT"))
    stack_of(server).score(ROWS[:3])
    again = stack_of(server, budget_file=str(tmp_path / "b"), budget_tokens=0).score(ROWS[:3])
    assert [score.total for score in again] == [1.0] * 3


def test_tries_that_may_have_been_billed_stay_spent(serve, tmp_path):
    path = tmp_path / "budget.sqlite"
    options = {"budget_file": str(path), "budget_tokens": 1_000_000, "tries": 1, "seconds": 0.2}
    assert stack_of(serve(HANG), **options).score(ROWS[:1])[0].total is None
    after_hang = spent_in(path).tokens
    assert after_hang > 500
    assert stack_of(serve(status(500)), **options).score(ROWS[:1])[0].total is None
    assert spent_in(path).tokens == after_hang, "a refusal costs nothing"
    assert stack_of(serve(status(504)), **options).score(ROWS[:1])[0].total is None
    assert spent_in(path).tokens > after_hang, "a server behind a proxy may have answered"
    after_hang = spent_in(path).tokens
    stack_of(serve(answer("VERDICT: CORRECT", tokens=None)), **options).score(ROWS[:1])
    assert spent_in(path).tokens > after_hang, "a server that does not count is taken at the most"


def test_a_budget_file_that_cannot_be_used_allows_no_call(serve, tmp_path):
    server = serve(verdict("CORRECT"))
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"this is no database" * 100)
    for path in (broken, tmp_path / "broken.sqlite" / "inside"):
        score = stack_of(server, budget_file=str(path), budget_tokens=10**6).score(ROWS[:1])[0]
        assert "cannot be used" in score.errors["it"]
    assert server.calls == 0


SPENDER = """
import asyncio, sys
from pathlib import Path
from rewardstack_models.errors import BudgetSpent
from rewardstack_models.judging.budget import Budget, Cost, Limits

async def main():
    budget, made = Budget(Path(sys.argv[1])), 0
    async def one():
        nonlocal made
        try:
            await budget.reserve(Cost(100, 0), Limits(tokens=20_000), 30)
        except BudgetSpent:
            return
        made += 1
        await asyncio.sleep(0.001)
        await budget.settle(Cost(100, 0), Cost(90, 0))
    await asyncio.gather(*(one() for _ in range(100)))
    print(made)

asyncio.run(main())
"""


@pytest.mark.slow
def test_processes_together_spend_no_more_than_there_is(tmp_path):
    path = tmp_path / "budget.sqlite"
    command = [sys.executable, "-c", SPENDER, str(path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    made = [int(process.communicate(timeout=120)[0]) for process in running]
    spent = spent_in(path)
    assert spent.tokens == 90 * sum(made) <= 20_000
    assert sum(made) >= 220, "what others gave back is used"


def test_sums_of_money_are_exact():
    cost = Cost.of(1, 0, 0.1, 0.0)
    assert cost.nanos == 100
    assert Limits(money=0.3).bounds()[1] == 300_000_000


def test_waiting_for_others_ends(tmp_path):
    async def main():
        budget = Budget(tmp_path / "b")
        await budget.reserve(Cost(60, 0), Limits(tokens=100), 1)  # by one that died
        await budget.reserve(Cost(60, 0), Limits(tokens=100), 0.2)

    with pytest.raises(BudgetSpent, match="60 tokens"):
        asyncio.run(main())


# --- the cache ---


def test_verdicts_outlive_the_process(serve, tmp_path):
    server = serve(verdict("CORRECT"))
    path = tmp_path / "verdicts.sqlite"
    code = f"""
from rewardstack import Stack
stack = Stack({{"it": {{"use": "models.judge", "model": "m", "endpoint": {server.url!r}, "cache": {str(path)!r}}}}})
print(stack.score_one("It is 4.").total)
"""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "1.0\n"
    assert server.calls == 1


@pytest.mark.parametrize("kind", ["corrupt", "a folder", "locked", "read-only", "of another kind"])
def test_a_cache_that_cannot_be_used_is_done_without_and_told_once(
    serve, tmp_path, caplog, monkeypatch, kind
):
    from rewardstack_models.judging import cache as module

    monkeypatch.setattr(module, "PATIENCE", 0.1)
    path, server = tmp_path / "cache.sqlite", serve(verdict("CORRECT"))
    holder = None
    if kind == "corrupt":
        path.write_bytes(b"SQLite format 3\0" + b"\xff" * 4000)
    elif kind == "a folder":
        path.mkdir()
    elif kind == "of another kind":
        with closing(sqlite3.connect(path)) as opened:
            opened.execute("CREATE TABLE replies (other TEXT)")
    elif kind == "read-only":
        path = tmp_path / "no" / "cache.sqlite"
        (tmp_path / "no").write_text("a file where a folder should be")
    else:
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
    scores = stack_of(server, cache=str(path)).score(ROWS[:5])
    if holder is not None:
        holder.close()
    assert [score.total for score in scores] == [1.0] * 5
    told = [record for record in caplog.records if "the cache of verdicts" in record.message]
    assert len(told) == 1


def test_an_entry_that_is_damaged_is_asked_for_anew(serve, tmp_path):
    server, path = serve(verdict("CORRECT")), tmp_path / "cache.sqlite"
    stack_of(server, cache=str(path)).score(ROWS[:5])
    with closing(sqlite3.connect(path)) as opened, opened:
        opened.execute("UPDATE replies SET reply = ? WHERE rowid = 1", (b"\xff",))
    scores = stack_of(server, cache=str(path)).score(ROWS[:5])
    assert [score.total for score in scores] == [1.0] * 5
    assert server.calls == 6, "the other entries are read as ever"


def test_a_forked_child_opens_the_file_anew(tmp_path):
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    cache = Cache(tmp_path / "c")
    asyncio.run(cache.put("a", Reply("one")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        found = asyncio.run(cache.get("a"))
        os._exit(0 if found == Reply("one") else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert asyncio.run(cache.get("a")) == Reply("one")


def test_the_file_is_closed_once_nobody_has_the_cache(tmp_path):
    cache = Cache(tmp_path / "c")
    asyncio.run(cache.put("a", Reply("one")))
    connection = cache._database._connection
    del cache
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
