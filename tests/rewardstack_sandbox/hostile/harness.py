"""Runs hostile programs in the sandbox and prints a JSON line for each. ONLY inside throwaway namespaces.

Started by `test_hostile.py` through `enclosure.sh`; it refuses to run anywhere else.
"""

import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path

from canaries import Canaries

from rewardstack_sandbox import Limits, Run, Sandbox, Tests

LIMIT = 2.0
MARGIN = 4.0


def jobs(program: str, task: dict, forms: str) -> dict:
    """Return the ways in which a program is tried."""
    limits = Limits(wall=LIMIT, memory=768 << 20)
    found = {
        "check": Tests(program, task["check"], task["entry"], limits=limits),
        "asserts": Tests(program, task["asserts"].strip().splitlines(), limits=limits),
        "script": Run(f"{program}\nprint({task['entry']}(10))", limits=limits),
    }
    return {name: found[name] for name in forms.split(",")}


def main(attacks: str, task_path: str, isolation: str, forms: str, wanted: str) -> None:
    """Try every program."""
    if not os.environ.get("REWARDS_ENCLOSED"):
        sys.exit("refused: not inside the enclosure")
    task = json.loads(Path(task_path).read_text("utf-8"))
    rows = [json.loads(line) for line in Path(attacks).read_text("utf-8").splitlines()]
    rows = [row for row in rows if not wanted or row["id"] in wanted.split(",")]
    canaries = Canaries(task, Path(os.environ["HOME"]))
    with Sandbox(isolation, workers=1) as sandbox:
        for name, expected in (("control_pass", True), ("control_fail", False)):
            for form, job in jobs(task[name], task, forms).items():
                report(name, form, sandbox, job, canaries, passing=expected if form != "script" else None)
        for row in rows:
            for form, job in jobs(row["code"], task, forms).items():
                report(row["id"], form, sandbox, job, canaries, passing=False)


def report(name: str, form: str, sandbox: Sandbox, job, canaries: Canaries, *, passing: bool | None) -> None:
    """Try one program and print what came of it."""
    canaries.lay()
    done = threading.Event()
    threading.Thread(target=canaries.watch, args=(done,), daemon=True).start()
    began = time.monotonic()
    try:
        (result,) = sandbox.run_many([job])
    except BaseException:
        print(json.dumps({"id": name, "form": form, "harm": [traceback.format_exc()]}), flush=True)
        return
    finally:
        seconds = time.monotonic() - began
        done.set()
    harm = canaries.harm()
    text = repr(result)
    harm += [f"leaked {token}" for token in canaries.spec["leak_tokens"] if token in text]
    if seconds > LIMIT + MARGIN:
        harm.append(f"took {seconds:.1f} s")
    if len(text) > 8 << 20:
        harm.append("output")
    passed = getattr(result, "passed", None)
    if passing is not None and passed is not None and passed != passing:
        harm.append(f"passed: {passed}")
    line = {"id": name, "form": form, "status": result.status, "seconds": round(seconds, 3), "harm": harm}
    print(json.dumps({**line, "reason": result.reason[:120]}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:6])
