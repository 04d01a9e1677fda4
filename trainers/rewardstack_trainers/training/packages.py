"""What a run needs beside `[train]`: packages that TRL asks for only when the model is loaded, or later."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

from rewardstack_trainers.training.config import Config

__all__ = ["missing_packages"]


class Need(NamedTuple):
    """What is asked for, whether a training file asks for it, and what must be installed and importable then."""

    what: str
    is_asked: Callable[[Config], bool]
    package: str
    module: str


NEEDS = (
    Need("use_vllm", lambda config: bool(config.grpo.get("use_vllm")), "vllm", "vllm"),
    Need("deepspeed", lambda config: bool(config.grpo.get("deepspeed")), "deepspeed", "deepspeed"),
    Need("quantize", lambda config: config.model.quantize is not None, "bitsandbytes", "bitsandbytes"),
    Need("optim", lambda config: "8bit" in str(config.grpo.get("optim", "")), "bitsandbytes", "bitsandbytes"),
    Need("[lora]", lambda config: config.lora is not None, "peft", "peft"),
    Need(
        "flash_attention_2", lambda config: config.model.attn_implementation == "flash_attention_2",
        "flash-attn", "flash_attn",
    ),
)  # fmt: skip


def missing_packages(config: Config) -> list[str]:
    """Return a sentence for each package that the run needs and that is not installed here."""
    return [
        f"{need.what} needs {need.package}, which is not installed here: pip install {need.package}"
        for need in NEEDS
        if need.is_asked(config) and find_spec(need.module) is None
    ]
