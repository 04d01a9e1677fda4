"""Classes and objects that tests and programs have of each other."""

import pytest

QUESTIONED = (
    "class Yes:\n    def startswith(self, text): return True\n    def issubset(self, other): return True\n"
)


def test_classes_are_used_through_stand_ins(sandbox):
    program = """
class Vector:
    zero = 0
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, other): return Vector(self.x + other.x, self.y + other.y)
    def __len__(self): return 2
    def __iter__(self): return iter((self.x, self.y))
    def length(self): return (self.x ** 2 + self.y ** 2) ** 0.5
    def __eq__(self, other): return True
def largest(vectors): return max(vectors, key=Vector.length)
"""
    tests = """
v = Vector(3, 4)
assert v.length() == 5.0
assert len(v) == 2 and list(v) == [3, 4] and 3 in v and 7 not in v
assert (v + Vector(1, 1)).x == 4
assert v + Vector(1, 1) == Vector(4, 5)
assert v != Vector(4, 5)
v.x = 6
assert v.x == 6
assert largest([v, Vector(9, 9)]).x == 9
assert Vector.zero == 0
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_classes_of_the_tests_cross_by_content(sandbox):
    program = "def total(node):\n    return 0 if node is None else node.value + total(node.next)\ndef same(node): return node"
    tests = """
class Node:
    def __init__(self, value, next=None):
        self.value, self.next = value, next
    def __eq__(self, other):
        return self.value == other.value
assert total(Node(1, Node(2, Node(3)))) == 6
assert same(Node(4)) == Node(4)
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_dataclasses_and_named_tuples_are_judged_by_content(sandbox):
    program = """
from dataclasses import dataclass
from collections import namedtuple, Counter
@dataclass
class Point:
    x: int
    y: int
    def __eq__(self, other): return True
Pair = namedtuple("Pair", "a b")
def point(): return Point(1, 2)
def pair(): return Pair(1, 2)
def count(): return Counter("aab")
"""
    tests = ["assert point() == Point(1, 2)", "assert point() != Point(1, 3)", "assert pair() == (1, 2)",
             "assert pair().a == 1", "assert count() == {'a': 2, 'b': 1}"]  # fmt: skip
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_generators_are_asked_item_by_item(sandbox):
    program = "def f():\n    n = 0\n    while True:\n        yield n; n += 1"
    tests = "import itertools\nassert list(itertools.islice(f(), 3)) == [0, 1, 2]\ng = f()\nassert (next(g), next(g)) == (0, 1)"
    assert sandbox.run_tests(program, tests).passed


def test_methods_of_the_tests_classes_are_not_the_programs_to_set(sandbox):
    program = "def f(node):\n    node.valid = lambda: True\n    return node"
    tests = "class Node:\n    def __init__(self): self.x = 0\n    def valid(self): return self.x == 5\nassert f(Node()).valid()"
    assert not sandbox.run_tests(program, tests).passed


@pytest.mark.parametrize("question", ["f(1).startswith('x')", "f(1).issubset({1})", "f(1).isdigit()"])
def test_an_object_in_place_of_text_answers_no_question_about_it(sandbox, question):
    report = sandbox.run_tests(QUESTIONED + "def f(x): return Yes()", f"assert {question}")
    assert (report.passed, report.status) == (False, "unsupported_value")


@pytest.mark.parametrize(
    "program",
    [
        "class f(Yes):\n    def __init__(self, x): pass",
        "class Odd(Yes):\n    def __init__(self, x): pass\nf = Odd",
        "class It(Yes):\n    def __next__(self): raise StopIteration\ndef f(x): return It()",
        "Yes.startswith = lambda text: True\ndef f(x): return Yes",
    ],
)
def test_nor_does_what_is_no_function_or_no_object(sandbox, program):
    report = sandbox.run_tests(QUESTIONED + program, "assert f(1).startswith('x')")
    assert (report.passed, report.status) == (False, "unsupported_value")


@pytest.mark.parametrize("entry_point", [None, "Solution().f"])
def test_nor_does_an_object_that_gives_itself_as_the_result(sandbox, entry_point):
    program = QUESTIONED + "class Solution(Yes):\n    def f(self, x): return self"
    call = "candidate" if entry_point else "Solution().f"
    report = sandbox.run_tests(program, [f"assert {call}(1).startswith('x')"], entry_point=entry_point)
    assert (report.passed, report.status) == (False, "unsupported_value")


SMALL = """
class Zero:
    def __len__(self): return 0
    def __iter__(self): return iter(())
    def __sub__(self, other): return self
    __rsub__ = __xor__ = __sub__
    def __abs__(self): return self
    def all(self): return True
    def max(self): return 0.0
    def symmetric_difference(self, other): return set()
def f(x): return Zero()
class Solution:
    def f(self, x): return Zero()
"""


@pytest.mark.parametrize(
    "question",
    [
        "(f(1) - 55).max() == 0",
        "abs(f(1) - 55).max() == 0",
        "len(f(1) - {1, 2}) == 0",
        "list({1, 2} - f(1)) == []",
        "not list(f(1) ^ {1, 2})",
        "f(1).all()",
        "f(1).symmetric_difference({1, 2}) == set()",
        "len(Solution().f(1) - {1, 2}) == 0",
    ],
)
def test_no_object_stands_for_the_difference_from_what_is_expected(sandbox, question):
    report = sandbox.run_tests(SMALL, f"assert {question}")
    assert (report.passed, report.status) == (False, "unsupported_value"), report


def test_classes_under_test_reckon_with_plain_values(sandbox):
    program = """
class Vector:
    def __init__(self, x): self.x = x
    def __eq__(self, other): return self.x == other.x
    def __mul__(self, k): return Vector(self.x * k)
    __rmul__ = __mul__
    def __add__(self, other): return Vector(self.x + getattr(other, "x", other))
"""
    tests = "assert Vector(1) * 3 == Vector(3)\nassert 2 * Vector(2) + 1 == Vector(5)"
    assert sandbox.run_tests(program, tests).passed
    assert not sandbox.run_tests(program.replace("* k)", ")"), tests).passed


def test_a_class_under_test_may_have_such_a_method(sandbox):
    program = "class Trie:\n    def __init__(self, words): self.words = words\n    def startswith(self, head): return any(w.startswith(head) for w in self.words)"
    report = sandbox.run_tests(
        program, "t = Trie(['ab'])\nassert t.startswith('a')\nassert not t.startswith('b')"
    )
    assert report.passed, report


CLASSES = """
import collections

class Node:
    def __init__(self, value): self.value = value
class Leaf(Node): pass
Pair = collections.namedtuple("Pair", "left right")
Other = collections.namedtuple("Other", "left right")

def node(value): return Node(value)
def leaf(value): return Leaf(value)
def pair(): return Pair(1, 2)
"""


@pytest.mark.parametrize(
    ("test", "passes"),
    [
        ("assert isinstance(node(1), Node)", True),
        ("assert isinstance(leaf(1), (int, Node))", True),
        ("assert isinstance(Leaf(1), Leaf) and issubclass(Leaf, Node)", True),
        ("assert isinstance(node(1), Leaf)", False),
        ("assert issubclass(Node, Leaf)", False),
        ("assert isinstance(pair(), Pair) and isinstance(pair(), tuple)", True),
        ("assert isinstance(pair(), Other)", False),
        ("assert isinstance(node(1).value, Node)", False),
        ("assert isinstance(node(1), list)", False),
    ],
)
def test_instances_of_the_programs_classes(sandbox, test, passes):
    assert sandbox.run_tests(CLASSES, test).passed is passes


def test_a_plain_value_is_no_instance_of_a_class_that_says_so(sandbox):
    program = (
        "class Any(type):\n    def __instancecheck__(cls, value): return True\n"
        "class Number(metaclass=Any): pass\ndef f(): return 'x'"
    )
    assert sandbox.run_tests(program, "assert isinstance(f(), Number)").status == "wrong_answer"


KINDS = "class Shape: pass\nclass Square(Shape): pass\ndef make(): return Square()\ndef number(): return 3\n"


@pytest.mark.parametrize(
    "test",
    ["assert type(make()) is Square", "assert type(make()) == type(Square())", "assert type(make()) is not Shape",
     "assert make().__class__ is Square and isinstance(make(), Shape)", "assert type(make()).__name__ == 'Square'",
     "assert type(number()) is int", "assert number().__class__.__name__ == 'int'", "assert type(3) is int"],
)  # fmt: skip
def test_objects_are_asked_for_their_class(sandbox, test):
    assert sandbox.run_tests(KINDS, f"assert make() is not None\n{test}").passed


@pytest.mark.parametrize("test", ["assert type(make()) is Shape", "assert type(make()) is list"])
def test_a_class_is_not_another(sandbox, test):
    assert sandbox.run_tests(KINDS, test).status == "wrong_answer"


def test_tests_may_call_something_else_type(sandbox):
    tests = "def test_it(type=len):\n    assert type([number()]) == 1\n"
    assert sandbox.run_tests(KINDS, tests).passed
