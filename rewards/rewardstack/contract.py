"""What a reward promises, and where the promise is kept on the function that made it."""

import functools
from typing import Any, Literal, TypeAlias

import msgspec

__all__ = ["UNMARKED", "Contract", "Scope", "contract_of", "is_marked", "mark", "name_of"]

Scope: TypeAlias = Literal["sample", "group", "batch"]

MARK = "__rewardstack_contract__"


class Contract(msgspec.Struct, frozen=True):
    """What a reward promises; `rewards test` and `rewards audit` hold it to it.

    `range` is the closed interval its values lie in, `None` for one that promises none (functions without
    `@reward`). `deterministic` rewards give equal rows equal scores, so rows are shared. `isolated` ones run in a
    worker process even without a `timeout`, which is the seconds a call may take where the stack sets none. `scope`
    is what one call sees: a sample, one prompt's group, a batch. `equal_forms` names the ways of writing an answer that it counts as equal (`case`, `thousands`, `decimal`, ...).
    """

    range: tuple[float, float] | None = None
    deterministic: bool = True
    isolated: bool = False
    timeout: float | None = None
    scope: Scope | None = None
    equal_forms: tuple[str, ...] = ()


UNMARKED = Contract()


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
