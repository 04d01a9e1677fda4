"""The memory of a GRPO run on one card, term by term. Bytes throughout; a GB is 2**30 bytes, as cards count.

The training phase holds weights, gradients, optimizer, reference, activations and the head; the generation phase
weights, optimizer, reference and the cache of keys and values. The peak is the larger of the two.
"""

import math

import msgspec

from rewardstack_trainers.plan.shapes import Shape

__all__ = ["GB", "TRAINERS", "Estimate", "Plan", "activation_bytes", "close_call", "estimate", "fits"]

GB = 2**30
CONTEXT = 0.6e9
"""What CUDA, cuBLAS and the kernels take."""

SLACK = 1.1
"""What the allocator loses between blocks, of all that comes and goes."""

LEAST, MOST = 0.85, 1.3
"""What a run takes of its estimate: runs measured by others took 0.87 to 1.28 of it (one cell of 20 1.40)."""

OPTIMIZERS = {"adamw": 8.0, "adamw_bf16": 4.0, "adamw_8bit": 2.0, "sgd": 0.0}
"""Bytes of state for each trained parameter."""

WEIGHTS = {"float32": 4.0, "bfloat16": 2.0, "8bit": 1.0, "4bit": 0.5625}
"""Bytes of a weight; nf4 has half a byte, and a float32 for each block of 64."""

TILE = 1024
"""Tokens that TRL's fused head projects at a time, since 1.16."""

OLD_HEAD = 16.0
"""Bytes a logit in TRL of early 2025: as float32 (accelerate converts what the model returns), the gradients of its
`gather` and of its `logsumexp`, and their sum (a test replays it)."""

TRAINERS = {
    "trl": "TRL since 1.16: the head works in tiles",
    "old-trl": "TRL of early 2025: the head holds all logits of the completions",
    "unsloth": "Unsloth: logits of one sequence at a time, policy's and reference's; checkpoints in the CPU's memory; "
    "vLLM shares the weights",
}

DROPOUT = 3.0
"""Bytes that LoRA's dropout keeps of each number it reads: the result as bf16, and the mask."""


class Plan(msgspec.Struct, frozen=True):
    """What is planned: a model, how it is trained, and how much at a time.

    `sequences` are trained on at a time (TRL's per_device_train_batch_size), `generated` at a time. `trainer` is one
    of `TRAINERS`. `shards` divides what ZeRO or FSDP divides; `colocate` is the share of the card that vLLM takes.
    """

    shape: Shape
    dtype: str = "bfloat16"
    optimizer: str = "adamw"
    lora: int = 0
    dropout: bool = False
    quantize: str | None = None
    checkpointing: bool = False
    reference: bool = False
    sequences: int = 4
    generated: int = 16
    prompt: int = 256
    completion: int = 786
    shards: int = 1
    trainer: str = "trl"
    flash: bool = True
    colocate: float = 0.0

    @property
    def tokens(self) -> int:
        """The tokens trained on at a time."""
        return self.sequences * (self.prompt + self.completion)

    @property
    def trained(self) -> int:
        """The number of parameters that are trained."""
        return self.shape.lora_parameters(self.lora) if self.lora else self.shape.parameters


class Estimate(msgspec.Struct, frozen=True):
    """The terms in bytes, by name, for each phase."""

    training: dict[str, float]
    generation: dict[str, float]

    @property
    def peak(self) -> float:
        """The larger phase."""
        return max(sum(self.training.values()), sum(self.generation.values()))


def activation_bytes(plan: Plan, width: float = 2.0) -> float:
    """Return what the layers keep for the backward pass; `width` is the bytes of a number.

    A layer keeps 4·inner numbers of its feed-forward and 10·hidden of norms and attention for each token (measured
    with torch's MemTracker, exact for float32), and a row of the mask without flash attention, which also repeats
    keys and values. In bf16 the norms work in float32: 12·hidden bytes instead of 2 · 6·hidden. Checkpointing keeps
    every layer's input and one layer whole, the one that is computed again; LoRA without dropout keeps nothing more.
    """
    shape = plan.shape
    if plan.flash:
        attention = 2 * shape.hidden + 2 * shape.kv_width
    else:
        attention = 4 * shape.hidden + plan.prompt + plan.completion
    layer = width * (4 * shape.inner + 6 * shape.hidden + attention + shape.heads + 2)
    if plan.lora and plan.dropout:
        layer += DROPOUT * shape.lora_inputs
    if not plan.checkpointing:
        return plan.tokens * shape.layers * layer
    inputs = 0.0 if plan.trainer == "unsloth" else width * shape.layers * shape.hidden
    return plan.tokens * (inputs + layer)


def head_bytes(plan: Plan, width: float = 2.0) -> float:
    """Return what the output head takes of the vocabulary's numbers for each token it has at hand."""
    if plan.trainer == "old-trl":
        return OLD_HEAD * plan.sequences * (plan.completion + 1) * plan.shape.vocabulary
    if plan.trainer == "unsloth":
        return 2 * width * (plan.prompt + plan.completion) * plan.shape.vocabulary
    return TILE * plan.shape.vocabulary * (width + 8.0)


def cache_bytes(plan: Plan, sequences: int) -> float:
    """Return the cache of keys and values of so many sequences of full length."""
    length = plan.prompt + plan.completion
    return 2.0 * 2 * plan.shape.layers * plan.shape.kv_width * length * sequences


def weight_bytes(plan: Plan) -> float:
    """Return the model's weights; quantization leaves embedding and head in 16 bits."""
    shape = plan.shape
    if plan.quantize is None:
        return shape.parameters * WEIGHTS[plan.dtype]
    layers = shape.parameters - shape.embedding_parameters
    return layers * WEIGHTS[plan.quantize] + shape.embedding_parameters * WEIGHTS["bfloat16"]


def vllm_bytes(plan: Plan, card: float) -> float:
    """Return what vLLM takes on the card: its share, but no less than its weights and the cache of one sequence."""
    own = 0.0 if plan.trainer == "unsloth" else plan.shape.parameters * WEIGHTS["bfloat16"]
    least = own + cache_bytes(plan, 1)
    return max(plan.colocate * card * GB, least) if plan.colocate else 0.0


def estimate(plan: Plan, card: float = 80.0) -> Estimate:
    """Return the terms of both phases on a card of so many GB (which only vLLM's share depends on)."""
    shape, frozen = plan.shape, weight_bytes(plan) / plan.shards
    lora = plan.trained * 4.0 / plan.shards if plan.lora else 0.0
    state = OPTIMIZERS[plan.optimizer] * plan.trained / plan.shards
    gradient = plan.trained * (4.0 if plan.lora else WEIGHTS[plan.dtype]) / plan.shards
    gathered = shape.parameters / shape.layers * WEIGHTS[plan.dtype] if plan.shards > 1 else 0.0
    fixed = {
        "weights": frozen + lora,
        "optimizer": state,
        "reference": frozen if plan.reference and not plan.lora else 0.0,
        "gathered layer": gathered,
        "vLLM": vllm_bytes(plan, card),
        "CUDA": CONTEXT,
    }
    moving = {"activations": activation_bytes(plan), "head": head_bytes(plan)}
    training = {**fixed, "gradients": gradient, **{name: SLACK * each for name, each in moving.items()}}
    cache = {} if plan.colocate else {
        "key-value cache": SLACK * cache_bytes(plan, plan.generated),
        "next logits": SLACK * 6.0 * plan.generated * shape.vocabulary,
    }  # fmt: skip
    return Estimate(
        training, {**fixed, "gathered weights": shape.parameters * 2.0 if plan.shards > 1 else 0.0, **cache}
    )


def fits(plan: Plan, card: float) -> bool:
    """Whether a plan fits on a card of so many GB."""
    peak = estimate(plan, card).peak
    return math.isfinite(peak) and peak <= card * GB


def close_call(plan: Plan, card: float) -> bool:
    """Whether a card of so many GB is so near to the estimate that only a run will tell."""
    peak = estimate(plan, card).peak
    return LEAST * peak <= card * GB < MOST * peak
