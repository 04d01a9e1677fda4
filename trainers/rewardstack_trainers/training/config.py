"""What a training file says, read and checked: every key is known, and a wrong one is told its nearest name."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from rewardstack import Stack
from rewardstack.errors import OptionError, StackError, nearest
from rewardstack_trainers.measures import METRICS
from rewardstack_trainers.training.presets import ALGORITHMS, PRESETS
from rewardstack_trainers.training.retired import translate

__all__ = [
    "Config",
    "DataTable",
    "EvalTable",
    "LogTable",
    "LoraTable",
    "ModelTable",
    "load_config",
    "parse_config",
]

OWN = {
    "reward_weights": "weights stand in the stack",
    "output_dir": "the run's folder is `output` at the top of the file",
    "logging_steps": "write every = ... in [log]",
}
"""Fields of TRL's that are set elsewhere; whether it has the others is known once it is imported."""

Table = TypeVar("Table", bound=msgspec.Struct)
Positive = Annotated[int, msgspec.Meta(ge=1)]


class ModelTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[model]`: `name` is a hub id, a folder, or a GGUF file; the others are passed on when it is loaded."""

    name: str
    dtype: str | None = None
    attn_implementation: str | None = None
    device_map: str | None = None
    quantize: str | None = None
    init: dict[str, Any] = {}


class LoraTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[lora]`: peft's LoraConfig by its usual names; the table alone turns LoRA on."""

    r: Positive = 16
    alpha: Positive = 64
    dropout: float = 0.05
    target_modules: tuple[str, ...] | str = ("q_proj", "k_proj", "o_proj", "up_proj", "down_proj")


class DataTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[data]`: where rows come from and what prompts are made of them; a task has defaults for all of it.

    `path` is a JSONL or Parquet file, or a saved data set; `hub` a data set of the Hugging Face hub (`split`,
    `subset`). `prompt` is a template such as `"{question}"`; `answer` names the column of the gold and `take` what
    of it counts. `limit` keeps the first rows. Prompts of more than `prompt_tokens` are left out, or lose their
    beginning (`too_long = "cut"`): TRL never cuts prompts.
    """

    path: str | None = None
    hub: str | None = None
    subset: str | None = None
    split: str = "train"
    prompt: str | None = None
    system: str | None = None
    answer: str | None = None
    take: str | None = None
    chat: bool | None = None
    limit: Positive | None = None
    prompt_tokens: Positive | None = None
    too_long: str = "drop"
    rephrase: str | None = None
    shuffle_options: bool = False

    def __post_init__(self) -> None:
        if self.too_long not in ("drop", "cut"):
            raise ValueError(f'too_long is "drop" or "cut", not {self.too_long!r}')


class EvalTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[eval]`: held-out rows, from a file of their own or split off the data; scored by the same stack."""

    path: str | None = None
    rows: Annotated[int, msgspec.Meta(ge=0)] = 0
    every: Positive = 50
    metric: str = "reward"
    stop_at: float | None = None
    patience: Positive | None = None


class LogTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[log]`: `record` keeps every scored batch, `completions` TRL's own Parquet files; `alarms` that end the run."""

    record: bool = True
    completions: bool = True
    every: Positive = 1
    stop_on: tuple[str, ...] = ()


class Top(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The top level of a training file; `prefill`, `max_error_share` and `name` are settings of its stack."""

    output: str = "runs/training"
    algorithm: str = "grpo"
    preset: str | None = None
    task: str | tuple[str, ...] = ()
    stack: str | None = None
    rewards: dict[str, Any] = {}
    dead_zone: float = 0.0
    kl_target: float | None = None
    model: dict[str, Any] = {}
    lora: dict[str, Any] | None = None
    data: dict[str, Any] = {}
    grpo: dict[str, Any] = {}
    eval: dict[str, Any] = {}
    log: dict[str, Any] = {}
    prefill: Any = None
    max_error_share: Any = None
    name: Any = None


class Config(msgspec.Struct, frozen=True):
    """A training file. `base` is the folder that its paths are relative to, `translated` tells of retired names."""

    stack: Stack
    model: ModelTable
    task: tuple[str, ...]
    output: str
    algorithm: str
    lora: LoraTable | None
    data: DataTable
    grpo: dict[str, Any]
    eval: EvalTable
    log: LogTable
    dead_zone: float
    kl_target: float | None
    base: Path
    translated: list[str]


def load_config(path: Path | str) -> Config:
    """Read a training file; raises `StackError` or one of its kin, naming the file and the fault."""
    path = Path(path)
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise StackError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise StackError(f"{path} is not valid TOML: {error}") from error
    data.setdefault("output", f"runs/{path.stem}")
    try:
        return parse_config(data, path.parent)
    except StackError as error:
        raise type(error)(f"{path}: {error}") from error


def parse_config(data: Mapping[str, Any], base: Path) -> Config:
    """Return a training file's data as a config, presets and algorithm laid under what it says itself."""
    top = read_table(data, Top, "the training file")
    preset = chosen(PRESETS, top.preset, "preset")
    given, translated = translate(top.grpo)
    moved = {name: given.pop(name) for name in ("prompt_tokens",) if name in given}
    grpo = {**preset.get("grpo", {}), **chosen(ALGORITHMS, top.algorithm, "algorithm"), **given}
    tasks = (top.task,) if isinstance(top.task, str) else top.task
    model = {**preset.get("model", {}), **top.model}
    if "name" not in model:
        raise OptionError(
            '[model] needs a name: a hub id, a folder, or a GGUF file: name = "Qwen/Qwen2.5-0.5B"'
        )
    asks_for_lora = top.lora is not None or "lora" in preset
    lora = {**preset.get("lora", {}), **(top.lora or {})} if asks_for_lora else None
    config = Config(
        stack=read_stack(data, tasks, base),
        model=read_table(model, ModelTable, "[model]"),
        task=tasks,
        output=top.output,
        algorithm=top.algorithm,
        lora=None if lora is None else read_table(lora, LoraTable, "[lora]"),
        data=read_table({**preset.get("data", {}), **moved, **top.data}, DataTable, "[data]"),
        grpo=grpo,
        eval=read_table(top.eval, EvalTable, "[eval]"),
        log=read_table(top.log, LogTable, "[log]"),
        dead_zone=top.dead_zone,
        kl_target=top.kl_target,
        base=base,
        translated=translated,
    )
    check_own(grpo)
    check_watching(config)
    return config


def check_own(grpo: Mapping[str, Any]) -> None:
    """Raise `OptionError` for a field of TRL's that has its place elsewhere."""
    for name, place in OWN.items():
        if name in grpo:
            raise OptionError(f"[grpo]: {name} cannot be set here; {place}")


def check_watching(config: Config) -> None:
    """Raise `OptionError` for a held-out metric that will never be logged, and for a KL target without a start."""
    name = config.stack.name
    known = ["reward", *(f"{name}/{term.name}/{metric}" for term in config.stack.terms for metric in METRICS)]
    if config.eval.metric not in known:
        raise OptionError(
            f"[eval]: there is no metric {config.eval.metric!r}{nearest(config.eval.metric, known)}. There are reward "
            f"and {name}/TERM/mean, for the terms {', '.join(term.name for term in config.stack.terms)}"
        )
    beta = config.grpo.get("beta", 0.0)
    if config.kl_target is not None and not (isinstance(beta, (int, float)) and beta > 0):
        raise OptionError("kl_target needs a start value: set beta above 0 in [grpo], such as beta = 0.04")


def read_stack(data: Mapping[str, Any], tasks: tuple[str, ...], base: Path) -> Stack:
    """Return the run's stack: a file, the rewards in the training file, or the tasks' own."""
    from rewardstack_trainers.data.tasks import stack_of

    if "stack" in data and "rewards" in data:
        raise StackError("the training file has both a stack and [rewards.*]; keep one")
    if "stack" in data:
        return Stack.load(base / data["stack"])
    rewards = data.get("rewards") or stack_of(tasks)
    if not rewards:
        raise StackError(
            'the training file needs rewards: stack = "file.toml", [rewards.NAME] tables, or a task'
        )
    settings = {name: data[name] for name in ("name", "prefill", "max_error_share") if name in data}
    return Stack(rewards, base=base, **settings)


def check_keys(given: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    """Raise `OptionError` for a key that is not known."""
    for name in given:
        if name not in known:
            raise OptionError(f"{where} has no {name!r}{nearest(name, known)}. It has: {', '.join(known)}")


def read_table(given: Mapping[str, Any], kind: type[Table], where: str) -> Table:
    """Return a table as its struct, checked."""
    check_keys(given, kind.__struct_fields__, where)
    try:
        return msgspec.convert(dict(given), kind, strict=True)
    except msgspec.ValidationError as error:
        message = str(error).replace("`", "").replace("$.", "")
        raise OptionError(f"{where}: {message[0].lower()}{message[1:]}") from error


def chosen(table: Mapping[str, dict[str, Any]], name: Any, what: str) -> dict[str, Any]:
    """Return a preset by name, empty for none."""
    if name is None:
        return {}
    if name not in table:
        raise OptionError(
            f"there is no {what} {name!r}{nearest(str(name), table)}. There are: {', '.join(table)}"
        )
    return table[name]
