"""`@reward`: a function's signature becomes the columns it reads and the options it has."""

import functools
import inspect
import math
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, get_type_hints, overload

import msgspec

from rewardstack.errors import ContractError, OptionError, nearest
from rewardstack.score import Score

__all__ = ["STACK_WORDS", "Contract", "Reward", "contract_of", "describe", "reward", "to_score"]

Result: TypeAlias = Score | float | None
Results: TypeAlias = Sequence[Result]
Returned: TypeAlias = Result | Results | Awaitable[Result] | Awaitable[Results]
Scope: TypeAlias = Literal["sample", "group", "batch"]


class CallableReward(Protocol):
    """What `@reward` takes as a class: its instances are called with columns."""

    def __call__(self, *columns: Any, **named: Any) -> Returned:
        """Score one completion, or all of a batch or group."""


Function = TypeVar("Function", bound=Callable[..., Returned])
Class = TypeVar("Class", bound=CallableReward)

STACK_WORDS = (
    "use", "weight", "when", "requires", "clip", "timeout", "on_error", "on_timeout", "columns", "make", "options",
)  # fmt: skip
TRAINER_ARGUMENTS = ("trainer_state", "log_extra", "log_metric", "environments")
BATCH_MARKS = ("completions", "prompts")
UNMARKED_BATCH_MARKS = ("completions", "prompts", "completion_ids")
MARK = "__rewardstack_contract__"


class Contract(msgspec.Struct, frozen=True):
    """What a reward promises; `rewards test` and `rewards audit` hold it to it.

    `range` is the closed interval its values lie in, `None` for one that promises none (functions without
    `@reward`). `deterministic` rewards give equal rows equal scores, so rows are shared. `isolated` ones run in a
    worker process even without a `timeout`, which is the seconds a call may take where the stack sets none. `scope` is what one call sees: a sample, one prompt's group, a batch.
    `equal_forms` names the ways of writing an answer that it counts as equal (`case`, `thousands`, `decimal`, ...).
    """

    range: tuple[float, float] | None = None
    deterministic: bool = True
    isolated: bool = False
    timeout: float | None = None
    scope: Scope | None = None
    equal_forms: tuple[str, ...] = ()


UNMARKED = Contract()


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
    range: tuple[float, float] = (0.0, 1.0),
    deterministic: bool = True,
    isolated: bool = False,
    timeout: float | None = None,
    scope: Scope | None = None,
    equal_forms: Sequence[str] = (),
) -> Decorator: ...
def reward(
    target: Any = None,
    /,
    *,
    range: tuple[float, float] = (0.0, 1.0),
    deterministic: bool = True,
    isolated: bool = False,
    timeout: float | None = None,
    scope: Scope | None = None,
    equal_forms: Sequence[str] = (),
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
        equal_forms: Answer forms that count as equal (see `Contract`).

    Raises:
        ContractError: The signature or the contract cannot serve as a reward.
    """
    if target is None:
        options: dict[str, Any] = {
            "range": range,
            "deterministic": deterministic,
            "isolated": isolated,
            "timeout": timeout,
        }
        return functools.partial(reward, **options, scope=scope, equal_forms=equal_forms)
    low, high = float(range[0]), float(range[1])
    if not low < high or not (math.isfinite(low) and math.isfinite(high)):
        raise ContractError(f"{name_of(target)}: range must be two finite numbers, low < high, not {range!r}")
    if timeout is not None and not 0 < timeout < math.inf:
        raise ContractError(
            f"{name_of(target)}: timeout must be a number of seconds above 0, not {timeout!r}"
        )
    contract = Contract((low, high), deterministic, isolated, timeout, scope, tuple(equal_forms))
    described = describe(target, name_of(target), contract)
    for word in described.options.keys() & set(STACK_WORDS):
        warnings.warn(
            f"reward {described.name}: the option {word!r} is also a word of the stack file; it can only be set "
            f"under `options`",
            stacklevel=2,
        )
    setattr(target, MARK, contract)
    return target


class Option(msgspec.Struct, frozen=True):
    """An option of a reward: its annotation (as text) and its default, `required` where it has none."""

    name: str
    annotation: str
    default: Any = None
    required: bool = False


class Reward(msgspec.Struct, frozen=True):
    """A reward as rewardstack understands it, read off its signature.

    `columns` are the parameters it reads, mapped to their default (`inspect.Parameter.empty` where required);
    `keywords` are those of them that are passed by name. `flexible` are the defaulted parameters of the batch form,
    which are options when the stack sets them and columns when the samples have them.
    """

    name: str
    target: Any
    contract: Contract
    scope: Scope
    columns: dict[str, Any]
    keywords: frozenset[str]
    options: dict[str, Option]
    flexible: frozenset[str]
    takes_all: bool
    is_async: bool

    @property
    def doc(self) -> str:
        """The docstring, cleaned; empty where there is none."""
        inherited = isinstance(self.target, functools.partial) or not callable(self.target)
        text = None if inherited else inspect.getdoc(self.target)
        return text or ""

    @property
    def summary(self) -> str:
        """The docstring's first line."""
        return self.doc.partition("\n")[0]

    @property
    def shareable(self) -> bool:
        """Whether rows equal in the columns it reads may share one score."""
        return self.scope == "sample" and self.contract.deterministic and not self.takes_all

    def check_options(self, given: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Return the given options converted to their annotations; `where` begins every error message.

        Raises `OptionError` for unknown or missing options and for values of the wrong type.
        """
        for name in given:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                clash = " It is a column of that reward." if name in self.columns else ""
                raise OptionError(
                    f"{where}: {self.name} has no option {name!r}{nearest(name, self.options)}.{clash} "
                    f"Its options: {known}"
                )
        for option in self.options.values():
            if option.required and option.name not in given:
                raise OptionError(
                    f"{where}: {self.name} needs the option {option.name!r} ({option.annotation})"
                )
        hints = annotations_of(self.target, where) if given else {}
        return {
            name: convert(value, hints.get(name, Any), f"{where}, {name}") for name, value in given.items()
        }


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


def describe(target: Any, name: str, contract: Contract | None = None) -> Reward:
    """Return what a function, dataclass or callable object reads and what can be set on it.

    Raises `ContractError` where it cannot be called as a reward.
    """
    contract = contract_of(target) if contract is None else contract
    options: dict[str, Option] = {}
    if isinstance(target, type):
        if not is_dataclass(target):
            raise ContractError(f"{name}: a reward class must be a dataclass; put @dataclass under @reward")
        call: Any = target.__call__
        parameters = list(signature_of(call, name).values())[1:]
        options = {option.name: option for option in map(field_option, fields(target)) if option}
    else:
        if not callable(target):
            raise ContractError(f"{name}: {type(target).__name__} is not a function or a dataclass")
        call = target if inspect.isroutine(target) or hasattr(target, "func") else type(target).__call__
        parameters = list(signature_of(target, name).values())
    is_async = inspect.iscoroutinefunction(call)
    if is_async and contract.isolated:
        raise ContractError(
            f"{name}: an async reward cannot be isolated; it is cancelled at its timeout instead"
        )
    marks = BATCH_MARKS if contract is not UNMARKED else UNMARKED_BATCH_MARKS
    is_batch = any(parameter.name in marks for parameter in parameters)
    scope: Scope = contract.scope or ("batch" if is_batch else "sample")
    read = read_parameters(parameters, name, "column" if isinstance(target, type) else scope)
    return Reward(
        name=name, target=target, contract=contract, scope=scope, is_async=is_async, takes_all=read.takes_all,
        columns=read.columns, keywords=frozenset(read.keywords), flexible=frozenset(read.flexible),
        options=options | read.options,
    )  # fmt: skip


class Parameters(msgspec.Struct):
    """Parameters sorted into columns and options."""

    columns: dict[str, Any] = {}
    options: dict[str, Option] = {}
    keywords: set[str] = set()
    flexible: set[str] = set()
    takes_all: bool = False


def read_parameters(parameters: Sequence[inspect.Parameter], name: str, scope: str) -> Parameters:
    """Sort parameters into columns and options; see `reward` for the rules."""
    read = Parameters()
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise ContractError(f"{name}: *{parameter.name} says nothing about columns; name each one")
        if parameter.kind is parameter.VAR_KEYWORD:
            read.takes_all = True
            continue
        role = role_of(parameter, scope)
        if role != "option":
            read.columns[parameter.name] = parameter.default
            by_name = parameter.kind is parameter.KEYWORD_ONLY or scope in ("batch", "group")
            read.keywords.update(
                {parameter.name} if by_name and parameter.kind is not parameter.POSITIONAL_ONLY else ()
            )
        if role != "column":
            read.options[parameter.name] = parameter_option(parameter)
        if role == "either":
            read.flexible.add(parameter.name)
    return read


def role_of(parameter: inspect.Parameter, scope: str) -> Literal["column", "option", "either"]:
    """Return what a parameter is: columns and options are told apart by kind, in the batch form by default."""
    if scope == "column":  # `__call__` of a dataclass: its options are the fields
        return "column"
    if scope == "sample":
        return "option" if parameter.kind is parameter.KEYWORD_ONLY else "column"
    required = parameter.default is parameter.empty
    return "column" if required or parameter.name in TRAINER_ARGUMENTS else "either"


def signature_of(target: Any, name: str) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a callable; `ContractError` where it has no signature (some builtins)."""
    try:
        return inspect.signature(target).parameters
    except (TypeError, ValueError) as error:
        raise ContractError(
            f"{name}: its signature cannot be read ({error}); wrap it in a function"
        ) from error


def parameter_option(parameter: inspect.Parameter) -> Option:
    """Return the option a keyword parameter stands for."""
    required = parameter.default is parameter.empty
    shown = (
        inspect.formatannotation(parameter.annotation)
        if parameter.annotation is not parameter.empty
        else "any"
    )
    return Option(parameter.name, str(shown).strip("'"), None if required else parameter.default, required)


def field_option(field: Any) -> Option | None:
    """Return the option a dataclass field stands for, or None for fields that `__init__` does not take."""
    if not field.init:
        return None
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    shown = field.type if isinstance(field.type, str) else inspect.formatannotation(field.type)
    return Option(field.name, shown, None if default is MISSING else default, default is MISSING)


def annotations_of(target: Any, where: str) -> dict[str, Any]:
    """Return the resolved annotations of a function or dataclass."""
    source = target if isinstance(target, type) or inspect.isroutine(target) else type(target).__call__
    try:
        return get_type_hints(source, include_extras=True)
    except NameError as error:
        raise OptionError(
            f"{where}: an annotation of {name_of(target)} cannot be read at run time ({error}); import the name "
            f"outside `if TYPE_CHECKING`"
        ) from error


def convert(value: Any, annotation: Any, where: str) -> Any:
    """Return an option's value as its annotation asks; annotations msgspec does not know are not checked."""
    try:
        return msgspec.convert(value, annotation, strict=True)
    except msgspec.ValidationError as error:
        message = str(error).replace("`", "")
        raise OptionError(f"{where}: {message[0].lower()}{message[1:]} (given: {value!r})") from error
    except TypeError:
        return value


def to_score(raw: Any, range: tuple[float, float] | None, seconds: float = 0.0) -> Score:
    """Return what a reward returned as a score; anything that is none becomes an error that says why.

    NaN, infinities and values outside `range` are errors; a rounding error outside of it is clamped.
    """
    if type(raw) is float and range is not None and range[0] <= raw <= range[1]:
        return Score(raw, seconds=seconds)
    score = raw if isinstance(raw, Score) else Score()
    if raw is None or (score is raw and (score.error is not None or score.value is None)):
        return msgspec.structs.replace(score, value=None, seconds=seconds)
    returned = score.value if score is raw else raw
    value = number_in(returned)
    if value is None:
        kind = type(returned).__name__
        return failed(f"returned {kind} {short(returned)}, expected a number, None or a Score", seconds)
    if not math.isfinite(value):
        return failed(f"returned {value!r}, which is no finite number", seconds)
    if range is not None and not range[0] <= value <= range[1]:
        slack = 1e-9 * max(1.0, abs(range[0]), abs(range[1]))
        if not range[0] - slack <= value <= range[1] + slack:
            return failed(
                f"returned {value!r}, outside its declared range {range[0]:g} to {range[1]:g}", seconds
            )
        value = min(max(value, range[0]), range[1])
    return msgspec.structs.replace(score, value=value, seconds=seconds)


def number_in(value: Any) -> float | None:
    """Return a number (Python's, NumPy's, a one-element tensor) as a float, None for anything else."""
    if isinstance(value, (str, bytes, bytearray)):
        return None
    try:
        return float(value)
    except Exception:  # whatever a foreign object's __float__ raises, it is no number
        return None


def failed(why: str, seconds: float = 0.0) -> Score:
    """Return the score of a call that failed on our side."""
    return Score(error=why, seconds=seconds)


def raised(error: BaseException, seconds: float = 0.0) -> Score:
    """Return the score of a call that raised, SystemExit and KeyboardInterrupt of its own included."""
    text = str(error)
    return failed(
        f"raised {type(error).__name__}: {text}" if text else f"raised {type(error).__name__}", seconds
    )


def short(value: Any) -> str:
    """Return a short repr for messages."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
