"""What hostile programs try to reach, set up so that reaching it shows."""

import builtins
import os
import resource
import socket
import sys
import threading
import time
from pathlib import Path

__all__ = ["Canaries"]

HEARTBEAT = "heartbeat"


class Canaries:
    """Files, an environment variable, listeners and a memory watch, made anew for each program."""

    def __init__(self, task: dict, home: Path) -> None:
        self.spec = task["canaries"]
        self.folder = Path(self.spec["dir"])
        self.home = home
        self.reached: list[str] = []
        self.peak = 0
        os.environ.update(self.spec["env"])
        self.sockets = []

    def lay(self) -> None:
        """Write the files as they should be found again."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if not path.is_socket():
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        for name, text in self.spec["files"].items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.reached.clear()
        self.peak = 0
        self.sockets = self.sockets or [*self.listen()]
        self.before = self.snapshot()
        self.state = state()

    def listen(self):
        """Open what must not be reached, and note who does."""
        port = ("127.0.0.1", self.spec["tcp_udp_port"])
        places = [
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, port),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, port),
            ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, self.spec["abstract_unix"]),
            ("path", socket.AF_UNIX, socket.SOCK_STREAM, self.spec["unix_path"]),
        ]
        for name, family, kind, place in places:
            end = socket.socket(family, kind)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            end.bind(place)
            if kind == socket.SOCK_STREAM:
                end.listen()
            threading.Thread(target=self.note, args=(name, end, kind), daemon=True).start()
            yield end

    def note(self, name: str, end: socket.socket, kind: int) -> None:
        """Wait for contacts."""
        while True:
            if kind == socket.SOCK_STREAM:
                end.accept()[0].close()
            else:
                end.recv(1)
            self.reached.append(name)

    def snapshot(self) -> dict:
        """Return names, modes and contents of what programs must not change."""
        found = {}
        for path in [*self.folder.rglob("*"), *self.home.rglob("*")]:
            stat = path.lstat()
            content = path.read_bytes() if path.is_file() and path.name != HEARTBEAT else b""
            found[str(path)] = (stat.st_mode, stat.st_uid, content)
        return found

    def watch(self, done: threading.Event) -> None:
        """Note the largest memory of all processes here."""
        while not done.wait(0.02):
            self.peak = max(self.peak, resident())

    def harm(self) -> list[str]:
        """Return what happened that must not."""
        found = [f"reached {name}" for name in self.reached]
        after = self.snapshot()
        changed = {
            path for path in self.before.keys() | after.keys() if self.before.get(path) != after.get(path)
        }
        found += [f"changed {path}" for path in sorted(changed)]
        found += [f"shared memory {path}" for path in Path("/dev/shm").glob("rewards-canary*")]
        if self.peak > 1.5 * 2**30:
            found.append(f"memory {self.peak >> 20} MiB")
        heartbeat = self.folder / HEARTBEAT
        if heartbeat.exists():
            size = heartbeat.stat().st_size
            time.sleep(0.5)
            if heartbeat.stat().st_size != size:
                found.append("survivor")
        if state() != self.state:
            found.append("state of the caller")
        return found


def resident() -> int:
    """Return the resident bytes of all processes seen here, shared memory counted once for each."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/statm"):
        try:
            total += int(path.read_text().split()[1])
        except OSError:
            continue
    return total * resource.getpagesize()


def state() -> tuple:
    """Return what a program in this process could change."""
    umask = os.umask(0o22)
    os.umask(umask)
    limits = tuple(
        resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")
    )
    functions = tuple(sorted((name, id(value)) for name, value in vars(builtins).items()))
    environment = tuple(sorted(os.environ.items()))
    return functions, len(sys.modules), environment, str(Path.cwd()), umask, limits, sys.getrecursionlimit()
