"""Ratios of the core against plain Python: `make bench` prints them, each measured in one interleaved run."""

import json
import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks.interleave import ratio

from rewardstack import Sample, Stack, reward

ROWS = 100_000
EXAMPLE = Path(__file__).parents[2] / "examples/gsm8k/completions.jsonl"
BARE_CLICK = """
import importlib.metadata
import click
importlib.metadata.entry_points(group="rewardstack.commands")
@click.group()
def main(): pass
for name in ("test", "try", "list", "show", "new", "score", "doctor"):
    main.command(name)(lambda: None)
main(["--help"])
"""


@reward
def brief(completion: str, *, limit: int = 200) -> float:
    """1 at or under `limit` words, falling to 0 at twice that."""
    return max(0.0, min(1.0, 2 - len(completion.split()) / limit))


@reward
def slow(completion: str) -> float:
    """Take a millisecond."""
    began = time.perf_counter()
    while time.perf_counter() - began < 0.001:
        pass
    return float(len(completion) % 2)


@reward(deterministic=False)
def slow_each(completion: str) -> float:
    """Take a millisecond for every row: not shared."""
    return slow(completion)


def completions() -> list[str]:
    """Return the real completions of the GSM8K example."""
    return [json.loads(line)["completion"] for line in EXAMPLE.read_text("utf-8").splitlines()]


def help_ratio() -> float:
    """Time `rewards --help` against a bare click program that scans entry points."""
    command = [str(Path(sys.executable).with_name("rewards")), "--help"]
    bare = [sys.executable, "-c", BARE_CLICK]
    run = lambda argv: subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)  # noqa: E731
    return ratio(lambda: run(command), lambda: run(bare), rounds=21)


def runner_ratio(texts: list[str]) -> tuple[float, float]:
    """Time the runner on distinct rows against a plain loop; also return the overhead a row in microseconds."""
    stack = Stack({"brief": brief})
    rows = [
        f"{texts[place % len(texts)]} {place}" for place in range(ROWS)
    ]  # distinct: sharing gains nothing
    samples = [Sample(text) for text in rows]
    found = ratio(lambda: stack.score(samples), lambda: [brief(text) for text in rows], rounds=5)
    began = time.perf_counter()
    for text in rows:
        brief(text)
    return found, (found - 1) * (time.perf_counter() - began) / ROWS * 1e6


def slow_ratio() -> float:
    """Time the runner on a reward of one millisecond against a plain loop."""
    stack = Stack({"slow": slow})
    rows = [str(place) for place in range(500)]
    return ratio(
        lambda: stack.score([Sample(text) for text in rows]), lambda: [slow(text) for text in rows], rounds=5
    )


def sharing_ratio() -> float:
    """Time 64 groups of 8 with half of the completions repeated, unshared against shared."""
    rows = [Sample(f"{group}:{place // 2}", prompt=str(group)) for group in range(64) for place in range(8)]
    shared, each = Stack({"slow": slow}), Stack({"slow": slow_each})
    return ratio(lambda: each.score(rows), lambda: shared.score(rows), rounds=5)


def main() -> None:
    """Print every ratio with its bound."""
    over, microseconds = runner_ratio(completions())
    lines = [
        ("rewards --help / bare click", help_ratio(), "<= 1.40"),
        (f"brief, {ROWS:,} distinct rows / plain loop", over, "<= 4.00"),
        ("    overhead a row, microseconds", microseconds, ""),
        ("1 ms reward / plain loop", slow_ratio(), "<= 1.05"),
        ("512 completions, half repeated: unshared / shared", sharing_ratio(), ">= 1.80"),
    ]
    for name, value, bound in lines:
        print(f"{name:<52} {value:6.2f}  {bound}")


if __name__ == "__main__":
    main()
