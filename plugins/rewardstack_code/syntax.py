"""A program as a syntax tree, and what its nodes say: names, calls, imports, complexity."""

import ast
import warnings
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Program", "complexity", "dotted", "imports", "parse", "tree_of"]

MOST_CHARACTERS = 100_000
MOST_NESTING = 90
FILE = "<program>"
OPENING, CLOSING = "([{", ")]}"
BRANCHES = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.comprehension, ast.match_case, ast.Assert,
)  # fmt: skip


class Program(NamedTuple):
    """A program's source and its tree; `tree` is None where it does not parse, `reason` then says why."""

    source: str
    tree: ast.Module | None
    reason: str = ""
    line: int = 0


def parse(source: str) -> Program:
    """Parse a program. What could exhaust the parser is refused by size and depth before it is parsed."""
    if len(source) > MOST_CHARACTERS:
        return Program(source, None, f"longer than {MOST_CHARACTERS} characters")
    if nesting(source) > MOST_NESTING:
        return Program(source, None, f"nested more than {MOST_NESTING} deep")
    try:
        return Program(source, tree_of(source))
    except SyntaxError as error:
        return Program(source, None, f"does not parse: {error.msg}", error.lineno or 0)
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return Program(source, None, f"does not parse: {type(error).__name__}")


def tree_of(source: str) -> ast.Module:
    """Return the syntax tree of code that others wrote; raises what `ast.parse` raises.

    The parser's warnings (of escapes that mean nothing) are not shown, and no errors where warnings are: nobody here
    could mend the code. The filter for that stays: to take it back would take back what other threads set meanwhile.
    """
    warnings.filterwarnings("ignore", module=FILE)
    return ast.parse(source, FILE)


def nesting(source: str) -> int:
    """Return how deep brackets, or operators one after the other, go at most; strings count too, which only errs high."""
    depth = deepest = run = longest = 0
    for character in source:
        if character in OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif character in CLOSING:
            depth = max(0, depth - 1)
        run = run + 1 if character in "-+~" else 0 if not character.isspace() else run
        longest = max(longest, run)
    return max(deepest, longest)


def dotted(node: ast.AST) -> str:
    """Return a name or attribute as text (`os.path.join`), an empty text for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield each imported module with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), node.lineno


def complexity(node: ast.AST) -> int:
    """Return the cyclomatic complexity (McCabe 1976): one, and one for each branch and each `and` or `or`."""
    branches = sum(isinstance(one, BRANCHES) for one in ast.walk(node))
    return 1 + branches + sum(len(one.values) - 1 for one in ast.walk(node) if isinstance(one, ast.BoolOp))
