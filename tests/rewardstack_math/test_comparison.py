"""`compare`: what counts as equal, option by option, and the reasons it gives."""

import subprocess
import sys

import pytest

from rewardstack_math import Comparison, compare


def equal(gold, answer, **options):
    return compare(gold, answer, **options).equal


def test_verdict_names_both_sides_and_the_stage():
    assert compare("1/2", "0.5") == Comparison(True, "answer 0.5 equals 1/2", "exact")
    assert compare("42", "41").reason == "answer 41 does not equal 42"
    assert compare("5 km", "5 miles").reason.endswith("the units differ in size")


@pytest.mark.parametrize(
    ("gold", "answer", "stage"),
    [
        ("x+1", "$x+1$", "text"),
        ("\\frac{1}{2}", "0.5", "exact"),
        ("(x-1)(x+1)", "x^2-1", "exact"),
        ("1, 2", "2, 1", "exact"),
        ("\\sqrt{8}", "2\\sqrt{2}", "sampling"),
        ("1", "9^{9^{9^9}}", "size"),
        ("2", "\\frac{1}{0}", "undefined"),
        ("42", "\\boxed{", "read"),
    ],
)
def test_stages(gold, answer, stage):
    assert compare(gold, answer).stage == stage


@pytest.mark.parametrize("gold", ["", "   ", "$$", "\\frac{1}{", "((1)"])
def test_a_gold_that_cannot_be_read_is_no_verdict_on_the_answer(gold):
    verdict = compare(gold, "42")
    assert verdict.equal is None
    assert "gold" in verdict.reason


def test_an_answer_that_cannot_be_read_is_wrong():
    assert compare("42", "\\frac{1}{").equal is False


def test_tolerance_is_for_decimals_that_stand_for_exact_values():
    assert equal("\\frac{1}{3}", "0.3333333")
    assert not equal("\\frac{1}{3}", "0.333")
    assert equal("\\frac{1}{3}", "0.333", tolerance=0.01)
    assert equal("\\sqrt{2}", "1.41421356")
    assert not equal("\\frac{1}{4}", "0.2500001", tolerance=0.01)  # 1/4 has a finite decimal: 0.25
    assert not equal("\\pi", "\\frac{22}{7}", tolerance=0.01)  # no decimal


def test_percent():
    assert equal("10\\%", "0.1")
    assert equal("10\\%", "10")
    assert not equal("10\\%", "10", percent="fraction")
    assert equal("10\\%", "0.1", percent="fraction")


def test_units():
    assert equal("5\\text{ km}", "5")
    assert equal("5\\text{ km}", "5000 m")
    assert not equal("5\\text{ km}", "5", units="required")
    assert not equal("5\\text{ km}", "5\\text{ miles}")
    assert equal("5\\text{ km}", "5\\text{ miles}", units="ignored")
    assert equal("20^\\circ C", "68^\\circ F")
    assert equal("2.5\\text{ hours}", "2 hours 30 minutes")
    assert not equal("12 cats", "12 dogs")


def test_order_of_lists():
    assert equal("1, 2", "2, 1")
    assert not equal("1, 2", "2, 1", ordered=True)
    assert equal("\\{1, 2\\}", "\\{2, 1\\}", ordered=True)
    assert not equal("(1, 2)", "(2, 1)")


def test_intervals():
    assert equal("x > 3", "(3, \\infty)")
    assert not equal("x > 3", "(3, \\infty)", intervals=False)
    assert equal("x > 3", "3 < x", intervals=False)


def test_simplified():
    assert equal("42", "6*7")
    assert not equal("42", "6*7", simplified=True)
    assert not equal("\\frac{1}{2}", "\\frac{4}{8}", simplified=True)
    assert equal("\\frac{1}{2}", "\\frac{2}{4}")
    assert equal("\\frac{1}{2}", "\\frac{1}{2}", simplified=True)
    assert equal("2\\sqrt{2}", "2\\sqrt{2}", simplified=True)


def test_case():
    assert not equal("x", "X")
    assert equal("x", "X", case="any")
    assert equal("Monday", "monday")


def test_text():
    assert equal("\\text{odd}", "odd")
    assert compare("\\text{odd}", "odd", text=False).equal is None


@pytest.mark.parametrize(
    ("gold", "answer"),
    [("2x+z=1", "1"), ("7 = 11a+c", "11a+c"), ("x=2", "x^2=4"), ("x=1, y=2", "x=2, y=1"), ("y=2x", "x=2y")],
)
def test_an_equation_says_more_than_its_sides(gold, answer):
    assert not equal(gold, answer)
    assert not equal(answer, gold)


def test_exact_values_are_compared_exactly_whatever_their_size():
    assert not equal("10^{30}+1", "10^{30}")
    assert not equal("2^{10000}", "2^{10000}+1")
    assert equal("2^{2^{2^{2^{2}}}}", "2^{65536}")
    assert equal("(10^{10^{10}})^2", "10^{2\\cdot 10^{10}}")
    assert not equal("\\frac{1}{2004!}", "\\frac{1}{2006!}")
    assert not equal("\\sqrt{10^{80}+1}", "10^{40}")


def test_small_differences_are_seen():
    assert not equal("\\sqrt{5+2\\sqrt{6}}", "\\sqrt{2}+\\sqrt{3}+10^{-30}")
    assert equal("\\sqrt{5+2\\sqrt{6}}", "\\sqrt{2}+\\sqrt{3}")


def test_importing_loads_neither_sympy_nor_mpmath():
    code = (
        "import rewardstack_math, sys; print([m for m in ('sympy', 'mpmath', 'torch') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout.strip() == "[]"


def environment():
    import os

    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
