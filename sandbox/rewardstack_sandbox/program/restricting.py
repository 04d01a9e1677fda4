"""RestrictedPython's policy for candidates: a smaller language, without the doors out of it.

A program sees harmless built-ins, harmless modules, and no attribute that leads from an object to the interpreter.
It is one layer more where the kernel's are in force, and the only one on platforms without them: it has been broken
before and will be again, so it always runs in a process with limits, and the tests stay outside as ever.
"""

import ast
import builtins
import importlib
import operator
import string
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from RestrictedPython.compile import compile_restricted_exec
from RestrictedPython.Guards import guarded_iter_unpack_sequence, guarded_unpack_sequence
from RestrictedPython.transformer import INSPECT_ATTRIBUTES, RestrictingNodeTransformer

__all__ = ["MODULES", "compile_restricted", "restricted_names"]

MODULES = frozenset(
    [
        "abc", "array", "bisect", "cmath", "collections", "collections.abc", "copy", "dataclasses", "datetime",
        "decimal", "enum", "fractions", "functools", "hashlib", "heapq", "itertools", "json", "math", "numbers",
        "operator", "random", "re", "statistics", "string", "textwrap", "time", "typing", "sys",
    ]
)  # fmt: skip
SYS = types.SimpleNamespace  # what stands for the module sys
METHODS = frozenset(
    f"__{name}__"
    for name in [
        "init", "eq", "ne", "lt", "le", "gt", "ge", "hash", "str", "repr", "len", "iter", "next", "getitem",
        "setitem", "contains", "add", "sub", "mul", "truediv", "floordiv", "mod", "neg", "abs", "call", "bool",
        "int", "float", "enter", "exit", "name", "doc", "post_init",
    ]
)  # fmt: skip
REFUSED = frozenset(
    {"attrgetter", "methodcaller", "Formatter", "get_type_hints", "ForwardRef", "set_int_max_str_digits"}
)
PLAIN = [
    "abs", "all", "any", "ascii", "bin", "bool", "bytearray", "bytes", "callable", "chr", "classmethod",
    "complex", "dict", "divmod", "enumerate", "filter", "float", "format", "frozenset", "hash", "hex", "id",
    "int", "isinstance", "issubclass", "iter", "len", "list", "map", "max", "min", "next", "object", "oct",
    "ord", "pow", "print", "property", "range", "repr", "reversed", "round", "set", "slice", "sorted",
    "staticmethod", "str", "sum", "super", "tuple", "zip", "input", "Ellipsis", "NotImplemented",
    "__build_class__", "__debug__",
]  # fmt: skip
FIXED = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType)
INPLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv, "%=": operator.imod,
    "**=": operator.ipow, "<<=": operator.ilshift, ">>=": operator.irshift, "|=": operator.ior, "^=": operator.ixor,
    "&=": operator.iand, "//=": operator.ifloordiv, "@=": operator.imatmul,
}  # fmt: skip


class Policy(RestrictingNodeTransformer):
    """The syntax that is allowed: RestrictedPython's, with private names, annotations, `nonlocal` and a real `print`."""

    def check_name(self, node: Any, name: str | None, allow_magic_methods: bool = False) -> None:
        """Allow names like `_helper`, `self._items`, `__name__`; never those of the guards (`_getattr_`)."""
        if name is not None and (is_private(name) or name in METHODS or name in ("print", "input")):
            return
        super().check_name(node, name, allow_magic_methods)

    def visit_Name(self, node: ast.Name) -> Any:  # noqa: N802
        """Leave `print` alone: it writes to the process's own output."""
        if node.id == "print":
            return node
        return super().visit_Name(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:  # noqa: N802
        """Guard private attributes at run time instead of refusing them."""
        if not is_private(node.attr) and node.attr not in METHODS:
            return super().visit_Attribute(node)
        node = self.node_contents_visit(node)
        if isinstance(node.ctx, ast.Load):
            call = ast.Call(ast.Name("_getattr_", ast.Load()), [node.value, ast.Constant(node.attr)], [])
            return ast.fix_missing_locations(ast.copy_location(call, node))
        node.value = ast.Call(ast.Name("_write_", ast.Load()), [node.value], [])
        return ast.fix_missing_locations(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:  # noqa: N802
        """Allow items and attributes as targets: they are guarded as in an assignment, and evaluated once."""
        if isinstance(node.target, ast.Name):
            return super().visit_AugAssign(node)
        node = self.node_contents_visit(node)
        return ast.fix_missing_locations(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:  # noqa: N802
        """Allow annotated assignments."""
        return self.node_contents_visit(node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> Any:  # noqa: N802
        """Allow `nonlocal`: it reaches no further than the program's own functions."""
        return node


def is_private(name: str) -> bool:
    """Whether a name is private and not one of the guards' own."""
    return name.startswith("_") and not name.startswith("__") and not (name.endswith("_") and len(name) > 1)


def compile_restricted(source: str, file: str) -> types.CodeType:
    """Return a program's code under the policy; `SyntaxError` for what the policy does not allow."""
    result = compile_restricted_exec(source, filename=file, policy=Policy)
    if result.code is None:
        raise SyntaxError("; ".join(map(str, result.errors[:5])))
    code: types.CodeType = result.code
    return code


def restricted_names() -> dict[str, Any]:
    """Return the names a restricted program starts with."""
    return {
        "__builtins__": built_ins(),
        "__metaclass__": type,
        "_getattr_": read_attribute,
        "_getitem_": operator.getitem,
        "_getiter_": iter,
        "_iter_unpack_sequence_": guarded_iter_unpack_sequence,
        "_unpack_sequence_": guarded_unpack_sequence,
        "_write_": writable,
        "_inplacevar_": change_in_place,
        "_apply_": lambda function, *arguments, **keywords: function(*arguments, **keywords),
    }


def built_ins() -> dict[str, Any]:
    """Return the built-ins a restricted program has."""
    names = {name: getattr(builtins, name) for name in PLAIN}
    errors = {
        name: value
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    return names | errors | {
        "type": class_of, "getattr": read_attribute, "hasattr": has_attribute,
        "setattr": lambda value, name, new: setattr(writable(value), checked_name(value, name), new),
        "delattr": lambda value, name: delattr(writable(value), checked_name(value, name)),
        "exit": leave, "quit": leave, "__import__": load_module,
    }  # fmt: skip


def class_of(value: Any) -> type:
    """Stand for `type` of one argument; that of three makes classes past the policy."""
    return type(value)


MISSING = object()


def read_attribute(value: Any, name: str, default: Any = MISSING) -> Any:
    """Return an attribute, unless it leads out of the program's own objects."""
    checked_name(value, name)
    if isinstance(value, str) and name in ("format", "format_map"):
        return SafeFormat(value).by_keywords if name == "format_map" else SafeFormat(value).by_position
    if value is str and name in ("format", "format_map"):
        raise AttributeError(f"{name} is not allowed on the class str")
    found = getattr(value, name) if default is MISSING else getattr(value, name, default)
    if isinstance(found, types.ModuleType):  # modules hold the modules that they import
        return load_module(found.__name__, fromlist=("",))
    return found


def checked_name(value: Any, name: str) -> str:
    """Return an attribute's name; `AttributeError` where it is not allowed on a value."""
    private_of_own = is_private(name) and not isinstance(value, (*FIXED, type))
    if type(name) is not str or name in INSPECT_ATTRIBUTES or name in REFUSED:
        raise AttributeError(f"{name} is not allowed")
    if name.startswith("_") and not private_of_own and name not in METHODS:
        raise AttributeError(f"{name} is not allowed")
    return name


def has_attribute(value: Any, name: str) -> bool:
    """Whether a value has an attribute that the program may read."""
    return read_attribute(value, name, MISSING) is not MISSING if is_readable(value, name) else False


def is_readable(value: Any, name: str) -> bool:
    """Whether reading an attribute raises nothing."""
    try:
        read_attribute(value, name)
    except Exception:
        return False
    return True


def writable(value: Any) -> Any:
    """Return a value whose attributes or items may be set; `TypeError` for modules, functions and built-in classes."""
    if isinstance(value, FIXED) or (isinstance(value, type) and value.__module__ != MODULE):
        raise TypeError(f"{type(value).__name__} may not be changed")
    return value


MODULE = "solution"


def change_in_place(sign: str, left: Any, right: Any) -> Any:
    """Return what an augmented assignment assigns."""
    return INPLACE[sign](left, right)


class SafeFormat(string.Formatter):
    """`str.format` whose fields read attributes as the program may."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the value of a replacement field; attributes are not for it."""
        if "." in field_name.replace("..", "") and not field_name.replace(".", "").isdecimal():
            raise AttributeError("attributes in format strings are not allowed")
        return super().get_field(field_name, args, kwargs)

    def by_position(self, *arguments: Any, **keywords: Any) -> str:
        """Stand for `str.format`."""
        return self.vformat(self.text, arguments, keywords)

    def by_keywords(self, mapping: Mapping[str, Any]) -> str:
        """Stand for `str.format_map`."""
        return self.vformat(self.text, (), mapping)


def leave(code: Any = None) -> None:
    """End the program."""
    raise SystemExit(code)


def load_module(
    name: str,
    _globals: Any = None,
    _locals: Any = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    """Import a harmless module."""
    if level or name not in MODULES:
        raise ImportError(f"{name} is not allowed")
    if name == "sys":
        return small_sys()
    for one in fromlist or ():
        if one.startswith("_") or one in REFUSED:
            raise ImportError(f"{one} is not allowed")
    module = importlib.import_module(name)
    for one in fromlist or ():
        if isinstance(getattr(module, one, None), types.ModuleType) and f"{name}.{one}" not in MODULES:
            raise ImportError(f"{one} is not allowed")
    return module if fromlist else importlib.import_module(name.partition(".")[0])


def small_sys() -> Any:
    """Return what of `sys` programs use: streams, arguments, exit, recursion."""
    import sys  # noqa: PLC0415

    kept = (
        "stdin",
        "stdout",
        "stderr",
        "argv",
        "maxsize",
        "setrecursionlimit",
        "getrecursionlimit",
        "version_info",
        "float_info",
    )
    return SYS(exit=leave, **{name: getattr(sys, name) for name in kept})
