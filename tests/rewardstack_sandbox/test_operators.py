"""Operators of the program's classes: what the tests' own instances may answer, and what no other object may."""

import pytest

VERSION = """
from functools import total_ordering
@total_ordering
class Version:
    def __init__(self, *parts): self.parts = parts
    def __eq__(self, other): return self.parts == other.parts
    def __lt__(self, other): return self.parts < other.parts
    def __bool__(self): return any(self.parts)
    def __hash__(self): return hash(self.parts)
    def __abs__(self): return sum(self.parts)
    def __contains__(self, part): return part in self.parts
    def __iadd__(self, part):
        self.parts += (part,)
        return self
"""


@pytest.mark.parametrize(
    ("test", "status"),
    [
        ("assert Version(1, 2) < Version(1, 10) <= Version(2)", "accepted"),
        ("assert not Version(2) < Version(1)", "accepted"),
        ("assert max(Version(1), Version(3), Version(2)).parts == (3,)", "accepted"),
        ("assert Version(1) and not Version(0)", "accepted"),
        ("assert abs(Version(3, 4)) == 7 and 4 in Version(3, 4) and 'x' not in Version(3, 4)", "accepted"),
        ("assert len({Version(1), Version(1), Version(2)}) == 2", "accepted"),
        ("v = Version(1)\nv += 2\nassert v.parts == (1, 2)", "accepted"),
        ("assert not Version(1) == 'x' and Version(1) != 1", "accepted"),
        ("assert Version(2) < Version(1)", "wrong_answer"),
        ("assert abs(Version(3, 4)) == 5", "wrong_answer"),
    ],
)
def test_instances_that_the_tests_make_answer_by_their_own_operators(sandbox, test, status):
    report = sandbox.run_tests(VERSION, test)
    assert str(report.status) == status, report.reason


EVERYTHING = """
class {name}:
    def __init__(self, *given): pass
    def __lt__(self, other): return True
    def __eq__(self, other): return True
    def __ne__(self, other): return True
    def __contains__(self, other): return True
    def __bool__(self): return True
    def __float__(self): return 4.0
    def __abs__(self): return 0
    def __sub__(self, other): return self
    __rsub__ = __sub__
"""


@pytest.mark.parametrize(
    "test",
    [
        "assert double(2) == 4",
        "assert double(2) < 5",
        "assert double(2)",
        "assert double(2) != 3",
        "assert abs(double(2) - 4) < 1e-6",
        "assert float(double(2)) == 4.0",
    ],
)
@pytest.mark.parametrize("made", ["{}", "\ndef double(n): return Any()"])
def test_an_object_in_the_place_of_a_value_answers_nothing(sandbox, test, made):
    program = EVERYTHING.format(name="Any" if "Any" in made else "double") + made.format("")
    report = sandbox.run_tests(program, test)
    assert str(report.status) == "unsupported_value", report


@pytest.mark.parametrize("test", ["assert Box(1) == 1", "assert Box(1) == Box(2)", "assert Box(1) - 1 == 0"])
def test_equality_is_never_what_a_class_says(sandbox, test):
    """Even an instance that the tests made is judged by its content."""
    program = EVERYTHING.format(name="Box").replace("*given): pass", "given): self.given = given")
    assert not sandbox.run_tests(program, test).passed


@pytest.mark.parametrize("difference", ["0.0", "self", "Area()"])
@pytest.mark.parametrize("test", ["assert abs(Area(3) - 7.07) < 1e-6", "assert abs(7.07 - Area(3)) < 1e-6"])
def test_a_class_in_the_place_of_a_function_is_no_distance_from_what_is_expected(sandbox, difference, test):
    program = EVERYTHING.format(name="Area").replace("return self", f"return {difference}")
    report = sandbox.run_tests(program, test, entry_point="Area")
    assert str(report.status) == "unsupported_value", report


def test_a_product_of_two_objects_may_be_a_number(sandbox):
    program = (
        "class Vector:\n    def __init__(self, *parts): self.parts = parts\n"
        "    def __matmul__(self, other): return sum(a * b for a, b in zip(self.parts, other.parts))"
    )
    tests = "assert Vector(1, 2) @ Vector(3, 4) == 11"
    assert sandbox.run_tests(program, tests).passed
    assert not sandbox.run_tests(program.replace("a * b", "a + b"), tests).passed


def test_a_class_without_equality_has_none(sandbox):
    plain = "class Point:\n    def __init__(self, x): self.x = x\ndef keep(point): return point"
    equal = f"{plain}\nPoint.__eq__ = lambda self, other: self.x == other.x"
    dataclass = "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int\ndef keep(point): return point"
    assert not sandbox.run_tests(plain, "assert Point(1) == Point(1)").passed
    for program in (equal, dataclass):
        assert sandbox.run_tests(program, "assert Point(1) == Point(1) != Point(2)").passed
    for program in (plain, equal, dataclass):
        assert sandbox.run_tests(program, "p = Point(1)\nassert keep(p) == p and keep(p) is p").passed


def test_a_chain_of_nodes_is_walked_by_their_truth(sandbox):
    program = (
        "class Node:\n    def __init__(self, value, next=None): self.value, self.next = value, next\n"
        "def chain(values):\n    head = None\n    for value in reversed(values): head = Node(value, head)\n    return head"
    )
    tests = "node, seen = chain([1, 2]), []\nwhile node:\n    seen.append(node.value)\n    node = node.next\nassert seen == [1, 2]"
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_an_object_with_a_length_has_no_truth_of_its_own(sandbox):
    program = "class Result:\n    def __len__(self): return 1\ndef solve(): return Result()"
    assert str(sandbox.run_tests(program, "assert solve()").status) == "unsupported_value"


def test_objects_are_copied_where_they_are(sandbox):
    program = "class Box:\n    def __init__(self): self.content = {'a': [1]}\n    def put(self, n): self.content['a'].append(n)"
    tests = """
import copy
first = Box()
shallow, deep = copy.copy(first), copy.deepcopy(first)
first.put(2)
assert shallow.content == {'a': [1, 2]} and deep.content == {'a': [1]}
assert vars(deep) == {'content': {'a': [1]}}
"""
    report = sandbox.run_tests(program, tests)
    assert report.passed, report


def test_a_class_derived_from_the_programs_cannot_be_judged(sandbox):
    program = "class Animal:\n    def speak(self): return self.sound()"
    tests = "class Dog(Animal):\n    def sound(self): return 'woof'\nassert Dog().speak() == 'woof'"
    report = sandbox.run_tests(program, tests)
    assert str(report.status) == "infrastructure_error"
    assert "derive a class from Animal" in report.reason


def test_test_methods_run_in_the_order_they_are_written_in(sandbox):
    program = "class Bank:\n    total = 0\n    def add(self, n): Bank.total += n"
    tests = (
        "class TestBank:\n    def test_one(self):\n        bank = Bank()\n        bank.add(5)\n        assert bank.total == 5\n"
        "    def test_after(self): assert Bank().total == 0"
    )
    assert not sandbox.run_tests(program, tests).passed


@pytest.mark.parametrize(
    "test",
    [
        "assert Solver().solve(2) < 5",
        "assert Solver().solve(2)",
        "assert abs(Solver().solve(2) - 4) < 1e-6",
        "s = Solver()\nassert abs(s.solve(2) - 4) < 1e-6",
        "assert Solver().solve('a').startswith('b')",
    ],
)
def test_a_method_that_gives_back_its_object_gives_no_value(sandbox, test):
    methods = "    def startswith(self, text): return True\n    def solve(self, n): return self"
    report = sandbox.run_tests(EVERYTHING.format(name="Solver") + methods, test)
    assert str(report.status) == "unsupported_value", report


def test_objects_made_while_the_tests_capture_what_is_printed_are_under_test_too(sandbox):
    program = "class V:\n    def __init__(self, x):\n        print('made')\n        self.x = x\n    def __lt__(self, o): return self.x < o.x"
    tests = "import io, sys\nsys.stdout = io.StringIO()\nassert V(1) < V(2)\nassert not V(3) < V(2)"
    assert sandbox.run_tests(program, tests).passed
