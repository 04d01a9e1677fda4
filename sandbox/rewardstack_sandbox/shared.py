"""One sandbox for a whole process: rewards of all terms share its workers."""

import atexit
import threading

from rewardstack_sandbox.sandbox import Isolation, Sandbox

__all__ = ["close_shared", "shared_sandbox"]

_sandboxes: dict[tuple[str, int | None], Sandbox] = {}
_change = threading.Lock()


def shared_sandbox(isolation: Isolation = "strict", workers: int | None = None) -> Sandbox:
    """Return the sandbox of this process for an isolation; it is made on first use and ends with the process."""
    with _change:
        key = (isolation, workers)
        if key not in _sandboxes:
            _sandboxes[key] = Sandbox(isolation, workers=workers)
        return _sandboxes[key]


@atexit.register
def close_shared() -> None:
    """End the workers of all shared sandboxes; the next call starts anew."""
    with _change:
        for sandbox in _sandboxes.values():
            sandbox.close()
        _sandboxes.clear()
