"""Containers that are attributes of a program's objects: changed by the tests, seen to change by them."""

import collections

import pytest

from rewardstack_sandbox.refilling import refill

PROGRAM = """
class Cart:
    def __init__(self):
        self.items, self.log, self.seen = {}, [], set()
    def total(self):
        self.log.append("total")
        return sum(self.items.values())
    def count(self): return len(self.items), len(self.log), len(self.seen)
    def clear(self): self.items.clear()
    def renew(self): self.items = {}
    @property
    def names(self): return list(self.items)
class Book:
    def __init__(self, name): self.name = name
class Shelf:
    def __init__(self): self.books = [Book("a"), Book("b")]
    def add(self, name): self.books.append(Book(name))
    def names(self): return [book.name for book in self.books]
"""
LIVE = {
    "an item set": "cart.items['a'] = 3\nassert cart.total() == 3",
    "an item deleted": "cart.items['a'] = 3\ncart.items['b'] = 4\ndel cart.items['a']\nassert cart.total() == 4",
    "appended, added": "cart.log.append('x')\ncart.seen.add(1)\nassert cart.count() == (0, 1, 1)",
    "seen to change": "log = cart.log\ncart.total()\ncart.total()\nassert log == ['total'] * 2",
    "emptied": "items = cart.items\nitems['a'] = 1\ncart.clear()\nassert items == {}",
    "replaced": "items = cart.items\nitems['a'] = 1\ncart.renew()\nassert items == {'a': 1} and cart.items == {}",
    "a copy stays": "names = cart.names\ncart.items['a'] = 1\nassert cart.total() == 1\nassert names == [] and cart.names == ['a']",
    "the same": "assert cart.log is cart.log",
    "objects within": "shelf.books.remove(shelf.books[0])\nassert shelf.names() == ['b']\nshelf.add('c')\n"
    "assert shelf.books[1].name == 'c' and len(shelf.books) == 2",
    "many": "carts = [Cart() for _ in range(40)]\nfor one in carts:\n    one.log.append('x')\n"
    "assert carts[-1].count() == (0, 1, 0)",
    "what cannot cross": "cart.log.append(object())\ncart.items['a'] = 1\nassert cart.total() == 1",
}


@pytest.mark.parametrize("form", LIVE)
def test_both_sides_see_changes(sandbox, form):
    report = sandbox.run_tests(PROGRAM, f"cart, shelf = Cart(), Shelf()\n{LIVE[form]}")
    assert report.passed, report


@pytest.mark.parametrize("form", ["an item set", "seen to change", "objects within"])
def test_a_program_that_copies_is_told_from_one_that_does_not(sandbox, form):
    copying = PROGRAM.replace(
        "self.items, self.log, self.seen = {}, [], set()", "self._items, self._log, self.seen = {}, [], set()"
    )
    copying = copying.replace(
        "def total",
        "items = property(lambda self: dict(self._items))\n    log = property(lambda self: list(self._log))\n    def total",
    )
    copying = copying.replace('self.log.append("total")', 'self._log.append("total")').replace(
        "self.books = [", "self._books = ["
    )
    copying = copying.replace("self.books.append", "self._books.append").replace(
        "def add", "books = property(lambda self: list(self._books))\n    def add"
    )
    report = sandbox.run_tests(copying, f"cart, shelf = Cart(), Shelf()\n{LIVE[form]}")
    assert (report.passed, report.status) == (False, "wrong_answer")


@pytest.mark.parametrize("kind", ["deque", "list", "OrderedDict.fromkeys", "set"])
def test_tests_may_ask_the_program_while_they_go_through_a_container(sandbox, kind):
    program = f"""
from collections import OrderedDict, deque
class Line:
    def __init__(self, items): self.items = {kind}(items)
    def has(self, one): return one in self.items
"""
    tests = "line = Line(range(3))\nassert [one for one in line.items if line.has(one)] == [0, 1, 2]"
    assert sandbox.run_tests(program, tests).passed


KINDS = {
    "list": list, "dict": dict, "set": set, "bytearray": bytearray, "deque": collections.deque,
    "Counter": collections.Counter, "OrderedDict": collections.OrderedDict,
    "defaultdict": lambda: collections.defaultdict(int),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_container_is_refilled(kind):
    old, new = KINDS[kind](), KINDS[kind]()
    for container, items in ((old, [1, 2, 3]), (new, [3, 1])):
        for item in items:
            fill(container, item)
    assert refill(old, new)
    assert old == new
    assert list(old) == list(new)
    fill(old, 4)
    assert list(old)[-1] == 4
    assert len(old) == 3


def fill(container, item):
    """Put an item into a container of any kind."""
    if isinstance(container, dict):
        container[item] = item
    elif isinstance(container, set):
        container.add(item)
    else:
        container.append(item)
