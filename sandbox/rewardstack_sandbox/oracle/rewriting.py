"""Rewrites test code so that it can be watched: assertions are counted or recorded, imports of the program taken out.

Only new nodes get places, and only statements are walked: test code is parsed anew for every task.
"""

import ast
from collections.abc import Iterable
from typing import TypeVar

__all__ = [
    "CLASS_OF",
    "COUNT",
    "FIXTURE",
    "PROGRAM",
    "PROGRAM_MODULES",
    "RECORD",
    "Source",
    "ask_for_classes",
    "count_assertions",
    "is_assertion",
    "is_fixture",
    "own_fixtures",
    "record_assertions",
]

COUNT, RECORD, CAUGHT = "_rewardstack_count", "_rewardstack_record", "_rewardstack_error"
CLASS_OF = "_rewardstack_class_of"  # what stands for `type(x)` and `x.__class__`
FIXTURE = "_rewardstack_fixture"  # what stands for `pytest.fixture`
PROGRAM = "_rewardstack_program"  # what stands for the program as a module
PROGRAM_MODULES = (
    "solution",
    "candidate",
    "main",
    "program",
    "your_module",
)  # what tests import the program as
BODIES = ("body", "orelse", "finalbody")
Statement = TypeVar("Statement", bound=ast.stmt)


class Source:
    """Test code as text, to name a test by its own line."""

    def __init__(self, text: str) -> None:
        self.lines = [line.encode() for line in text.splitlines(keepends=True)]

    def of(self, node: ast.stmt) -> str:
        """Return a statement's own text; the tree counts columns in bytes."""
        end = node.end_lineno or node.lineno
        lines = self.lines[node.lineno - 1 : end]
        if not lines:
            return ""
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"".join(lines).decode("utf-8", "replace")


class ClassQuestions(ast.NodeTransformer):
    """Has `type(x)` and `x.__class__` ask what knows the classes of a program's objects."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace `type` where it is asked about one thing."""
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("type") as asked, [_], []):
                asked.id = CLASS_OF
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace a class that is read."""
        self.generic_visit(node)
        if node.attr != "__class__" or not isinstance(node.ctx, ast.Load):
            return node
        name = ast.copy_location(ast.Name(CLASS_OF, ast.Load()), node)
        return ast.copy_location(ast.Call(name, [node.value], []), node)


def ask_for_classes(tree: ast.Module, text: str) -> None:
    """Rewrite the questions for classes in test code, unless something in it is named `type`."""
    if "type" not in text and "__class__" not in text:
        return
    for node in ast.walk(tree):
        match node:
            case ast.Name("type", ast.Store()) | ast.arg("type") | ast.FunctionDef(name="type"):
                return
    ClassQuestions().visit(tree)


def own_fixtures(tree: ast.Module, text: str) -> None:
    """Have the fixtures in test code declared to what runs the tests, in pytest's place."""
    for node in ast.walk(tree) if "fixture" in text else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.decorator_list = [own_decorator(one) for one in node.decorator_list]


def own_decorator(node: ast.expr) -> ast.expr:
    """Return a decorator, ours where it is pytest's for fixtures, with the same options."""
    match node:
        case ast.Call(func=called):
            node.func = own_decorator(called)
        case ast.Attribute(ast.Name("pytest" | "pytest_asyncio"), "fixture") | ast.Name("fixture"):
            return ast.copy_location(ast.Name(FIXTURE, ast.Load()), node)
    return node


def is_fixture(node: ast.FunctionDef) -> bool:
    """Whether a function is declared as a fixture."""
    called = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return any(isinstance(one, ast.Name) and one.id == FIXTURE for one in called)


def is_assertion(node: ast.stmt) -> bool:
    """Whether a statement is an assertion: `assert`, or a call like `numpy.testing.assert_allclose(...)`.

    Those of a test case (`self.assertEqual`) are counted by their test.
    """
    match node:
        case ast.Assert():
            return True
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("self")))):
            return False
        case ast.Expr(ast.Call(ast.Attribute(attr=name))) | ast.Expr(ast.Call(ast.Name(name))):
            return name.startswith("assert")
    return False


def record_assertions(body: list[ast.stmt], source: Source) -> tuple[list[ast.stmt], list[str]]:
    """Return statements of which each assertion records whether it raised, and the assertions' own texts."""
    new: list[ast.stmt] = []
    texts: list[str] = []
    for node in body:
        if is_assertion(node):
            new.append(recorded(node, len(texts)))
            texts.append(source.of(node))
        else:
            new += count_assertions([node], [])
    return new, texts


def recorded(node: ast.stmt, place: int) -> ast.Try:
    """Return a statement that records whether another one raised."""

    def record(error: ast.expr) -> list[ast.stmt]:
        call = ast.Call(ast.Name(RECORD, ast.Load()), [ast.Constant(place), error], [])
        return [placed(ast.Expr(call), node)]

    handler = ast.ExceptHandler(
        ast.Name("BaseException", ast.Load()), CAUGHT, record(ast.Name(CAUGHT, ast.Load()))
    )
    for part in (handler, handler.type):
        if part is not None:
            ast.copy_location(part, node)
    return ast.copy_location(ast.Try([node], [handler], record(ast.Constant(None)), []), node)


def placed(new: Statement, like: ast.stmt) -> Statement:
    """Return a new statement, it and its parts at the place of another one."""
    for part in ast.walk(new):
        ast.copy_location(part, like)
    return new


def count_assertions(body: Iterable[ast.stmt], imported: list[str]) -> list[ast.stmt]:
    """Return statements that count each assertion before it runs, however deep; add what they import of the program."""
    new: list[ast.stmt] = []
    for node in body:
        if is_assertion(node):
            new.append(placed(ast.Expr(ast.Call(ast.Name(COUNT, ast.Load()), [], [])), node))
            new.append(node)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module in PROGRAM_MODULES:
            new += bound_names(node, imported)
        elif isinstance(node, ast.Import) and any(alias.name in PROGRAM_MODULES for alias in node.names):
            new += bound_modules(node)
        else:
            count_within(node, imported)
            new.append(node)
    return new


def count_within(node: ast.AST, imported: list[str]) -> None:
    """Rewrite the statements below a node."""
    for field in BODIES:
        inner = getattr(node, field, None)
        if isinstance(inner, list):
            setattr(node, field, count_assertions(inner, imported))
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        part.body = count_assertions(part.body, imported)


def bound_modules(node: ast.Import) -> list[ast.stmt]:
    """Return what stands for an import of the program as a module: an assignment, and the other imports."""
    ours = [alias for alias in node.names if alias.name in PROGRAM_MODULES]
    others = [alias for alias in node.names if alias not in ours]
    new: list[ast.stmt] = [ast.copy_location(ast.Import(others), node)] if others else []
    for alias in ours:
        target = ast.Name(alias.asname or alias.name, ast.Store())
        new.append(placed(ast.Assign([target], ast.Name(PROGRAM, ast.Load())), node))
    return new


def bound_names(node: ast.ImportFrom, imported: list[str]) -> list[ast.stmt]:
    """Return what stands for an import of the program: its names are there already, other names are assigned."""
    new: list[ast.stmt] = [placed(ast.Pass(), node)]
    for alias in node.names:
        if alias.name != "*":
            imported.append(alias.name)
        if alias.asname not in (None, alias.name):
            target = ast.Name(str(alias.asname), ast.Store())
            new.append(placed(ast.Assign([target], ast.Name(alias.name, ast.Load())), node))
    return new
