"""The models in memory: loaded when first asked, one object for all terms and threads, unloaded on request."""

import os
import threading
from typing import Any, Literal

import msgspec

from rewardstack import import_extra
from rewardstack_models.errors import ModelError
from rewardstack_models.hub import explain_loading
from rewardstack_models.padding import choose_pad
from rewardstack_models.places import find_place
from rewardstack_models.quieting import quiet, read_any_length

__all__ = ["HEADS", "Dtype", "Head", "Loaded", "Recipe", "load"]

Head = Literal["sequence", "token", "causal", "embedding"]
Dtype = Literal["auto", "float32", "bfloat16", "float16"]
HEADS: dict[Head, str] = {
    "sequence": "AutoModelForSequenceClassification",
    "token": "AutoModelForTokenClassification",
    "causal": "AutoModelForCausalLM",
    "embedding": "AutoModel",
}
OUTPUT_LAYERS = ("score", "classifier", "v_head", "regression_layer")
NO_LIMIT = 1_000_000  # tokenizers without one say 10^30
_starting = threading.Lock()  # transformers' lazy imports and its default dtype are the process's own


class Recipe(msgspec.Struct, frozen=True):
    """All that decides which model object is meant; terms with equal recipes share one."""

    model: str
    head: Head = "sequence"
    device: str = "auto"
    dtype: Dtype = "auto"
    revision: str = ""
    padding: Literal["right", "left"] = "right"
    remote_code: bool = False


class Loaded:
    """A model at work: its tokenizer, device, own pad token and the most tokens it reads."""

    def __init__(self, recipe: Recipe, model: Any, tokenizer: Any, device: str) -> None:
        self.recipe = recipe
        self.model = model
        self.tokenizer = tokenizer
        self.device = device
        self.pad = choose_pad(model, tokenizer)
        self.limit = token_limit(model.config, tokenizer)
        self.half = any(parameter.element_size() < 4 for parameter in model.parameters())

    def special_tokens(self) -> list[str]:
        """Return every text that the tokenizer reads as one special token."""
        added = getattr(self.tokenizer, "added_tokens_decoder", {}).values()
        found = {*self.tokenizer.all_special_tokens, *(token.content for token in added if token.special)}
        return sorted((text for text in found if len(text) > 2), key=len, reverse=True)


def token_limit(config: Any, tokenizer: Any) -> int:
    """Return how many tokens a model reads, by its tokenizer and its config."""
    text_config = config.get_text_config() if hasattr(config, "get_text_config") else config
    known = (
        getattr(tokenizer, "model_max_length", None),
        getattr(text_config, "max_position_embeddings", None),
    )
    return min((int(limit) for limit in known if limit and 0 < limit < NO_LIMIT), default=NO_LIMIT)


def choose_device(wanted: str) -> str:
    """Return a device: this rank's own GPU where `auto` finds one."""
    if wanted != "auto":
        return wanted
    torch = import_extra("torch", "models", "a model")
    if torch.cuda.is_available():
        return f"cuda:{int(os.environ.get('LOCAL_RANK', '0') or 0) % torch.cuda.device_count()}"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def load(recipe: Recipe, needed_by: str) -> Loaded:
    """Return a model of a recipe, ready to score: in evaluation mode, its output layer in float32.

    Raises `MissingExtra` without torch or transformers, `ModelError` where the model cannot be loaded, or was saved
    without the head that is asked for (whose weights would be random).
    """
    torch = import_extra("torch", "models", needed_by)
    transformers = import_extra("transformers", "models", needed_by)
    device = choose_device(recipe.device)
    dtype = recipe.dtype
    if dtype == "auto":
        dtype = "bfloat16" if device.startswith("cuda") else "float32"
    place = find_place(recipe.model)
    with _starting:
        if isinstance(place, tuple):
            model, tokenizer = place
        else:
            options = {"revision": recipe.revision or None, "trust_remote_code": recipe.remote_code}
            with quiet(transformers):
                model, tokenizer = from_pretrained(
                    transformers, recipe, place, getattr(torch, dtype), options
                )
            read_any_length(tokenizer)
    model = model.to(device).eval().requires_grad_(False)
    widen_output(torch, model)
    return Loaded(recipe, model, tokenizer, device)


def from_pretrained(
    transformers: Any, recipe: Recipe, place: str, dtype: Any, options: dict[str, Any]
) -> Any:
    """Return model and tokenizer from a folder or the hub."""
    kind = getattr(transformers, HEADS[recipe.head])
    try:
        model, told = kind.from_pretrained(place, dtype=dtype, output_loading_info=True, **options)
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, truncation_side="left", **options)
    except Exception as error:  # whatever hub, disk and remote code raise
        raise ModelError(
            f"the model {recipe.model!r} cannot be loaded as {HEADS[recipe.head]}: {explain_loading(error, place)}"
        ) from error
    random = [name for name in sorted(told["missing_keys"]) if name.split(".")[0] in OUTPUT_LAYERS]
    if random and recipe.head in ("sequence", "token"):
        raise ModelError(
            f"the model {recipe.model!r} was saved without the head that {HEADS[recipe.head]} needs ({random[0]}): "
            f"its scores would be random"
        )
    return model, tokenizer


def widen_output(torch: Any, model: Any) -> None:
    """Let the output layer compute in float32, whatever the body does: half precision ties many scores."""
    for name in OUTPUT_LAYERS:
        layer: Any = getattr(model, name, None)
        if isinstance(layer, torch.nn.Module):
            layer.float()
            layer.register_forward_pre_hook(
                lambda _, given: tuple(
                    each.float() if torch.is_floating_point(each) else each for each in given
                )
            )
