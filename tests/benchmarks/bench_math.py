"""Prints accuracy and speed on labelled answers, next to math-verify where it is installed.

    python tests/benchmarks/bench_math.py PAIRS.jsonl [--completions COMPLETIONS.jsonl] [--alone]

Both are timed in one process, pair by pair in turn, so that what slows the machine slows both. Rows have `gold`,
`pred` (or `completion`), `label` and `kind`. Published kinds are `rewrite:*`, `perturb:*` and `model-output:*`. In
groups of eight the gold answer is parsed once a group by both.
"""

import argparse
import json
import logging
import signal
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rewardstack_math.comparison import compare, read_gold

PUBLISHED = ("rewrite", "perturb", "model-output")
GROUP = 8
Judge = Callable[[str, str], bool | None]


def load_peer() -> tuple[Callable[[str], Any], Callable[[Any, Any], bool]] | None:
    """Return math-verify's parse (of a bare answer) and verify, or None where it is not installed."""
    try:
        from math_verify import parse, verify
    except ImportError:
        return None
    logging.getLogger("math_verify").setLevel(
        logging.CRITICAL
    )  # it logs what it has no time for, at any length

    def read(text: str) -> Any:
        return parse(text if "$" in text or "\\boxed" in text or "\\[" in text else f"${text}$")

    return read, verify


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Read a JSONL file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def is_published(row: dict[str, Any]) -> bool:
    """Whether a row's answer comes from a published data set or a model."""
    return row["kind"].partition(":")[0] in PUBLISHED


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a call returns (None if it raises) and its CPU seconds."""
    start = time.process_time()
    try:
        result = call()
    except Exception:
        result = None
    return result, time.process_time() - start


def tally(name: str, rows: list[dict[str, Any]], verdicts: list[Any]) -> None:
    """Print accuracy, accuracy of the published kinds and false positives."""
    right = [bool(verdict) == row["label"] for row, verdict in zip(rows, verdicts, strict=True)]
    public = [ok for ok, row in zip(right, rows, strict=True) if is_published(row)]
    negatives = [ok for ok, row in zip(right, rows, strict=True) if not row["label"]]
    shown = [f"{name:12s} accuracy {statistics.mean(right):.4f}"]
    if public:
        shown.append(f"published {statistics.mean(public):.4f}")
    shown.append(f"false positives {1 - statistics.mean(negatives):.4f}")
    print("  ".join(shown))


def bench_pairs(rows: list[dict[str, Any]], peer: Any) -> None:
    """Judge every pair with both, in turn, gold unseen; print accuracy and the ratios of the published kinds."""
    ours: list[Any] = []
    theirs: list[Any] = []
    spent: list[tuple[float, float]] = []
    for row in rows:
        gold, pred = row["gold"], row["pred"]
        read_gold.cache_clear()
        verdict, mine = timed(lambda gold=gold, pred=pred: compare(gold, pred).equal)
        ours.append(verdict)
        if peer is None:
            spent.append((mine, mine))
            continue
        verdict, other = timed(lambda gold=gold, pred=pred: peer[1](peer[0](gold), peer[0](pred)))
        theirs.append(verdict)
        spent.append((mine, other))
    tally("rewardstack", rows, ours)
    if peer is not None:
        tally("math-verify", rows, theirs)
    show_speed("published pairs", [pair for pair, row in zip(spent, rows, strict=True) if is_published(row)])
    show_speed("all pairs", spent)


def show_speed(name: str, spent: list[tuple[float, float]]) -> None:
    """Print mean and median of both and their ratios."""
    mine, other = ([pair[side] for pair in spent] for side in (0, 1))
    for label, measure in (("mean", statistics.mean), ("median", statistics.median)):
        a, b = measure(mine), measure(other)
        print(f"{name:16s} {label:6s} {a * 1e6:9.1f} us  peer {b * 1e6:10.1f} us  ratio {b / a:7.1f}x")


def bench_groups(rows: list[dict[str, Any]], peer: Any) -> None:
    """Judge groups of eight answers to one gold, as GRPO does; the gold is parsed once a group."""
    rows = [row for row in rows if is_published(row)]
    spent = []
    for at in range(0, len(rows) - GROUP, GROUP):
        gold = rows[at]["gold"]
        answers = [rows[at]["pred"], gold, *(row["pred"] for row in rows[at + 1 : at + GROUP - 1])]
        read_gold.cache_clear()
        _, mine = timed(lambda gold=gold, answers=answers: [compare(gold, answer) for answer in answers])
        if peer is None:
            spent.append((mine, mine))
            continue
        _, other = timed(lambda gold=gold, answers=answers: judge_group(gold, answers, peer))
        spent.append((mine, other))
    show_speed("groups of 8", spent)


def judge_group(gold: str, answers: list[str], peer: Any) -> list[bool]:
    """Judge a group with math-verify, gold parsed once."""
    read, verify = peer
    parsed = read(gold)
    return [verify(parsed, read(answer)) for answer in answers]


def bench_completions(rows: list[dict[str, Any]], peer: Any) -> None:
    """Judge whole completions; print accuracy."""
    from rewardstack_math.verification import verify as judge

    tally(
        "rewardstack",
        rows,
        [timed(lambda r=row: judge(r["gold"], r["completion"]).comparison.equal)[0] for row in rows],
    )
    if peer is not None:
        from math_verify import parse

        read, verify = peer
        tally("math-verify", rows, [
            timed(lambda r=row: verify(read(r["gold"]), parse(r["completion"])))[0] for row in rows
        ])  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--completions", type=Path)
    parser.add_argument("--alone", action="store_true", help="leave math-verify out")
    options = parser.parse_args()
    peer = None if options.alone else load_peer()
    rows = rows_of(options.pairs)
    compare("\\sqrt{8}", "2\\sqrt{2}")  # mpmath is imported before the clock runs
    if peer is not None:
        timed(lambda: peer[1](peer[0]("\\frac{1}{2}"), peer[0]("0.5")))
    bench_pairs(rows, peer)
    bench_groups(rows, peer)
    if options.completions:
        bench_completions(rows_of(options.completions), peer)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main()
