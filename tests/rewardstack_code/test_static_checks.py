import sys
import time
import warnings

import pytest

from rewardstack import RewardstackError, Stack, StackError
from rewardstack_code import static
from rewardstack_code.checks import CHECKS
from rewardstack_code.syntax import parse
from rewardstack_code.variants import reformat, rename_variables, strip_comments

GOOD = (
    "def solve(n):\n    total = 0\n    for digit in str(n):\n        total += int(digit)\n    return total\n"
)


COLUMNS = {"entry_point", "parameters", "tests", "reference", "prompt_code"}


def check(code, *, only=None, **named):
    weights = {} if only is None else {name: float(name == only) for name in CHECKS}
    columns = {name: named.pop(name) for name in COLUMNS & named.keys()}
    return static(weights=weights, **named)(f"```python\n{code}\n```", **columns)


def test_a_clean_program():
    score = check(GOOD, entry_point="solve", parameters=["n"])
    assert (score.value, score.reason) == (1.0, "every check passed")


@pytest.mark.parametrize(
    ("only", "code", "named", "reason"),
    [
        ("entry_point", "x = 1", {"entry_point": "solve"}, "entry_point: solve is not defined"),
        ("entry_point", "class S: pass", {"entry_point": "S().solve"}, "entry_point: S has no method solve"),
        ("entry_point", "def solve(): pass", {"entry_point": "S().solve"}, "entry_point: S is not defined"),
        ("signature", "class S:\n    def solve(self, a, b): pass", {"entry_point": "S().solve", "parameters": ["n"]},
         "signature: solve takes (a, b), asked were 1 arguments"),
        ("signature", "class S:\n    @classmethod\n    def solve(cls, a, b): pass", {"entry_point": "S.solve", "parameters": ["n"]},
         "signature: solve takes (a, b), asked were 1 arguments"),
        ("signature", "def solve(a, b): pass", {"entry_point": "solve", "parameters": ["n"]},
         "signature: solve takes (a, b), asked were 1 arguments"),
        ("imports", "import os.path", {}, "imports: imports os.path"),
        ("imports", "from subprocess import run", {}, "imports: imports subprocess"),
        ("imports", "x = 1", {"required_imports": ("math",)}, "imports: does not import math"),
        ("calls", "import os\nos.system('x')", {"forbidden_calls": ("os.*",)}, "calls: calls os.system"),
        ("calls", "x = 1", {"required_calls": ("sorted",)}, "calls: does not call sorted"),
        ("names", "print(input)", {"forbidden_names": ("input",)}, "names: uses input"),
        ("names", "x = 1", {"required_names": ("sorted",)}, "names: does not use sorted"),
        ("nodes", "f = lambda: 1", {"forbidden_nodes": ("Lambda",)}, "nodes: uses Lambda"),
        ("nodes", "x = 1", {"required_nodes": ("For",)}, "nodes: does not use For"),
        ("tricks", "().__class__.__base__.__subclasses__()", {}, "tricks: uses __subclasses__"),
        ("tricks", "eval('1')", {}, "tricks: uses eval"),
        ("complexity", "def f(x):\n" + "    if x: pass\n" * 9, {"complexity": 5},
         "complexity: f has complexity 10, allowed is 5"),
        ("length", "x = 1\n" * 9, {"lines": 5}, "length: has 9 lines, allowed are 5"),
        ("copy", GOOD.replace("total", "t"), {"reference": GOOD}, "copy: 100% alike the reference, allowed are 95%"),
        ("hard_coding", "def solve(n):\n    if n == 1234: return 10\n    return {5678: 26}[n]",
         {"tests": ["assert solve(1234) == 10", "assert solve(5678) == 26"]},
         "hard_coding: compares with 1234, a value of the tests (and 1 more)"),
    ],
)  # fmt: skip
def test_each_check_finds_what_it_is_for(only, code, named, reason):
    score = check(code, only=only, **named)
    assert (score.value, score.reason) == (0.0, reason)


@pytest.mark.parametrize(
    ("code", "entry_point"),
    [
        ("class S:\n    solve = lambda self, n: n", "S().solve"),
        ("class S:\n    def go(self): pass\n    solve = go", "S().solve"),
        ("class S(Base): pass", "S().solve"),
        ("@completed\nclass S: pass", "S().solve"),
        ("class S:\n    def __getattr__(self, name): return len", "S().solve"),
        ("class S:\n    def __init__(self): self.helper = Helper()", "S().helper.solve"),
    ],
)
def test_a_method_that_may_come_from_elsewhere_is_not_said_to_be_missing(code, entry_point):
    assert check(code, only="entry_point", entry_point=entry_point).value == 1.0


@pytest.mark.parametrize(
    "code", ["x == 0x" + "f" * 5000, "return 1", "def f(a, a): pass", "x = " + "1+" * 600 + "1"]
)
def test_no_program_makes_a_check_fail(code):
    pytest.importorskip("RestrictedPython")
    weights = dict.fromkeys(CHECKS, 1.0)
    assert (
        static(where="text", weights=weights)(code, tests="assert f() == 0x" + "f" * 5000).value is not None
    )


@pytest.mark.slow
def test_nested_comparisons_are_gone_through_once():
    code = "x=" + "(" * 88 + "[" + ",".join(["1==1111"] * 10_000) + "]" + "==1111)" * 88
    begin = time.perf_counter()
    check(code, only="hard_coding", tests="assert f(1111)")
    assert time.perf_counter() - begin < 5


@pytest.mark.parametrize("name", CHECKS)
def test_each_check_leaves_a_clean_program_alone(name):
    tests = ["assert solve(1234) == 10", "assert solve(5678) == 26"]
    assert check(GOOD, only=name, entry_point="solve", parameters=["n"], tests=tests).value == 1.0


def test_each_check_has_a_description():
    assert all(function.__doc__ for function, _ in CHECKS.values())


def test_lines_are_listed():
    score = check("x = 1\nimport os\ny = eval('2')")
    assert score.details["findings"] == [
        {"check": "imports", "line": 2, "text": "imports os"},
        {"check": "tricks", "line": 3, "text": "uses eval"},
    ]
    assert 0 < score.value < 1


def test_what_does_not_parse_is_worth_nothing():
    assert check("def f(:").reason == "does not parse: invalid syntax"
    assert check("def f(:").value == 0.0


@pytest.mark.parametrize(
    "code",
    [
        "(" * 100_000,
        "-" * 99_999 + "1",
        "[" * 5000 + "]" * 5000,
        "x = " + "not " * 50_000 + "1",
        "x" * 200_000,
        "\0",
        "\ud800",
    ],
)
def test_hostile_text_is_refused(code):
    assert static(where="text")(code).value == 0.0


@pytest.mark.parametrize(
    ("weights", "message"),
    [({"lenght": 1.0}, "there is no check 'lenght', only entry_point, signature, "), ({"copy": -1.0}, "copy must not be below 0")],
)  # fmt: skip
def test_wrong_weights_are_refused_when_the_stack_is_loaded(weights, message):
    with pytest.raises(StackError, match=message):
        Stack({"static": {"use": "rewardstack_code:static", "weights": weights}})


def test_the_policy_check(monkeypatch):
    pytest.importorskip("RestrictedPython")
    assert check("x._y", only="policy").reason.startswith("policy: ")
    monkeypatch.setitem(sys.modules, "RestrictedPython", None)
    with pytest.raises(
        RewardstackError, match=r"'policy' of code.static needs RestrictedPython .*rewardstack\[code\]"
    ):
        Stack({"static": {"use": "rewardstack_code:static", "weights": {"policy": 1.0}}})


def test_in_a_stack():
    stack = Stack({"static": {"use": "rewardstack_code:static", "lines": 5}})
    scores = stack(prompts=["p"] * 2, completions=["x = 1", "x = ("])
    assert scores == [1.0, 0.0]


def test_warnings_of_the_parser_are_neither_errors_nor_shown(capfd):
    source = "import re\ndef f(x):\n    return re.match('\\d', x)\n"
    for action in ("error", "always"):
        with warnings.catch_warnings():
            warnings.simplefilter(action)
            assert parse(source).tree is not None
            assert all(change(source, 0) for change in (rename_variables, strip_comments, reformat))
    assert capfd.readouterr().err == ""
