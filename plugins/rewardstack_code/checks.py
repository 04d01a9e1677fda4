"""The checks of `code.static`: one table of named functions, each listing what it finds, by line."""

import ast
import fnmatch
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from rewardstack import import_extra
from rewardstack_code.similarity import similarity
from rewardstack_code.syntax import FILE, complexity, dotted, imports, tree_of
from rewardstack_sandbox import EntryPoint, read_entry_point

__all__ = ["CHECKS", "Asked", "Check", "Finding", "Wanted"]

TRICKS = frozenset(
    [
        "eval", "exec", "compile", "__import__", "globals", "locals", "vars", "breakpoint", "__subclasses__",
        "__bases__", "__mro__", "__globals__", "__builtins__", "__code__", "__closure__", "gi_frame",
        "cr_frame", "f_back", "f_globals", "f_locals", "_getframe", "settrace", "setprofile",
    ]
)  # fmt: skip
RISKY = (
    "os", "sys", "subprocess", "ctypes", "socket", "shutil", "gc", "inspect", "importlib", "builtins", "signal",
)  # fmt: skip


class Finding(NamedTuple):
    """Something found: the line (0 for the whole program) and a sentence."""

    line: int
    text: str


@dataclass(kw_only=True)
class Asked:
    """What is asked of every program: options of the reward, whose docstring describes them."""

    forbidden_imports: tuple[str, ...] = RISKY
    required_imports: tuple[str, ...] = ()
    forbidden_calls: tuple[str, ...] = ()
    required_calls: tuple[str, ...] = ()
    forbidden_names: tuple[str, ...] = ()
    required_names: tuple[str, ...] = ()
    forbidden_nodes: tuple[str, ...] = ()
    required_nodes: tuple[str, ...] = ()
    complexity: int = 20
    lines: int = 200
    similarity: float = 0.95


@dataclass(frozen=True)
class Wanted:
    """What is asked of one program: `asked` of all of them, the rest by its row; `source` is its own text."""

    asked: Asked
    source: str
    entry_point: str | None = None
    parameters: tuple[str, ...] | None = None
    tests: str = ""
    reference: ast.AST | None = None


Check = Callable[[ast.Module, Wanted], Iterator[Finding]]


def functions(tree: ast.Module | ast.ClassDef) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the functions defined at the top of a module or class; a later one of the same name wins."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name: node for node in tree.body if isinstance(node, kinds)}


def classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    """Return the classes defined at the top of a module; a later one of the same name wins."""
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def defined_names(tree: ast.Module | ast.ClassDef) -> set[str]:
    """Return the names of the functions, classes and assignments at the top of a module or class."""
    names = set(functions(tree))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


def asked_function(tree: ast.Module, entry: EntryPoint) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the function or method that an entry point means, None where it is not to be seen."""
    if entry.is_plain:
        return functions(tree).get(entry.name)
    kind = classes(tree).get(entry.name)
    return None if kind is None or len(entry.path) != 1 else functions(kind).get(entry.path[0])


def check_entry_point(tree: ast.Module, wanted: Wanted) -> Iterator[Finding]:
    """The entry point is defined, as a function or class, or by assignment; of a method its class with the method."""
    if not wanted.entry_point:
        return
    entry = read_entry_point(wanted.entry_point)
    kind = classes(tree).get(entry.name)
    if entry.name not in defined_names(tree):
        yield Finding(0, f"{entry.name} is not defined")
    elif kind is not None and len(entry.path) == 1 and lacks(kind, entry.path[0]):
        yield Finding(kind.lineno, f"{entry.name} has no method {entry.path[0]}")


def lacks(kind: ast.ClassDef, name: str) -> bool:
    """Whether a class surely has no attribute of a name: nothing but its own body could give it one."""
    elsewhere = kind.bases or kind.keywords or kind.decorator_list
    return not elsewhere and defined_names(kind).isdisjoint((name, "__getattr__"))


def check_signature(tree: ast.Module, wanted: Wanted) -> Iterator[Finding]:
    """The entry point takes the asked number of arguments."""
    entry = read_entry_point(wanted.entry_point) if wanted.entry_point else None
    function = asked_function(tree, entry) if entry else None
    if entry is None or function is None or wanted.parameters is None:
        return
    given = function.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    decorators = {dotted(one) for one in function.decorator_list}
    if "classmethod" in decorators or (entry.made and "staticmethod" not in decorators):
        names = names[1:]  # the class or the instance
    least = len(names) - len(given.defaults)
    asked = len(wanted.parameters)
    if not (least <= asked and (asked <= len(names) or given.vararg)):
        yield Finding(
            function.lineno, f"{function.name} takes ({', '.join(names)}), asked were {asked} arguments"
        )


def check_imports(tree: ast.Module, wanted: Wanted) -> Iterator[Finding]:
    """No forbidden module is imported, every required one is."""
    found = list(imports(tree))
    for name, line in found:
        if any(name == one or name.startswith(f"{one}.") for one in wanted.asked.forbidden_imports):
            yield Finding(line, f"imports {name}")
    for name in wanted.asked.required_imports:
        if name not in {module for module, _ in found}:
            yield Finding(0, f"does not import {name}")


def check_calls(tree: ast.Module, wanted: Wanted) -> Iterator[Finding]:
    """No forbidden function is called, every required one is; names may hold wildcards (`os.*`)."""
    found = [(dotted(node.func), node.lineno) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for name, line in found:
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted.asked.forbidden_calls):
            yield Finding(line, f"calls {name}")
    for pattern in wanted.asked.required_calls:
        if not any(fnmatch.fnmatchcase(name, pattern) for name, _ in found):
            yield Finding(0, f"does not call {pattern}")


def check_names(tree: ast.Module, wanted: Wanted) -> Iterator[Finding]:
    """No forbidden name is used, every required one is."""
    found = [(node.id, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.Name)]
    for name, line in found:
        if name in wanted.asked.forbidden_names:
            yield Finding(line, f"uses {name}")
    for name in wanted.asked.required_names:
        if name not in {used for used, _ in found}:
            yield Finding(0, f"does not use {name}")


def check_nodes(tree: ast.Module, wanted: Wanted) -> Iterator[Finding]:
    """No forbidden kind of syntax is used, every required one is; kinds are named as in `ast` ("For", "Lambda")."""
    kinds = {type(node).__name__ for node in ast.walk(tree)}
    for node in ast.walk(tree):
        if type(node).__name__ in wanted.asked.forbidden_nodes:
            yield Finding(getattr(node, "lineno", 0), f"uses {type(node).__name__}")
    for kind in wanted.asked.required_nodes:
        if kind not in kinds:
            yield Finding(0, f"does not use {kind}")


def check_tricks(tree: ast.Module, _wanted: Wanted) -> Iterator[Finding]:
    """Nothing of what programs that cheat begin with: eval, frames, subclasses of object."""
    for node in ast.walk(tree):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name in TRICKS:
            yield Finding(getattr(node, "lineno", 0), f"uses {name}")


def check_complexity(tree: ast.Module, wanted: Wanted) -> Iterator[Finding]:
    """No function branches more than allowed."""
    for function in functions(tree).values():
        found = complexity(function)
        if found > wanted.asked.complexity:
            yield Finding(
                function.lineno,
                f"{function.name} has complexity {found}, allowed is {wanted.asked.complexity}",
            )


def check_length(_tree: ast.Module, wanted: Wanted) -> Iterator[Finding]:
    """The program has no more lines than allowed, empty ones left out."""
    count = sum(bool(line.strip()) for line in wanted.source.splitlines())
    if count > wanted.asked.lines:
        yield Finding(0, f"has {count} lines, allowed are {wanted.asked.lines}")


def check_hard_coding(tree: ast.Module, wanted: Wanted) -> Iterator[Finding]:
    """The visible tests' values do not stand in comparisons or dictionaries, two or more of them."""
    known = test_constants(wanted.tests)
    lines = {}
    seen: set[int] = (
        set()
    )  # of nested comparisons the outermost holds all: to go through each would take squares
    for node in ast.walk(tree):
        for constant in compared_constants(node, seen):
            if (key := (type(constant.value).__name__, constant.value)) in known:
                lines[key] = constant.lineno
    if len(lines) >= 2:
        for (_, value), line in sorted(lines.items(), key=lambda one: one[1]):
            yield Finding(line, f"compares with {show_constant(value)}, a value of the tests")


def show_constant(value: Any) -> str:
    """Return a constant as text, cut; an integer may have more digits than the interpreter writes in decimals."""
    return (hex(value) if isinstance(value, int) and abs(value) >> 128 else repr(value))[:40]


def compared_constants(node: ast.AST, seen: set[int]) -> list[ast.Constant]:
    """Return the constants a node compares with or looks up, but for those below nodes `seen`; adds to these."""
    parts: list[Any] = []
    if isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
    elif isinstance(node, ast.Dict):
        parts = list(node.keys)
    elif isinstance(node, ast.MatchValue):
        parts = [node.value]
    inner = [one for part in parts if part is not None and id(part) not in seen for one in ast.walk(part)]
    seen.update(map(id, inner))
    return [one for one in inner if isinstance(one, ast.Constant) and is_telling(one.value)]


def is_telling(value: Any) -> bool:
    """Whether a constant says something: small numbers and short texts stand in every program."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, (int, float)):
        return abs(value) > 10
    return isinstance(value, (str, bytes)) and len(value) > 3


def test_constants(tests: str) -> set[tuple[str, Any]]:
    """Return the telling constants of some tests, by type and value."""
    try:
        tree = tree_of(tests)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {(type(value).__name__, value) for value in values if is_telling(value)}


def check_copy(tree: ast.Module, wanted: Wanted) -> Iterator[Finding]:
    """The program is not the reference itself, names and formatting aside."""
    if wanted.reference is not None:
        found = similarity(tree, wanted.reference)
        if found > wanted.asked.similarity:
            yield Finding(0, f"{found:.0%} alike the reference, allowed are {wanted.asked.similarity:.0%}")


def check_policy(_tree: ast.Module, wanted: Wanted) -> Iterator[Finding]:
    """RestrictedPython's policy takes the program."""
    restricted = import_extra("RestrictedPython", "code", "the check 'policy' of code.static")
    try:
        errors = restricted.compile_restricted_exec(wanted.source, filename=FILE).errors
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # what the parser alone lets pass
        errors = [f"Line {getattr(error, 'lineno', None) or 0}: {error}"]
    for text in errors or ():
        line, _, rest = str(text).removeprefix("Line ").partition(": ")
        yield Finding(int(line) if line.isdecimal() else 0, rest or str(text))


CHECKS: dict[str, tuple[Check, float]] = {
    # name: (check, default weight; 0 for what is only done when asked for)
    "entry_point": (check_entry_point, 2.0),
    "signature": (check_signature, 1.0),
    "imports": (check_imports, 1.0),
    "calls": (check_calls, 1.0),
    "names": (check_names, 1.0),
    "nodes": (check_nodes, 1.0),
    "tricks": (check_tricks, 1.0),
    "hard_coding": (check_hard_coding, 2.0),
    "complexity": (check_complexity, 0.5),
    "length": (check_length, 0.5),
    "copy": (check_copy, 0.0),
    "policy": (check_policy, 0.0),
}
