"""Reads a callable's signature: which of its parameters are columns, which are options."""

import functools
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from rewardstack.annotations import unaliased
from rewardstack.contract import UNMARKED, Contract, Scope, Settled, contract_of, name_of
from rewardstack.errors import ContractError, OptionError, RewardstackError, nearest

__all__ = ["STACK_WORDS", "TRAINER_ARGUMENTS", "Option", "Reward", "describe", "explain", "signature_of"]

STACK_WORDS = (
    "use", "weight", "when", "requires", "clip", "timeout", "on_error", "on_timeout", "columns", "make", "options",
)  # fmt: skip
TRAINER_ARGUMENTS = ("trainer_state", "log_extra", "log_metric", "environments")
BATCH_MARKS = ("completions", "prompts")
UNMARKED_BATCH_MARKS = ("completions", "prompts", "completion_ids")


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
    which are options when the stack sets them and columns when the samples have them. `declared` is the contract
    as `@reward` has it, `contract` what it comes to for the reward's options (for its defaults, until `settle`).
    """

    name: str
    target: Any
    declared: Contract
    contract: Settled
    scope: Scope
    columns: dict[str, Any]
    keywords: frozenset[str]
    options: dict[str, Option]
    flexible: frozenset[str]
    takes_all: bool
    is_async: bool

    @property
    def doc(self) -> str:
        """The docstring, cleaned, with what base classes say of the options they add; empty where there is none."""
        inherited = isinstance(self.target, functools.partial) or not callable(self.target)
        text = None if inherited else inspect.getdoc(self.target)
        return with_inherited_options(self.target, text or "")

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
        converted = {
            name: convert(value, hints.get(name, Any), f"{where}, {name}") for name, value in given.items()
        }
        if self.contract.check is not None:
            try:
                self.contract.check(defaults_of(self.options) | converted)
            except (ValueError, RewardstackError) as error:
                raise OptionError(f"{where}: {error}") from error
            except Exception as error:  # the check itself is at fault: say whose it is
                raise ContractError(
                    f"{where}: the check of {self.name} failed: {type(error).__name__}: {error}. "
                    f"It is called with one mapping of all options"
                ) from error
        return converted

    def settle(self, options: Mapping[str, Any]) -> "Reward":
        """Return the reward with what its contract comes to for some options, checked before."""
        return msgspec.structs.replace(
            self, contract=self.declared.given({**defaults_of(self.options), **options})
        )


def with_inherited_options(target: Any, doc: str) -> str:
    """Return a docstring with what base classes say of their options put behind the class's own."""
    bases = target.__mro__[1:] if isinstance(target, type) else ()
    sections = [options_section(inspect.cleandoc(base.__dict__.get("__doc__") or "")) for base in bases]
    inherited = "\n".join(section for section in sections if section)
    if not inherited:
        return doc
    own = options_section(doc)
    if own:
        return doc.replace(own, f"{own}\n{inherited}", 1)
    before, _, rest = doc.rpartition("\n\nRange:")
    section = f"Options:\n{inherited}"
    return f"{before}\n\n{section}\n\nRange:{rest}" if before else f"{doc}\n\n{section}"


def options_section(doc: str) -> str:
    """Return what a cleaned docstring's section "Options:" says, empty where it has none."""
    return doc.partition("\nOptions:\n")[2].partition("\n\n")[0].rstrip()


def defaults_of(options: Mapping[str, Option]) -> dict[str, Any]:
    """Return every option's default, None for those that have none."""
    return {option.name: option.default for option in options.values()}


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
    read = read_parameters(parameters, name, scope, is_class=isinstance(target, type))
    return Reward(
        name=name, target=target, declared=contract, contract=contract.given(defaults_of(options | read.options)),
        scope=scope, is_async=is_async, takes_all=read.takes_all,
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


def read_parameters(
    parameters: Sequence[inspect.Parameter], name: str, scope: Scope, *, is_class: bool
) -> Parameters:
    """Sort parameters into columns and options; see `reward` for the rules."""
    read = Parameters()
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise ContractError(f"{name}: *{parameter.name} says nothing about columns; name each one")
        if parameter.kind is parameter.VAR_KEYWORD:
            read.takes_all = True
            continue
        role = "column" if is_class else role_of(parameter, scope)  # the options of a class are its fields
        if role != "option":
            read.columns[parameter.name] = parameter.default
            by_name = parameter.kind is parameter.KEYWORD_ONLY or scope != "sample"
            read.keywords.update(
                {parameter.name} if by_name and parameter.kind is not parameter.POSITIONAL_ONLY else ()
            )
        if role != "column":
            read.options[parameter.name] = parameter_option(parameter)
        if role == "either":
            read.flexible.add(parameter.name)
    return read


def role_of(parameter: inspect.Parameter, scope: Scope) -> Literal["column", "option", "either"]:
    """Return what a parameter is: columns and options are told apart by kind, in the batch form by default."""
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


def make_foreign(wanted: Any, value: Any) -> Any:
    """Return a value for an annotation that is no type of data: itself where it is one, text as a path."""
    if isinstance(wanted, type) and isinstance(value, wanted):
        return value
    if wanted is Path and isinstance(value, str):
        return Path(value)
    name = getattr(wanted, "__name__", str(wanted))
    raise ValueError(f"Expected `{name}`, got `{type(value).__name__}`")


def convert(value: Any, annotation: Any, where: str) -> Any:
    """Return an option's value as its annotation asks: text becomes a `Path`, a list a tuple or set.

    Values of other classes can only be given in Python. Annotations that cannot be checked (a callable) are not.
    """
    try:
        return msgspec.convert(value, annotation, strict=True, dec_hook=make_foreign)
    except msgspec.ValidationError as error:
        raise OptionError(f"{where}: {explain(error, annotation)} (given: {value!r})") from error
    except TypeError:
        return value


def explain(error: msgspec.ValidationError, annotation: Any) -> str:
    """Return what msgspec says of a value as a clause; of a choice, what there is to choose from."""
    message = str(error).replace("`", "")
    if message.startswith("Invalid enum value"):
        choices = [str(choice) for choice in choices_of(annotation)]
        wrong = message.partition("'")[2].partition("'")[0]
        return f"there is no {wrong!r}{nearest(wrong, choices)}; there are: {', '.join(choices)}"
    message = message.replace("Object contains unknown field", "it has no").replace(
        "Object missing required field", "it needs"
    )
    return f"{message[0].lower()}{message[1:]}"


def choices_of(annotation: Any) -> list[Any]:
    """Return the values of every `Literal` within an annotation."""
    annotation = unaliased(annotation)
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [choice for part in get_args(annotation) for choice in choices_of(part)]
