"""`@reward`: marks a function or a dataclass as a reward and gives it back unchanged."""

import functools
import math
import warnings
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, overload

from rewardstack.contract import EQUAL_FORMS, Contract, Options, Scope, mark, name_of
from rewardstack.errors import ContractError, nearest
from rewardstack.score import Score
from rewardstack.signature import STACK_WORDS, describe

__all__ = ["Returned", "reward"]

Result: TypeAlias = Score | float | None
Results: TypeAlias = Sequence[Result]
Returned: TypeAlias = Result | Results | Awaitable[Result] | Awaitable[Results]


class CallableReward(Protocol):
    """What `@reward` takes as a class: its instances are called with columns."""

    def __call__(self, *columns: Any, **named: Any) -> Returned:
        """Score one completion, or all of a batch or group."""


Function = TypeVar("Function", bound=Callable[..., Returned])
Class = TypeVar("Class", bound=CallableReward)


class Decorator(Protocol):
    """What `@reward(...)` returns: it marks a function or a dataclass and gives it back."""

    @overload
    def __call__(self, target: type[Class], /) -> type[Class]: ...
    @overload
    def __call__(self, target: Function, /) -> Function: ...


@overload
def reward(target: type[Class], /) -> type[Class]: ...
@overload
def reward(target: Function, /) -> Function: ...
@overload
def reward(
    *,
    range: tuple[float, float] | Callable[[Options], tuple[float, float]] = (0.0, 1.0),
    deterministic: bool = True,
    isolated: bool | Callable[[Options], bool] = False,
    timeout: float | None = None,
    scope: Scope | None = None,
    equal_forms: Sequence[str] | Callable[[Options], Sequence[str]] = (),
    check: Callable[[Options], object] | None = None,
) -> Decorator: ...
def reward(
    target: Any = None,
    /,
    *,
    range: tuple[float, float] | Callable[[Options], tuple[float, float]] = (0.0, 1.0),
    deterministic: bool = True,
    isolated: bool | Callable[[Options], bool] = False,
    timeout: float | None = None,
    scope: Scope | None = None,
    equal_forms: Sequence[str] | Callable[[Options], Sequence[str]] = (),
    check: Callable[[Options], object] | None = None,
) -> Any:
    """Mark a function or a dataclass as a reward and return it unchanged.

    Positional parameters are columns (`completion`, `prompt`, `messages`, `answer`, any data set column; a default
    makes one optional), keyword-only parameters are options. A parameter named `completions` asks for the batch
    form in TRL's convention. Of a dataclass, fields are options and `__call__`'s parameters are columns.

    Args:
        target: The function or dataclass, when the decorator is used without arguments.
        range: Lowest and highest value; values outside are errors.
        deterministic: Whether equal columns give equal scores; only such rows are shared.
        isolated: Run in a worker process, for rewards that may crash, hang or eat memory.
        timeout: Seconds a call may take where the stack sets no `timeout`; a synchronous reward with one is isolated.
        scope: `"group"` for one prompt's completions a call, `"batch"` for all; columns are lists then.
        equal_forms: Ways of writing `answer` that change nothing: `case`, `spacing`, `thousands`, `decimal`.
        check: Called with all options, defaults included, when a stack is loaded; what it raises as `ValueError` or
            `RewardstackError` refuses the stack.

    `range`, `isolated` and `equal_forms` may be functions of the options.

    Raises:
        ContractError: The signature or the contract cannot serve as a reward.
    """
    if target is None:
        options: dict[str, Any] = {"range": range, "deterministic": deterministic, "isolated": isolated}
        options |= {"timeout": timeout, "scope": scope, "equal_forms": equal_forms, "check": check}
        return functools.partial(reward, **options)
    forms = equal_forms if callable(equal_forms) else tuple(equal_forms)
    bounds = range if callable(range) else (float(range[0]), float(range[1]))
    contract = Contract(bounds, deterministic, isolated, timeout, scope, forms, check)
    check_contract(contract, name_of(target))
    described = describe(target, name_of(target), contract)
    for word in described.options.keys() & set(STACK_WORDS):
        warnings.warn(
            f"reward {described.name}: the option {word!r} is also a word of the stack file; it can only be set "
            f"under `options`",
            stacklevel=2,
        )
    mark(target, contract)
    return target


def check_contract(contract: Contract, name: str) -> None:
    """Raise `ContractError` for a contract that promises nothing that could be kept."""
    low, high = (0.0, 1.0) if callable(contract.range) or contract.range is None else contract.range
    if not low < high or not (math.isfinite(low) and math.isfinite(high)):
        raise ContractError(f"{name}: range must be two finite numbers, low < high, not {contract.range!r}")
    if contract.timeout is not None and not 0 < contract.timeout < math.inf:
        raise ContractError(f"{name}: timeout must be a number of seconds above 0, not {contract.timeout!r}")
    for form in () if callable(contract.equal_forms) else contract.equal_forms:
        if form not in EQUAL_FORMS:
            raise ContractError(
                f"{name}: there is no equal form {form!r}{nearest(form, EQUAL_FORMS)}. "
                f"There are: {', '.join(EQUAL_FORMS)}"
            )
