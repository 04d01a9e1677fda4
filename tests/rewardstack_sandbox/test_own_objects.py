"""Objects of the tests' classes that do more than hold attributes: the program uses them where they are."""

import pytest

MOUNTAIN = """
class Mountain:
    limit = 9
    def __init__(self, heights):
        self.heights, self.asked, self._secret = heights, 0, 4
    def get(self, place):
        self.asked += 1
        if self.asked > self.limit:
            raise RuntimeError("asked too often")
        return self.heights[place]
    def length(self):
        return len(self.heights)
    @property
    def left(self):
        return self.limit - self.asked
"""
FIND = """
def find(mountain):
    low, high = 0, mountain.length() - 1
    while low < high:
        middle = (low + high) // 2
        if mountain.get(middle) < mountain.get(middle + 1):
            low = middle + 1
        else:
            high = middle
    return low, mountain.left
"""


def test_a_program_calls_the_methods_of_what_it_is_given(sandbox):
    tests = (
        MOUNTAIN
        + "hill = Mountain([1, 3, 5, 6, 4, 2, 0])\nassert find(hill) == (3, 3)\nassert hill.asked == 6"
    )
    assert sandbox.run_tests(FIND, tests).passed
    slow = "def find(mountain):\n    places = range(mountain.length() - 1)\n    return max(places, key=mountain.get), 3"
    report = sandbox.run_tests(slow, tests.replace("limit = 9", "limit = 3"))
    assert (report.passed, report.status) == (False, "wrong_answer")
    assert "asked too often" in report.reason


SORTED = "def order(items): return sorted(items)\ndef has(items, one): return one in items\ndef total(items): return sum(items, start=items[0])"
MONEY = """
import functools
@functools.total_ordering
class Money:
    def __init__(self, cents): self.cents = cents
    def __eq__(self, other): return self.cents == other.cents
    def __lt__(self, other): return self.cents < other.cents
    def __hash__(self): return hash(self.cents)
    def __add__(self, other): return Money(self.cents + other.cents)
"""


def test_its_operators_are_those_of_the_tests(sandbox):
    tests = MONEY + "a, b, c = Money(3), Money(1), Money(2)\nassert order([a, b, c]) == [b, c, a]\n"
    tests += "assert order([a, b])[0] is b\nassert has([a, b], Money(3)) and not has([a, b], Money(4))\nassert total([a, b, c]).cents == 9"
    assert sandbox.run_tests(SORTED, tests).passed
    assert not sandbox.run_tests(SORTED.replace("sorted(items)", "items"), tests).passed


USES = {
    "len, item, loop": ("def f(x): return len(x), x[1], list(x), 2 in x", "(3, 1, [0, 1, 2], True)"),
    "a call": ("def f(x): return x(4, more=2)", "6"),
    "attributes": (
        "def f(x):\n    x.size = 5\n    return x.size, x.name",
        "(5, 'bag')",
    ),
    "text": ("def f(x): return str(x), f'{x}', type(x).__name__", "('a bag', 'a bag', 'Bag')"),
    "a context": ("def f(x):\n    with x as y: return y.open, x.open", "(True, True)"),
    "copies": (
        "import copy\ndef f(x):\n    y = copy.copy(x)\n    y.name = 'z'\n    return x.name, y.name",
        "('bag', 'z')",
    ),
    "in a set": ("def f(x): return len({x, x})", "1"),
    "an item set": ("def f(x):\n    x[0] = 7\n    del x[1]\n    return list(x)", "[7, 2]"),
    "itself": ("def f(x): return x is x.me(), x.me().name", "(False, 'bag')"),
    "an error": (
        "def f(x):\n    try: x.fail()\n    except KeyError as error: return 'no' in str(error)",
        "True",
    ),
    "no attribute": ("def f(x): return hasattr(x, 'nothing'), getattr(x, 'nothing', 3)", "(False, 3)"),
}
BAG = """
class Bag:
    def __init__(self): self.name, self.size, self.items, self.open = "bag", 3, [0, 1, 2], False
    def __len__(self): return len(self.items)
    def __getitem__(self, place): return self.items[place]
    def __setitem__(self, place, value): self.items[place] = value
    def __delitem__(self, place): del self.items[place]
    def __iter__(self): return iter(self.items)
    def __contains__(self, one): return one in self.items
    def __call__(self, number, more=0): return number + more
    def __str__(self): return "a bag"
    def __enter__(self): self.open = True; return self
    def __exit__(self, *error): self.open = False
    def me(self): return self
    def fail(self): raise KeyError("no")
bag = Bag()
"""


@pytest.mark.parametrize("use", USES)
def test_what_a_program_may_do_with_an_object(sandbox, use):
    program, expected = USES[use]
    report = sandbox.run_tests(program, f"{BAG}assert f(bag) == {expected}\nassert not bag.open")
    assert report.passed, report


def test_what_comes_back_is_the_object_itself(sandbox):
    report = sandbox.run_tests(
        "def f(x): return [x, {'a': x}]", f"{BAG}assert f(bag)[0] is bag is f(bag)[1]['a']"
    )
    assert report.passed, report


@pytest.mark.parametrize(
    "attack",
    ["x.me.__globals__", "x.__class__.__init__.__globals__", "x.__dict__['items'].append(9) or x.__func__",
     "x._rewardstack_ask(('attribute', 1, '__class__'))", "x._rewardstack_ask(('operate', 1, '__getattribute__', ('__class__',)))",
     "x._rewardstack_ask(('operate', 1, '__reduce__', ()))", "x._rewardstack_ask(('attribute', 99, 'name'))"],
)  # fmt: skip
def test_what_an_object_is_made_of_is_not_told(sandbox, attack):
    report = sandbox.run_tests(f"def f(x): return bool({attack})", f"{BAG}assert f(bag) == True")
    assert not report.passed
    assert report.status in ("runtime_error", "wrong_answer")
    assert "AttributeError" in report.reason or "KeyError" in report.reason


@pytest.mark.parametrize(
    "change", ["x.me = lambda: 3", "x.__class__ = int", "del x.me", "x.__eq__ = lambda *_: True"]
)
def test_methods_are_not_the_programs_to_set(sandbox, change):
    program = f"def f(x):\n    try:\n        {change}\n    except (AttributeError, TypeError):\n        return 'refused'"
    assert sandbox.run_tests(program, f"{BAG}assert f(bag) == 'refused'\nassert bag.me() is bag").passed


def test_where_the_program_has_the_class_it_gets_the_content(sandbox):
    program = (
        "class Bag:\n    def me(self): return 'mine'\ndef f(x): return x.me(), x.name, isinstance(x, Bag)"
    )
    report = sandbox.run_tests(program, f"{BAG}assert f(bag) == ('mine', 'bag', True)")
    assert report.passed, report


OBSERVED = """
import unittest
class TestBus(unittest.TestCase):
    def setUp(self): self.got = []
    def hear(self, event): self.got.append(event)
    def test_it_tells(self):
        attach(self)
        self.assertEqual(self.got, [3])
"""


@pytest.mark.parametrize(
    "trick",
    [
        "test.addTypeEqualityFunc(list, agree)",
        "test._type_equality_funcs = {list: agree}",
        "test._outcome = None",
        "del test._cleanups",
        "test.run()",
    ],
)
def test_what_a_test_case_is_run_by_is_not_the_programs(sandbox, trick):
    assert sandbox.run_tests("def attach(test): test.hear(3)", OBSERVED).passed
    hostile = f"def agree(*args, **more): pass\ndef attach(test): {trick}"
    assert sandbox.run_tests(hostile, OBSERVED).status == "wrong_answer"


def test_a_class_is_not_called_by_way_of_its_object(sandbox):
    forged = """
def find(mountain):
    ask = object.__getattribute__(mountain, "_rewardstack_ask")
    number = object.__getattribute__(mountain, "_rewardstack_number")
    return ask(("operate", number, "__call__", ())).asked
"""
    tests = MOUNTAIN + "class Hill(Mountain): pass\nassert find(Hill([1])) == 0"
    assert sandbox.run_tests(forged, tests).reason.endswith("does not tell that")


def test_a_name_does_not_mask_a_program(sandbox):
    tests = """
import threading
class Store:
    def __init__(self): self.lock, self.found = threading.Lock(), []
    def put(self, one):
        with self.lock: self.found.append(one)
store = Store()
fill(store)
assert store.found == [1]
"""
    assert sandbox.run_tests("def fill(store): store.put(1)", tests).passed
    assert sandbox.run_tests("Store = 0\ndef fill(store): pass", tests).status == "unsupported_value"


@pytest.mark.parametrize(
    "tests",
    [
        "import sys\ndef go():\n    assert find(sys.exit) == 1\ngo()\nassert other(2) == 3",
        "def stop(): raise SystemExit\ndef go():\n    assert find(stop) == 1\ngo()\nassert other(2) == 3",
        "import sys\ndef check(find):\n    for n in 1, 1:\n        assert find(sys.exit) == n\n",
    ],
)
def test_a_program_does_not_end_the_tests_by_what_they_give_it(sandbox, tests):
    other = "\ndef other(n): return n + 1"
    assert sandbox.run_tests("def find(end): return 1" + other, tests, entry_point="find").passed
    assert not sandbox.run_tests("def find(end): end()" + other, tests, entry_point="find").passed


@pytest.mark.parametrize("error", ["Wrong = SystemExit", "class Wrong(SystemExit): pass"])
def test_an_exception_of_the_program_is_no_end_of_the_tests(sandbox, error):
    tests = (
        "def go():\n    assert find(1)\n    if find(2) != 4:\n        raise Wrong\ngo()\nassert find(1) == 1"
    )
    assert sandbox.run_tests("class Wrong(Exception): pass\ndef find(n): return n * n", tests).passed
    assert not sandbox.run_tests(f"{error}\ndef find(n): return 1", tests).passed


def test_a_program_does_not_make_one_object_of_the_tests_another(sandbox):
    forged = """
import sys
def find(hill, other): pass
frame = sys._getframe()
while "server" not in frame.f_locals: frame = frame.f_back
server = frame.f_locals["server"]
server.call = lambda target, given, *_, **more: (None, ((0, given[1]),))
"""
    tests = (
        MOUNTAIN + "hill, other = Mountain([1]), Mountain([2])\nfind(hill, other)\nassert hill.heights == [2]"
    )
    assert sandbox.run_tests(forged, tests).status == "wrong_answer"
