"""Well-known settings by name: algorithms, which say what the loss is, and presets, which say the rest."""

from typing import Any

__all__ = ["ALGORITHMS", "PRESETS"]

ALGORITHMS: dict[str, dict[str, Any]] = {
    "grpo": {"loss_type": "grpo", "scale_rewards": "group"},
    "dr_grpo": {"loss_type": "dr_grpo", "scale_rewards": "none"},
    "dapo": {"loss_type": "dapo", "epsilon_high": 0.28, "mask_truncated_completions": True, "beta": 0.0},
    "gspo": {
        "loss_type": "grpo",
        "importance_sampling_level": "sequence",
        "epsilon": 3e-4,
        "epsilon_high": 4e-4,
    },
    "gdpo": {"loss_type": "grpo", "multi_objective_aggregation": "normalize_then_sum"},
    "rloo": {},
}
"""Shao et al. 2024 (arXiv 2402.03300); Liu et al. 2025 (2503.20783); Yu et al. 2025 (2503.14476); Zheng et al. 2025
(2507.18071); GDPO (2601.05242); Ahmadian et al. 2024 (2402.14740). `rloo` runs TRL's RLOOTrainer."""

GSM8K: dict[str, Any] = {
    "learning_rate": 5e-6,
    "adam_beta1": 0.9,
    "adam_beta2": 0.99,
    "weight_decay": 0.1,
    "warmup_steps": 0.1,
    "lr_scheduler_type": "cosine",
    "num_generations": 4,
    "per_device_train_batch_size": 4,
    "gradient_accumulation_steps": 4,
    "max_completion_length": 786,
    "max_grad_norm": 0.1,
}
# TRL computes activations again unless told; without this, `-checkpointing` would be `-8bit` by another name
KEPT = {"activation_checkpointing": False}
PROMPTS = {"prompt_tokens": 256}
LORA: dict[str, Any] = {"r": 16, "alpha": 64}

PRESETS: dict[str, dict[str, Any]] = {
    "gsm8k": {"grpo": {**GSM8K, **KEPT}, "data": PROMPTS},
    "gsm8k-8bit": {"grpo": {**GSM8K, **KEPT, "optim": "adamw_8bit"}, "data": PROMPTS},
    "gsm8k-checkpointing": {
        "grpo": {**GSM8K, "optim": "adamw_8bit", "activation_checkpointing": True},
        "data": PROMPTS,
    },
    "gsm8k-lora": {"grpo": GSM8K, "data": PROMPTS, "lora": LORA},
    "gsm8k-qlora": {"grpo": GSM8K, "data": PROMPTS, "lora": LORA, "model": {"quantize": "4bit"}},
}
