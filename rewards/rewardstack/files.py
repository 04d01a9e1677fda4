"""Rewards in files of their own: read as text, run under a private module name, found again by their source."""

import hashlib
import sys
import types
from pathlib import Path
from typing import Any

import msgspec

from rewardstack.errors import PluginError, RewardNotFound

__all__ = ["Source", "importable_source", "load_source", "read_source"]


class Source(msgspec.Struct, frozen=True):
    """Where a reward can be found again, in this or another process.

    `use` is its name; `path` and `text` are the file and its source for rewards that live in a file.
    """

    use: str
    path: str = ""
    text: str | None = None


def read_source(path: Path, use: str) -> str:
    """Return the text of a reward file."""
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise RewardNotFound(f"{use}: cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PluginError(f"{use}: {path} is not UTF-8 text") from error


def load_source(path: str, text: str) -> types.ModuleType:
    """Run a reward file as a module under a private name, once for each content.

    Its folder is importable while it loads, behind everything else, so helpers beside it work and nothing is shadowed.
    """
    digest = hashlib.sha256(f"{path}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    name = f"_rewardstack_file_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    module = types.ModuleType(name)
    module.__file__ = path
    folder = str(Path(path).parent)
    sys.modules[name] = module
    sys.path.append(folder)
    try:
        code = compile(text, path, "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102 - the user's own file, run as an import would
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        where = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise PluginError(f"{path}{where}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(folder)
    return module


def importable_source(target: Any) -> Source | None:
    """Return the name a function or class can be imported by elsewhere, or None (lambdas, notebooks, scripts)."""
    module, name = getattr(target, "__module__", None), getattr(target, "__qualname__", "")
    if not module or module == "__main__" or "<" in name:
        return None
    file_module = sys.modules.get(module)
    if module.startswith("_rewardstack_file_") and file_module is not None and file_module.__file__:
        path = file_module.__file__
        return Source(f"{Path(path).name}:{name}", path, Path(path).read_text("utf-8"))
    found: Any = file_module
    for part in name.split("."):
        found = getattr(found, part, None)
    return Source(f"{module}:{name}") if found is target else None
