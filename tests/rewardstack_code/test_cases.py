import json

import pytest

from rewardstack_code import io

CASES = [{"input": "1 2\n", "output": "3"}, {"input": "5 5\n", "output": "10"}]
ADD = "```python\na, b = map(int, input().split())\nprint(a + b)\n```"
MUL = "```python\na, b = map(int, input().split())\nprint(a * b)\n```"


def one(completion, cases=CASES, checker=None, **options):
    (score,) = io(**options)([completion], [cases], checker=[checker])
    return score


@pytest.mark.parametrize(
    "cases",
    [CASES, json.dumps(CASES), {"inputs": ["1 2", "5 5"], "outputs": ["3", "10"]},
     {"input": ["1 2", "5 5"], "output": ["3", "10"]},
     {"inputs": [["1 2"], ["5 5"]], "outputs": [["3"], ["10"]]}],
)  # fmt: skip
def test_forms_of_the_column(cases):
    assert one(ADD, cases).value == 1.0
    assert one(MUL, cases).value == 0.0


def test_reason_and_details():
    score = one(MUL)
    assert score.reason == "case 1: token 1 is '2', expected '3'"
    assert score.details["failed"] == 1
    assert one(ADD).reason == "all 2 cases passed"


def test_share():
    cases = [*CASES, {"input": "2 2", "output": "4"}]
    assert one(MUL, cases, credit="share").value == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("compare", "printed", "expected", "value"),
    [
        ("tokens", "1  2\\n3", "1 2 3", 1.0),
        ("lines", "1 \\n2\\n\\n", "1\n2", 1.0),
        ("lines", "1  2", "1 2", 0.0),
        ("exact", "1\\n", "1\n", 1.0),
        ("exact", "1", "1\n", 0.0),
        ("numbers", "0.3333333", "0.33333333", 1.0),
        ("numbers", "YES 1e3", "yes 1000.0", 1.0),
        ("numbers", "10000001", "10000000", 0.0),
        ("numbers", "nan", "1.0", 0.0),
        ("numbers", "3", "inf", 0.0),
        ("numbers", "-inf", "inf", 0.0),
        ("numbers", "Infinity", "inf", 1.0),
        ("numbers", "1e999", "inf", 1.0),
        ("numbers", "inf", "9" * 400, 0.0),
        ("numbers", "1e999", "9" * 400, 0.0),
        ("numbers", "1_000", "1000", 0.0),
        ("numbers", "1_000.0", "1000.0", 0.0),
        ("numbers", "٣", "3.0", 0.0),
        ("numbers", ".5 -2.", "0.5 -2", 1.0),
        ("tokens", "0.30", "0.3", 0.0),
        ("tokens", "1 2", "1", 0.0),
        ("tokens", "1", "1 2", 0.0),
    ],
)
def test_comparisons(compare, printed, expected, value):
    program = f"import sys\nsys.stdout.write('{printed}')"
    assert one(program, [{"input": "", "output": expected}], compare=compare, where="text").value == value


def test_a_checker_takes_any_right_answer():
    checker = "def check(input, output, expected):\n    return sum(map(int, output.split())) == int(input)"
    cases = [{"input": "7", "output": "3 4"}]
    assert one("print(5, 2)", cases, checker, where="text").value == 1.0
    assert one("print(5, 3)", cases, checker, where="text").value == 0.0
    assert one("print('x')", cases, checker, where="text").value == 0.0
    assert one("print(5, 2)", cases, "def check(", where="text").error is not None


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("print(output); return output == '3\\n'", 1.0),  # what it prints itself does not count
        ("return 1", 1.0),
        ("return 'WA'", 0.0),
        ("return None", 0.0),
        ("print(output); import sys; sys.exit(0)", 0.0),
        ("raise SystemExit(0)", 0.0),
    ],
)
def test_what_a_checker_may_do(body, value):
    checker = f"print('loaded')\ndef check(input, output, expected):\n    {body}"
    cases = [{"input": "", "output": ""}]
    assert one("print(3)", cases, checker, where="text").value == value


def test_an_output_cannot_break_its_checker():
    """Or a policy could choose to be masked, by printing what takes a checker long."""
    slow = "def check(input, output, expected):\n    while output == 'x\\n': pass\n    return True"
    score = one("print('x')", CASES[:1], slow, where="text", seconds=0.5)
    assert (score.value, score.error) == (0.0, None)


@pytest.mark.parametrize("cases", ["[nonsense", [{"in": "1"}], [7], {"inputs": ["1"], "outputs": []}])
def test_malformed_cases_harm_their_own_row_alone(cases):
    first, second = io()([ADD, ADD], [cases, CASES])
    assert first.error.startswith("the row's columns cannot be read")
    assert second.value == 1.0


def test_numbers_are_read_in_no_time():
    program = "print('1' * 1_000_000 + 'x')"
    assert one(program, [{"input": "", "output": "1.5"}], compare="numbers", where="text").value == 0.0


def test_an_output_that_wears_its_checker_out_is_wrong():
    counting = "def check(input, output, expected):\n    return sum(range(int(output))) == int(input)"
    cases = [{"input": "3", "output": "3"}]
    assert one("print(3)", cases, counting, where="text", seconds=1).value == 1.0
    assert one("print(10**15)", cases, counting, where="text", seconds=1).value == 0.0
    endless = "def check(input, output, expected):\n    while True: pass"
    assert one("print(3)", cases, endless, where="text", seconds=1).error is not None


def test_an_output_cannot_speak_for_its_checker():
    echoing = "def check(input, output, expected):\n    print(output, end='')\n    raise SystemExit(0)"
    for word in ("yes", "right", "True", "\\nright 0"):
        assert one(f"print('{word}', end='')", CASES[:1], echoing, where="text").value == 0.0


def test_early_stop():
    crash = "import sys\nprint(input()); sys.exit(1)"
    stopped = one(crash, where="text")
    assert (stopped.value, stopped.reason) == (0.0, "case 1: runtime error: ended with exit code 1")
    assert one(crash, where="text", stop_early=False).details["passed"] == 0


def test_no_cases_is_an_abstention():
    assert one(ADD, None).abstained
    assert one(ADD, []).abstained


def test_code_contests(data):
    rows = [row for row in data("codecontests_stdin.jsonl") if row["solution_ok"]]
    completions = [f"```python\n{row['solution']}\n```" for row in rows if "```" not in row["solution"]]
    scores = io()(completions, [row["tests"] for row in rows])
    assert [score.reason for score in scores if score.value != 1.0] == []


@pytest.mark.parametrize(
    "cases",
    [
        {"fn_name": "add", "inputs": [[1, 2]], "outputs": [[3]]},
        [{"input": "1\n2", "output": "3", "testtype": "functional"}],
    ],
)
def test_cases_that_call_a_function_belong_to_another_reward(cases):
    score = one("```python\ndef add(a, b): return a + b\n```", cases)
    assert "code.tests judges these" in score.error
