"""Reads a data set's test code: which tests it holds, and which names of the program it uses."""

import ast
import builtins
import dis
import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType

from rewardstack_sandbox.entry_points import EntryPoint, read_entry_point
from rewardstack_sandbox.oracle.foresight import NOTHING, Foreseen, called_name, foresee
from rewardstack_sandbox.oracle.rewriting import (
    CLASS_OF,
    COUNT,
    FIXTURE,
    PROGRAM,
    PROGRAM_MODULES,
    RECORD,
    Source,
    ask_for_classes,
    count_assertions,
    is_assertion,
    is_fixture,
    own_fixtures,
    record_assertions,
)
from rewardstack_sandbox.oracle.surroundings import may_replace

__all__ = ["FILE", "SETUP", "Plan", "Step", "make_plan"]

FILE = "<tests>"
SETUP = "setup"
AROUND = frozenset(["setUpModule", "setup_module", "setup_function", "teardown_function"])


@dataclass(frozen=True)
class Step:
    """A piece of test code: its name, and whether it is a test by itself (else one only if it asserts)."""

    name: str
    code: CodeType
    is_test: bool


@dataclass
class Plan:
    """Test code, ready to run.

    `steps` run in order; then `check` is called if it `calls_check`, then the test functions and classes of `found`.
    `around` are those that pytest calls around them. `asserts` are the sources of the assertions directly in `check`.
    `names` are those the program may be asked for; `built_in` those of them that are built-in names too, which count only
    where the program is about nothing else. `derailed` counts the programs for which other calls were made than
    `foreseen`. With `may_replace` the tests may replace streams and functions that the program meets.
    """

    steps: list[Step] = field(default_factory=list)
    asserts: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    built_in: list[str] = field(default_factory=list)
    calls_check: bool = False
    functions: list[str] = field(default_factory=list)
    around: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    foreseen: Foreseen = NOTHING
    derailed: int = 0
    may_replace: bool = False
    entry: EntryPoint | None = None
    asserts_something: bool = False

    @property
    def total(self) -> int:
        """How many tests there are at least."""
        own = sum(step.is_test for step in self.steps)
        return own + (max(1, len(self.asserts)) if self.calls_check else 0) + len(self.functions)

    @functools.cached_property
    def needs(self) -> frozenset[str]:
        """Names the tests take from the program, those of built-ins and of mere attributes left out."""
        return self.needed_by(step.code for step in self.steps)

    @functools.cached_property
    def setup_needs(self) -> frozenset[str]:
        """Those of them that the setup takes: where it does, a program can have it fail."""
        return self.needed_by(step.code for step in self.steps if step.name == SETUP and not step.is_test)

    def needed_by(self, parts: Iterable[CodeType]) -> frozenset[str]:
        """Return the names that some code takes from the program."""
        loaded, stored = set(), set()
        for part in parts:
            for code in all_code(part):
                for instruction in dis.get_instructions(code):
                    if instruction.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
                        loaded.add(instruction.argval)
                    elif instruction.opname in ("STORE_NAME", "STORE_GLOBAL"):
                        stored.add(instruction.argval)
        # through the program as a module all is an attribute
        return frozenset(self.names if PROGRAM in loaded else loaded.intersection(self.names) - stored)


def make_plan(tests: str | Sequence[str], setup: str, entry_point: str | None) -> Plan:
    """Return the plan for some tests; `SyntaxError` or `ValueError` where they do not compile."""
    return cached_plan(tests if isinstance(tests, str) else tuple(tests), setup, entry_point)


@functools.lru_cache(maxsize=256)  # the completions of one group share their tests
def cached_plan(tests: str | tuple[str, ...], setup: str, entry_point: str | None) -> Plan:
    """Return the plan for some tests."""
    plan = Plan(entry=read_entry_point(entry_point) if entry_point else None)
    plan.may_replace = may_replace("\n".join([setup, *([tests] if isinstance(tests, str) else tests)]))
    trees: list[ast.Module] = []
    if setup.strip():
        trees.append(ast.parse(setup))
        ask_for_classes(trees[-1], setup)
        own_fixtures(trees[-1], setup)
        body = count_assertions(trees[-1].body, plan.names)
        plan.steps.append(Step(SETUP, compiled(body), is_test=False))
    if isinstance(tests, str):
        tree = ast.parse(tests)
        open_guard(tree)
        plan.foreseen = foresee_script(tree, plan.entry)
        ask_for_classes(tree, tests)
        own_fixtures(tree, tests)
        source = Source(tests)
        find_tests(tree, plan, source)
        trees.append(tree)
        plan.steps += statement_steps(tree, plan, source)
    else:
        parsed = [ast.parse(text) for text in tests]
        body = [statement for tree in parsed for statement in tree.body]
        plan.foreseen = foresee(body, called_name(body))
        for text, tree in zip(tests, parsed, strict=True):
            trees.append(tree)
            ask_for_classes(tree, text)
            code = compiled(count_assertions(tree.body, plan.names))
            plan.steps.append(Step(text.strip(), code, is_test=True))
    find_names(trees, plan)
    plan.foreseen = certain(plan)
    return plan


def open_guard(tree: ast.Module) -> None:
    """Put what a script does as the main program at its top, where nothing else would call its tests."""
    if any(is_found(node) for node in tree.body):
        return
    tree.body = [
        one
        for node in tree.body
        for one in (node.body if isinstance(node, ast.If) and is_guard(node.test) else [node])
    ]


def is_found(node: ast.stmt) -> bool:
    """Whether a definition is one that is looked for tests: a test function, `check`, or a class."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name.startswith("test") or name == "check"
    return isinstance(node, ast.ClassDef)


def is_guard(condition: ast.expr) -> bool:
    """Whether a condition asks for the main program."""
    match condition:
        case ast.Compare(ast.Name("__name__"), [ast.Eq()], [ast.Constant("__main__")]):
            return True
    return False


def certain(plan: Plan) -> Foreseen:
    """Return the calls that are foreseen, none where the tests take more of the program than the function called.

    What they take besides would have to be asked for before the calls. `candidate` is what they call the entry point.
    """
    name, entry = plan.foreseen.name, plan.entry
    if name not in plan.names or plan.needs - {name}:
        return NOTHING
    if name != "candidate" or entry is None:
        return plan.foreseen
    return Foreseen(entry.name, plan.foreseen.calls) if entry.is_plain else NOTHING


def foresee_script(tree: ast.Module, entry: EntryPoint | None) -> Foreseen:
    """Return the calls that a script is bound to make: HumanEval's `check`, or a script of assertions."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        return foresee(tree.body, called_name(tree.body))
    if entry is None or not entry.is_plain:
        return NOTHING
    if [node.name for node in functions] == ["check"] and len(functions[0].args.args) == 1:
        inner = foresee(functions[0].body, functions[0].args.args[0].arg)
        named = [
            node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in ("check", entry.name)
        ]
        return Foreseen(entry.name, inner.calls) if inner.calls and not named else NOTHING
    return NOTHING


def statement_steps(tree: ast.Module, plan: Plan, source: Source) -> list[Step]:
    """Return a step for each assertion of a script, and for what stands between them."""
    steps: list[Step] = []
    futures = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    group: list[ast.stmt] = []
    for node in tree.body:
        if is_assertion(node):
            steps += group_step(group, futures, plan, source)
            group = []
            steps.append(Step(source.of(node), compiled([*futures, node]), is_test=True))
        else:
            group.append(node)
    return steps + group_step(group, futures, plan, source)


def group_step(group: list[ast.stmt], futures: Sequence[ast.stmt], plan: Plan, source: Source) -> list[Step]:
    """Return a step for statements that are no assertions, none for no statements."""
    if not group:
        return []
    first = source.of(group[0]).partition("\n")[0]
    body = [
        one
        for node in group
        for one in ([node] if plan.asserts and is_check(node) else count_assertions([node], plan.names))
    ]
    return [Step(first[:200], compiled([*futures, *body]), is_test=False)]


def is_check(node: ast.stmt) -> bool:
    """Whether a statement is HumanEval's `check`, whose assertions are recorded already."""
    return isinstance(node, ast.FunctionDef) and node.name == "check"


def compiled(body: Sequence[ast.stmt]) -> CodeType:
    """Return statements as code."""
    return compile(ast.Module(list(dict.fromkeys(body)), []), FILE, "exec", dont_inherit=True)


def find_tests(tree: ast.Module, plan: Plan, source: Source) -> None:
    """Note HumanEval's `check`, test functions and test classes, unless the script calls them itself."""
    called = {
        node.value.func.id
        for node in tree.body
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
    }
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name not in called and not is_fixture(node):
            if node.name == "check" and plan.entry and len(node.args.args) == 1:
                plan.calls_check = True
                node.body, plan.asserts = record_assertions(node.body, source)
            elif node.name == "check" and not plan.entry and len(node.args.args) == 1:
                raise ValueError("check(candidate) is never called: there is no entry_point")
            elif node.name in AROUND:
                plan.around.append(node.name)
            elif node.name.startswith("test") and (plan.entry is None or node.name != plan.entry.name):
                plan.functions.append(node.name)
        elif isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("test"):
            plan.functions.append(node.name)
        elif isinstance(node, ast.ClassDef):
            plan.classes.append(node.name)


def find_names(trees: Iterable[ast.Module], plan: Plan) -> None:
    """Note which names the tests may read of the program: those in their code that they do not define at their top.

    Names of attributes are among them; where a program defines one, the tests are given a name they do not read.
    """
    defined = {name for tree in trees for node in tree.body for name in defined_names(node)}
    read = dict.fromkeys([*plan.names, *(name for step in plan.steps for name in code_names(step.code))])
    own = any(step.is_test for step in plan.steps) or bool(plan.functions or plan.classes)
    plan.asserts_something = own or COUNT in read or RECORD in read or bool(plan.asserts)
    own_words = (CLASS_OF, COUNT, FIXTURE, PROGRAM, RECORD)
    wanted = [one for one in read if one not in defined and one not in own_words and one[:2] != "__"]
    entry = plan.entry.name if plan.entry else ""
    plan.built_in = [name for name in wanted if hasattr(builtins, name) and name != entry]
    plan.names = [name for name in wanted if name not in plan.built_in]
    if entry and entry not in plan.names:
        plan.names.append(entry)


def code_names(code: CodeType) -> Iterator[str]:
    """Yield the global names and attributes in code and in the functions it holds."""
    for one in all_code(code):
        yield from one.co_names


def all_code(code: CodeType) -> Iterator[CodeType]:
    """Yield code and that of the functions it holds."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from all_code(constant)


def defined_names(node: ast.stmt) -> list[str]:
    """Return the names a top-level statement defines."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.ImportFrom(module=module, level=0) if module in PROGRAM_MODULES:
            return []
        case ast.Import() | ast.ImportFrom():
            return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
        case ast.Assign():
            return [
                part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)
            ]
        case ast.AnnAssign(target=ast.Name(id=name)) if node.value is not None:
            return [name]
    return []
