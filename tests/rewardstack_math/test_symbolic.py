"""sympy in a worker process: asked about trees, stopped at its deadline, missed without harm."""

import logging
import threading
import time

from rewardstack import IsolationError
from rewardstack_math import symbolic
from rewardstack_math.normalisation import clean
from rewardstack_math.parser import parse
from rewardstack_math.tokens import tokenise


def tree(text):
    return parse(tokenise(clean(text)))


def test_verdicts():
    assert symbolic.decide(tree("\\sin^2 x + \\cos^2 x"), tree("1"), 20) is True
    assert symbolic.decide(tree("x"), tree("y"), 20) is False
    assert symbolic.decide(tree("\\text{word}"), tree("1"), 20) is None


def test_a_question_that_takes_too_long_is_dropped_and_the_next_one_answered():
    endless = tree("\\int_0^1 \\sin(\\sin(\\sin(e^{x^{x}}))) dx")
    symbolic.decide(tree("1"), tree("1"), 20)
    start = time.perf_counter()
    assert symbolic.decide(endless, tree("2"), 0.3) is None
    assert time.perf_counter() - start < 1.5
    assert symbolic.decide(tree("2x"), tree("x+x"), 20) is True


def test_threads_may_ask_at_the_same_time():
    verdicts = []
    threads = [
        threading.Thread(target=lambda: verdicts.append(symbolic.decide(tree("2x"), tree("x+x"), 20)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verdicts == [True] * 4


def test_without_sympy_the_stage_is_left_out_and_that_is_told_once(monkeypatch, caplog):
    def missing(use, *arguments, timeout):
        raise IsolationError("the reward cannot be rebuilt in a worker process: there is no sympy")

    monkeypatch.setattr(symbolic, "call_isolated", missing)
    with caplog.at_level(logging.WARNING, "rewardstack"):
        assert [symbolic.decide(tree("x"), tree("x"), 1) for _ in range(3)] == [None] * 3
    assert caplog.text.count("does without its last stage") == 1
