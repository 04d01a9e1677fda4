"""What a reward promises, and where the promise is kept on the function that made it."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

__all__ = [
    "EQUAL_FORMS",
    "UNMARKED",
    "Contract",
    "Options",
    "Scope",
    "Settled",
    "contract_of",
    "is_marked",
    "mark",
    "name_of",
]

Scope: TypeAlias = Literal["sample", "group", "batch"]

MARK = "__rewardstack_contract__"


Options: TypeAlias = Mapping[str, Any]

EQUAL_FORMS = {
    "case": "upper and lower case: Paris, PARIS",
    "spacing": "white space around it and in it: 4 km, 4  km",
    "thousands": "separators of thousands: 1000, 1,000",
    "decimal": "a fraction of nothing: 42, 42.0",
}
"""Ways of writing one answer that a reward can promise to count as equal."""


class Contract(msgspec.Struct, frozen=True):
    """What a reward promises; `rewards test` and `rewards audit` hold it to it.

    `range` is the closed interval its values lie in, `None` for one that promises none (functions without
    `@reward`). `deterministic` rewards give equal rows equal scores, so rows are shared. `isolated` ones run in a
    worker process even without a `timeout`, which is the seconds a call may take where the stack sets none. `scope`
    is what one call sees: a sample, one prompt's group, a batch. `equal_forms` are the ways of writing the gold
    `answer` that change nothing (see `EQUAL_FORMS`). `check` raises `ValueError` for options that make no sense.

    `range`, `isolated` and `equal_forms` may be functions of the options; `given` settles them.
    """

    range: tuple[float, float] | Callable[[Options], tuple[float, float]] | None = None
    deterministic: bool = True
    isolated: bool | Callable[[Options], bool] = False
    timeout: float | None = None
    scope: Scope | None = None
    equal_forms: tuple[str, ...] | Callable[[Options], Sequence[str]] = ()
    check: Callable[[Options], object] | None = None

    def given(self, options: Options) -> "Settled":
        """Return the contract for a reward's options, defaults included.

        The default timeout of a reward that is isolated for some options only counts where it is.
        """
        bounds = self.range(options) if callable(self.range) else self.range
        isolated = self.isolated(options) if callable(self.isolated) else self.isolated
        forms = self.equal_forms(options) if callable(self.equal_forms) else self.equal_forms
        timeout = None if callable(self.isolated) and not isolated else self.timeout
        return Settled(bounds, self.deterministic, isolated, timeout, self.scope, tuple(forms), self.check)


class Settled(Contract, frozen=True):
    """A contract that nothing is open in any more."""

    range: tuple[float, float] | None = None
    isolated: bool = False
    equal_forms: tuple[str, ...] = ()


UNMARKED = Settled()


def name_of(target: Any) -> str:
    """Return what to call a function, class or callable object in messages."""
    if isinstance(target, functools.partial):
        return name_of(target.func)
    return str(getattr(target, "__name__", type(target).__name__))


def contract_of(target: Any) -> Contract:
    """Return the contract `@reward` attached, or the one that promises nothing."""
    found = getattr(target, MARK, None)
    return found if isinstance(found, Contract) else UNMARKED


def is_marked(target: Any) -> bool:
    """Whether a thing was marked by `@reward` itself (instances of a marked class are not)."""
    return isinstance(vars(target).get(MARK) if hasattr(target, "__dict__") else None, Contract)


def mark(target: Any, contract: Contract) -> None:
    """Attach a contract to a function or class."""
    setattr(target, MARK, contract)
