"""How alike two programs are by their syntax trees, whatever their names, comments and formatting."""

import ast
from collections import Counter
from collections.abc import Iterator

__all__ = ["similarity"]

MOST_NODES = 20_000
HEIGHT = 3


def similarity(left: ast.AST, right: ast.AST) -> float:
    """Return the share of small subtrees that two trees have in common (Dice), 0 to 1; names and constants are free.

    After Baxter et al., "Clone detection using abstract syntax trees" (1998), with subtrees cut at a small height.
    """
    ours, theirs = Counter(shapes(left)), Counter(shapes(right))
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 1.0


def shapes(tree: ast.AST) -> Iterator[str]:
    """Yield the shape of every subtree."""
    for place, node in enumerate(ast.walk(tree)):
        if place >= MOST_NODES:
            return
        if isinstance(node, (ast.stmt, ast.expr)) and not isinstance(node, ast.Name):
            yield shape(node, HEIGHT)


def shape(node: ast.AST, height: int) -> str:
    """Return a node's kind and those of what is below it, down to a height."""
    name = type(node).__name__
    if height == 0:
        return name
    parts = [
        shape(child, height - 1)
        for child in ast.iter_child_nodes(node)
        if not isinstance(child, ast.expr_context)
    ]
    return f"{name}({','.join(parts)})" if parts else name
