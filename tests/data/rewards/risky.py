"""Rewards that hang, crash, eat memory or print, for the tests of worker processes."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from rewardstack import Score, reward


@reward
def acts(completion: str) -> float | Score:
    """Do what the completion says."""
    if completion.startswith("hang"):
        return float(10**10**10)  # holds the interpreter lock for ages
    if completion == "exit":
        os._exit(7)
    if completion == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if completion == "memory":
        return float(len(bytearray(64 * 2**30)))
    if completion == "gigabyte":
        return float(len(bytearray(2**30)) > 0)
    if completion == "print":
        print("printed by a reward")
    if completion == "systemexit":
        sys.exit("bye")
    if completion == "child":
        return Score(1.0, details={"child": subprocess.Popen(["sleep", "1000"]).pid})
    if completion == "unpicklable":
        return Score(1.0, details={"lambda": lambda: 1})
    if completion == "environment":
        return Score(1.0, details={"gpu": os.environ["CUDA_VISIBLE_DEVICES"], "pid": os.getpid()})
    return 1.0


@reward(isolated=True)
@dataclass
class Counts:
    """Counts the calls of its own instance: options and state live in the worker."""

    step: float = 0.125
    calls: int = 0

    def __call__(self, completion: str) -> float:
        self.calls += 1
        return self.calls * self.step


@reward
def batch(completions: list[str], log_extra, log_metric) -> list[float]:
    """Hang on the whole batch when a row says so."""
    log_extra("length", [len(text) for text in completions])
    log_metric("rows", len(completions))
    if any(text == "hang" for text in completions):
        return [float(10**10**10)]
    return [float(len(text) < 5) for text in completions]


@reward(scope="group")
def group(completions: list[str]) -> list[float]:
    """Hang on the groups that hold a row that says so."""
    return [float(10**10**10)] if "hang" in completions else [1.0] * len(completions)


def batch_of_hangs(completions, **columns):
    """Hang for ever on rows that say so."""
    if any(text.startswith("hang") for text in completions):
        return [float(10**10**10)]
    return [1.0] * len(completions)


@reward(scope="batch")
def relative(completion: list[str]) -> list[float]:
    """Compare rows with the longest of their batch; hang where one says so."""
    if "hang" in completion:
        return [float(10**10**10)]
    return [len(text) / max(map(len, completion)) for text in completion]


def late(completion):
    """Give up as a client whose server does not answer."""
    raise TimeoutError("the judge did not answer")


def length(completion):
    """Tell how much text came."""
    return Score(1.0, details={"length": len(completion)})


def logs(completion, log_metric):
    """Log for every row, which a worker process cannot."""
    log_metric("length", len(completion))
    return 1.0


@reward
def forks(completion: str) -> float:
    """Come back twice: as parent and as child."""
    return 0.125 if os.fork() == 0 else 0.5


class Sly:
    """Does something else when it is rebuilt."""

    def __init__(self, call, *arguments):
        self.call, self.arguments = call, arguments

    def __reduce__(self):
        return self.call, self.arguments


class Picky(Exception):
    """Cannot be rebuilt from what it keeps."""

    def __init__(self, first, second):
        super().__init__(first)


@reward
def returns_odd(completion: str) -> Score:
    """Return details that are no data."""
    odd = {"exit": Sly(sys.exit, 3), "picky": Picky(1, 2), "sleep": Sly(time.sleep, 1.5)}
    return Score(1.0, details={"odd": odd[completion]} if completion in odd else {})


@reward
def leaves(completion: str) -> Score:
    """Start what outlives the call: in a session of its own, or holding all that is open."""
    if completion == "session":
        child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        Path(os.environ["REWARDSTACK_TEST_FILE"]).write_text(str(child.pid))
        time.sleep(1000)
    if completion == "holder":
        if (child := os.fork()) == 0:
            time.sleep(1000)
        Path(os.environ["REWARDSTACK_TEST_FILE"]).write_text(str(child))
        os._exit(3)
    return Score(1.0)
