"""Jobs and results as plain data that JSON holds: what a backend in a container or on another machine is sent."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rewardstack_sandbox.batch import failure
from rewardstack_sandbox.jobs import Job, Run, Tests
from rewardstack_sandbox.limits import Limits
from rewardstack_sandbox.results import ExecutionResult, Status, TestReport, TestResult

__all__ = ["infrastructure_error", "job_from_data", "job_to_data", "result_from_data", "result_to_data"]


def job_to_data(job: Job) -> dict[str, Any]:
    """Return a job as data: the fields of `Run` or `Tests` by name, `limits` as those of `Limits` or None.

    Texts may hold lone surrogates, which JSON escapes.
    """
    return asdict(job)


def job_from_data(data: Mapping[str, Any]) -> Job:
    """Return the job that data stand for: `Tests` where there is a field `tests`; `TypeError` for other fields."""
    limits = None if data.get("limits") is None else Limits(**data["limits"])
    return (Tests if "tests" in data else Run)(**{**data, "limits": limits})


def result_to_data(result: ExecutionResult | TestReport) -> dict[str, Any]:
    """Return a result as data: its fields by name, statuses as texts."""
    data = {**asdict(result), "status": str(result.status)}
    if isinstance(result, TestReport):
        data["tests"] = [{**asdict(test), "status": str(test.status)} for test in result.tests]
    return data


def result_from_data(data: Mapping[str, Any]) -> ExecutionResult | TestReport:
    """Return the result that data stand for: `TestReport` where there is a field `tests`."""
    values = {**data, "status": Status(data["status"])}
    if "tests" not in data:
        return ExecutionResult(**values)
    values["tests"] = tuple(
        TestResult(**{**test, "status": Status(test["status"])}) for test in data["tests"]
    )
    return TestReport(**values)


def infrastructure_error(job: Job, reason: str) -> ExecutionResult | TestReport:
    """Return the result of a job that could not be done for a reason that is not the program's doing."""
    return failure(job, Status.infrastructure_error, reason)
