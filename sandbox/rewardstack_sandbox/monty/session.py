"""One process of Monty, running snippets of one program until a deadline."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Mapping
from typing import Any

import pydantic_monty

from rewardstack_sandbox.channel import Expired, Gone
from rewardstack_sandbox.values import Unsupported

__all__ = ["Raised", "Session"]

TOO_LONG = ("feed time limit exceeded", "sleep limit exceeded")
MOST_WAITS = 1_000_000  # times the program may wait for an answer: each `input()` does


class Raised(Exception):
    """The program raised: `error` is an exception like its own, `shown` the traceback as Monty prints it."""

    def __init__(self, error: BaseException, shown: str) -> None:
        super().__init__(str(error))
        self.error = error
        self.shown = shown


class Session:
    """A process of Monty and what it has printed. `limits` are those of a job, `deadline` is on the monotonic clock.

    Processor time is held for each snippet, and memory is that of the program's own objects; a killer of our own keeps
    the deadline for all of them, whatever Monty does.
    """

    def __init__(self, pool: Any, limits: Mapping[str, Any], deadline: float) -> None:
        left = max(0.001, deadline - time.monotonic())
        self.deadline = deadline
        self.printed: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
        self.room = {"stdout": limits["output"] + 1, "stderr": limits["output"] + 1}
        self.exit_code = 0
        lease = pool.checkout(
            limits={
                "max_feed_duration_secs": min(left, limits["cpu"]),
                "max_total_sleep_secs": left,
                "max_memory": limits["memory"],
                "max_suspensions": MOST_WAITS,
            },
            assert_message_annotations=False,
        )
        self.session = lease.__enter__()
        try:
            self.process = os.pidfd_open(self.session.worker_pid)
        except OSError:  # without it nothing would keep the deadline
            self.session.__exit__(None, None, None)
            raise
        self.change = threading.Lock()
        self.killer = threading.Timer(left, self.kill)
        self.killer.daemon = True
        self.killer.start()

    def run(self, code: str, **options: Any) -> Any:
        """Run a snippet and return the value of its last expression.

        `Raised` where the program raised, `Expired` or `Gone` where its process ended, `Unsupported` for a value that
        cannot cross, the way there or back.
        """
        try:
            return self.session.feed_run(code, print_callback=self.note, **options)
        except pydantic_monty.MontyCrashedError as error:
            self.exit_code = error.exit_status or -signal.SIGKILL
            raise (Expired if time.monotonic() >= self.deadline else Gone) from None
        except pydantic_monty.MontyConversionError as error:
            raise Unsupported(str(error)) from None
        except pydantic_monty.MontyError as error:
            inner = error.exception()
            if isinstance(inner, TimeoutError) and str(inner).startswith(TOO_LONG):
                raise Expired from None
            raise Raised(inner, getattr(error, "display", error.__str__)()) from None

    def note(self, stream: str, text: str) -> None:
        """Keep what is printed, up to one byte beyond the limit, which tells "full" from "too much"."""
        data = text.encode("utf-8", "backslashreplace")[: self.room[stream]]
        self.room[stream] -= len(data)
        self.printed[stream].append(data)

    def read_output(self, limit: int) -> tuple[str, str, bool]:
        """Return what was printed, and whether it was more than the limit."""
        found = [b"".join(self.printed[stream]) for stream in ("stdout", "stderr")]
        texts = [data[:limit].decode("utf-8", "replace") for data in found]
        return texts[0], texts[1], any(len(data) > limit for data in found)

    def kill(self) -> None:
        """End the process."""
        with self.change:
            if self.process < 0:
                return
            with contextlib.suppress(ProcessLookupError):  # the pool has reaped it
                signal.pidfd_send_signal(self.process, signal.SIGKILL)

    def close(self) -> None:
        """End the process and forget it."""
        self.killer.cancel()
        self.kill()
        with self.change:
            os.close(self.process)
            self.process = -1
        self.session.__exit__(None, None, None)
