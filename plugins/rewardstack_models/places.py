"""Where a model is: a local folder, a folder inside an installed package, what a function gives, a hub id."""

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from rewardstack_models.errors import ModelError

__all__ = ["find_place"]

CONFIG = "config.json"


def find_place(model: str) -> Any:
    """Return what to load: a folder or hub id as text, or the pair (model, tokenizer) that a function gave.

    `model` is tried as a folder with a `config.json`, then as `module:attribute` (a path, a pair, or a function that
    returns either), then as an installed package that ships one such folder; what is none of them is a hub id.

    Raises `ModelError` for a folder without a model, and where module or attribute is missing.
    """
    folder = Path(model).expanduser()
    if (folder / CONFIG).is_file():
        return str(folder)
    if folder.is_dir():
        raise ModelError(f"the folder {model} has no {CONFIG}, so it holds no model")
    if ":" in model:
        module, _, attribute = model.partition(":")
        return from_module(module, attribute, model)
    if "/" not in model and model.isidentifier():
        return from_package(model) or model
    if model.startswith((".", "/", "~")):
        raise ModelError(
            f"there is no folder {model} (relative folders begin at the current one, {Path.cwd()})"
        )
    return model


def from_module(module: str, attribute: str, model: str) -> Any:
    """Return what an attribute of a module is, or gives when it is called."""
    try:
        found = getattr(importlib.import_module(module), attribute)
        made = found() if callable(found) else found
    except Exception as error:
        raise ModelError(f"the model {model!r}: {type(error).__name__}: {error}") from error
    if isinstance(made, (str, Path)):
        return find_place(str(made))
    if isinstance(made, tuple) and len(made) == 2:
        return made
    raise ModelError(f"{model!r} gave {type(made).__name__}, expected a folder or a pair (model, tokenizer)")


def from_package(name: str) -> str | None:
    """Return the one folder with a model that an installed package ships; the package is not imported."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # half installed, or a script that runs under that name
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    found = sorted(
        {
            path.parent
            for place in places
            for path in (*Path(place).glob(CONFIG), *Path(place).glob(f"*/{CONFIG}"))
        }
    )
    if len(found) > 1:
        raise ModelError(
            f"the package {name} ships several models; name one of: {', '.join(map(str, found))}"
        )
    return str(found[0]) if found else None
