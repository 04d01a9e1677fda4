"""`rewards judge-report` and `rewards measure`."""

import json

import pytest
from click.testing import CliRunner
from tests.rewardstack_models.endpoint import reply_in, said, status, verdict

pytest.importorskip("httpx")

from rewardstack.cli import rewards

SAMPLES = [
    {
        "prompt": "2 + 2?",
        "completion": f"{'Well, ' * (n % 5)}it is {4 if n % 2 else 5}, try {n}.",
        "right": bool(n % 2),
        "reference": "four",
    }
    for n in range(20)
]


def run(*arguments):
    return CliRunner().invoke(rewards, [*map(str, arguments)], standalone_mode=True)


@pytest.fixture
def samples(write):
    return write("samples.jsonl", "\n".join(json.dumps(row) for row in SAMPLES) + "\n")


def stack_file(write, server, more=""):
    return write(
        "stack.toml",
        f'[rewards.judge]\nuse = "models.judge"\nmodel = "m"\nendpoint = "{server.url}"\noutput = "text"\n{more}',
    )


def report_of(done):
    (report,) = json.loads(done.stdout)
    return report


def test_a_right_judge_agrees(serve, write, samples):
    server = serve(lambda request, number: verdict("CORRECT" if "is 4" in reply_in(request) else "INCORRECT"))
    stack = stack_file(write, server, "price_read = 1.0\nprice_written = 2.0\n")
    done = run("judge-report", stack, samples, "--label", "right", "--min-kappa", "0.9", "--json")
    assert done.exit_code == 0, done.stderr
    report = report_of(done)
    assert report["accuracy"]["value"] == report["kappa"]["value"] == report["steady"]["value"] == 1.0
    assert report["accuracy"]["low"] == pytest.approx(0.8389, abs=1e-4)
    assert (report["rows"], report["labelled"], report["calls"], report["tokens"]) == (20, 20, 40, 600)
    assert report["cost"] == pytest.approx(40 * 20e-6)
    assert server.calls == 40
    again = report_of(run("judge-report", stack, samples, "--label", "right", "--json"))
    assert (server.calls, again["calls"], again["cached"]) == (40, 0, 40)


def test_a_judge_that_loves_length_and_wavers_is_found_out(serve, write, samples):
    def script(request, number):
        reply = reply_in(request)
        wavers = "try 0" in reply and number > 20
        return verdict("CORRECT" if len(reply) > 30 and not wavers else "INCORRECT")

    server = serve(script)
    stack = stack_file(write, server)
    report = report_of(run("judge-report", stack, samples, "--label", "right", "--json"))
    assert report["length"] > 0.7
    assert report["paid_long"]["value"] > report["paid_short"]["value"]
    assert abs(report["kappa"]["value"]) < 0.3
    done = run("judge-report", stack, samples, "--label", "right", "--min-kappa", "0.6")
    assert done.exit_code == 1
    assert "the kappa is" in done.stderr
    assert "correlation of value and length" in done.stdout


def test_a_judge_that_is_not_steady_is_found_out(serve, write, samples):
    server = serve(lambda request, number: verdict("CORRECT" if number % 3 else "INCORRECT"))
    report = report_of(
        run("judge-report", stack_file(write, server), samples, "--label", "right", "--repeats", 3, "--json")
    )
    assert report["steady"]["value"] < 0.7


def test_a_judge_of_pairs_that_follows_the_order_is_found_out(serve, write, samples):
    stack = stack_file(write, serve(verdict("A")), "pair = true\n")
    report = report_of(run("judge-report", stack, samples, "--label", "right", "--limit", 6, "--json"))
    assert report["first_picked"]["value"] == report["turned"]["value"] == 1.0

    def better(request, number):
        worth = [2 * ("is 4" in text) or "four" in text for text in said(request).split("=== BEGIN REPLY B")]
        return verdict("A" if worth[0] > worth[1] else "B")

    fair = stack_file(write, serve(better), "pair = true\n")
    report = report_of(run("judge-report", fair, samples, "--label", "right", "--limit", 6, "--json"))
    assert report["turned"]["value"] == 0.0
    assert report["first_picked"]["value"] == 0.5


def test_what_cannot_be_judged_is_told(serve, write, samples):
    server = serve(verdict("CORRECT"))
    stack = stack_file(write, server)
    done = run("judge-report", stack, samples, "--label", "gone")
    assert done.exit_code == 3
    assert "judge: no row has both a verdict and a label" in done.stderr
    assert run("judge-report", stack, samples, "--label", "right", "--term", "jugde").exit_code == 2
    other = write("other.toml", '[rewards.it]\nuse = "format.boxed"\n')
    assert (
        "no term of the stack asks a judge" in run("judge-report", other, samples, "--label", "right").stderr
    )


def test_a_judge_that_is_down_is_told_of_in_a_sentence_and_not_waited_for_twice(serve, write, samples):
    server = serve(status(503))
    stack = stack_file(write, server, "tries = 1\n")
    done = run("judge-report", stack, samples, "--label", "right", "--repeats", "5")
    assert (done.exit_code, done.stdout, server.calls) == (3, "", 20)
    told = " ".join(done.stderr.split())
    assert told.startswith(
        "error: judge: no row got a verdict, 20 of 20 rows erred; the first: raised EndpointError: "
    )
    assert told.count("EndpointError") == 1


def test_some_errors_stand_below_the_table_with_the_first_of_them(serve, write, samples):
    server = serve(lambda request, number: status(503) if "try 0" in said(request) else verdict("CORRECT"))
    stack = stack_file(write, server, "tries = 1\n")
    done = run("judge-report", stack, samples, "--label", "right", "--repeats", "1")
    assert done.exit_code == 0
    told = " ".join(done.stdout.split())
    assert (
        "20 rows, 19 with verdict and label; 0 refused unasked, 1 error; the first: raised EndpointError"
        in told
    )
    assert "1 repeat: 19 calls, 0 from the cache" in told


def test_measure_gives_lines_that_the_stack_takes(write, samples, reward_folder, tmp_path):
    from rewardstack import Stack

    text = f'[rewards.style]\nuse = "models.reward"\nmodel = "{reward_folder}"\n'
    stack = write("stack.toml", text)
    done = run("measure", stack, samples)
    assert done.exit_code == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if " = " in line]
    assert done.stdout.startswith("# 20 rows, from ")
    standard = Stack.load(write("standard.toml", text + "\n".join(lines) + "\n"))
    values = [score.total for score in standard.score(SAMPLES)]
    assert sum(values) / 20 == pytest.approx(0.0, abs=1e-4)
    assert sum(value**2 for value in values) / 19 == pytest.approx(1.0, abs=1e-3)
    numbers = json.loads(run("measure", stack, samples, "--json").stdout)["style"]
    assert numbers["rows"] == 20
    empty = write("empty.jsonl", '{"completion": "", "prompt": "a"}\n')
    assert run("measure", stack, empty).exit_code == 3
