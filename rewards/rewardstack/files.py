"""Rewards in files of their own: read as text, run under a private module name, found again by their source."""

import ast
import hashlib
import sys
import threading
import types
from pathlib import Path
from typing import Any

import msgspec

from rewardstack.errors import PluginError, RewardNotFound

__all__ = ["Source", "importable_source", "load_source", "locate", "read_source", "source_hash"]

_loading = threading.RLock()  # a reward file may load another


class Source(msgspec.Struct, frozen=True):
    """Where a reward can be found again, in this or another process.

    `use` is its name; `path` and `text` are the file and its source for rewards that live in a file.
    """

    use: str
    path: str = ""
    text: str | None = None


def locate(place: str, base: Path | None, use: str) -> Path:
    """Return the path of a reward file, relative to `base` or the current folder."""
    try:
        return ((base or Path.cwd()) / Path(place).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # no such user, a NUL in the name
        raise RewardNotFound(f"{use}: {place!r} is no path: {error}") from error


def read_source(path: Path, use: str) -> str:
    """Return the text of a reward file."""
    try:
        return path.read_text("utf-8-sig")
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
    with _loading:  # a second thread must not see the module half run
        if name not in sys.modules:
            run_source(name, path, text)
        return sys.modules[name]


def run_source(name: str, path: str, text: str) -> None:
    """Run a reward file; `PluginError` where it fails, and then nothing of it is left."""
    module = types.ModuleType(name)
    module.__file__ = path
    folder = str(Path(path).parent)
    sys.modules[name] = module
    sys.path.append(folder)
    try:
        code = compile(text, path, "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102 - the user's own file, run as an import would
        check_helpers(path, text)
    except BaseException as error:  # an interrupt must not leave half a module behind either
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt | PluginError):
            raise
        where = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise PluginError(f"{path}{where}: {type(error).__name__}: {error}") from error
    finally:
        del sys.path[len(sys.path) - 1 - sys.path[::-1].index(folder)]  # the last: the user may have it too


def helpers_of(path: str, text: str) -> list[Path]:
    """Return the files beside a reward file that it imports, by the names in its source."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    folder = Path(path).parent
    places = [
        place for name in sorted(names) for place in (folder / f"{name}.py", folder / name / "__init__.py")
    ]
    return [place for place in places if place.is_file()]


def check_helpers(path: str, text: str) -> None:
    """Raise `PluginError` when a helper's name led to a module that some other folder had loaded before."""
    for helper in helpers_of(path, text):
        name = helper.parent.name if helper.name == "__init__.py" else helper.stem
        loaded = getattr(sys.modules.get(name), "__file__", None)
        if (
            loaded is None
            or "site-packages" in loaded
            or Path(loaded).name != helper.name
            or is_standard(name)
        ):
            continue  # files beside a reward never replace what is installed
        if Path(loaded).resolve() != helper.resolve():
            raise PluginError(
                f"{path} imports {name!r}, which is beside it, but {loaded} was loaded under that name before; "
                f"rename one of the two"
            )


def is_standard(name: str) -> bool:
    """Whether a module of that name is Python's own."""
    return name in sys.stdlib_module_names


def source_hash(path: str, text: str) -> str:
    """Return a hash of a reward file and of the helpers beside it that it imports."""
    found = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for helper in helpers_of(path, text):
        found.update(helper.read_bytes())
    return f"sha256:{found.hexdigest()}"


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
