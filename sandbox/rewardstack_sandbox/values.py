"""Values as bytes: a safe encoding of plain Python values, rebuilt by exact built-in type.

Only what the tables below name crosses. A subclass of a built-in type does not, whatever it calls itself: nothing of its
behaviour can reach the side that judges. Decoding calls nothing but constructors of built-in and standard types, and is
bounded in depth; what it is given is bounded in size by the channel.
"""

import builtins
import collections
import importlib
import keyword
import struct
from collections.abc import Callable, Iterable
from typing import Any

__all__ = [
    "MUTABLE",
    "PROGRAM_DEPTH",
    "Codec",
    "Malformed",
    "Unsupported",
    "is_built_in",
    "is_named_tuple",
    "whole_numbers",
]

MAX_DEPTH = 400
MOST_VALUES = 1 << 24
PROGRAM_DEPTH = 380  # what a program may give is less: the tests may wrap it and send it back
# what `contents` knows the types of
LIBRARIES = frozenset(
    ["_io", "datetime", "decimal", "fractions", "numpy", "pathlib", "pathlib._local", "uuid"]
)
LENGTH = struct.Struct("<I")
DOUBLE = struct.Struct("<d")
COMPLEX = struct.Struct("<dd")
SMALL = struct.Struct("<q")


class Unsupported(Exception):
    """A value that cannot cross; its text names the type."""


class Malformed(Exception):
    """Bytes that are no encoded value."""


class Codec:
    """Encodes and decodes values.

    `pack_other` is asked for values of other types: it returns a plain value that stands for it, or raises
    `Unsupported`. `unpack_other` turns that back. Without them such values are refused. `deepest` bounds how deep what
    is written may be nested, `deepest_read` what is read.
    """

    def __init__(
        self,
        pack_other: Callable[[Any], Any] | None = None,
        unpack_other: Callable[[Any], Any] | None = None,
        *,
        deepest: int = MAX_DEPTH,
        deepest_read: int = MAX_DEPTH,
    ) -> None:
        self.pack_other = pack_other
        self.unpack_other = unpack_other
        self.deepest = deepest
        self.deepest_read = deepest_read
        self.written: dict[
            int, tuple[int, Any]
        ] = {}  # containers by identity; held, so that none takes another's place
        self.built: list[tuple[Any, int]] = []  # containers, and how many values there are in each
        self.values = 0

    def encode(self, value: Any) -> bytes:
        """Return a value's bytes; `Unsupported` where it has parts that cannot cross."""
        out = bytearray()
        outer, self.written = (
            self.written,
            {},
        )  # to look at a value may ask the other side, which is another message
        try:
            self.write(out, value, 0)
        except RecursionError:
            raise Unsupported("a value nested too deeply") from None
        finally:
            self.written = outer
        return bytes(out)

    def write(self, out: bytearray, value: Any, depth: int) -> None:
        """Append a value's bytes."""
        kind: Any = type(value)
        if depth > self.deepest:
            raise Unsupported("a value nested too deeply")
        if kind is int:
            if -0x8000000000000000 <= value < 0x8000000000000000:
                out += b"i" + SMALL.pack(value)
            else:
                block(out, b"I", value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True))
        elif kind is str:
            block(out, b"s", value.encode("utf-8", "surrogatepass"))
        elif kind in SEQUENCES:
            if id(value) in self.written:
                out += b"r" + LENGTH.pack(self.written[id(value)][0])
                return
            out += SEQUENCES[kind] + LENGTH.pack(len(value))
            for item in value:
                self.write(out, item, depth + 1)
            if kind not in FIXED_CONTAINERS:
                self.written[id(value)] = len(self.written), value
        elif kind in MAPPINGS:
            self.write_mapping(out, value, depth)
        elif kind in SCALARS:
            out += SCALARS[kind](value)
        elif kind in BY_CONTENT:
            out += b"x"
            self.write(out, (kind.__name__, BY_CONTENT[kind](value)), depth + 1)
        elif (
            kind.__module__ in LIBRARIES and (content := library_contents().named_content(value)) is not None
        ):
            out += b"x"
            self.write(out, content, depth + 1)
        elif kind is type and is_built_in(value):
            out += b"x"
            self.write(out, ("type", value.__name__), depth + 1)
        elif is_named_tuple(kind):
            out += b"N"
            self.write(out, (kind.__name__, tuple(value._fields), tuple(value)), depth + 1)
        elif self.pack_other is not None:
            packed = self.pack_other(value)
            out += b"h"
            self.write(out, packed, depth + 1)
        else:
            raise Unsupported(kind.__name__)

    def write_mapping(self, out: bytearray, value: Any, depth: int) -> None:
        """Append a mapping's bytes: its items, one after the other."""
        if id(value) in self.written:
            out += b"r" + LENGTH.pack(self.written[id(value)][0])
            return
        out += MAPPINGS[type(value)] + LENGTH.pack(len(value))
        for key, item in dict.items(value):
            self.write(out, key, depth + 1)
            self.write(out, item, depth + 1)
        self.written[id(value)] = len(self.written), value

    def decode(self, data: bytes) -> Any:
        """Return the value that bytes stand for; `Malformed` where they stand for none."""
        outer = self.built, self.values
        self.built, self.values = [], 0  # so may building one: the hash of a key that stands for an object
        try:
            value, place = self.read(data, 0, 0)
        except Malformed:
            raise
        except Exception as error:  # short data, wrong UTF-8, unhashable keys, values a constructor refuses
            raise Malformed(f"{type(error).__name__}") from None
        finally:
            self.built, self.values = outer
        if place != len(data):
            raise Malformed("more than one value")
        return value

    def read(self, data: bytes, place: int, depth: int) -> tuple[Any, int]:
        """Return the value at a place and where it ends."""
        tag = data[place]
        place += 1
        if depth > self.deepest_read:
            raise Malformed("nested too deeply")
        if tag == 105:  # i
            return SMALL.unpack_from(data, place)[0], place + 8
        if tag in BLOCKS:
            end = place + 4 + LENGTH.unpack_from(data, place)[0]
            if end > len(data):
                raise Malformed("cut off")
            return BLOCKS[tag](data[place + 4 : end]), end
        if tag in SEQUENCE_TAGS:
            (size,) = LENGTH.unpack_from(data, place)
            before = self.values
            value, place = self.read_many(data, place + 4, depth, size, SEQUENCE_TAGS[tag])
            if tag not in FIXED_TAGS:
                self.built.append((value, self.values - before))
            return value, place
        if tag in MAPPING_TAGS:
            (size,) = LENGTH.unpack_from(data, place)
            before = self.values
            items, place = self.read_many(data, place + 4, depth, 2 * size, list)
            value = MAPPING_TAGS[tag](zip(items[::2], items[1::2], strict=True))
            self.built.append((value, self.values - before))
            return value, place
        if tag == 114:  # r
            return self.again(LENGTH.unpack_from(data, place)[0]), place + 4
        if tag in CONSTANTS:
            return CONSTANTS[tag], place
        if tag in FIXED:
            shape, build = FIXED[tag]
            return build(*shape.unpack_from(data, place)), place + shape.size
        if tag in (120, 78, 104):  # x, N, h
            inner, place = self.read(data, place, depth + 1)
            return self.rebuild(tag, inner), place
        raise Malformed(f"unknown tag {tag}")

    def read_many(
        self, data: bytes, place: int, depth: int, size: int, build: Callable[[list[Any]], Any]
    ) -> tuple[Any, int]:
        """Return a container of `size` values."""
        if size > len(data) - place:
            raise Malformed("cut off")
        self.values += size
        items = []
        for _ in range(size):
            item, place = self.read(data, place, depth + 1)
            items.append(item)
        return build(items), place

    def again(self, number: int) -> Any:
        """Return a container that is in several places; all of them together are no more than there could be without."""
        value, values = self.built[number]
        self.values += values
        if self.values > MOST_VALUES:
            raise Malformed("too many values")
        return value

    def rebuild(self, tag: int, inner: Any) -> Any:
        """Return a value that was sent by its content, or that stands for something else."""
        if tag == 120:
            name, content = inner
            build = REBUILD[name] if name in REBUILD else library_contents().REBUILD[name]
            return build(content)
        if tag == 78:
            return named_tuple(*inner)
        if self.unpack_other is None:
            raise Malformed("a value without meaning here")
        return self.unpack_other(inner)


def block(out: bytearray, tag: bytes, data: bytes) -> None:
    """Append a tag, a length and bytes."""
    out += tag
    out += LENGTH.pack(len(data))
    out += data


def is_built_in(kind: type) -> bool:
    """Whether a class is a built-in one."""
    return getattr(builtins, kind.__name__, None) is kind


def library_contents() -> Any:
    """Return the module that knows the values of libraries. It is dear, and most programs have none."""
    return importlib.import_module("rewardstack_sandbox.contents")


def is_named_tuple(kind: type) -> bool:
    """Whether a class looks like what `namedtuple` makes; its content is all that is taken of it."""
    names = getattr(kind, "_fields", None)
    return type(names) is tuple and kind.__bases__ == (tuple,)


def named_tuple(name: str, names: Iterable[str], values: Iterable[Any]) -> Any:
    """Return a named tuple of a class made here."""
    fields = [str(field) for field in names]
    if len(fields) > 100 or not all(field.isidentifier() and field.isascii() for field in [name, *fields]):
        raise Malformed("field names")
    if any(keyword.iskeyword(field) for field in [name, *fields]):
        raise Malformed("field names")
    return collections.namedtuple(name, fields)(*values)  # noqa: PYI024 - its fields come late


SEQUENCES: dict[type, bytes] = {
    list: b"l",
    tuple: b"u",
    set: b"e",
    frozenset: b"z",
    collections.deque: b"D",
}
MAPPINGS: dict[type, bytes] = {
    dict: b"m",
    collections.Counter: b"C",
    collections.defaultdict: b"G",
    collections.OrderedDict: b"O",
}
SCALARS: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda _: b"n",
    bool: lambda value: b"t" if value else b"f",
    float: lambda value: b"d" + DOUBLE.pack(value),
    complex: lambda value: b"c" + COMPLEX.pack(value.real, value.imag),
    type(...): lambda _: b".",
    type(NotImplemented): lambda _: b"!",
    bytes: lambda value: b"b" + LENGTH.pack(len(value)) + value,
    bytearray: lambda value: b"B" + LENGTH.pack(len(value)) + bytes(value),
}
BY_CONTENT: dict[type, Callable[[Any], Any]] = {
    range: lambda value: (value.start, value.stop, value.step),
    slice: lambda value: (value.start, value.stop, value.step),
    type({}.keys()): list,
    type({}.values()): list,
    type({}.items()): list,
}


def whole_numbers(*values: Any) -> tuple[int, ...]:
    """Return numbers that are exactly integers; `Malformed` otherwise."""
    if any(type(value) is not int for value in values):
        raise Malformed("not an integer")
    return values


def built_in_type(name: str) -> type:
    """Return a built-in class by name."""
    found = getattr(builtins, name)
    if type(found) is not type:
        raise Malformed("no class")
    return found


REBUILD: dict[str, Callable[[Any], Any]] = {
    "type": built_in_type,
    "range": lambda content: range(*whole_numbers(*content)),
    "slice": lambda content: slice(*content),
    "dict_keys": lambda content: dict.fromkeys(content).keys(),
    "dict_values": lambda content: dict(enumerate(content)).values(),
    "dict_items": lambda content: dict(content).items(),
}
BLOCKS: dict[int, Callable[[bytes], Any]] = {
    ord("s"): lambda data: data.decode("utf-8", "surrogatepass"),
    ord("I"): lambda data: int.from_bytes(data, "little", signed=True),
    ord("b"): bytes,
    ord("B"): bytearray,
}
SEQUENCE_TAGS: dict[int, Callable[[list[Any]], Any]] = {
    ord("l"): lambda items: items,
    ord("u"): tuple,
    ord("e"): set,
    ord("z"): frozenset,
    ord("D"): collections.deque,
}
MAPPING_TAGS: dict[int, Callable[[Any], Any]] = {
    ord("m"): dict,
    ord("C"): lambda items: collections.Counter(dict(items)),
    ord("G"): lambda items: collections.defaultdict(None, items),
    ord("O"): collections.OrderedDict,
}
FIXED_CONTAINERS, FIXED_TAGS = (tuple, frozenset), b"uz"  # which cannot be changed, in one place or another
MUTABLE = frozenset([*SEQUENCES, *MAPPINGS, bytearray]).difference(FIXED_CONTAINERS)
CONSTANTS = {ord("n"): None, ord("t"): True, ord("f"): False, ord("."): ..., ord("!"): NotImplemented}
FIXED: dict[int, tuple[struct.Struct, Callable[..., Any]]] = {
    ord("d"): (DOUBLE, float),
    ord("c"): (COMPLEX, complex),
}
