"""Ctrl-C where several processes train together: all of them save and stop after the same step."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

from transformers import TrainerCallback

from rewardstack_trainers.ranks import sum_over_ranks

__all__ = ["Interruption"]


class Interruption(TrainerCallback):
    """Ends the training after the step in which any rank was interrupted, with a checkpoint; `taken` says so then.

    An exception would leave this rank's collective while the others wait in theirs, so a signal only sets a flag,
    which is counted over all ranks at the end of a step. A second Ctrl-C raises `KeyboardInterrupt` and saves nothing.
    """

    def __init__(self) -> None:
        self.asked = False
        self.taken = False

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Take SIGINT meanwhile; outside the main thread, which alone gets signals, nothing is changed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self.note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def note(self, number: int, frame: FrameType | None) -> None:
        """Remember that Ctrl-C was pressed."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Ask for a checkpoint and the end, on all ranks alike."""
        if sum_over_ranks([float(self.asked)])[0]:
            self.taken = True
            control.should_save = True
            control.should_training_stop = True
