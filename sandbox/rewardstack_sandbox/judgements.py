"""What a worker makes of one candidate: a result for a run, a report for tests."""

import marshal
import select
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from rewardstack_sandbox.channel import Channel, Expired, Gone, Oversized
from rewardstack_sandbox.nursery import Candidate, Ended, Nursery
from rewardstack_sandbox.oracle.conversation import Conversation, Stopped
from rewardstack_sandbox.oracle.judging import Judge, short
from rewardstack_sandbox.oracle.plan import Plan, make_plan
from rewardstack_sandbox.program.booting import LAYER_FAILED, READY
from rewardstack_sandbox.results import ExecutionResult, Status, TestReport, TestResult
from rewardstack_sandbox.values import Codec, Malformed, Unsupported

__all__ = ["judge_run", "judge_tests"]

SIGNAL_KILL = -9
MOST_DERAILED = 4  # programs for the same tests: the next ones are likely to be alike
LAST_WORDS = 0.25  # seconds; not less: a worker may have to wait for the processor
# what a candidate says of itself: what the run then is
NOTES = {"syntax": Status.syntax_error, "memory": Status.memory_limit_exceeded}


def judge_run(
    nursery: Nursery, candidate: Candidate, job: Mapping[str, Any], deadline: float
) -> ExecutionResult:
    """Run a program to its end or to its deadline."""
    started = time.monotonic()
    candidate.write_input(job["stdin"].encode("utf-8", "surrogatepass"))
    with suppress(Gone, Expired):  # a candidate that is gone already tells by its exit code
        candidate.channel.send(job_for_program(job), deadline=deadline)
    nursery.prepare()
    in_time = wait_for_end(candidate, deadline)
    wall = time.monotonic() - started
    candidate.kill()  # so that what it said has an end, and nothing needs to be waited for
    note, text = read_note(candidate.channel)
    stdout, stderr, over = candidate.read_output(job["limits"]["output"])
    ended = nursery.bury(candidate)
    status, reason = status_of(ended, note, text, job, in_time=in_time, over=over)
    return ExecutionResult(
        status, stdout, stderr, ended.exit_code, wall, ended.cpu_time, ended.peak_memory, over, reason
    )


def job_for_program(job: Mapping[str, Any]) -> bytes:
    """Return what a candidate is told, nothing of the tests, in the interpreter's own format: it trusts this side."""
    told = {
        "mode": job["mode"],
        "program": job["program"],
        "args": list(job.get("args", ())),
        "limits": {key: value for key, value in job["limits"].items() if key != "wall"},
        "restricted": job["restricted"],
    }
    return marshal.dumps(told)


def wait_for_end(candidate: Candidate, deadline: float) -> bool:
    """Wait for a process to end; return whether it did so by the deadline.

    Its channel does not tell, where there is better: a program may close every descriptor and go on.
    """
    poll = select.poll()
    if candidate.pidfd is None:
        poll.register(candidate.channel, 0)  # its end alone: what it said is read afterwards
    else:
        poll.register(candidate.pidfd, select.POLLIN)
    left = max(0.0, deadline - time.monotonic())
    return bool(poll.poll(left * 1000))


def read_note(channel: Channel) -> tuple[str, str]:
    """Return what a candidate said before it ended; two empty texts for nothing, or nothing sensible."""
    first = read_message(channel)
    if first != READY:  # sent before the program began, so that no program can send it
        return LAYER_FAILED, first[1] if first[0] == LAYER_FAILED else "the process ended before it began"
    note, text = read_message(channel)
    return (note, text) if note in NOTES else ("", "")


def read_message(channel: Channel) -> tuple[str, str]:
    """Return a message of two texts that has arrived; empty ones for anything else."""
    with suppress(Gone, Expired, Oversized, Malformed):
        match Codec().decode(channel.receive(time.monotonic() + LAST_WORDS)):
            case (str(note), str(text)):
                return note, text
    return "", ""


def status_of(
    ended: Ended, note: str, text: str, job: Mapping[str, Any], *, in_time: bool, over: bool
) -> tuple[Status, str]:
    """Return the status of a run, and a sentence."""
    limits = job["limits"]
    if note == LAYER_FAILED:
        return Status.infrastructure_error, f"a layer of confinement failed: {text}"
    if not in_time:
        return Status.time_limit_exceeded, f"over {limits['wall']:g} s"
    if over:
        return Status.output_limit_exceeded, f"more than {limits['output']} bytes of output"
    # the kernel enforces its limit by sampled ticks, which may run ahead of the time it reports
    if ended.exit_code == SIGNAL_KILL and ended.cpu_time >= 0.75 * limits["cpu"] - 0.1:
        return Status.time_limit_exceeded, f"over {limits['cpu']} s of processor time"
    if note and ended.exit_code != 0:
        return NOTES[note], text or "out of memory"
    if ended.exit_code == 0:
        return Status.accepted, ""
    how = f"signal {-ended.exit_code}" if ended.exit_code < 0 else f"exit code {ended.exit_code}"
    return Status.runtime_error, f"ended with {how}"


def judge_tests(
    nursery: Nursery, candidate: Candidate, job: Mapping[str, Any], deadline: float
) -> TestReport:
    """Run a program's definitions and judge them by tests that stay here."""
    try:
        plan = make_plan(job["tests"], job["setup"], job["entry_point"])
    except Exception as error:
        nursery.retire(candidate)
        return TestReport(False, Status.infrastructure_error, reason=f"the tests do not compile: {error}")
    ahead = plan.foreseen.messages if candidate.hears_ahead and plan.derailed < MOST_DERAILED else ()
    found = judge_by_plan(nursery, candidate, job, deadline, plan, ahead)
    if found is None:
        plan.derailed += 1
        found = judge_by_plan(nursery, nursery.take(), job, deadline, plan, ())
    assert found is not None
    return found


def judge_by_plan(
    nursery: Nursery,
    candidate: Candidate,
    job: Mapping[str, Any],
    deadline: float,
    plan: Plan,
    ahead: Sequence[bytes],
) -> TestReport | None:
    """Judge a program by a plan; None where its tests turn out to make other calls than those sent ahead."""
    talk = Conversation(candidate.channel, deadline, job["limits"]["wall"], plan.foreseen.name, ahead)
    talk.watches = plan.may_replace
    talk.lends = candidate.hears_ahead
    judge = Judge(plan, talk, stop_early=job["stop_early"])
    found: dict[str, Any] = {}
    status, reason = load(nursery, talk, job, plan, found)
    if status is Status.accepted:
        judge.run(found)
    stdout, stderr, over = candidate.read_output(job["limits"]["output"])
    stopped = talk.stopped.kind if talk.stopped is not None else ""
    if stopped != "gone":
        nursery.retire(candidate)
    if stopped == "derailed":
        return None
    if stopped == "gone":
        ended = nursery.bury(candidate)
        status, reason = status_of(ended, "", "", job, in_time=True, over=over)
        if ended.exit_code == 0 or status is Status.accepted:
            status, reason = Status.runtime_error, "the program ended before its tests did"
    elif over:
        status, reason = Status.output_limit_exceeded, f"more than {job['limits']['output']} bytes of output"
    return report(judge, (status, str(reason)), (stdout, stderr, over))


def load(
    nursery: Nursery, talk: Conversation, job: Mapping[str, Any], plan: Plan, found: dict[str, Any]
) -> tuple[Status, str]:
    """Have the program define its names; put those that the tests use into `found`; return how that went."""
    wanted = {*plan.names, *plan.built_in}
    try:
        talk.begin(job_for_program(job))
        nursery.prepare()
        if (first := talk.hear()) != READY:
            return Status.infrastructure_error, f"a layer of confinement failed: {first[1]}"
        match talk.hear():
            case ("loaded", dict(own), list(modules), list(others)):
                talk.defined = frozenset([*own, *others])
                found.update(
                    {name: ("value", talk.unpack(one)) for name, one in own.items() if name in wanted}
                )
                found.update({name: ("module", None) for name in modules if name in wanted})
                more = wanted.intersection(others)
                if talk.ahead:
                    meet_foreseen(talk, plan.foreseen.name, found, more)
                elif more:
                    found.update(described(talk, sorted(more)))
                talk.used = 0  # it counts what the tests ask
                return Status.accepted, ""
            case ("failed", str(name), tuple(bases), _, str(text), *_):
                status = Status.memory_limit_exceeded if "MemoryError" in bases else Status.runtime_error
                return status, f"{name}: {text}" if text else name
            case (str(note), str(text)) if note in NOTES:
                return NOTES[note], text
        return Status.runtime_error, "the program wrote to the sandbox's own channel"
    except Unsupported as error:
        return Status.infrastructure_error, str(error)
    except Stopped as error:
        return (Status.time_limit_exceeded if error.kind == "time" else Status.runtime_error), str(error)
    except BaseException as error:  # what a forged message made the conversation raise
        return Status.runtime_error, f"{type(error).__name__}: {short(error)}"


def described(talk: Conversation, names: list[str]) -> dict[str, tuple[str, Any]]:
    """Return what the program says of some names; never of others, such as `__builtins__`, which it might slip in."""
    told = talk.ask("describe", names)
    if type(told) is not dict or any(type(one) is not tuple or len(one) != 2 for one in told.values()):
        talk.spoil()
    return {name: told[name] for name in names if name in told}


def meet_foreseen(talk: Conversation, name: str, found: dict[str, Any], others: set[str]) -> None:
    """Find the function whose calls were sent ahead; derail where what has this name would have to be asked for.

    Where nothing has it no test gets as far as a call.
    """
    if name in found:
        talk.meet(found[name][1])
    elif name in others:
        talk.derail()


def report(judge: Judge, outcome: tuple[Status, str], output: tuple[str, str, bool]) -> TestReport:
    """Return the report: a pass only where every test was reached and passed, and nothing else went wrong."""
    status, reason = outcome
    results = tuple(judge.results)
    total = max(judge.plan.total - judge.left_out, len(results))
    failed = next((result for result in results if not result.passed), None)
    if status is Status.accepted and failed is not None:
        status, reason = failed.status, describe(failed)
    elif status is Status.accepted:
        status, reason = doubts(judge, results, total)
    passed = status is Status.accepted and failed is None
    if not passed:
        # Those that a program did not let run are tests too: to stop early must not raise the share
        total = max(total, judge.expected - judge.skipped)
    return TestReport(passed, status, results, total, reason, *output[:2], truncated=output[2])


def describe(result: TestResult) -> str:
    """Return a sentence about a failed test."""
    return f"{result.name}: {result.reason}" if result.reason else result.name


def doubts(judge: Judge, results: tuple[TestResult, ...], total: int) -> tuple[Status, str]:
    """Return why a run in which no test failed is no pass, `accepted` where it is one."""
    if judge.talk.stopped is not None:
        return Status.time_limit_exceeded, str(judge.talk.stopped)
    if judge.talk.unsupported:
        return Status.unsupported_value, judge.talk.unsupported
    if not judge.plan.asserts_something:
        return Status.infrastructure_error, "the tests hold no test"
    if judge.skipped and not results:
        return Status.infrastructure_error, "the tests skip themselves"
    if not results or len(results) < total:  # a loop over what the program returned had nothing to assert
        return Status.wrong_answer, f"{len(results)} of {max(1, total)} tests ran"
    if not judge.used:
        return Status.infrastructure_error, "the tests never used the program"
    return Status.accepted, ""
