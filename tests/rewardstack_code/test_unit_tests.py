import math

import pytest

from rewardstack import Stack, StackError
from rewardstack.errors import OptionError
from rewardstack_code import tests

ADD = "```python\ndef add(a, b):\n    return a + b\n```"
SUB = "```python\ndef add(a, b):\n    return a - b\n```"
ASSERTS = ["assert add(1, 2) == 3", "assert add(0, 0) == 0"]


def one(completion, given=ASSERTS, *, columns=None, **options):
    named = {name: [value] for name, value in (columns or {}).items()}
    (score,) = tests(**options)([completion], [given], **named)
    return score


def test_all_or_nothing():
    assert (one(ADD).value, one(ADD).reason) == (1.0, "all 2 tests passed")
    wrong = one(SUB)
    assert wrong.value == 0.0
    assert wrong.reason == "wrong answer: assert add(1, 2) == 3: the last call returned -1"
    assert wrong.details["status"] == "wrong_answer"


def test_share():
    assert one(SUB, credit="share").value == 0.5
    assert one(ADD, credit="share").value == 1.0


@pytest.mark.parametrize("given", [ASSERTS, "\n".join(ASSERTS), '["assert add(1, 2) == 3"]', tuple(ASSERTS)])
def test_forms_of_the_column(given):
    assert one(ADD, given).value == 1.0


def test_check_with_an_entry_point():
    check = "def check(candidate):\n    assert candidate(1, 2) == 3"
    assert one(ADD, check, columns={"entry_point": "add"}).value == 1.0
    assert one(SUB, check, columns={"entry_point": "add"}).value == 0.0


def test_prompt_code_stands_before_the_completion():
    columns = {"prompt_code": "import math\ndef twice(x): return 2 * x"}
    assert (
        one(
            "```python\ndef f(x): return math.floor(twice(x))\n```", ["assert f(1.6) == 3"], columns=columns
        ).value
        == 1.0
    )


def test_inputs_with_expected_values():
    columns = {"entry_point": "add", "inputs": [[1, 2], [0.1, 0.2]], "expected": [3, 0.3]}
    assert one(ADD, None, columns=columns).value == 1.0
    assert one(SUB, None, columns=columns).value == 0.0
    assert one(ADD, None, columns={**columns, "expected": [3, 0.31]}).value == 0.0


@pytest.mark.parametrize(("given", "value"), [("inf", 1.0), ("5.0", 0.0), ("-inf", 0.0), ("nan", 0.0)])
def test_nothing_is_near_to_an_infinite_value(given, value):
    code = f"```python\ndef limit(x):\n    return float('{given}')\n```"
    columns = {"entry_point": "limit", "inputs": [[1]], "expected": [math.inf]}
    assert one(code, None, columns=columns).value == value


@pytest.mark.parametrize(
    ("returned", "expected", "value"),
    [("(1, 2)", [1, 2], 1.0), ("[(1, 2)]", [[1, 2]], 1.0), ("(1, 3)", [1, 2], 0.0), ("[1, 2]", (1, 2), 0.0)],
)
def test_a_tuple_does_for_the_list_of_a_file(returned, expected, value):
    columns = {"entry_point": "f", "inputs": [[0]], "expected": [expected]}
    assert one(f"```python\ndef f(n): return {returned}\n```", None, columns=columns).value == value


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"inputs": [[1, 2]], "expected": [3]}, "need the column entry_point"),
        ({"inputs": [[1, 2]], "expected": [3, 4], "entry_point": "add"}, "1 inputs, but 2 expected values"),
        ({"tests": 7}, "not iterable"),
    ],
)
def test_a_malformed_row_harms_itself_alone(columns, told):
    rows = {name: [value, None] for name, value in columns.items() if name != "tests"}
    first, second = tests()([ADD, ADD], [columns.get("tests"), ASSERTS], **rows)
    assert told in first.error
    assert second.value == 1.0


@pytest.mark.parametrize(
    ("use", "options", "told"),
    [
        ("code.tests", {"seconds": 0}, "seconds must be a number above 0"),
        ("code.io", {"memory": -1}, "memory must be a number above 0"),
        ("code.tests", {"hidden": 1.5}, "hidden must be a share"),
        ("code.robust", {"isolation": "none"}, "isolation must be one of"),
    ],
)
def test_options_are_checked_when_the_stack_is_loaded(use, options, told):
    with pytest.raises(OptionError, match=told):
        Stack({"term": {"use": use, **options}})


def test_hidden_tests_are_weighed():
    columns = {"hidden_tests": ["assert add(2, 2) == 4"]}
    cheat = "```python\ndef add(a, b):\n    return {(1, 2): 3, (0, 0): 0}.get((a, b), 9)\n```"
    assert one(ADD, columns=columns).value == 1.0
    assert one(cheat, columns=columns, hidden=0.8).value == pytest.approx(0.2)


def test_no_code_is_the_policys_fault():
    score = one("I do not know.\n```bash\nls\n```")
    assert (score.value, score.error) == (0.0, None)


def test_no_tests_is_an_abstention():
    assert one(ADD, None).abstained
    assert one(ADD, "").abstained


def test_broken_tests_are_an_error():
    score = one(ADD, "assert add(")
    assert score.value is None
    assert score.error.startswith("the tests could not be run: the tests do not compile")


@pytest.mark.parametrize(
    ("code", "start"),
    [("import os; os._exit(0)", "runtime error"), ("def add(a, b):\n    while True: pass", "time limit exceeded"),
     ("def add(", "syntax error"), ("raise SystemExit", "runtime error")],
)  # fmt: skip
def test_reasons(code, start):
    score = one(f"```python\n{code}\n```", seconds=0.5)
    assert score.value == 0.0
    assert score.reason.startswith(start)


def test_equal_programs_run_once(monkeypatch):
    from rewardstack_code import sandboxes

    seen = []
    real = sandboxes.shared_sandbox

    class Watching:
        def run_many(self, jobs):
            seen.append(len(jobs))
            return real().run_many(jobs)

    monkeypatch.setattr(sandboxes, "shared_sandbox", lambda *_: Watching())
    scores = tests()([ADD, SUB, ADD, ADD], [ASSERTS] * 4)
    assert [score.value for score in scores] == [1.0, 0.0, 1.0, 1.0]
    assert seen == [2]


def test_in_a_stack():
    stack = Stack({"tests": {"use": "rewardstack_code:tests", "credit": "share"}})
    scores = stack(prompts=["p"] * 2, completions=[ADD, SUB], tests=[ASSERTS] * 2)
    assert scores == [1.0, 0.5]


def test_human_eval(data):
    rows = data("humaneval.jsonl")
    completions = [f"```python\n{row['prompt']}{row['canonical_solution']}\n```" for row in rows]
    mutants = [f"```python\n{row['mutant']['code']}\n```" for row in rows]
    given = [row["test"] for row in rows]
    names = [row["entry_point"] for row in rows]
    assert {score.value for score in tests()(completions, given, entry_point=names)} == {1.0}
    assert {score.value for score in tests()(mutants, given, entry_point=names)} == {0.0}


def test_human_eval_plus_inputs(data):
    """Expected values come from the canonical solution, which must agree with itself through the sandbox."""
    rows = data("humanevalplus_mini.jsonl")[:10]
    inputs = [(row["base_input"] + row["plus_input"])[:6] for row in rows]
    expected = []
    for row, lists in zip(rows, inputs):
        space = {}
        exec(row["prompt"] + row["canonical_solution"], space)
        expected.append([space[row["entry_point"]](*given) for given in lists])
    completions = [f"```python\n{row['prompt']}{row['canonical_solution']}\n```" for row in rows]
    names = [row["entry_point"] for row in rows]
    scores = tests()(completions, None, entry_point=names, inputs=inputs, expected=expected)
    assert [score.reason for score in scores if score.value != 1.0] == []


@pytest.mark.parametrize(
    "row",
    [
        {"given": 5},
        {"columns": {"entry_point": 5}},
        {"columns": {"inputs": [[1]], "expected": [], "entry_point": "add"}},
    ],
)
def test_a_row_that_cannot_be_read_is_an_error_of_its_own(row):
    score = one(ADD, **row)
    assert score.error is not None
    assert score.error.startswith("the row's columns cannot be read")


def test_what_a_table_leaves_empty_is_not_there():
    assert one(ADD, float("nan")).abstained
    assert one(ADD, columns={"entry_point": float("nan"), "hidden_tests": float("nan")}).value == 1.0


@pytest.mark.parametrize(
    "option", [{"seconds": 0.0}, {"seconds": float("nan")}, {"seconds": 1e10}, {"memory": -1}]
)
def test_limits_that_cannot_be_are_refused_when_the_stack_is_loaded(option):
    with pytest.raises(StackError, match="seconds|memory"):
        Stack({"t": {"use": "code.tests", **option}})
