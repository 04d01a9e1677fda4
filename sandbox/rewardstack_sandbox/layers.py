"""The layers of confinement, as they are reported."""

from typing import NamedTuple

__all__ = ["Layer"]


class Layer(NamedTuple):
    """One layer of confinement: `state` is "active", "degraded" or "absent", `detail` says what or why not."""

    name: str
    state: str
    detail: str = ""
    required: bool = False
