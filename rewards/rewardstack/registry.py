"""Finds a reward by name: in a plugin, in a module, in a file. Plugins are imported when one is asked for."""

import hashlib
import importlib
import importlib.metadata
import logging
import os
import sys
import types
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pluggy

from rewardstack.contract import is_marked, name_of
from rewardstack.errors import PluginError, RewardNotFound, nearest
from rewardstack.files import Source, importable_source, load_source, locate, read_source, source_hash
from rewardstack.hookspecs import Config, HookSpecs
from rewardstack.signature import Reward, describe

__all__ = ["Extension", "Plugin", "Registry", "configure", "extensions", "registry"]

logger = logging.getLogger("rewardstack")

GROUP = "rewardstack"
HOOKS_GROUP = "rewardstack.hooks"
ALLOW_VARIABLE = "REWARDSTACK_PLUGINS"
BLOCK_VARIABLE = "REWARDSTACK_NO_PLUGINS"


class Plugin(msgspec.Struct, frozen=True):
    """A loaded plugin: its module, its distribution and the rewards in it, by their short names."""

    name: str
    module: Any
    distribution: str
    version: str
    rewards: dict[str, Any]


class Extension(msgspec.Struct, frozen=True):
    """A sandbox backend or an audit probe that a plugin registered by hook."""

    name: str
    make: Callable[..., Any]
    summary: str


class Registry:
    """All plugins of this environment; entry points are read once, sorted by name, and imported lazily.

    `broken` holds, for plugins that could not be loaded, the reason: a broken plugin harms nobody else.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.broken: dict[str, str] = {}
        self.hooks = pluggy.PluginManager("rewardstack")
        self.hooks.add_hookspecs(HookSpecs)
        self._plugins: dict[str, Plugin] = {}
        self._entries: dict[str, list[importlib.metadata.EntryPoint]] | None = None
        self._observers_loaded = False

    @property
    def entries(self) -> dict[str, list[importlib.metadata.EntryPoint]]:
        """Entry points of the group `rewardstack` by name, sorted; more than one where a name has two owners."""
        if self._entries is None:
            found: dict[str, list[importlib.metadata.EntryPoint]] = {}
            for entry in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda entry: entry.name):
                if self.allows(entry.name) and entry.value not in [
                    other.value for other in found.get(entry.name, [])
                ]:
                    found.setdefault(entry.name, []).append(entry)
            self._entries = found
        return self._entries

    def allows(self, name: str) -> bool:
        """Whether a plugin may be loaded (`REWARDSTACK_PLUGINS`, `--no-plugin`)."""
        allowed = self.config.allowed
        return name not in self.config.blocked and (allowed is None or name in allowed)

    def plugin(self, name: str) -> Plugin:
        """Return a plugin by name, loading it on first use.

        Raises `RewardNotFound` where there is none or two, `PluginError` where it cannot be loaded.
        """
        loaded = self._plugins.get(name)
        if loaded is not None:
            return loaded
        entries = self.entries.get(name)
        if entries is None:
            raise RewardNotFound(self._no_plugin(name))
        if len(entries) > 1:
            owners = " and ".join(sorted(owner_of(entry)[0] for entry in entries))
            raise RewardNotFound(f"the plugin name {name!r} has two owners: {owners}; uninstall one")
        try:
            plugin = self._load(entries[0])
        except (KeyboardInterrupt, MemoryError):
            raise
        except (
            BaseException
        ) as error:  # what a plugin raises on import, SystemExit included, stops at the plugin
            self.broken[name] = f"{type(error).__name__}: {error}"
            distribution = owner_of(entries[0])[0]
            raise PluginError(
                f"plugin {name!r} (from {distribution}) cannot be loaded: {self.broken[name]}"
            ) from error
        self._plugins[name] = plugin
        return plugin

    def plugins(self) -> list[Plugin]:
        """Load and return all plugins that can be loaded; the others are in `broken`."""
        loaded = []
        for name in self.entries:
            try:
                loaded.append(self.plugin(name))
            except RewardNotFound as error:
                self.broken.setdefault(name, str(error))
        return loaded

    def observers(self) -> None:
        """Load the hook plugins (group `rewardstack.hooks`), once; broken ones are told of and harm nobody."""
        if self._observers_loaded:
            return
        self._observers_loaded = True
        found = importlib.metadata.entry_points(group=HOOKS_GROUP)
        for entry in sorted(found, key=lambda entry: entry.name):
            if not self.allows(entry.name):
                continue
            try:
                self.add(entry.load(), entry.name)
            except (Exception, SystemExit) as error:
                self.broken[entry.name] = f"{type(error).__name__}: {error}"
                logger.warning("the hook plugin %r cannot be loaded: %s", entry.name, self.broken[entry.name])

    def add(self, plugin: object, name: str) -> None:
        """Register an object or module that implements hooks, unless it is there already, and configure it."""
        if self.hooks.is_registered(plugin):
            return
        taken = self.hooks.get_plugin(name) is not None
        self.hooks.register(
            plugin, f"{name} ({getattr(plugin, '__name__', type(plugin).__name__)})" if taken else name
        )
        self._call_on(plugin, "rewards_configure", config=self.config)

    def call_each(self, hook: str, **arguments: Any) -> list[tuple[str, Any]]:
        """Call a hook of every loaded plugin by itself and return what each gave, with the plugin's name.

        A hook that raises is logged and changes nothing for the others.
        """
        self.observers()
        answers = []
        for implementation in list(getattr(self.hooks.hook, hook).get_hookimpls()):
            name = implementation.plugin_name
            try:
                answers += [
                    (name, answer) for answer in self._call_on(implementation.plugin, hook, **arguments)
                ]
            except (Exception, SystemExit):
                logger.exception("the %s hook of plugin %r failed", hook, name)
        return answers

    def find(self, use: Any, base: Path | None = None) -> tuple[Reward, Source | None]:
        """Return the reward that `use` names, and where it can be found again.

        `use` is a name (`plugin.reward`, `package.module:thing`, `path/file.py:thing`, relative to `base`) or a
        function, dataclass or callable object itself. The source is `None` for those that only live in this process.
        """
        if not isinstance(use, str):
            return describe(use, name_of(use)), importable_source(use)
        place, colon, attribute = use.rpartition(":")
        source = Source(use)
        if colon and place.endswith(".py"):
            path = locate(place, base, use)
            source = Source(f"{place}:{attribute}", str(path), read_source(path, use))
        return self.find_again(source), source

    def find_again(self, source: Source) -> Reward:
        """Return the reward a source describes."""
        name = source.use
        if ":" not in name and "." not in name:  # a plugin named for its one reward
            name = f"{name}.{name}"
        return describe(self.load(source), name)

    def load(self, source: Source) -> Any:
        """Return the function or class a source describes: how workers and unpickled stacks find it."""
        place, colon, attribute = source.use.rpartition(":")
        if source.text is not None:
            return attribute_of(load_source(source.path, source.text), attribute, source.use)
        if colon:
            return attribute_of(import_module(place, source.use), attribute, source.use)
        return self._load_from_plugin(source.use)

    def extensions(self, hook: str) -> list[Extension]:
        """Return what all plugins register through `rewards_sandboxes` or `rewards_audit_probes`."""
        found: list[Extension] = []

        def register(name: str, make: Callable[..., Any], summary: str = "") -> None:
            found.append(Extension(name, make, summary))

        self.plugins()
        self.call_each(hook, register=register)
        return sorted(found, key=lambda extension: extension.name)

    def version_of(self, source: Source) -> str:
        """Return what the code behind a source is: a file's hash, or `distribution version`."""
        if source.text is not None:
            return source_hash(source.path, source.text)
        if ":" in source.use:
            package = source.use.partition(":")[0].partition(".")[0]
            names = importlib.metadata.packages_distributions().get(package, [])
            owners = " ".join(f"{name} {importlib.metadata.version(name)}" for name in sorted(set(names)))
            return owners or hash_of_module(source.use.partition(":")[0])
        plugin = self.plugin(source.use.partition(".")[0])
        return f"{plugin.distribution} {plugin.version}"

    def _load_from_plugin(self, use: str) -> Any:
        name, _, short = use.partition(".")
        plugin = self.plugin(name)
        target = plugin.rewards.get(short or name)
        if target is None:
            known = [f"{name}.{reward}" for reward in plugin.rewards]
            raise RewardNotFound(
                f"plugin {name!r} has no reward {short or name!r}{nearest(use, known)}. It has: {', '.join(known) or 'none'}"
            )
        return target

    def _no_plugin(self, name: str) -> str:
        if not self.allows(name):
            why = f"{ALLOW_VARIABLE} does not name it" if name not in self.config.blocked else "it is blocked"
            return f"plugin {name!r} is not loaded: {why}"
        known = ", ".join(self.entries) or "none"
        return (
            f"no plugin called {name!r}{nearest(name, self.entries)}. Installed plugins: {known}. "
            f"Rewards of your own are named 'package.module:function' or 'path/file.py:function'"
        )

    def _load(self, entry: importlib.metadata.EntryPoint) -> Plugin:
        loaded = entry.load()
        distribution, version = owner_of(entry)
        if isinstance(loaded, types.ModuleType):
            rewards = {name: value for name, value in public_names(loaded).items() if is_marked(value)}
        else:
            rewards = {entry.name: loaded}
        self.add(loaded, entry.name)
        self._call_on(loaded, "rewards_register", register=rewards.__setitem__)
        return Plugin(entry.name, loaded, distribution, version, dict(sorted(rewards.items())))

    def _call_on(self, plugin: object, hook: str, **arguments: Any) -> list[Any]:
        """Call a hook of one plugin alone and return what it gave."""
        others = [other for other in self.hooks.get_plugins() if other is not plugin]
        return list(self.hooks.subset_hook_caller(hook, others)(**arguments))


def hash_of_module(name: str) -> str:
    """Return a hash of the file of a module that no distribution owns, empty where it has none."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return f"sha256:{hashlib.sha256(Path(file).read_bytes()).hexdigest()}" if file else ""


def public_names(module: types.ModuleType) -> dict[str, Any]:
    """Return what a plugin offers: the names in its `__all__`, else those that are its package's own."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return {name: getattr(module, name) for name in listed}
    package = module.__name__.partition(".")[0]
    return {
        name: value
        for name, value in vars(module).items()
        if name[0] != "_" and str(getattr(value, "__module__", "")).partition(".")[0] == package
    }


def owner_of(entry: importlib.metadata.EntryPoint) -> tuple[str, str]:
    """Return name and version of the distribution an entry point belongs to."""
    return (entry.dist.name, entry.dist.version) if entry.dist else ("an unknown distribution", "")


def import_module(name: str, use: str) -> types.ModuleType:
    """Import a module for a reward; `PluginError` says what went wrong."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and name.startswith(error.name):
            raise RewardNotFound(f"{use}: there is no module {name!r}") from error
        raise PluginError(
            f"{use}: importing {name!r} needs {error.name!r}, which is not installed"
        ) from error
    except (Exception, SystemExit) as error:
        raise PluginError(f"{use}: importing {name!r} failed: {type(error).__name__}: {error}") from error


def attribute_of(module: types.ModuleType, path: str, use: str) -> Any:
    """Return a (dotted) attribute of a module; the error names the nearest."""
    found: Any = module
    for name in path.split("."):
        if not hasattr(found, name):
            members = getattr(found, "__dict__", {})
            callables = [key for key, value in members.items() if callable(value) and key[0] != "_"]
            marked = [key for key in callables if is_marked(getattr(found, key))] or callables
            raise RewardNotFound(
                f"{use}: there is no {name!r}{nearest(name, callables)}. It has: {', '.join(marked) or 'nothing callable'}"
            )
        found = getattr(found, name)
    return found


def names_in(variable: str) -> frozenset[str] | None:
    """Return the comma-separated names in an environment variable, None where it is not set."""
    value = os.environ.get(variable)
    return None if value is None else frozenset(filter(None, (name.strip() for name in value.split(","))))


@cache
def registry() -> Registry:
    """Return this process's registry."""
    return Registry(Config(allowed=names_in(ALLOW_VARIABLE), blocked=names_in(BLOCK_VARIABLE) or frozenset()))


def extensions(hook: str) -> list[Extension]:
    """Return what this process's plugins register through `rewards_sandboxes` or `rewards_audit_probes`, by name.

    Imports every plugin. Each has a `name`, a `summary`, and `make`, the factory or probe itself.
    """
    return registry().extensions(hook)


def configure(command: str = "", blocked: Iterable[str] = ()) -> Registry:
    """Start a fresh registry for a command; worker processes inherit what is blocked."""
    if blocked:
        os.environ[BLOCK_VARIABLE] = ",".join(sorted({*(names_in(BLOCK_VARIABLE) or ()), *blocked}))
    registry.cache_clear()
    fresh = registry()
    fresh.config = msgspec.structs.replace(fresh.config, command=command)
    return fresh
