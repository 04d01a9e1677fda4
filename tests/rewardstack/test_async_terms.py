"""Async terms: together, on one loop for good, cancelled at their timeout or when nobody waits any more."""

import asyncio
import os
import threading
import time
from dataclasses import dataclass, field

import pytest

from rewardstack import Sample, Stack


def errors(use, rows, **words):
    scores = Stack({"it": {"use": use, **words}}).score(rows)
    return [score.rewards["it"].error for score in scores]


def test_an_async_call_that_cancels_itself_is_its_rows_error():
    async def gives_up(completion):
        if completion == "bad":
            raise asyncio.CancelledError
        return 1.0

    assert errors(gives_up, [Sample("bad"), Sample("good")]) == ["cancelled itself", None]


def test_async_terms_run_together():
    async def waits(completion):
        await asyncio.sleep(0.2)
        return 1.0

    stack = Stack({"one": waits, "two": waits})
    began = time.monotonic()
    stack.score([Sample(str(place)) for place in range(50)])
    assert time.monotonic() - began < 2, "one after the other they would take 20 s"


def test_async_calls_over_their_timeout_are_cancelled_alone():
    cancelled = threading.Event()

    async def waits(completion):
        try:
            await asyncio.sleep(60 if completion == "slow" else 0)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return 1.0

    assert errors(waits, [Sample("slow"), Sample("quick")], timeout=0.3) == ["timed out after 0.3 s", None]
    assert cancelled.wait(5)


def test_async_rewards_keep_one_event_loop():
    @dataclass
    class Client:
        loops: set = field(default_factory=set)

        async def __call__(self, completion):
            self.loops.add(id(asyncio.get_running_loop()))
            return float(len(self.loops))

    stack = Stack({"client": Client})
    assert [stack.score_one(str(place)).total for place in range(3)] == [1.0, 1.0, 1.0]


def test_scoring_does_not_block_the_event_loop():
    def slow(completion):
        time.sleep(0.3)
        return 1.0

    async def main():
        ticks = 0
        scoring = asyncio.ensure_future(Stack({"slow": slow}).ascore([Sample("a")]))
        while not scoring.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks, (await scoring)[0].total

    ticks, total = asyncio.run(main())
    assert ticks > 10
    assert total == 1.0


def test_a_forked_child_scores_async_terms_on_a_loop_of_its_own():
    async def one(completion):
        return 1.0

    stack = Stack({"one": one})
    assert stack.score_one("a").total == 1.0
    child = os.fork()
    if not child:
        os._exit(0 if stack.score_one("b").total == 1.0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_async_call_that_holds_up_the_loop_has_timed_out_all_the_same():
    async def blocks(completion):
        time.sleep(0.5)  # noqa: ASYNC251 - what must not be done
        return 1.0

    assert errors(blocks, [Sample("a")], timeout=0.2) == ["timed out after 0.2 s"]


def test_cancelling_ascore_cancels_async_calls():
    cancelled = threading.Event()

    async def waits(completion):
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def main():
        await asyncio.wait_for(Stack({"waits": waits}).ascore([Sample("a")]), 0.2)

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    assert cancelled.wait(5)
