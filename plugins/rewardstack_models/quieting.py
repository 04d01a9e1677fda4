"""Keeps transformers from talking over the results: bars for reading weights, warnings of what is checked here."""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from rewardstack import import_extra

__all__ = ["quiet", "read_any_length"]

LENGTH_WARNING = "sequence-length-is-longer-than-the-specified-maximum"


@contextlib.contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """Let transformers draw no bar and give no warning; what a download draws stays, and with `-v` everything.

    Both are settings of the process, so no two threads may be inside at a time.
    """
    if logging.getLogger("rewardstack").isEnabledFor(logging.INFO):
        yield
        return
    hub = import_extra("huggingface_hub.utils", "models", "a model")
    said, drawn = transformers.utils.logging, transformers.utils.logging.is_progress_bar_enabled()
    verbosity, downloads = said.get_verbosity(), not hub.are_progress_bars_disabled()
    said.set_verbosity_error()
    said.disable_progress_bar()  # those of the hub too
    if downloads:
        hub.enable_progress_bars()
    try:
        yield
    finally:
        said.set_verbosity(verbosity)
        if drawn:
            said.enable_progress_bar()
        if not downloads:
            hub.disable_progress_bars()


def read_any_length(tokenizer: Any) -> None:
    """Let a tokenizer read texts of any length without a warning: here they are cut or split before a model reads them."""
    getattr(tokenizer, "deprecation_warnings", {})[LENGTH_WARNING] = True
