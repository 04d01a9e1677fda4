"""Real tasks: canonical solutions pass with their tests out of process, mutants are caught."""

import pytest

from rewardstack_sandbox import Limits, Run, Status, Tests


@pytest.fixture(scope="module")
def human_eval(data):
    return data("humaneval.jsonl")


def test_human_eval_solutions_pass(sandbox, human_eval):
    jobs = [
        Tests(row["prompt"] + row["canonical_solution"], row["test"], row["entry_point"])
        for row in human_eval
    ]
    failed = [
        (row["task_id"], report.reason)
        for row, report in zip(human_eval, sandbox.run_many(jobs))
        if not report.passed
    ]
    assert failed == []


def test_human_eval_mutants_are_caught(sandbox, human_eval):
    jobs = [Tests(row["mutant"]["code"], row["test"], row["entry_point"]) for row in human_eval]
    statuses = {report.status for report in sandbox.run_many(jobs)}
    assert statuses == {Status.wrong_answer}


def test_mbpp_solutions_pass(sandbox, data):
    rows = [row for row in data("mbpp.jsonl") if row["canonical_ok"]]
    jobs = [
        Tests(row["code"], row["test_list"], setup=row["test_setup_code"], limits=Limits(wall=10))
        for row in rows
    ]
    failed = [
        (row["task_id"], report.reason)
        for row, report in zip(rows, sandbox.run_many(jobs))
        if not report.passed
    ]
    assert len(failed) <= 0.003 * len(rows), failed


def test_code_contests_solutions_give_what_they_gave(sandbox, data):
    rows = [
        (row, case, was)
        for row in data("codecontests_stdin.jsonl")
        for case, was in zip(row["tests"], row["solution_results"])
    ]
    results = sandbox.run_many([Run(row["solution"], case["input"]) for row, case, _ in rows])
    for (row, case, was), result in zip(rows, results):
        if was == "match":
            assert result.stdout.split() == case["output"].split(), (row["task_id"], result)


def test_solutions_that_only_a_pipe_breaks_run_to_the_end(sandbox, data):
    rows = [
        row
        for row in data("codecontests_stdin.jsonl")
        if row["task_id"].startswith(("cc/1286_b", "cc/1076_d", "cc/1391_e"))
    ]
    results = sandbox.run_many([Run(row["solution"], case["input"]) for row in rows for case in row["tests"]])
    assert {result.status for result in results} <= {Status.accepted}
