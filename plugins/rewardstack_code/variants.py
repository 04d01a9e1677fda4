"""Changes of a program or its tests that keep their meaning: for robustness, audits and data augmentation."""

import ast
import builtins
import keyword
import random
import symtable
from collections.abc import Callable
from typing import TypeVar

from rewardstack_code.syntax import FILE, tree_of

__all__ = ["VARIANTS", "reformat", "rename_variables", "reorder_tests", "strip_comments"]

Item = TypeVar("Item")


def rename_variables(source: str, seed: int = 0) -> str:
    """Return the program with the local variables of its functions renamed; `SyntaxError` where it does not parse.

    Parameters, globals, attributes and names used by nested functions keep theirs, and so does what functions within
    other statements (an `if`, say) hold. A program that looks at its own names (locals, eval, exec) is left as it is.
    """
    tree = tree_of(source)
    if any(
        isinstance(node, ast.Name) and node.id in ("locals", "eval", "exec", "vars", "dir")
        for node in ast.walk(tree)
    ):
        return ast.unparse(tree)
    taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | set(dir(builtins))
    numbers = random.Random(seed)  # noqa: S311 - variety, no secret
    scopes = function_scopes(source)
    for node in function_nodes(tree):
        found = plain_locals(scopes[node.name, node.lineno])
        renames = {name: fresh(taken, numbers) for name in sorted(found)}
        Renaming(renames).visit_body(node)
    return ast.unparse(tree)


def function_nodes(tree: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the functions at the top of a module and of its classes, in order."""
    found = []
    for node in getattr(tree, "body", []):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(node)
        elif isinstance(node, ast.ClassDef):
            found += function_nodes(node)
    return found


def function_scopes(source: str) -> dict[tuple[str, int], symtable.Function]:
    """Return the scopes of all functions by name and line; comprehensions and lambdas are among them."""
    waiting, found = [symtable.symtable(source, FILE, "exec")], {}
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        if isinstance(table, symtable.Function):
            found[table.get_name(), table.get_lineno()] = table
    return found


def plain_locals(scope: symtable.Function) -> set[str]:
    """Return the local variables of a function that nothing else can see."""
    names = {
        symbol.get_name()
        for symbol in scope.get_symbols()
        if symbol.is_local()
        and symbol.is_assigned()
        and not symbol.is_parameter()
        and not symbol.is_imported()
    }
    inner = {name for child in scope.get_children() for name in child.get_identifiers()}
    spaces = {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_namespace()}
    return {name for name in names - inner - spaces if not name.startswith("__")}


def fresh(taken: set[str], numbers: random.Random) -> str:
    """Return a new name and note it."""
    while True:
        name = "".join(numbers.choices("abcdefghijklmnopqrstuvwxyz", k=6))
        if name not in taken and not keyword.iskeyword(name):
            taken.add(name)
            return name


class Renaming(ast.NodeTransformer):
    """Renames variables within a function."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_body(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Rename in a function's statements, its signature left alone."""
        node.body = [self.visit(statement) for statement in node.body]

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Rename a use."""
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """Rename what an exception is caught as."""
        node.name = self.names.get(node.name or "", node.name)
        return self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.AST:
        """Rename what a pattern binds."""
        node.name = self.names.get(node.name or "", node.name)
        return self.generic_visit(node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        """Rename what a mapping pattern binds the rest to."""
        node.rest = self.names.get(node.rest or "", node.rest)
        return self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> ast.AST:
        """Rename what a starred pattern binds."""
        node.name = self.names.get(node.name or "", node.name)
        return self.generic_visit(node)


def strip_comments(source: str, _seed: int = 0) -> str:
    """Return the program without comments and docstrings."""
    tree = tree_of(source)
    for node in ast.walk(tree):
        if isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
        ) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def reformat(source: str, _seed: int = 0) -> str:
    """Return the program in another layout: one blank comment a statement, wide indentation."""
    lines = ast.unparse(tree_of(source)).split("\n")
    if any("'''" in line or '"""' in line or line.endswith("\\") for line in lines):
        return "\n".join(lines)
    spread = [
        f"{line[: indent(line)] * 2}{line[indent(line) :]}  #" if line.strip() else line for line in lines
    ]
    return "\n".join(spread) + "\n"


def indent(line: str) -> int:
    """Return how many spaces a line begins with."""
    return len(line) - len(line.lstrip(" "))


def reorder_tests(tests: str | list[str], seed: int = 0) -> str | list[str]:
    """Return tests in another order: those of a list, or the assertions in HumanEval's `check` and in a script.

    Assertions move only among themselves where nothing stands between them.
    """
    numbers = random.Random(seed)  # noqa: S311
    if not isinstance(tests, str):
        return shuffled(tests, numbers)
    tree = tree_of(tests)
    for body in [tree.body, *(node.body for node in tree.body if isinstance(node, ast.FunctionDef))]:
        shuffle_runs(body, numbers)
    return ast.unparse(tree)


def shuffle_runs(body: list[ast.stmt], numbers: random.Random) -> None:
    """Shuffle each run of assertions in a list of statements."""
    start = 0
    for place in range(len(body) + 1):
        if place == len(body) or not isinstance(body[place], ast.Assert):
            body[start:place] = shuffled(body[start:place], numbers)
            start = place + 1


def shuffled(values: list[Item], numbers: random.Random) -> list[Item]:
    """Return values in another order, the reverse if chance would leave them as they are."""
    order = numbers.sample(range(len(values)), len(values))
    order = order if order != sorted(order) else order[::-1]
    return [values[place] for place in order]


VARIANTS: dict[str, Callable[[str, int], str]] = {
    "renamed": rename_variables,
    "uncommented": strip_comments,
    "reformatted": reformat,
}
