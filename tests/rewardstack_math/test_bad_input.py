"""What no verifier may choke on: it answers no, in time, with a reason, and executes nothing."""

import subprocess
import sys
import threading

import pytest
from tests.timing import seconds_at_best

from rewardstack_math import compare
from rewardstack_math.comparison import read_gold
from rewardstack_math.verification import verify

SECONDS = 2.0
HOSTILE = {
    "ten megabytes of digits": "\\boxed{" + "1" * 10_000_000 + "}",
    "ten megabytes of prose": "a b c 1 = 2 " * 900_000,
    "ten megabytes of numbers": "12 " * 3_300_000,
    "nested braces": "\\boxed{" + "{" * 100_000 + "1" + "}" * 100_000 + "}",
    "open boxes": "\\boxed{" * 100_000,
    "surrogates": "\\boxed{\ud800\udfff 5}",
    "a call": "\\boxed{__import__('os').system('touch never')}",
    "tower": "\\boxed{9^(9^(9^9))}",
    "tower in braces": "\\boxed{9^{9^{9^{9}}}}",
    "factorial": "\\boxed{(10^9)!}",
    "factorials of factorials": "\\boxed{(((((5!)!)!)!)!)!}",
    "fifty thousand digits": "\\boxed{" + "7" * 50_000 + "}",
    "ten thousand digits": "\\boxed{" + "7" * 10_000 + "}",
    "deep fractions": "\\boxed{" + "\\frac{1}{" * 1_500 + "1" + "}" * 1_500 + "}",
    "deep parentheses": "\\boxed{" + "(" * 1_500 + "1" + ")" * 1_500 + "}",
    "signs": "\\boxed{" + "-" * 3_000 + "1}",
    "powers": "\\boxed{" + "2^" * 1_500 + "2}",
    "roots": "\\boxed{" + "\\sqrt " * 1_500 + "2}",
    "bars": "\\boxed{" + "|" * 1_501 + "x" + "|" * 1_501 + "}",
    "a long list": "\\boxed{" + ",".join(map(str, range(1_900))) + "}",
    "dollars": "$" * 1_000_000,
    "formulae": "$x$ " * 500_000,
    "a long sum": "\\boxed{\\sum_{k=1}^{1000000000} k}",
    "sums in sums": "\\boxed{\\sum_{k=1}^{300}\\sum_{j=1}^{300}\\sum_{i=1}^{300} \\sin(kji)}",
    "integrals in integrals": "\\boxed{\\int_0^1\\int_0^1\\int_0^1 \\sin(xyz) dx dy dz}",
    "a huge exponent": "\\boxed{1e999999999}",
    "a huge binomial": "\\boxed{\\binom{10^9}{5\\cdot 10^8}}",
    "a series that hardly converges": "\\boxed{\\sum_{n=1}^{\\infty}\\frac{1}{n\\ln^2(n+1)}}",
    "a wild inequality": "\\boxed{\\sin(x^{x^x})>\\cos(e^{x})}",
    "a wide polynomial": "\\boxed{(x+y+z+w)^{5000}-(x+y)^{4999}}",
    "primes": "\\boxed{f" + "'" * 3_000 + "}",
    "subscripts": "\\boxed{" + "x_" * 1_500 + "1}",
    "lines": "\\boxed{" + "\\\\" * 3_000 + "}",
    "a remainder of a tower": "\\boxed{10^{10^{10}} \\bmod 7}",
}
GOLDS = ["43", "x^2+1", "\\frac{1}{3}", "(0,\\infty)", "1,2,3", "\\sqrt{2}", "x>2", "\\text{yes}"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_completions(name):
    for gold in GOLDS:
        results = []
        assert seconds_at_best(lambda: results.append(verify(gold, HOSTILE[name])), SECONDS) < SECONDS  # noqa: B023
        result = results[-1]
        assert result.comparison.equal is False
        assert result.comparison.reason
        result.comparison.reason.encode()  # no lone surrogates: it can be written to any log


@pytest.mark.parametrize("name", [name for name in HOSTILE if len(HOSTILE[name]) < 20_000])
def test_hostile_golds(name):
    def compare_anew():
        read_gold.cache_clear()
        assert compare(HOSTILE[name], "43").equal in (False, None)

    assert seconds_at_best(compare_anew, SECONDS) < SECONDS


def test_memory_stays_below_a_gigabyte():
    """In a process of its own, whose peak is nobody else's."""
    code = f"""
import importlib.util
from pathlib import Path
spec = importlib.util.spec_from_file_location("hostile", {__file__!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
for completion in module.HOSTILE.values():
    module.verify("43", completion)
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(peak.split()[1])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert int(done.stdout) < 1 << 20, "KiB"


def test_nothing_is_executed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = "__import__('pathlib').Path('here').touch()"
    for gold, answer in (("1", program), (program, "1"), ("1", f"\\text{{{program}}}"), ("4", "eval('2+2')")):
        assert not compare(gold, answer).equal
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("gold", "answer"),
    [("5", "int('5')"), ("12", "12 if True else 0"), ("5", "math.sqrt(25)"), ("3", "len([1, 2, 3])"), ("1", "True"),
     ("5", "[x for x in range(6)][-1]"), ("3", "(lambda: 3)()"), ("8", "pow(2, 3)"), ("7", "{{7*7}}")],
)  # fmt: skip
def test_program_text_is_never_right(gold, answer):
    assert compare(gold, answer).equal is False


def test_off_the_main_thread():
    verdicts = []
    pairs = [("\\sqrt{8}", "2\\sqrt{2}"), ("1", "9^{9^{9^9}}"), ("\\sin^2 x+\\cos^2 x", "1")] * 20

    def work():
        verdicts.append([compare(*pair).equal for pair in pairs])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verdicts == [[True, False, True] * 20] * 4
