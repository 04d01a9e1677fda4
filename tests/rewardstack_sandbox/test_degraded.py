"""Where the kernel refuses a layer: what still holds, what refuses to start, what is said."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rewardstack_sandbox.kernel.calls import machine

sys.path.insert(0, str(Path(__file__).parent))
from refusing import ROOT, run_refused

pytestmark = pytest.mark.skipif(machine() is None, reason="kernel layers exist on Linux, x86-64 and aarch64")

TRY = """
import warnings
from rewardstack_sandbox import IsolationUnavailable, Sandbox
warnings.simplefilter("always")
try:
    with Sandbox({isolation!r}, workers=1) as sandbox:
        print(sandbox.run("print(6 * 7)").stdout.strip(), end=" ")
        for attempt in ("import os; os.fork()", "open('/etc/passwd')", "import socket; socket.socket()",
                        "import os; os.kill(os.getppid(), 0)"):
            print(sandbox.run(attempt).status, end=" ")
        print(sandbox.run_tests("def f(): return 1", ["assert f() == 1"]).passed)
except IsolationUnavailable as error:
    print("unavailable:", error)
"""
VIEW = """
ATTEMPTS = [
    "print('none at /' if not {'proc', 'home', 'tmp', 'sys', 'bin'} & set(os.listdir('/')) else os.listdir('/'))",
    "os.mkdir('/folder')",
    "open(os.__file__, 'a')",
    "open('/etc/passwd')",
    "os.stat('/proc/self')",
    "open('/dev/null', 'w').write('gone'); print(len(open('/dev/urandom', 'rb').read(4)), 'bytes')",
]
with Sandbox("strict", workers=1) as sandbox:
    layers = {layer.name: layer.state for layer in sandbox.capabilities()}
    print(layers["landlock"], layers["mount namespace"])
    for attempt in ATTEMPTS:
        program = f"import os\\ntry:\\n    {attempt}\\nexcept OSError as error:\\n    print('refused', error.errno)"
        print(sandbox.run(program).stdout.strip())
"""
HELD = "42 runtime_error runtime_error runtime_error runtime_error True\n"


def test_a_container_that_refuses_namespaces(tmp_path):
    result = run_refused(["unshare", "setns"], TRY.format(isolation="strict"))
    assert result.stdout == HELD, result.stderr


def test_a_mount_namespace_takes_landlocks_place():
    result = run_refused(["landlock_create_ruleset"], TRY.format(isolation="strict") + VIEW)
    if "mount namespace: " in result.stdout:
        pytest.skip("needs a mount namespace")
    held, layers, *programs = result.stdout.splitlines()
    assert held == HELD.strip(), result.stderr
    assert layers == "absent active"
    assert programs == ["none at /", "refused 1", "refused 30", "refused 2", "refused 2", "4 bytes"]


def test_strict_refuses_without_landlock_and_mounts():
    result = run_refused(["landlock_create_ruleset", "unshare"], TRY.format(isolation="strict"))
    assert result.stdout.startswith("unavailable: isolation='strict' needs what is missing here (landlock")
    assert "mount namespace: unshare: Operation not permitted" in result.stdout


@pytest.mark.parametrize("step", ["mount", "pivot_root", "umount2"])
def test_half_a_view_ends_the_worker(step):
    result = run_refused(["landlock_create_ruleset", step], TRY.format(isolation="best_effort"))
    if "mount namespace" in result.stderr:
        pytest.skip("needs a mount namespace")
    assert "could not confine itself" in result.stderr
    assert "42" not in result.stdout


def test_strict_refuses_without_seccomp():
    result = run_refused(["seccomp"], TRY.format(isolation="strict"))
    assert result.stdout.startswith("unavailable: isolation='strict' needs what is missing here (seccomp")


def test_best_effort_says_what_is_missing():
    result = run_refused(["landlock_create_ruleset", "unshare"], TRY.format(isolation="best_effort"))
    assert result.stdout.startswith("42 runtime_error accepted runtime_error")
    assert "the sandbox runs without: landlock" in result.stderr


def test_a_layer_that_fails_late_stops_the_worker():
    result = run_refused(["landlock_restrict_self"], TRY.format(isolation="best_effort"))
    assert "could not confine itself" in result.stderr
    assert "42" not in result.stdout


def test_a_layer_that_fails_in_the_candidate_is_an_error():
    script = """
from rewardstack_sandbox import Sandbox
from rewardstack_sandbox.worker import PROGRAM
import rewardstack_sandbox.worker as worker
broken = "from rewardstack_sandbox.kernel import seccomp; seccomp.CANDIDATE = None; seccomp.assemble = lambda *_: b'x' * 8"
worker.PROGRAM = PROGRAM.replace("sys.path.remove", broken + "\\nsys.path.remove")
with Sandbox("best_effort", workers=1) as sandbox:
    print(sandbox.run("print(1)").status, sandbox.run_tests("x = 1", ["assert x == 1"]).status)
"""
    result = run_refused([], script)
    assert "42" not in result.stdout
    assert "infrastructure_error" in result.stdout or "could not confine itself" in result.stderr


@pytest.mark.skipif(not shutil.which("setpriv"), reason="needs setpriv")
def test_a_plain_user(tmp_path):
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None or subprocess.run([python, "-c", "import enum; enum.StrEnum"], check=False).returncode:
        pytest.skip("needs a Python 3.11 that every user may run")
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + TRY.format(isolation="strict")
    command = [*user, python, "-c", script]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd="/")
    if "setpriv:" in result.stderr:
        pytest.skip("may not become another user")
    assert result.stdout == HELD, result.stderr
