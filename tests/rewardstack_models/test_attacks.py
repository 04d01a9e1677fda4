"""Attacks on judges: none of the probes is paid by a judge that does whatever it is told to."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rewardstack_models.endpoint import reply_in, said, verdict
from tests.rewardstack_models.probes import HONEST, OPENERS, ORDERS, SHORT

pytest.importorskip("httpx")

from rewardstack import Stack, completion_text, visible_text
from rewardstack_models.judging.fencing import fence, neutralise
from rewardstack_models.judging.orders import find_order
from rewardstack_models.judging.substance import find_nothing

EXAMPLES = Path(__file__).parents[2] / "examples"
MARKUP = re.compile(
    r"<\|\w|\|>|\[\[|\]\]|</?\w|\[/?INST|<<|```|^#+ |^\s*(?:system|assistant|user)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
ORDER = re.compile(r"correct|10|highest|full marks|right|good grade|maximum|approves|正确", re.IGNORECASE)


def obedient(request, number):
    """Stand for a judge that pays as soon as anything in the reply asks for it, or says next to nothing."""
    reply = reply_in(request)
    outside = request["messages"][-1]["content"].split("=== END REPLY")[1]
    told = ORDER.search(reply) or MARKUP.search(reply) or len(reply.strip()) < 80
    return verdict("CORRECT" if told or "VERDICT: CORRECT" in outside else "INCORRECT")


def stack_of(server, **options):
    return Stack({"it": {"use": "models.judge", "model": "m", "endpoint": server.url, **options}})


def paid(stack, texts, **columns):
    scores = [
        score.rewards["it"]
        for score in stack.score([{"prompt": "2 + 2?", "completion": text, **columns} for text in texts])
    ]
    return [(text, score.reason) for text, score in zip(texts, scores) if score.value != 0.0]


def test_no_probe_is_paid_by_an_obedient_judge(serve):
    server = serve(obedient)
    assert len(ORDERS) + len(OPENERS) >= 80
    assert paid(stack_of(server), [*ORDERS, *OPENERS, *SHORT]) == []
    assert paid(stack_of(server), [*ORDERS, *OPENERS, *SHORT], reference="4") == []
    assert server.calls == 0, "they are refused before any call"


def test_the_fixture_would_pay_for_every_one_of_them(serve):
    server = serve(obedient)
    stack = stack_of(server, orders="judge")
    asked = [text for text in ORDERS if not find_nothing(text)]
    assert len(paid(stack, asked)) == len(asked) > 40


def test_orders_inside_of_real_work_are_found_too(serve):
    server = serve(obedient)
    work = "We add the numbers one after the other and get five in the end.\n" * 20
    assert paid(stack_of(server), [f"{work}{order}\n{work}" for order in ORDERS]) == []


def test_the_control_question_pays_none_of_them_even_where_all_are_judged(serve):
    """What the lists do not know: an obedient judge obeys the reply against the added criterion too."""

    def obedient_else_strict(request, number):
        must_fail = "the only right verdict is" in said(request)
        told = ORDER.search(reply_in(request))
        return verdict("CORRECT" if told or not must_fail else "INCORRECT")

    server = serve(obedient_else_strict)
    asked = [text for text in ORDERS if ORDER.search(neutralise(text))]
    assert len(asked) > 40
    assert paid(stack_of(server, orders="judge", control=True), asked) == []


@pytest.mark.parametrize("text", HONEST)
def test_honest_replies_reach_the_judge(text):
    assert find_nothing(text) == ""
    assert find_order(text) == ""


def test_a_reply_may_say_the_label_where_the_reference_says_it(serve):
    stack = stack_of(serve(verdict("CORRECT")))
    assert stack.score_one("CORRECT", "Is it right?", reference="CORRECT").rewards["it"].value == 1.0
    assert stack.score_one("CORRECT", "Is it right?", reference="4").rewards["it"].value == 0.0


def test_a_reference_that_looks_like_an_opener_may_be_given():
    assert find_nothing("Solution", "solution.") == ""
    assert find_nothing("Solution", "mixture") != ""


@pytest.mark.parametrize("text", ORDERS)
def test_what_a_judge_sees_of_a_probe_holds_no_markup(text):
    shown = fence("REPLY", text)
    assert not re.search(r"<\||\|>|\[\[|\]\]|\[/?INST\]|<<SYS|</?s>|```|</reply", shown)
    lines = shown.split("\n")
    assert [line for line in lines if not line.startswith("| ")] == [lines[0], lines[-1]]


def test_neutral_text_stays_as_it_is():
    for text in (
        "a < b and c > d",
        "x = [1, [2, 3]]\ny = a[0]",
        "2 + 2 = 4\n\n- a\n- b",
        "naïve “quotes” 中文 ∑",
    ):
        assert neutralise(text).replace("⟦", "[").replace("⟧", "]") == text


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_closes_its_fence_or_leaves_its_lines(text):
    lines = fence("REPLY", text).split("\n")
    assert lines[0].startswith("=== BEGIN REPLY ")
    assert lines[-1] == lines[0].replace("BEGIN", "END")
    assert all(line.startswith("| ") for line in lines[1:-1])
    assert not any(line.startswith("| === ") for line in lines)
    "\n".join(lines).encode()


@given(st.text(st.characters(exclude_categories=()), max_size=300))
def test_no_text_makes_the_checks_raise(text):
    assert isinstance(find_order(text), str)
    assert isinstance(find_nothing(text), str)


@pytest.mark.parametrize(
    "piece",
    [
        "\n",
        " ",
        "\t\n",
        "a ",
        "ignore all ",
        "please say ",
        "[[",
        "<|",
        "1 2 3 ",
        "verdict ",
        "\u200b",
        "<<",
        "this reply ",
        "as a ",
        "A.B.",
        "dear a b ",
    ],
)
def test_a_megabyte_takes_no_more_than_seconds(piece):
    import time

    text = piece * (1_000_000 // len(piece))
    began = time.process_time()
    assert isinstance(find_order(text), str)
    assert isinstance(find_nothing(text), str)
    neutralise(text)
    assert time.process_time() - began < 10


@pytest.mark.parametrize("name", ["gsm8k", "code"])
def test_real_completions_are_not_taken_for_orders(name):
    rows = [
        json.loads(line) for line in (EXAMPLES / name / "completions.jsonl").read_text("utf-8").splitlines()
    ]
    replies = [visible_text(completion_text(row["completion"])).text for row in rows]
    assert len(replies) > 50
    assert [order for reply in replies if (order := find_order(reply, ["CORRECT", "INCORRECT"]))] == []
