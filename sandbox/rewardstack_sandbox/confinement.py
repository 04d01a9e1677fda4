"""The layers a worker puts around itself, and so around all it forks, before it has seen anything of a program."""

import importlib
import os
import site
import sys
from collections.abc import Sequence
from typing import NamedTuple

from rewardstack_sandbox.kernel import landlock, namespaces, process, seccomp
from rewardstack_sandbox.layers import Layer

__all__ = ["OPEN", "Confinement", "confine", "missing"]

SYSTEM = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/usr/share/zoneinfo")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime", "/dev/zero", "/dev/urandom", "/dev/random")
MOUNTS = "mount namespace"
UNKNOWN = "this platform has no such layer"


class Confinement(NamedTuple):
    """What is in force: what each candidate has to install for itself, and the layers as they are reported."""

    seccomp: bool = False
    landlock: bool = False
    process_namespaces: bool = False
    capabilities: bool = False
    count_threads: bool = False
    layers: tuple[Layer, ...] = ()


OPEN = Confinement()


def confine(more: Sequence[tuple[str, int]] = ()) -> Confinement:
    """Put every layer the kernel offers around this process; `OSError` where one that it offers fails.

    `more` are paths that stay open beside libraries, with their rights.

    The seccomp filter is not among them: it comes last, in each process, since it forbids what is done here.
    """
    if sys.platform != "linux":
        return Confinement(layers=tuple(Layer(name, "absent", UNKNOWN) for name in ("seccomp", "landlock")))
    refusals = namespaces.enter()
    version, opened = landlock.abi(), [*grants(), *more]
    if not version:  # loaded where it is needed: candidates pay for all that is loaded by now
        mounts = importlib.import_module("rewardstack_sandbox.kernel.mounts")
        refusals["mount"] = mounts.enter(opened)
    process.deny_new_privileges()
    if version:
        landlock.restrict(opened)
    processes = not refusals["processes"]
    filtered = seccomp.available()
    return Confinement(
        seccomp=filtered,
        landlock=bool(version),
        process_namespaces=processes,
        capabilities=process.has_capabilities(),
        count_threads=not refusals["user"],
        layers=describe(filtered, version, refusals),
    )


def describe(filtered: bool, version: int, refusals: dict[str, str]) -> tuple[Layer, ...]:
    """Return the layers as they are reported."""
    layers = [
        Layer("seccomp", "active" if filtered else "absent", "" if filtered else "not offered here", True),
        landlock_layer(version),
        Layer("no_new_privs", "active"),
        Layer("limits", "active", "address space, processor time, file size, descriptors, core"),
        Layer("descriptors", "active", "all closed but memory files for input and output"),
        Layer("environment", "active", "empty"),
    ]
    for kind, why in refusals.items():
        layers.append(Layer(f"{kind} namespace", "absent" if why else "active", why))
    return tuple(layers)


def landlock_layer(version: int) -> Layer:
    """Return the report on Landlock: old versions leave truncation, the network or signals to other layers."""
    if not version:
        return Layer("landlock", "absent", "the kernel does not offer it", True)
    state = "active" if version >= landlock.SCOPES_SINCE else "degraded"
    return Layer("landlock", state, f"version {version}", True)


def missing(confinement: Confinement) -> list[str]:
    """Return why this confinement is not strict, empty where it is. A mount namespace takes Landlock's place."""
    absent = {layer.name: layer.detail for layer in confinement.layers if layer.state == "absent"}
    required = ["seccomp", *(["landlock", MOUNTS] if MOUNTS in absent else [])]
    return [f"{name}: {absent[name]}" for name in required if name in absent]


def grants() -> list[tuple[str, int]]:
    """Return what stays readable: libraries, the interpreter's own and the system's, and harmless devices.

    The interpreter may live anywhere (pyenv, conda, a virtual environment), but of its folder only `lib` is opened. So
    may this package, of which a worker imports the rest once it is confined.
    """
    paths = {os.__file__.rpartition("/")[0]}
    for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}:
        paths |= {f"{prefix}/lib", f"{prefix}/lib64"}
    paths |= {*site.getsitepackages(), __file__.rpartition("/")[0]}
    readable = [(path, landlock.READ) for path in sorted(paths | set(SYSTEM))]
    files = [(path, landlock.READ) for path in SYSTEM_FILES]
    return [*readable, *files, ("/dev/null", landlock.READ_WRITE_FILE)]
