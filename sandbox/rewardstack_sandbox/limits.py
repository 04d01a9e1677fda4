"""How much a program may take."""

import math
from dataclasses import dataclass, fields

__all__ = ["Limits"]

MIB = 1 << 20
LONGEST = 7 * 86_400.0  # seconds: what waits in the kernel counts in milliseconds, and in 32 bits


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may take; passing a limit ends it with the status of that name.

    `wall` and `cpu` are seconds, at most a week (`cpu` None: as `wall`; the kernel counts it in whole seconds, rounded
    up), over the whole of a run, all its tests included. `memory` is bytes beyond what the bare interpreter has mapped.
    `output` is bytes, of standard output and of standard error each. `processes` is how many threads a program may
    have; processes of its own are always refused. The number of threads is held only where the kernel counts them by
    namespace (a plain user with user namespaces); elsewhere `memory` bounds it.
    """

    wall: float = 10.0
    cpu: float | None = None
    memory: int = 512 * MIB
    output: int = 1 * MIB
    processes: int = 64

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.name == "cpu":
                continue
            if not isinstance(value, (int, float)) or not 0 < value < math.inf:
                raise ValueError(f"Limits: {field.name} must be a number above 0, not {value!r}")
            if field.name in ("wall", "cpu") and value > LONGEST:
                raise ValueError(f"Limits: {field.name} must be at most a week of seconds, not {value!r}")

    @property
    def cpu_seconds(self) -> int:
        """Processor seconds as the kernel counts them."""
        return math.ceil(self.wall if self.cpu is None else self.cpu)
