"""`models.judge` against a real endpoint on this machine."""

from weakref import WeakKeyDictionary

import pytest
from tests.rewardstack_models.endpoint import answer, reply_in, said, status, verdict

pytest.importorskip("httpx")

from rewardstack import Stack
from rewardstack.errors import OptionError
from rewardstack_models.judging import endpoints
from rewardstack_models.judging.replies import Request

LABELS = {"GOOD": 1.0, "FAIR": 0.5, "BAD": 0.0}


def stack_of(server, use="models.judge", **options):
    return Stack({"it": {"use": use, "model": "m", "endpoint": server.url, **options}})


def one(server, completion="The sum is 4.", prompt="2 + 2?", **options):
    columns = {name: options.pop(name) for name in ("reference",) if name in options}
    return stack_of(server, **options).score_one(completion, prompt, **columns).rewards["it"]


def by_reply(request, number):
    return verdict("CORRECT" if "4" in reply_in(request) else "INCORRECT")


def test_the_value_is_that_of_the_label_the_judge_ends_with(serve):
    server = serve(by_reply)
    assert one(server).value == 1.0
    wrong = one(server, "It is 5, I think.")
    assert (wrong.value, wrong.reason) == (0.0, "the judge says INCORRECT")
    assert wrong.details["judges"][0]["said"].endswith("VERDICT: INCORRECT")


def test_the_judge_sees_rubric_prompt_reference_and_visible_reply(serve):
    server = serve(verdict("CORRECT"))
    one(
        server,
        "<think>secret</think>The sum is 4.",
        rubric="It must be exact.",
        reference="four",
        prompt="What is 2 + 2?",
    )
    (path, _, request), = server.requests  # fmt: skip
    assert path == "/v1/chat/completions"
    assert request["model"] == "m"
    assert request["temperature"] == 0.0
    text = said(request)
    for part in ("It must be exact.", "| What is 2 + 2?", "| four", "| The sum is 4."):
        assert part in text
    assert "secret" not in text
    assert request["messages"][0]["role"] == "system"


def test_labels_and_examples_are_those_of_the_stack(serve):
    server = serve(verdict("FAIR"))
    shots = [{"prompt": "1 + 1?", "completion": "3", "label": "BAD", "reason": "It is 2."}]
    assert one(server, labels=LABELS, shots=shots).value == 0.5
    roles = [message["role"] for message in server.requests[0][2]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert server.requests[0][2]["messages"][2]["content"] == "It is 2.\nVERDICT: BAD"


def test_structured_output_is_used_where_the_server_has_it(serve):
    server = serve(answer('{"reasoning": "fine", "verdict": "INCORRECT"}'))
    assert one(server).value == 0.0
    schema = server.requests[0][2]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["verdict"]["enum"] == ["CORRECT", "INCORRECT"]


def test_a_server_without_structured_output_is_asked_in_words_and_remembered(serve):
    def script(request, number):
        return (
            status(400, b"unknown: response_format") if "response_format" in request else verdict("CORRECT")
        )

    server = serve(script)
    stack = stack_of(server)
    assert stack.score_one("It is 4.").total == 1.0
    assert server.calls == 2
    assert stack.score_one("It is four.").total == 1.0
    assert server.calls == 3
    error = one(server, output="schema").error
    assert "does not take structured output" in error


def test_a_rerun_asks_nobody_where_structured_output_is_refused_either(serve, monkeypatch):
    server = serve(lambda request, _: status(400) if "response_format" in request else verdict("CORRECT"))
    assert one(server).value == 1.0
    assert server.calls == 2
    monkeypatch.setattr(endpoints, "_endpoints", WeakKeyDictionary())  # as a new process has it
    assert one(server).value == 1.0
    assert server.calls == 2


def test_a_question_that_is_refused_in_every_form_says_nothing_about_structured_output(serve):
    def script(request, _):
        return (
            status(400) if "too long" in said(request) else answer('{"reasoning": "", "verdict": "CORRECT"}')
        )

    server = serve(script)
    assert one(server, "It is too long.").error
    assert one(server, "It is short.").value == 1.0
    assert "response_format" in server.requests[-1][2]


def test_the_successor_of_max_tokens_takes_its_place(serve):
    server = serve(verdict("CORRECT"))
    assert one(server, output="text", parameters={"max_completion_tokens": 77}).value == 1.0
    body = server.requests[0][2]
    assert body["max_completion_tokens"] == 77
    assert "max_tokens" not in body


def test_the_bound_of_tokens_counts_the_schema_and_either_limit():
    plain = Request("http://x", "m", ({"role": "user", "content": "a"},), {"max_tokens": 5})
    longer = Request(
        "http://x", "m", plain.messages, {"max_completion_tokens": 9, "response_format": "x" * 900}
    )
    assert plain.most_tokens()[1] == 5
    assert longer.most_tokens()[1] == 9
    assert longer.most_tokens()[0] > plain.most_tokens()[0] + 800


def test_equal_rows_of_a_batch_cost_one_call(serve):
    server = serve(verdict("CORRECT"), delay=0.05)
    scores = stack_of(server, cache="").score([{"prompt": "2?", "completion": "It is 4."}] * 50)
    assert {score.total for score in scores} == {1.0}
    assert server.calls == 1


def test_a_rerun_asks_nobody(serve):
    server = serve(by_reply)
    rows = [{"prompt": "2 + 2?", "completion": f"I get {number}."} for number in range(40)]
    first = [score.total for score in stack_of(server).score(rows)]
    assert server.calls == 40
    again = stack_of(server).score(rows)
    assert [score.total for score in again] == first
    assert server.calls == 40
    assert again[0].rewards["it"].details["judges"][0]["cached"]


@pytest.mark.parametrize(
    "change", [{"rubric": "Other."}, {"max_tokens": 99}, {"temperature": 0.5}, {"parameters": {"seed": 1}}]
)
def test_what_changes_the_question_is_asked_anew(serve, change):
    server = serve(verdict("CORRECT"))
    one(server)
    one(server, **change)
    assert server.calls == 2


def test_pairs_are_asked_in_both_orders_and_disagreement_is_a_tie(serve):
    server = serve(lambda request, number: verdict("A" if "4" in reply_in(request) else "B"))
    assert one(server, pair=True, reference="It is five.").value == 1.0
    assert server.calls == 2
    biased = serve(verdict("A"))
    score = one(biased, pair=True, reference="It is five.")
    assert score.value == 0.5
    assert score.details["orders"] == [["A", "B"]]
    assert "its verdict follows the order" in score.reason
    assert one(biased, pair=True).abstained


def test_several_judges_vote(serve):
    says = {"m": "GOOD", "second": "GOOD", "third": "BAD"}
    server = serve(lambda request, number: verdict(says[request["model"]]))
    panel = [{"model": "second"}, {"model": "third"}]
    assert one(server, labels=LABELS, panel=panel).value == 1.0
    assert one(server, labels=LABELS, panel=panel).reason == "the judge says 2 GOOD, 1 BAD"
    assert one(server, labels=LABELS, panel=panel, vote="mean").value == pytest.approx(2 / 3)
    assert one(server, labels=LABELS, panel=panel[1:]).value == 0.5, "a draw is the mean"


def test_all_judges_must_answer_unless_a_quorum_is_enough(serve):
    server = serve(lambda request, number: status(401) if request["model"] == "third" else verdict("CORRECT"))
    panel = [{"model": "second"}, {"model": "third"}]
    assert "HTTP 401" in one(server, panel=panel).error
    assert one(server, panel=panel, quorum=2).value == 1.0
    assert "HTTP 401" in one(server, "It is four.", panel=panel, quorum=3).error


def test_a_judge_that_is_down_masks_the_row(serve):
    server = serve(verdict("CORRECT"))
    server.close()
    score = stack_of(server, tries=2).score_one("It is 4.")
    assert score.total is None
    assert "cannot be reached" in score.errors["it"]


def test_the_stacks_deadline_gives_the_call_up(serve):
    server = serve(verdict("CORRECT"), delay=0.5)
    score = stack_of(server, timeout=0.1).score_one("It is 4.").rewards["it"]
    assert score.timed_out


def test_every_try_can_be_logged(serve, tmp_path):
    import json

    server = serve(lambda request, number: status(500) if number == 1 else verdict("CORRECT"))
    one(server, log=str(tmp_path / "logs/judge.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "logs/judge.jsonl").read_text().splitlines()]
    assert [line["try"] for line in lines] == [1, 2]
    assert "HTTP 500" in lines[0]["error"]
    assert lines[1]["label"] == "CORRECT"
    assert lines[1]["messages"][0]["role"] == "system"


def test_a_reference_may_be_a_number_nought_too(serve):
    server = serve(verdict("CORRECT"))
    one(server, reference=0)
    assert "| 0" in said(server.requests[0][2])


def test_text_that_is_no_unicode_reaches_the_judge_as_unicode(serve):
    server = serve(verdict("CORRECT"))
    assert (
        one(server, "It is \ud800 4\0, \u200bor\ufeff so \U000e0041.", reference="\udfff four").value == 1.0
    )
    assert "| It is  4, or so ." in said(server.requests[0][2])


def test_a_megabyte_is_shown_in_part(serve):
    server = serve(verdict("CORRECT"))
    assert one(server, "word " * 200_000).value == 1.0
    assert 200_000 < len(said(server.requests[0][2])) < 210_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"endpoint": "localhost:8000"}, "endpoint must be the address"),
        ({"endpoint": "https://me:secret@host/v1"}, "must hold no user, password"),
        ({"endpoint": "https://host/v1?key=secret"}, "must hold no user, password"),
        ({"labels": {"YES": 1.0}}, "at least two labels"),
        ({"labels": {"YES": 1.0, "yes.": 0.0}}, "must differ in more than case"),
        ({"labels": {"YES": 2.0, "NO": 0.0}}, "lies in 0 to 1"),
        ({"labels": {"YES": 1.0, "NO": 1.0}}, "the same value"),
        ({"labels": {"YES\nSURE": 1.0, "NO": 0.0}}, "one line"),
        ({"price_read": float("inf")}, "amounts from 0"),
        ({"budget_file": "b", "price_read": 1.0, "budget_money": float("inf")}, "amounts from 0"),
        ({"panel": [{"model": "m", "price_read": -1.0}]}, "amounts from 0"),
        ({"rubric": " "}, "rubric must say"),
        ({"shots": [{"completion": "a", "label": "MAYBE"}]}, "which is none of"),
        ({"pair": True, "control": True}, "does not go with pair"),
        ({"quorum": 2}, "quorum = 2, but there are 1 judges"),
        ({"budget_tokens": 9}, "a budget needs budget_file"),
        ({"budget_file": "b"}, "limits nothing"),
        ({"budget_file": "b", "budget_money": 1.0}, "needs price_read"),
        ({"parameters": {"stream": True}}, "must not hold 'stream'"),
        ({"panel": [{"model": "x", "endpoint": "ftp://x"}]}, "endpoint must be the address"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(options, message):
    with pytest.raises(OptionError, match=message) as told:
        Stack({"it": {"use": "models.judge", "model": "m", **options}})
    assert "secret" not in str(told.value)


def test_a_control_question_finds_a_judge_that_was_talked_into_it(serve):
    """The words are on no list; what gives them away is that the judge pays for what must fail."""

    def gullible(request, number):
        charmed = "glorp" in reply_in(request)
        must_fail = "the only right verdict is" in said(request)
        return verdict("CORRECT" if charmed or ("4" in reply_in(request) and not must_fail) else "INCORRECT")

    server = serve(gullible)
    assert one(server, "Five, and glorp.").value == 1.0, "without the control it is paid"
    charmed = one(server, "Five, and glorp.", control=True)
    assert (charmed.value, charmed.error) == (0.0, None)
    assert "talks its judge into paying" in charmed.reason
    assert one(server, "It is 4.", control=True).value == 1.0
    assert one(server, "It is 5.", control=True).value == 0.0


def test_a_judge_that_pays_for_anything_is_the_judges_fault(serve):
    score = one(serve(verdict("CORRECT")), control=True)
    assert score.value is None
    assert "pays for anything" in score.error


def test_a_wrong_verdict_costs_no_control_question(serve):
    server = serve(verdict("INCORRECT"))
    one(server, control=True)
    assert server.calls == 1
