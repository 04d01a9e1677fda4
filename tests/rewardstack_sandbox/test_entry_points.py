"""What tests call of a program."""

import types

import pytest

from rewardstack_sandbox import EntryPoint, read_entry_point

METHOD = "class Solution:\n    def double(self, n):\n        return {}\n"
CHECK = "def check(candidate):\n    assert candidate(n=2) == 4\n    assert candidate(0) == 0\n"


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("add", EntryPoint("add")),
        ("Solution().twoSum", EntryPoint("Solution", True, ("twoSum",))),
        ("Tools.add", EntryPoint("Tools", False, ("add",))),
        (" Größe().über.alles ", EntryPoint("Größe", True, ("über", "alles"))),
    ],
)
def test_forms(text, entry):
    assert read_entry_point(text) == entry


@pytest.mark.parametrize("text", ["", "two words", "f(1)", "a.b().c", "1f", "a..b", ".a", "__import__('os')"])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="is no name, nor like"):
        read_entry_point(text)


def test_find_makes_one_instance():
    made = []

    class Solution:
        def __init__(self):
            made.append(self)
            self.inner = types.SimpleNamespace(answer=42)

    assert read_entry_point("Solution().inner.answer").find({"Solution": Solution}) == 42
    assert len(made) == 1


@pytest.mark.parametrize(
    ("program", "passes"),
    [
        (METHOD.format("2 * n"), True),
        (METHOD.format("3 * n"), False),
        ("class Solution:\n    def triple(self, n): return 3 * n", False),
        (
            "class Solution:\n    def __init__(self): raise ValueError\n    def double(self, n): return 2 * n",
            False,
        ),
        ("class Solution:\n    double = lambda self, n: 2 * n", True),
        ("def double(n): return 2 * n", False),
        ("", False),
    ],
)
def test_a_method_is_judged_as_a_function_is(sandbox, program, passes):
    report = sandbox.run_tests(program, CHECK, entry_point="Solution().double")
    assert report.passed is passes, report
    assert report.status != "infrastructure_error"
    tests = ["assert candidate(2) == 4", "assert candidate(3) == 6"]
    assert sandbox.run_tests(program, tests, entry_point="Solution().double").passed is passes


def test_a_wrong_entry_point_is_the_data_sets_doing(sandbox):
    report = sandbox.run_tests("def f(n): return n", CHECK, entry_point="f(1)")
    assert report.status == "infrastructure_error"
    assert "entry point" in report.reason
