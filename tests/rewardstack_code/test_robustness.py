import ast

import pytest

from rewardstack_code import robust
from rewardstack_code.similarity import similarity
from rewardstack_code.variants import VARIANTS, rename_variables, reorder_tests
from rewardstack_sandbox import Tests
from rewardstack_sandbox.shared import shared_sandbox

GOOD = "def f(x):\n    '''Add.'''\n    y = x + 1  # one more\n    return y\n"
TESTS = ["assert f(1) == 2", "assert f(5) == 6"]


def test_a_sound_program_passes_in_every_variant():
    (score,) = robust()([GOOD], [TESTS])
    assert (score.value, score.reason) == (1.0, "passes in all 4 variants")


def test_a_program_that_knows_the_order_of_its_tests_does_not():
    counting = "answers = iter([2, 6])\ndef f(x):\n    return next(answers)\n"
    (score,) = robust(seed=1)([counting], [TESTS])
    assert score.value < 1.0
    assert "tests reordered" in score.reason


def test_a_program_that_does_not_pass_is_worth_nothing():
    (score,) = robust()(["def f(x): return 0"], [TESTS])
    assert score.value == 0.0
    assert score.reason.startswith("the program itself does not pass")


@pytest.mark.parametrize(
    "line",
    ["0x" + "f" * 5000, "+".join(["1"] * 600)],
    ids=["a number too long to write", "a tree too deep to walk"],
)
def test_what_cannot_be_changed_has_not_passed_and_harms_no_other_row(line):
    stubborn = f"def f(x):\n    y = {line}\n    return x + 1"
    first, second = robust()([stubborn, GOOD], [TESTS, TESTS])
    assert first.value == 0.0
    assert first.reason.startswith("the program cannot be changed")
    assert second.value == 1.0


def test_tests_that_do_not_parse_harm_no_other_row():
    first, second = robust()([GOOD, GOOD], ["assert f(", TESTS])
    assert first.error is not None
    assert second.value == 1.0


@pytest.mark.parametrize(
    "first",
    [
        "if True:\n    def g(x): return x\n",
        "try:\n    import nothing\nexcept ImportError:\n    def g(x): return x\n",
    ],
)
def test_functions_below_a_branch_are_left_alone(first):
    renamed = rename_variables(first + GOOD)
    assert "y = x + 1" not in renamed
    (score,) = robust()([first + GOOD], [TESTS])
    assert score.value == 1.0


def test_variants_keep_the_meaning_of_real_programs(data):
    rows = data("humaneval.jsonl")
    jobs, names = [], []
    for row in rows:
        source = row["prompt"] + row["canonical_solution"]
        for name, change in VARIANTS.items():
            jobs.append(Tests(change(source, 3), row["test"], row["entry_point"]))
            names.append((name, row["task_id"]))
        jobs.append(Tests(source, reorder_tests(row["test"], 3), row["entry_point"]))
        names.append(("reordered", row["task_id"]))
    failed = [
        (name, report.reason)
        for name, report in zip(names, shared_sandbox().run_many(jobs))
        if not report.passed
    ]
    assert failed == []


@pytest.mark.parametrize(
    "before",
    ["if True:\n    def g(x): return x\n", "kept = {c for c in 'ab'}\n", "kept = {c: 1 for c in 'ab'}\n",
     "kept = [(lambda y: y)(c) for c in 'ab']\n", "for _ in 'ab':\n    class A:\n        def f(x): return x\n",
     "@staticmethod\ndef g(x):\n    y = x\n    return y\n"],
)  # fmt: skip
def test_any_statement_may_stand_beside_the_functions(before):
    (score,) = robust()([before + GOOD], [TESTS])
    assert (score.value, score.error) == (1.0, None)


@pytest.mark.parametrize(
    "program",
    ["def f(x):\n    nonlocal q\n    return x + 1\n", f"def f(x): return x + 1\ny = {'1 + ' * 2000}1\n"],
)
def test_a_program_that_cannot_be_changed_harms_its_own_row_alone(program):
    first, second = robust()([program, GOOD], [TESTS, TESTS])
    assert (first.value, first.error, second.value) == (0.0, None, 1.0)


def test_malformed_tests_harm_their_own_row_alone():
    first, second = robust()([GOOD, GOOD], ["assert f(1) ==", TESTS])
    assert first.error.startswith("the row's columns cannot be read: SyntaxError: invalid syntax")
    assert second.value == 1.0


def test_renaming_changes_names_and_nothing_else():
    changed = rename_variables(GOOD)
    assert "y" not in {node.id for node in ast.walk(ast.parse(changed)) if isinstance(node, ast.Name)}
    assert similarity(ast.parse(GOOD), ast.parse(changed)) == 1.0


@pytest.mark.parametrize(
    "body",
    [
        "match x:\n        case [first, *others]: return others\n        case {'a': one, **others}: return one, others\n        case int() as number: return number",
        "try:\n        return x['a']\n    except (TypeError, KeyError) as error:\n        name = type(error).__name__\n    return name",
        "if (found := isinstance(x, dict)):\n        del found\n        found = 3\n    pairs = [(key, found) for key in x] if found == 3 else []\n    return pairs",
        "total = 0\n    for total, item in enumerate([x, x]):\n        total += 1\n    return f'{total:>3} {item}'",
    ],
)
@pytest.mark.parametrize("change", VARIANTS.values(), ids=VARIANTS)
def test_changes_keep_what_a_function_returns(body, change):
    source = f"def f(x):\n    {body}\n"
    before, after = {}, {}
    exec(source, before)
    exec(change(source, 5), after)
    for value in ([1, 2, 3], {"a": 1, "b": 2}, 7, {}):
        assert after["f"](value) == before["f"](value)


def test_names_that_others_see_stay():
    source = "def f(a):\n    b = a\n    def g():\n        return b\n    import os as c\n    return g() + len(c.sep) - 1\n"
    assert rename_variables(source).count("b") >= 2
    space = {}
    exec(rename_variables(source), space)
    assert space["f"](3) == 3
