import io

import pytest
from rich.console import Console

from rewardstack import Stack
from rewardstack.audit.contract import check_contract
from rewardstack.report.expectations import judge
from rewardstack.report.groups import find_groups
from rewardstack.report.outcome import decide
from rewardstack.report.run import ScoredRun, faults, summarise
from rewardstack.report.terminal import draw, duration
from rewardstack.sample import Sample
from rewardstack.score import Score
from rewardstack.stack import Run


def made(rewards, samples, **more):
    stack = Stack(rewards, name="it")
    ran = stack.run(samples)
    places = [f"folder/s.jsonl:{row + 1}" for row in range(len(samples))]
    return ScoredRun(stack, "folder/s.jsonl", samples, places, ran.scores, ran.terms, seconds=0.5, **more)


def drawn(run, width=80, *, encoding="utf-8", terminal=False, **options):
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="backslashreplace")
    console = Console(file=file, width=width, force_terminal=terminal, markup=False, highlight=False)
    draw(console, run, decide(run), **options)
    file.flush()
    return file.buffer.getvalue().decode(encoding)


def value(completion):
    return Score(float(completion), f"it says {completion}")


SAMPLES = [Sample(text, "?", {"expected": 0.5}) for text in ("0.5", "0.9", "0.25", "7")]


def test_the_farthest_off_comes_first():
    run = made({"value": value}, SAMPLES)
    found = judge(run.samples, run.scores, run.places, ["value"])
    text = drawn(
        ScoredRun(**{name: getattr(run, name) for name in run.__struct_fields__} | {"expectations": found})
    )
    places = [line.split()[0] for line in text.splitlines() if line.startswith("s.jsonl:")]
    assert places == ["s.jsonl:4", "s.jsonl:2", "s.jsonl:3"]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width):
    rewards = {f"a_term_with_a_long_name_{number}": value for number in range(3)}
    run = made(rewards, SAMPLES)
    run = made(rewards, SAMPLES, groups=find_groups(SAMPLES, run.scores, run.stack.terms))
    text = drawn(run, width, advantages=True, everything=True)
    assert max(map(len, text.splitlines())) <= width
    assert "mean" in text


def test_columns_that_do_not_fit_are_left_out_whole():
    run = made({"value": value}, SAMPLES)
    assert "p95" in drawn(run, 80)
    narrow = drawn(run, 60)
    assert "p95" not in narrow
    assert "errors" in narrow


def test_names_of_terms_stay_whole_on_a_narrow_terminal():
    run = made({"correct": value}, SAMPLES)
    narrow = drawn(run, 40)
    assert "correct" in narrow
    assert "errors" in narrow


def test_counts_that_are_nought_everywhere_are_left_out():
    plain = drawn(made({"value": value}, SAMPLES))
    assert "left out" not in plain
    routed = drawn(made({"value": {"use": value, "when": {"expected": 1}}, "other": value}, SAMPLES), 100)
    assert "left out" in routed


def test_colours_are_for_terminals_and_not_for_those_who_want_none(monkeypatch):
    run = made({"value": value}, SAMPLES)
    assert "\x1b" not in drawn(run)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[36m" in drawn(run, terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[36m" not in drawn(run, terminal=True)


def test_bars_are_plain_where_the_encoding_is():
    assert "####" in drawn(made({"value": value}, SAMPLES), encoding="ascii")


def test_what_models_write_cannot_steer_the_terminal():
    samples = [Sample("\x1b]0;title\x07 \x1b[2J\u202e", "?", {"expected": 1})]
    run = made({"bad": lambda completion: Score(0.0, completion)}, samples)
    found = judge(run.samples, run.scores, run.places, ["bad"])
    text = drawn(made({"bad": lambda completion: Score(0.0, completion)}, samples, expectations=found))
    assert "\\x1b]0;title\\x07 \\x1b[2J\\u202e" in text
    assert "\x1b" not in text


def test_a_run_without_any_total_is_drawn():
    text = drawn(made({"none": lambda completion: None}, SAMPLES))
    assert "total  mean -, std -, masked 4" in text
    assert "cannot judge: no row could be scored: every total is masked" in text


def test_a_run_without_any_total_says_why_the_first_row_has_none():
    text = drawn(made({"none": lambda completion: Score(reason="the row has no tests")}, SAMPLES), 200)
    assert "every total is masked (none, folder/s.jsonl:1: the row has no tests)" in text


def test_errors_are_told_once_with_their_first_place():
    def odd(completion):
        if completion != "7":
            raise ValueError("not seven")
        return 1.0

    run = made({"odd": odd}, SAMPLES)
    (fault,) = faults(run)
    assert (fault.place, fault.rows, fault.error) == ("folder/s.jsonl:1", 3, "raised ValueError: not seven")
    assert f"odd, s.jsonl:1 and 2 more: raised ValueError: not seven ({fault.where})" in drawn(run, 200)


def broken(completion):
    raise ValueError("no")


def checked(rewards):
    run = made(rewards, SAMPLES)
    found = check_contract(run.stack, Run(run.scores, run.terms), SAMPLES, run.places)
    return drawn(made(rewards, SAMPLES, checks=found))


def test_a_term_that_erred_on_every_row_has_held_to_nothing():
    assert "\ncontract  no check: every row erred\n" in checked({"broken": broken})
    text = checked({"broken": broken, "value": value})
    assert "\ncontract  9 checks of 1 term held\nnot checked: broken: it erred on every row\n" in text


def test_a_row_whose_gate_erred_counts_as_an_error_and_not_as_closed():
    def gate(completion):
        if completion == "7":
            raise ValueError("no")
        return float(completion == "0.5")

    run = made({"gate": gate, "behind": {"use": value, "requires": {"gate": 1.0}}}, SAMPLES)
    behind = summarise(run)[1]
    assert (behind.scored, behind.closed, behind.errors) == (3, 2, 1)


def test_lines_that_are_broken_are_set_in():
    def wordy(completion):
        raise ValueError(
            "so many words that no terminal of sixty columns has them on one line, however short"
        )

    lines = drawn(made({"wordy": wordy}, SAMPLES), 60).splitlines()
    error = next(number for number, line in enumerate(lines) if line.startswith("wordy, s.jsonl:1"))
    assert lines[error + 1].startswith("  ")
    outcome = next(number for number, line in enumerate(lines) if line.startswith("cannot judge: "))
    assert len(lines) > outcome + 1
    assert all(line.startswith(" " * len("cannot judge: ")) for line in lines[outcome + 1 :])


def test_bars_of_values_that_are_close_can_be_told_apart():
    samples = [Sample(text) for text in ("1.0033", "1.0024", "1.0024", "-0.0")]
    shown = drawn(made({"value": value}, samples))
    labels = [line.split()[0] for line in shown.splitlines() if "█" in line]
    assert labels == ["0", "1.002", "1.003"]


def test_totals_of_which_no_two_are_equal_are_gathered_in_bars():
    samples = [Sample(str(number / 7)) for number in range(8)]
    shown = drawn(made({"value": value}, samples))
    assert [int(line.split()[-1]) for line in shown.splitlines() if "█" in line] == [2, 2, 2, 2]


def test_a_summary_accounts_for_every_row():
    rewards = {
        "gate": {"use": lambda completion: float(len(completion) > 1)},
        "term": {"use": value, "requires": {"gate": 1.0}, "when": {"task": "a"}},
    }
    samples = [
        Sample(text, None, {"task": task})
        for text, task in [("1", "a"), ("25", "a"), ("x9", "a"), ("25", "a"), ("3", "b")]
    ]
    gate, term = summarise(made(rewards, samples))
    assert (gate.scored, gate.left_out) == (5, 0)
    assert (term.scored, term.errors, term.left_out, term.closed, term.calls, term.shared) == (
        3,
        1,
        1,
        1,
        2,
        1,
    )
    assert term.p50 > 0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (2.5e-6, "2 us"),
        (0.0034, "3.4 ms"),
        (0.4567, "457 ms"),
        (12.34, "12.3 s"),
        (1234.5, "1,234 s"),
    ],
)
def test_times_are_in_the_unit_that_suits_them(seconds, text):
    assert duration(seconds) == text
