"""The trainer's config from `[grpo]`: names checked against the installed TRL, defaults that fit the machine."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rewardstack.errors import OptionError, nearest
from rewardstack_trainers.training.config import Config
from rewardstack_trainers.training.packages import missing_packages

__all__ = ["check_names", "make_arguments"]

ON_CPU = {"bf16": False, "use_cpu": True, "activation_checkpointing": False}
"""TRL's defaults (bf16, recomputed activations) cost a third of the speed on a CPU."""


def config_class(algorithm: str) -> Any:
    """Return TRL's config class of an algorithm."""
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.rloo_config import RLOOConfig

    return RLOOConfig if algorithm == "rloo" else GRPOConfig


def check_names(given: Mapping[str, Any], algorithm: str) -> None:
    """Raise `OptionError` for a name that the installed TRL does not know, with the nearest it does."""
    kind = config_class(algorithm)
    known = {field.name for field in dataclasses.fields(kind) if field.init}
    for name in given:
        if name not in known:
            import trl

            raise OptionError(
                f"[grpo]: {kind.__name__} of trl {trl.__version__} has no {name!r}{nearest(name, known)}"
            )


def make_arguments(config: Config, output: Path, *, evaluates: bool) -> Any:
    """Return the trainer's config; `OptionError` says what TRL refuses in it."""
    import torch

    check_names(config.grpo, config.algorithm)
    kind = config_class(config.algorithm)
    known = {field.name for field in dataclasses.fields(kind)}
    machine = {} if torch.accelerator.is_available() else ON_CPU
    weights = [term.weight() for term in config.stack.terms] if columns_mode(config) else None
    held_out = (
        {"eval_strategy": "steps", "eval_steps": config.eval.every, "eval_on_start": True}
        if evaluates
        else {}
    )
    settings: dict[str, Any] = {
        "report_to": [],
        **{name: value for name, value in machine.items() if name in known},
        **held_out,
        "log_completions": config.log.completions,
        "num_completions_to_print": 0,  # the report shows some; a table at every step drowns the rest
        **config.grpo,
        "logging_steps": config.log.every,
        "output_dir": str(output),
    }
    if "reward_weights" in known and weights is not None:
        settings["reward_weights"] = weights
    try:
        return kind(**settings)
    except ImportError as error:  # DeepSpeed's settings are read by DeepSpeed
        raise OptionError(f"[grpo]: {next(iter(missing_packages(config)), error)}") from error
    except (TypeError, ValueError) as error:
        raise OptionError(f"[grpo]: {error}") from error


def columns_mode(config: Config) -> bool:
    """Whether the algorithm normalises each term by itself, so that TRL needs them apart."""
    return config.grpo.get("multi_objective_aggregation") == "normalize_then_sum"
