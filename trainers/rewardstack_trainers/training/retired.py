"""Names that tutorials still use and TRL or transformers have dropped, with what they are called today."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

__all__ = ["RETIRED", "translate"]


class Retired(NamedTuple):
    """A retired name: what it becomes (nothing where it was dropped) and why."""

    becomes: Callable[[Any], dict[str, Any]]
    why: str


def renamed(name: str) -> Callable[[Any], dict[str, Any]]:
    """Return what keeps the value under another name."""
    return lambda value: {name: value}


def dropped(_: Any) -> dict[str, Any]:
    """Return nothing: the name says nothing any more."""
    return {}


RETIRED: dict[str, Retired] = {
    "warmup_ratio": Retired(
        renamed("warmup_steps"), "a fraction of the steps is written as warmup_steps below 1"
    ),
    "max_prompt_length": Retired(
        renamed("prompt_tokens"), "TRL no longer cuts prompts; [data] leaves long ones out"
    ),
    "logging_dir": Retired(dropped, "loggers choose their folder"),
    "overwrite_output_dir": Retired(dropped, "a run never overwrites another; --resume goes on with one"),
    "evaluation_strategy": Retired(renamed("eval_strategy"), "renamed by transformers"),
    "no_cuda": Retired(lambda value: {"use_cpu": value}, "renamed by transformers"),
    "per_gpu_train_batch_size": Retired(renamed("per_device_train_batch_size"), "renamed by transformers"),
    "num_train_steps": Retired(renamed("max_steps"), "never was TRL's name"),
    "gradient_checkpointing": Retired(renamed("activation_checkpointing"), "renamed by transformers"),
    "gradient_checkpointing_kwargs": Retired(
        renamed("activation_checkpointing_kwargs"), "renamed by transformers"
    ),
    "use_liger_loss": Retired(dropped, "TRL's own head is fused"),
    "use_flash_attention_2": Retired(dropped, 'write attn_implementation = "flash_attention_2" in [model]'),
    "save_safetensors": Retired(dropped, "always so now"),
    "group_by_length": Retired(dropped, "GRPO's sampler has its own order"),
}


def translate(given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return `[grpo]` in today's names, and a sentence for each name that was translated."""
    found: dict[str, Any] = {}
    told = []
    for name, value in given.items():
        retired = RETIRED.get(name)
        if retired is None:
            found[name] = value
            continue
        becomes = retired.becomes(value)
        found |= {new: each for new, each in becomes.items() if new not in given}
        now = ", ".join(f"{new} = {each!r}" for new, each in becomes.items()) or "left out"
        told.append(f"{name} = {value!r} is now {now}: {retired.why}")
    return found, told
