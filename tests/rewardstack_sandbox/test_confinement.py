"""What a program cannot do, one test a layer; benign programs, that only try."""

import os
import sys

import pytest

from rewardstack_sandbox import Limits

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="kernel layers exist on Linux")
pytestmark = LINUX


@pytest.mark.parametrize(
    "attempt",
    [
        "open('/etc/passwd')",
        "open('/proc/self/environ')",
        "os.listdir('/')",
        "os.listdir('/proc')",
        "open('/tmp/file', 'w')",
        "open('/dev/shm/file', 'w')",
        "os.mkdir('/tmp/folder')",
        "os.unlink('/etc/hostname')",
        "os.chmod('/tmp', 0o777)",
        "os.symlink('/etc', '/tmp/link')",
        "os.truncate('/etc/hostname', 0)",
        "os.fork()",
        "os.execv('/bin/true', ['true'])",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "subprocess.run(['true'], check=True)",
        "socket.socket()",
        "socket.socket(socket.AF_UNIX)",
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "socket.socketpair()[0].send(b'x', socket.MSG_OOB)",
        "socket.send_fds(socket.socketpair()[0], [b'x'], [0])",
        "os.kill(2, 0)",
        "os.kill(-1, 9)",
        "os.memfd_create('x')",
        "os.setuid(0)",
        "os.nice(-1)",
        "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "signal.pidfd_send_signal(0, 0)",
        "os.sched_setaffinity(0, {0})",
    ],
)
def test_refused(sandbox, attempt):
    program = f"""
import os, resource, signal, socket, subprocess
try:
    {attempt}
except (OSError, ValueError) as error:
    print("refused", type(error).__name__)
else:
    print("DONE")
"""
    assert sandbox.run(program).stdout.startswith("refused")


def test_environment_is_empty(sandbox, monkeypatch):
    monkeypatch.setenv("SECRET", "s3cret")
    result = sandbox.run("import os, ctypes\nprint(dict(os.environ), ctypes.CDLL(None).getenv(b'SECRET'))")
    assert result.stdout == "{} 0\n"


def test_descriptors_are_closed(sandbox):
    program = "import os\nfor n in range(64):\n    try: os.fstat(n); print(n)\n    except OSError: pass"
    assert sandbox.run(program).stdout.split() == ["0", "1", "2", "3"]


def test_a_program_sees_no_other_process(sandbox):
    assert sandbox.run("import os; print(os.getpid(), os.getppid())").stdout == "1 0\n"


def test_threads_end_with_the_run(sandbox):
    program = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nimport os; os._exit(0)"
    assert sandbox.run(program).wall_time < 2


def test_system_libraries_are_readable(sandbox):
    assert sandbox.run("import sqlite3, decimal, lzma; print('ok')").status in ("accepted", "runtime_error")
    assert sandbox.run("import json.tool, xml.dom.minidom; print('ok')").stdout == "ok\n"


def test_capabilities_name_every_layer(sandbox):
    layers = {layer.name: layer.state for layer in sandbox.capabilities()}
    assert layers["seccomp"] == layers["no_new_privs"] == layers["limits"] == "active"
    assert set(layers.values()) <= {"active", "degraded", "absent"}


def test_open_files_have_a_limit(sandbox):
    program = "import os\nfiles = [os.dup(0) for _ in range(1000)]"
    assert "Too many open files" in sandbox.run(program, limits=Limits(wall=2)).stderr


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="POSIX")
def test_privileges_are_gone(sandbox):
    program = "import ctypes\nprint(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))\nprint(open('/etc/shadow'))"
    result = sandbox.run(program)
    assert "PermissionError" in result.stderr
