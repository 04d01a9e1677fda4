"""Endpoints that fail in every way there is: tried again with care, never a wrong score."""

import asyncio
import gzip
import os
import pickle
import random
import time
from email.utils import formatdate

import pytest
from tests.rewardstack_models.endpoint import (
    CUT_OFF,
    DROP,
    ENDLESS,
    HANG,
    answer,
    reply_in,
    said,
    status,
    verdict,
)

pytest.importorskip("httpx")

from rewardstack import Stack
from rewardstack.errors import OptionError
from rewardstack_models.judging.budget import Budget
from rewardstack_models.judging.calls import retry_after
from rewardstack_models.judging.endpoints import Gate
from rewardstack_models.judging.exchanges import backoff, jittered

GARBAGE = {"status": 200, "body": b"<html>502 upstream \xff\xfe</html>"}


def stack_of(server, **options):
    return Stack({"it": {"use": "models.judge", "model": "m", "endpoint": server.url, **options}})


def one(server, completion="The sum is 4.", **options):
    return stack_of(server, **options).score_one(completion, "2 + 2?").rewards["it"]


def first(*steps):
    """Return a script that plays steps first, then answers."""
    return lambda request, number: steps[number - 1] if number <= len(steps) else verdict("CORRECT")


@pytest.mark.parametrize(
    "step",
    [
        status(429), status(429, Retry_After="0.05"), status(500), status(502), status(503), status(504), status(408), DROP,
        CUT_OFF, GARBAGE, answer(""), answer("I cannot say."), answer("VERDICT: CORRECT", finish="length"),
        {"status": 200, "body": b"{}"}, {"status": 200, "body": b'{"choices": []}'}, {"status": 200, "body": b"\xff\xfe"},
        {"status": 200, "body": b'{"choices": [{"message": {"content": null}}]}'}, {"status": 200, "body": b""},
        {"status": 200, "body": b'{"choices": [{"message": {"content": ' + b"[" * 5000},
    ],
)  # fmt: skip
def test_what_may_pass_is_tried_again(serve, step):
    server = serve(first(step, step))
    score = one(server)
    assert (score.value, score.error) == (1.0, None)
    assert server.calls == 3


def test_hanging_calls_are_given_up_and_tried_again(serve):
    server = serve(first(HANG))
    began = time.monotonic()
    assert one(server, seconds=0.3).value == 1.0
    assert 0.3 <= time.monotonic() - began < 5


def test_an_answer_without_end_is_given_up(serve):
    server = serve(first(ENDLESS))
    assert one(server, seconds=20).value == 1.0
    assert "longer than" in one(serve(ENDLESS), tries=1, seconds=20).error


@pytest.mark.parametrize("code", [400, 401, 403, 404, 413, 418])
def test_what_will_not_pass_is_not_tried_again(serve, code):
    server = serve(status(code, b'{"error": "that is how it is"}'))
    score = one(server, output="text")
    assert score.value is None
    assert f"HTTP {code}" in score.error
    assert "that is how it is" in score.error
    assert server.calls == 1


def test_a_redirect_is_not_followed(serve):
    other = serve(verdict("CORRECT"))
    server = serve(status(307, Location=f"{other.url}/chat/completions"))
    assert "redirects elsewhere" in one(server).error
    assert (server.calls, other.calls) == (1, 0)


def test_tries_come_to_an_end_and_the_error_says_what_the_last_one_was(serve):
    server = serve(status(503, b"busy"))
    score = one(server, tries=3)
    assert score.value is None
    assert "gave no verdict in 3 tries; the last one: HTTP 503: busy" in score.error
    assert server.calls == 3


def test_a_judge_that_never_says_a_label_is_not_asked_forever(serve):
    server = serve(answer("Hm."))
    assert "a reply without a verdict: its last line is no label: 'Hm.'" in one(server).error
    assert server.calls == 4


def test_an_unreadable_reply_is_not_kept(serve):
    server = serve(answer("Hm."))
    one(server)
    server.script = verdict("CORRECT")
    assert one(server).value == 1.0


def test_the_server_says_when_to_come_back(serve):
    server = serve(first(status(429, Retry_After="0.6")))
    began = time.monotonic()
    assert one(server).value == 1.0
    assert time.monotonic() - began >= 0.6


def test_a_server_that_asks_for_an_hour_is_given_up(serve):
    server = serve(status(429, Retry_After="3600"))
    began = time.monotonic()
    assert "HTTP 429" in one(server).error
    assert server.calls == 1
    assert time.monotonic() - began < 10


def test_retry_after_is_a_number_or_a_date():
    assert retry_after("7") == 7.0
    assert 50 < retry_after(formatdate(time.time() + 60, usegmt=True)) <= 61
    assert retry_after(formatdate(time.time() - 60, usegmt=True)) == 0.0
    assert [retry_after(text) for text in (None, "", "soon", "nan", "inf")] == [None] * 5


def test_waits_grow_and_are_never_the_same():
    assert [backoff(number) for number in (1, 2, 3, 4, 99)] == [0.5, 1.0, 2.0, 4.0, 20.0]
    assert len({jittered(1.0) for _ in range(50)}) > 40
    assert all(1.0 <= jittered(1.0) <= 1.55 for _ in range(50))


def test_no_more_calls_are_under_way_than_allowed(serve):
    server = serve(verdict("CORRECT"), delay=0.02)
    stack_of(server, at_once=5).score([{"completion": f"It is {n}."} for n in range(40)])
    assert server.most_at_once <= 5


def test_terms_share_an_endpoints_limit_the_smallest_counts_while_it_is_there():
    async def main():
        gate, under_way, most = Gate(), 0, {"both": 0, "wide": 0}

        async def call(share, key, done):
            nonlocal under_way
            async with gate.place(share):
                under_way += 1
                most[key] = max(most[key], under_way)
                await done()
                under_way -= 1

        await asyncio.gather(
            *(call(share, "both", lambda: asyncio.sleep(0.002)) for share in [2, *[6] * 38, 2])
        )
        await asyncio.gather(*(call(6, "wide", lambda: asyncio.sleep(0.002)) for _ in range(40)))
        return most, under_way

    assert asyncio.run(main()) == ({"both": 2, "wide": 6}, 0)


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_a_call_given_up_while_it_waits_or_runs_leaves_its_place(steps):
    async def main():
        gate, held = Gate(), asyncio.Event()

        async def hold():
            async with gate.place(1):
                await held.wait()

        async def pass_through():
            async with gate.place(1):
                return "through"

        first, second = asyncio.create_task(hold()), asyncio.create_task(pass_through())
        third = asyncio.create_task(pass_through())
        await asyncio.sleep(0)
        held.set()
        for _ in range(steps):  # so that it waits, has been let in, or is through
            await asyncio.sleep(0)
        second.cancel()
        first.cancel()
        return await asyncio.wait_for(third, 5)

    assert asyncio.run(main()) == "through"


def test_ranks_share_the_limit(serve, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "4")
    server = serve(verdict("CORRECT"), delay=0.02)
    stack_of(server, at_once=8).score([{"completion": f"It is {n}."} for n in range(20)])
    assert server.most_at_once <= 2


def test_the_rate_is_kept(serve):
    server = serve(verdict("CORRECT"))
    began = time.monotonic()
    stack_of(server, per_minute=1200).score([{"completion": f"It is {n}."} for n in range(11)])
    assert time.monotonic() - began >= 0.5


def by_reply(request):
    return verdict("CORRECT" if "even" in reply_in(request) else "INCORRECT")


def faulty(seed, hang=True):
    """Return a script with 10 % 429, 5 % 500, 2 % hangs and 2 % garbage; half of the garbage is a wrong kind of reply."""
    chance = random.Random(seed)

    def script(request, number):
        drawn = chance.random()
        if drawn < 0.10:
            return status(429, Retry_After="0.01")
        if drawn < 0.15:
            return status(500)
        if drawn < 0.17:
            return HANG if hang else DROP
        if drawn < 0.18:
            return GARBAGE
        if drawn < 0.19:
            return answer("VERDICT: CORRECT or INCORRECT")
        return by_reply(request)

    return script


@pytest.mark.slow
def test_of_a_thousand_calls_with_faults_no_row_is_lost_or_wrongly_scored(serve, tmp_path):
    server = serve(faulty(0))
    budget = tmp_path / "budget.sqlite"
    options = {"seconds": 1.0, "output": "text", "budget_file": str(budget), "budget_tokens": 10_000_000}
    rows = [{"completion": f"The number {n} is {'odd' if n % 2 else 'even'}."} for n in range(1000)]
    scores = [score.rewards["it"] for score in stack_of(server, **options).score(rows)]
    assert [score.error for score in scores if score.error] == []
    assert [score.value for score in scores] == [float(n % 2 == 0) for n in range(1000)]
    calls = server.calls
    assert calls > 1100
    again = stack_of(server, **options).score(rows)
    assert [score.total for score in again] == [score.value for score in scores]
    assert server.calls == calls, "a rerun asks nobody"


def test_faults_do_not_pass_the_budget(serve, tmp_path):
    server, path = serve(faulty(1)), tmp_path / "budget.sqlite"
    options = {
        "seconds": 0.3,
        "output": "text",
        "budget_file": str(path),
        "budget_tokens": 20_000,
        "max_tokens": 200,
    }
    rows = [{"completion": f"The number {n} is {'odd' if n % 2 else 'even'}."} for n in range(300)]
    scores = [score.rewards["it"] for score in stack_of(server, **options).score(rows)]
    spent = asyncio.run(Budget(path).spent())
    assert spent.tokens <= 20_000
    assert spent.under_way == 0
    wrong = [score for n, score in enumerate(scores) if score.value not in (None, float(n % 2 == 0))]
    assert wrong == []
    assert any(score.error and "budget is spent" in score.error for score in scores)


# --- keys ---


def test_the_key_is_read_from_the_environment_and_seen_by_the_server_alone(
    serve, tmp_path, monkeypatch, caplog
):
    secret = "sk-verysecret0123456789"
    monkeypatch.setenv("JUDGE_KEY", secret)

    def script(request, number):
        told = answer(f"Your key is {secret}.\nVERDICT: CORRECT")
        return status(401, f"bad key {secret}".encode()) if "odd" in said(request) else told

    server = serve(script)
    options = {
        "key_from": "JUDGE_KEY",
        "log": str(tmp_path / "log.jsonl"),
        "cache": str(tmp_path / "cache.sqlite"),
        "output": "text",
    }
    stack = stack_of(server, **options)
    good, bad = stack.score([{"completion": "It is even, 4."}, {"completion": "It is odd, 4."}])
    assert server.requests[0][1]["Authorization"] == f"Bearer {secret}"
    assert good.total == 1.0
    assert "HTTP 401: bad key ***" in bad.errors["it"]
    everything = [repr(stack), repr(stack.data()), repr(good), repr(bad), caplog.text, stack.fingerprint()]
    everything += [
        pickle.dumps(stack).decode("latin-1"),
        repr(stack.terms[0].function),
        repr(vars(stack.terms[0].function)),
    ]
    everything += [path.read_bytes().decode("latin-1") for path in tmp_path.rglob("*") if path.is_file()]
    assert len(everything) > 8
    assert not any(secret in text for text in everything)


def test_a_key_that_is_not_set_is_told_before_any_call(serve, monkeypatch):
    monkeypatch.delenv("JUDGE_KEY", raising=False)
    server = serve(verdict("CORRECT"))
    assert (
        "the environment variable JUDGE_KEY, which should hold the judge's key, is not set"
        in one(server, key_from="JUDGE_KEY").error
    )
    assert server.calls == 0


def test_no_part_of_the_key_is_left_where_a_message_is_cut(serve, monkeypatch):
    secret = "sk-verysecret0123456789"
    monkeypatch.setenv("JUDGE_KEY", secret)
    for step in (status(200, b"x" * 190 + secret.encode()), status(401, b"x" * 190 + secret.encode())):
        score = one(serve(step), key_from="JUDGE_KEY", tries=1)
        assert "xxx" in str(score.error)
        assert secret[:5] not in str(score.error)


def test_packed_answers_are_unpacked_once_and_no_deeper(serve):
    body = verdict("CORRECT")["body"]
    assert one(serve(status(200, gzip.compress(body), Content_Encoding="gzip"))).value == 1.0
    bomb = gzip.compress(gzip.compress(b"\0" * 50_000_000))
    for encoding in ("gzip, gzip", "br", "zstd"):
        server = serve(status(200, bomb, Content_Encoding=encoding))
        assert "which was not asked for" in str(one(server, completion=f"The sum is {encoding}.").error)
        assert server.calls == 1


@pytest.mark.parametrize("key", ["sk-verysecret0123456789", "abcdef0123456789abcdef", "secret key"])
def test_a_key_in_a_stack_is_refused_and_not_shown(key):
    for options in ({"key_from": key}, {"panel": [{"model": "m", "key_from": key}]}):
        with pytest.raises(OptionError, match="name of the environment variable") as told:
            Stack({"it": {"use": "models.judge", "model": "m", **options}})
        assert key not in str(told.value)


def test_a_secret_of_the_environment_among_the_parameters_is_refused(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "verysecret-0123456789")
    with pytest.raises(OptionError, match="hold a secret of the environment") as told:
        Stack(
            {"it": {"use": "models.judge", "model": "m", "parameters": {"user": os.environ["SOME_API_KEY"]}}}
        )
    assert "verysecret" not in str(told.value)
