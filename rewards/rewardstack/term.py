"""One weighted entry of a stack: a reward with its weight, routing, gates, limits and options."""

import copy
import inspect
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_type_hints

import msgspec

from rewardstack.contract import name_of
from rewardstack.errors import ColumnError, IsolationError, OptionError, StackError, nearest
from rewardstack.files import Source
from rewardstack.registry import Registry
from rewardstack.sample import IMMUTABLE
from rewardstack.signature import STACK_WORDS, TRAINER_ARGUMENTS, Reward, describe, explain, signature_of
from rewardstack.workers.messages import Recipe

__all__ = ["Schedule", "Term", "make_term"]

EMPTY = inspect.Parameter.empty
SCALARS = (str, int, float, bool)
MOST_STEPS = 10**12
SCHEDULE_WORDS = ("from", "to", "steps", "shape", "start")
Shape = Literal["linear", "cosine", "step"]
SHAPES: dict[str, Callable[[float], float]] = {
    "linear": lambda share: share,
    "cosine": lambda share: (1 - math.cos(math.pi * share)) / 2,
    "step": lambda share: float(share >= 1),
}


class Schedule(
    msgspec.Struct, frozen=True, rename={"first": "from", "last": "to"}, forbid_unknown_fields=True
):
    """A weight that moves from `from` to `to` over `steps` training steps after step `start`.

    `shape` is `linear`, `cosine` (slow at both ends) or `step` (jumps at the end).
    """

    first: float
    last: float
    steps: int
    shape: Shape = "linear"
    start: int = 0

    def at(self, step: int) -> float:
        """Return the weight at a training step."""
        share = min(1.0, max(0.0, (step - self.start) / self.steps))
        return self.first + (self.last - self.first) * SHAPES[self.shape](share)


class Words(msgspec.Struct, frozen=True):
    """The stack's own words of a term, with their types and defaults."""

    weight: float | Schedule = 1.0
    when: dict[str, Any] = {}
    requires: dict[str, float] = {}
    clip: tuple[float, float] | None = None
    timeout: float | None = None
    on_error: Literal["mask", "low", "abstain", "raise"] = "mask"
    on_timeout: Literal["error", "low"] = "error"
    columns: dict[str, str] = {}
    make: dict[str, Any] | None = None
    options: dict[str, Any] = {}


@dataclass(frozen=True, eq=False)
class Term:
    """A term of a stack, checked and resolved. Made by `make_term`, listed by `Stack.terms`.

    `inputs` maps the reward's column parameters to the columns they read; `options` are those set, converted.
    """

    name: str
    reward: Reward
    source: Source | None
    words: Words
    options: dict[str, Any]
    inputs: dict[str, str]

    @property
    def low(self) -> float:
        """The low end of its range: what a closed gate gives and what the policy's own faults earn."""
        bounds = self.words.clip or self.reward.contract.range
        return 0.0 if bounds is None else bounds[0]

    @property
    def timeout(self) -> float | None:
        """The seconds a call may take: the stack's, else the reward's own; None for no limit."""
        own = self.reward.contract.timeout
        return own if self.words.timeout is None else self.words.timeout

    @property
    def isolated(self) -> bool:
        """Whether it runs in worker processes: declared so, or synchronous with a timeout."""
        return self.reward.contract.isolated or (self.timeout is not None and not self.reward.is_async)

    def weight(self, step: int = 0) -> float:
        """Return its weight at a training step."""
        weight = self.words.weight
        return weight.at(step) if isinstance(weight, Schedule) else weight

    def columns(self) -> dict[str, bool]:
        """Return the columns it reads, the routing ones included, and whether each is required."""
        read = {
            column: self.reward.columns[parameter] is EMPTY
            for parameter, column in self.inputs.items()
            if parameter not in TRAINER_ARGUMENTS
        }
        return read | dict.fromkeys(self.words.when, True)

    def recipe(self) -> Recipe:
        """Return how to rebuild it in another process; `IsolationError` where that is impossible."""
        if self.source is None:
            raise IsolationError(
                f"term {self.name!r}: {self.reward.name} lives only in this process (a lambda, or defined in a script, "
                f"a notebook or inside a function), so it cannot run isolated, have a timeout or be pickled. "
                f"Put it into a file of its own and name it 'path/file.py:{name_of(self.reward.target)}'"
            )
        return Recipe(self.source, self.words.make, self.options, isinstance(self.reward.target, type))

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The callable to run in this process: the function, or the one instance of the dataclass."""
        target = self.reward.target
        if not isinstance(target, type):
            return target  # type: ignore[no-any-return]
        try:
            return target(**self.options)  # type: ignore[no-any-return]
        except Exception as error:
            raise OptionError(
                f"term {self.name!r}: {self.reward.name} cannot be made with its options: {type(error).__name__}: {error}"
            ) from error

    def call_options(self) -> dict[str, Any]:
        """Return the options to pass with a call, its own copy (a dataclass has taken its options already)."""
        if isinstance(self.reward.target, type):
            return {}
        return copy.deepcopy(self.options) if self.mutable_options else self.options

    @cached_property
    def mutable_options(self) -> bool:
        """Whether a call could write to an option and change the next one."""
        return not isinstance(self.reward.target, type) and not all(
            type(value) in IMMUTABLE for value in self.options.values()
        )

    def routes(self) -> dict[str, tuple[Any, ...]]:
        """Return `when` as column to allowed values."""
        return {
            column: tuple(allowed) if isinstance(allowed, (list, tuple)) else (allowed,)
            for column, allowed in self.words.when.items()
        }


def make_term(
    name: str, data: Any, registry: Registry, base: Path | None, source: Source | None = None
) -> Term:
    """Return the term that a stack's table, a name or a function describes.

    `source` is given when a stack is rebuilt from its recipe and replaces looking up `use`.

    Raises `StackError` or one of its kin, naming the term, what was asked, what there is and the nearest name.
    """
    where = f"term {name!r}"
    table = dict(data) if isinstance(data, Mapping) else {"use": data}
    use = table.pop("use", None)
    if use is None:
        raise StackError(f"{where}: it needs a `use`, the name of a reward")
    own = {word: table.pop(word) for word in STACK_WORDS if word in table}
    words = read_words(own, where)
    reward, found = (registry.find_again(source), source) if source else find(use, registry, base, where)
    if words.make is not None:
        reward = make_reward(reward, words.make, where)
    given = {**table, **words.options}
    unknown = [key for key in table if key not in reward.options]
    if unknown:
        known = [*reward.options, *STACK_WORDS]
        clash = " (it is a column of that reward)" if unknown[0] in reward.columns else ""
        raise OptionError(
            f"{where}: {unknown[0]!r} is neither a word of the stack nor an option of {reward.name}{clash}"
            f"{nearest(unknown[0], known)}. Its options: {', '.join(reward.options) or 'none'}"
        )
    options = reward.check_options(given, where)
    term = Term(
        name,
        reward.settle(options),
        found,
        words,
        options,
        read_inputs(reward, words.columns, options, where),
    )
    if term.isolated:
        check_isolation(term)
    warn_of_low_end(term)
    return term


def check_isolation(term: Term) -> None:
    """Raise `IsolationError` for a term that must run in a worker process and cannot."""
    term.recipe()
    logging = [name for name in ("log_extra", "log_metric") if name in term.inputs]
    if logging and term.reward.scope == "sample":
        raise IsolationError(
            f"term {term.name!r}: {term.reward.name} runs in a worker process, where {logging[0]} is only there for "
            f"the batch form (a parameter named `completions`)"
        )


def warn_of_low_end(term: Term) -> None:
    """Warn where the low end, which should be the worst a term can give, is the best: at a negative weight."""
    weight, words = term.words.weight, term.words
    least = min(weight.first, weight.last) if isinstance(weight, Schedule) else weight
    gives_low = [
        word
        for word, used in (
            ("requires", words.requires),
            ("on_error", words.on_error == "low"),
            ("on_timeout", words.on_timeout == "low"),
        )
        if used
    ]
    if least < 0 and gives_low:
        warnings.warn(
            f"term {term.name!r} has a negative weight, and `{gives_low[0]}` gives it the low end of its range, which then "
            f"earns the most; a reward with a range below 0 and a positive weight does what is meant",
            stacklevel=2,
        )


def read_words(own: dict[str, Any], where: str) -> Words:
    """Return the stack's words of a term, checked."""
    try:
        words = msgspec.convert(own, Words, strict=True)
    except msgspec.ValidationError as error:
        raise StackError(f"{where}{explain_word(error)}") from error
    weight, clip = words.weight, words.clip
    ends = (weight.first, weight.last) if isinstance(weight, Schedule) else (weight,)
    if not all(map(math.isfinite, ends)):
        raise StackError(f"{where}: the weight must be a finite number, not {weight}")
    if isinstance(weight, Schedule):
        check_schedule(weight, where)
    for gate, least in words.requires.items():
        if not math.isfinite(least):
            raise StackError(f"{where}, requires: {gate} must reach a finite number, not {least}")
    for column, allowed in words.when.items():
        if not all(
            isinstance(each, SCALARS)
            for each in (allowed if isinstance(allowed, list | tuple) else [allowed])
        ):
            raise StackError(
                f"{where}, when: {column} is compared with text, numbers, booleans or a list of them"
            )
        if isinstance(allowed, list | tuple) and not allowed:
            raise StackError(f"{where}, when: {column} = [] leaves the term out of every row")
    if clip is not None and not (math.isfinite(clip[0]) and math.isfinite(clip[1]) and clip[0] < clip[1]):
        raise StackError(f"{where}: clip must be two finite numbers, low < high, not {list(clip)}")
    if words.timeout is not None and not 0 < words.timeout < math.inf:
        raise StackError(f"{where}: timeout must be a number of seconds above 0, not {words.timeout}")
    return words


def check_schedule(schedule: Schedule, where: str) -> None:
    """Raise `StackError` for a schedule that reaches no number, or none in this lifetime."""
    if not math.isfinite(schedule.last - schedule.first):
        raise StackError(f"{where}: the weight must move between numbers of a sensible size")
    if not 1 <= schedule.steps <= MOST_STEPS:
        raise StackError(
            f"{where}: a schedule needs at least one step and at most {MOST_STEPS:,}, not {schedule.steps}"
        )
    if not 0 <= schedule.start <= MOST_STEPS:
        raise StackError(f"{where}: a schedule starts at step 0 to {MOST_STEPS:,}, not {schedule.start}")


def explain_word(error: msgspec.ValidationError) -> str:
    """Return which word of a term is wrong and what it takes."""
    message, _, path = str(error).partition(" - at `$")
    word = path.strip("`").lstrip(".").partition(".")[0].partition("[")[0]
    hint = Shape if word == "weight" else get_type_hints(Words).get(word, Any)
    said = explain(msgspec.ValidationError(message), hint)
    if word == "weight" and "float | object" in said:
        said = "expected a number, or a schedule such as { from = 0.0, to = 1.0, steps = 500 }"
    elif said.startswith("it has no "):
        said += f"{nearest(said.removeprefix('it has no '), SCHEDULE_WORDS)}; a schedule has: {', '.join(SCHEDULE_WORDS)}"
    return f", {word}: {said}"


def find(use: Any, registry: Registry, base: Path | None, where: str) -> tuple[Reward, Source | None]:
    """Find a term's reward; errors name the term."""
    try:
        return registry.find(use, base)
    except StackError as error:
        raise type(error)(f"{where}: {error}") from error


def make_reward(factory: Reward, arguments: Mapping[str, Any], where: str) -> Reward:
    """Return the reward a factory (`make = {...}`) gives for its arguments."""
    parameters = signature_of(factory.target, factory.name)
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    for name in arguments:
        if name not in parameters and not takes_any:
            raise OptionError(
                f"{where}: {factory.name} takes no {name!r}{nearest(name, parameters)}. It takes: {', '.join(parameters)}"
            )
    try:
        made = factory.target(**arguments)
    except Exception as error:
        raise OptionError(f"{where}: {factory.name} refused {dict(arguments)}: {error}") from error
    return describe(made, factory.name)


def read_inputs(
    reward: Reward, renamed: Mapping[str, str], options: Mapping[str, Any], where: str
) -> dict[str, str]:
    """Return which column each of the reward's column parameters reads."""
    for name in renamed:
        if name not in reward.columns and not reward.takes_all:
            known = ", ".join(reward.columns) or "none"
            raise ColumnError(
                f"{where}: columns names {name!r}, but {reward.name} reads no such column"
                f"{nearest(name, reward.columns)}. It reads: {known}"
            )
    read = {name: renamed.get(name, name) for name in reward.columns if name not in options}
    return read | {name: column for name, column in renamed.items() if name not in reward.columns}
