"""The plan of a training file."""

from rewardstack_trainers.plan.memory import Plan
from rewardstack_trainers.plan.shapes import shape_of
from rewardstack_trainers.training.config import Config

__all__ = ["plan_of"]

DEFAULTS = {
    "per_device_train_batch_size": 8,
    "max_completion_length": 256,
    "activation_checkpointing": True,
    "beta": 0.0,
}
"""TRL 1.16's own."""


def plan_of(config: Config, shards: int = 1) -> Plan:
    """Return what a training file plans, TRL's defaults where it says nothing."""
    given = {**DEFAULTS, **config.grpo}
    sequences = int(given["per_device_train_batch_size"])
    steps = int(given.get("steps_per_generation") or given.get("gradient_accumulation_steps") or 1)
    attention = config.model.attn_implementation or "sdpa"
    return Plan(
        shape_of(config.model.name, config.base),
        dtype="bfloat16" if config.model.dtype == "bfloat16" else "float32",
        optimizer="adamw_8bit" if "8bit" in str(given.get("optim", "")) else "adamw",
        lora=config.lora.r if config.lora else 0,
        dropout=config.lora is not None and config.lora.dropout > 0,
        quantize=config.model.quantize,
        checkpointing=bool(given["activation_checkpointing"]),
        reference=float(given["beta"]) > 0,
        sequences=sequences,
        generated=sequences * steps,
        prompt=config.data.prompt_tokens or 512,
        completion=int(given["max_completion_length"]),
        shards=shards,
        flash=attention in ("sdpa", "flash_attention_2", "flash_attention_3"),
        colocate=float(given.get("vllm_gpu_memory_utilization") or 0.3)
        if given.get("use_vllm") and given.get("vllm_mode", "colocate") == "colocate"
        else 0.0,
    )
