"""Models shared by terms and threads: rows that arrive together are read together, one batch after another.

Every row is asked for on its own (so that gates, routing and deadlines hold for it); what waits is gathered here. One
thread a model does all its work, since a model must not be used by two at once.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import msgspec

from rewardstack_models.forward import Output, buckets, check_finite, most_tokens, read_rows
from rewardstack_models.library import Loaded, Recipe, load
from rewardstack_models.padding import Row
from rewardstack_models.trial import check_batching

__all__ = ["SharedModel", "shared_model", "unload_models"]

QUIET_SECONDS = 0.002  # rows of a batch arrive closer together than this
PATIENCE_SECONDS = (
    60.0  # so long a model that could not be loaded is not tried again: a hub that is away takes its time
)

_models: dict[tuple[int, Recipe], "SharedModel"] = {}
_lock = threading.Lock()


class Asked(msgspec.Struct):
    """A row that waits: how to make it of the loaded model, how many go into a batch, who waits for it."""

    prepare: Callable[[Loaded], Row]
    batch: int
    answer: Future[Output]


class SharedModel:
    """A model that is loaded when first asked and held until `unload`; safe to use from any thread or event loop."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.passes = 0  # forward passes so far
        self._loaded: Loaded | None = None
        self._failure: tuple[float, BaseException] | None = None
        self._waiting: list[Asked] = []
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"rewardstack-{recipe.model}")

    @property
    def is_loaded(self) -> bool:
        """Whether it is in memory now."""
        return self._loaded is not None

    def ask(self, prepare: Callable[[Loaded], Row], batch: int) -> Future[Output]:
        """Return a future of the model's outputs for the row that `prepare` makes once the model is loaded.

        What `prepare` raises, and a model that cannot be loaded, is raised by the future.
        """
        asked = Asked(prepare, batch, Future())
        with self._lock:
            self._waiting.append(asked)
        self._thread.submit(self._work)
        return asked.answer

    def unload(self) -> None:
        """Free its memory once the batch under way is done; the next row loads it anew."""
        self._thread.submit(self._forget).result()

    def _forget(self) -> None:
        self._loaded = self._failure = None
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _work(self) -> None:
        """Read all that waits; called once for every row, it mostly finds that another call has done its work."""
        asked = [one for one in self._take() if not one.answer.cancelled()]
        if not asked:
            return
        try:
            loaded = self._loaded = self._loaded or self._load()
        except BaseException as error:  # told to every row that asked
            for one in asked:
                refuse(one, error)
            return
        ready = [(one, row) for one in asked if (row := self._prepared(one, loaded)) is not None]
        size = min(one.batch for one in asked)
        for places in buckets([len(row.ids) for _, row in ready], size, most_tokens(loaded.device)):
            self._read(loaded, [ready[place] for place in places])

    def _take(self) -> list[Asked]:
        """Return what waits, once nothing more has come for a moment."""
        seen = -1
        while seen != len(self._waiting):
            seen = len(self._waiting)
            if seen:
                time.sleep(QUIET_SECONDS)
        with self._lock:
            taken, self._waiting = self._waiting, []
        return taken

    def _load(self) -> Loaded:
        if self._failure is not None and time.monotonic() - self._failure[0] < PATIENCE_SECONDS:
            raise self._failure[1].with_traceback(None)
        try:
            loaded = load(self.recipe, f"the model {self.recipe.model}")
            check_batching(loaded)
        except BaseException as error:
            self._failure = time.monotonic(), error
            raise
        return loaded

    def _prepared(self, asked: Asked, loaded: Loaded) -> Row | None:
        try:
            return asked.prepare(loaded)
        except BaseException as error:
            refuse(asked, error)
            return None

    def _read(self, loaded: Loaded, bucket: Sequence[tuple[Asked, Row]]) -> None:
        """Read one batch; rows that were given up meanwhile are left out."""
        ready = [(asked, row) for asked, row in bucket if asked.answer.set_running_or_notify_cancel()]
        if not ready:
            return
        self.passes += 1
        try:
            outputs = read_rows(loaded, [row for _, row in ready])
        except BaseException as error:
            for asked, _ in ready:
                asked.answer.set_exception(error)
            return
        for (asked, _), output in zip(ready, outputs, strict=True):
            try:
                asked.answer.set_result(check_finite(output, self.recipe.model))
            except Exception as error:
                asked.answer.set_exception(error)


def refuse(asked: Asked, error: BaseException) -> None:
    """Tell who waits for a row, if anyone still does, why there is no output."""
    if asked.answer.set_running_or_notify_cancel():
        asked.answer.set_exception(error)


def shared_model(recipe: Recipe) -> SharedModel:
    """Return the one object of this process for a recipe; nothing is loaded yet."""
    with _lock:
        return _models.setdefault((os.getpid(), recipe), SharedModel(recipe))


def unload_models() -> None:
    """Free the memory of all models that rewards of this process have loaded; they load anew when asked again."""
    with _lock:
        models = [model for (process, _), model in _models.items() if process == os.getpid()]
    for model in models:
        model.unload()
