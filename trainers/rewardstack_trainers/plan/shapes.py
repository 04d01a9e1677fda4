"""The shape of a model: what its number of parameters and the size of its activations follow from."""

import json
from pathlib import Path

import msgspec

from rewardstack.errors import OptionError, nearest
from rewardstack_trainers.errors import TrainingError

__all__ = ["KNOWN", "Shape", "shape_of"]


class Shape(msgspec.Struct, frozen=True):
    """A decoder with gated feed-forward layers and grouped attention, as Llama, Qwen and Phi have."""

    hidden: int
    inner: int
    layers: int
    heads: int
    kv_heads: int
    vocabulary: int
    tied: bool = False
    head_size: int = 0
    attention_bias: bool = False

    @property
    def head_width(self) -> int:
        """The size of one attention head."""
        return self.head_size or self.hidden // self.heads

    @property
    def kv_width(self) -> int:
        """The size of all keys (or all values) of a token."""
        return self.kv_heads * self.head_width

    @property
    def head_parameters(self) -> int:
        """The parameters of the output head, which are the embedding's where the two are tied."""
        return self.vocabulary * self.hidden

    @property
    def parameters(self) -> int:
        """The number of parameters, exactly."""
        wide = self.heads * self.head_width
        attention = 2 * self.hidden * wide + 2 * self.hidden * self.kv_width
        attention += (wide + 2 * self.kv_width) if self.attention_bias else 0
        layer = attention + 3 * self.hidden * self.inner + 2 * self.hidden
        return self.layers * layer + self.hidden + self.embedding_parameters

    @property
    def embedding_parameters(self) -> int:
        """The parameters of the embedding and the output head, which quantization leaves as they are."""
        return self.head_parameters * (1 if self.tied else 2)

    @property
    def lora_inputs(self) -> int:
        """The numbers of a token that LoRA's q, k, o, up and down read in a layer."""
        return 3 * self.hidden + self.heads * self.head_width + self.inner

    def lora_parameters(self, rank: int) -> int:
        """The parameters of LoRA on q, k, o, up and down."""
        wide = self.heads * self.head_width
        outputs = wide + self.kv_width + self.hidden + self.inner + self.hidden
        return self.layers * rank * (self.lora_inputs + outputs)


KNOWN: dict[str, Shape] = {
    "0.5B": Shape(896, 4864, 24, 14, 2, 151936, tied=True, attention_bias=True),
    "1B": Shape(2048, 8192, 16, 32, 8, 128256, tied=True, head_size=64),
    "1.5B": Shape(1536, 8960, 28, 12, 2, 151936, tied=True, attention_bias=True),
    "3B": Shape(3072, 8192, 28, 24, 8, 128256, tied=True),
    "7B": Shape(3584, 18944, 28, 28, 4, 152064, attention_bias=True),
    "8B": Shape(4096, 14336, 32, 32, 8, 128256),
    "14B": Shape(5120, 13824, 48, 40, 8, 152064, attention_bias=True),
    "32B": Shape(5120, 27648, 64, 40, 8, 152064, attention_bias=True),
    "70B": Shape(8192, 28672, 80, 64, 8, 128256),
}
"""Qwen2.5 (0.5B, 1.5B, 7B, 14B, 32B) and Llama 3.1 to 3.3 (1B, 3B, 8B, 70B), from their config.json."""


def shape_of(name: str, base: Path = Path()) -> Shape:
    """Return a model's shape: a size such as `3B`, or a folder with a `config.json`; nothing is downloaded."""
    if name in KNOWN:
        return KNOWN[name]
    for folder in (base / name, Path(name)):
        if (folder / "config.json").is_file():
            return read_config(folder / "config.json")
    size = name.rpartition("/")[2].upper()
    for known, shape in sorted(KNOWN.items(), key=lambda item: -len(item[0])):
        if f"-{known}" in size:
            return shape
    raise OptionError(
        f"the shape of {name!r} is not known{nearest(name, KNOWN)}. Name a folder with its config.json, or a size: "
        f"{', '.join(KNOWN)}"
    )


def read_config(path: Path) -> Shape:
    """Return the shape that a `config.json` describes.

    Raises `OptionError` where it is no decoder's, `TrainingError` where it cannot be read: no run can start with it.
    """
    try:
        config = json.loads(path.read_bytes())
        if not isinstance(config, dict):
            raise TrainingError(f"cannot read {path}: it holds no object")
        fields = {
            "hidden": config["hidden_size"],
            "inner": config["intermediate_size"],
            "layers": config["num_hidden_layers"],
            "heads": config["num_attention_heads"],
            "kv_heads": config.get("num_key_value_heads") or config["num_attention_heads"],
            "vocabulary": config["vocab_size"],
            "tied": bool(config.get("tie_word_embeddings", False)),
            "head_size": config.get("head_dim") or 0,
            "attention_bias": bool(config.get("attention_bias", config.get("model_type") == "qwen2")),
        }
        return msgspec.convert(fields, Shape)
    except KeyError as error:
        raise OptionError(f"{path} is that of no decoder known here: it has no {error}") from error
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise TrainingError(f"cannot read {path}: {error}") from error
