"""Fixtures of pytest's kind in the tests of a data set."""

import pytest

RIGHT, WRONG = "def f(x):\n    return x", "def f(x):\n    return 0"
IMPORT = "import pytest\n"
JUDGING = {
    "a value": "@pytest.fixture\ndef one():\n    return 1\ndef test_a(one):\n    assert f(one) == 1",
    "called": "@pytest.fixture()\ndef one():\n    return f(1)\ndef test_a(one):\n    assert one == 1",
    "by its own name": "from pytest import fixture\n@fixture\ndef one():\n    return f(1)\ndef test_a(one):\n    assert one == 1",
    "under a name": "@pytest.fixture(name='uno')\ndef one():\n    return f(1)\ndef test_a(uno):\n    assert uno == 1",
    "named like a test": "@pytest.fixture\ndef test_data():\n    return 1\ndef test_a(test_data):\n    assert f(test_data) == 1",
    "of another": "@pytest.fixture\ndef one():\n    return 1\n@pytest.fixture\ndef two(one):\n    return one + f(1)\n"
    "def test_a(two, one):\n    assert (two, one) == (2, 1)",
    "with an end": "seen = []\n@pytest.fixture\ndef box():\n    seen.append(1)\n    yield seen\n    seen.clear()\n"
    "def test_a(box):\n    assert f(len(box)) == 1\ndef test_b(box):\n    assert f(len(box)) == 1",
    "an assertion at its end": "@pytest.fixture\ndef box():\n    found = []\n    yield found\n    assert found == [f(1)] == [1]\n"
    "def test_a(box):\n    box.append(1)",
    "with choices": "@pytest.fixture(params=[1, 2])\ndef n(request):\n    return request.param\n"
    "def test_a(n):\n    assert f(n) == n",
    "for all": "state = {}\n@pytest.fixture(autouse=True)\ndef prepare():\n    state['x'] = f(1)\n"
    "def test_a():\n    assert state == {'x': 1}",
    "asked for by a mark": "state = {}\n@pytest.fixture\ndef prepare():\n    state['x'] = f(1)\n"
    "@pytest.mark.usefixtures('prepare')\ndef test_a():\n    assert state == {'x': 1}",
    "of a module": "made = []\n@pytest.fixture(scope='module')\ndef box():\n    made.append(f(1))\n    return made\n"
    "def test_a(box):\n    assert box == [1]\ndef test_b(box):\n    assert box == [1]",
    "of a module, with an end": "ended = []\n@pytest.fixture(scope='module')\ndef box():\n    yield ended\n"
    "    assert ended == [f(1), 1, 1]\ndef test_a(box):\n    box.append(1)\ndef test_b(box):\n    box.extend([1, 1])",
    "of a class": "class TestA:\n    @pytest.fixture(autouse=True)\n    def prepare(self):\n        self.x = f(1)\n"
    "    @pytest.fixture\n    def two(self):\n        return self.x + 1\n    def test_a(self, two):\n        assert (self.x, two) == (1, 2)",
    "beside parameters": "@pytest.fixture\ndef one():\n    return 1\n@pytest.mark.parametrize('n, m', [(1, 2), (2, 3)])\n"
    "def test_a(n, one, m):\n    assert f(n) + one == m",
    "by request": "@pytest.fixture\ndef one():\n    return f(1)\n@pytest.fixture\ndef two(request):\n"
    "    return request.getfixturevalue('one') + 1\ndef test_a(two):\n    assert two == 2",
    "a skipped class": "@pytest.mark.skip\nclass TestA:\n    def test_a(self):\n        1 / 0\ndef test_b():\n    assert f(1) == 1",
    "asked for by the module's mark": "pytestmark = pytest.mark.usefixtures('prepare')\nstate = {}\n@pytest.fixture\n"
    "def prepare():\n    state['x'] = f(1)\ndef test_a():\n    assert state == {'x': 1}",
    "a class with one mark": "class TestA:\n    pytestmark = pytest.mark.slow\n    def test_a(self):\n        assert f(1) == 1",
    "a class with parameters": "@pytest.mark.parametrize('n', [1, 2])\nclass TestA:\n    def test_a(self, n):\n        assert f(n) == n",
}
NOT_RUNNABLE = {
    "pytest's own": "def test_a(tmp_path):\n    assert f(1) == 1",
    "asynchronous": "@pytest.fixture\nasync def one():\n    return 1\ndef test_a(one):\n    assert f(one) == 1",
    "what a request has besides": "@pytest.fixture\ndef one(request):\n    return request.node\ndef test_a(one):\n    assert f(1) == 1",
    "one that asks for itself": "@pytest.fixture\ndef n():\n    return 1\nclass TestA:\n    @pytest.fixture\n"
    "    def n(self, n):\n        return n\n    def test_a(self, n):\n        assert f(n) == 1",
    "parameters for fixtures": "@pytest.fixture\ndef n(request):\n    return request.param\n"
    "@pytest.mark.parametrize('n', [1], indirect=True)\ndef test_a(n):\n    assert f(n) == 1",
}


@pytest.mark.parametrize("form", JUDGING)
def test_fixtures_tell_right_from_wrong(sandbox, form):
    right, wrong = (sandbox.run_tests(program, IMPORT + JUDGING[form]) for program in (RIGHT, WRONG))
    assert right.passed, right
    assert (wrong.passed, wrong.status) == (False, "wrong_answer"), wrong


@pytest.mark.parametrize("form", NOT_RUNNABLE)
@pytest.mark.parametrize("program", [RIGHT, WRONG])
def test_what_only_pytest_has_is_nobodys_fault(sandbox, form, program):
    report = sandbox.run_tests(program, IMPORT + NOT_RUNNABLE[form])
    assert (report.passed, report.status) == (False, "infrastructure_error")
    assert "pytest" in report.reason


def test_each_choice_is_a_test(sandbox):
    report = sandbox.run_tests(RIGHT, IMPORT + JUDGING["with choices"])
    assert [test.name for test in report.tests] == ["test_a[0]", "test_a[1]"]


@pytest.mark.parametrize(
    "error", ["TypeError('f')", "StopIteration", "KeyError('one')", "AttributeError('node')"]
)
def test_a_program_that_raises_in_a_fixture_is_not_masked(sandbox, error):
    report = sandbox.run_tests(f"def f(x):\n    raise {error}", IMPORT + JUDGING["called"])
    assert (report.passed, report.status) == (False, "runtime_error")


def test_what_is_printed_is_captured(sandbox):
    tests = """
def test_shout(capsys):
    shout('a')
    shout('b')
    captured = capsys.readouterr()
    assert captured.out == 'A!\\nB!\\n' and captured.err == ''
    shout('c')
    out, _ = capsys.readouterr()
    assert out == 'C!\\n'
class TestShout:
    def test_method(self, capsys):
        shout('d')
        assert 'D!' in capsys.readouterr().out
"""
    report = sandbox.run_tests("def shout(text): print(text.upper() + '!')", tests)
    assert report.passed, report
    assert not sandbox.run_tests("def shout(text): print(text + '!')", tests).passed


def test_what_is_patched_is_undone(sandbox):
    tests = """
def test_patched(monkeypatch):
    answers = iter(['3', '4'])
    monkeypatch.setattr('builtins.input', lambda _='': next(answers))
    assert ask() == 7
def test_undone():
    try:
        ask()
    except EOFError:
        return
    assert False
"""
    report = sandbox.run_tests("def ask(): return int(input()) + int(input('? '))", tests)
    assert report.passed, report
    assert not sandbox.run_tests("def ask(): return 2 * int(input())", tests).passed


def test_a_fixture_of_the_tests_takes_the_place_of_pytests_own(sandbox):
    tests = "import pytest\n@pytest.fixture\ndef capsys(): return 3\ndef test_it(capsys): assert double(capsys) == 6"
    report = sandbox.run_tests("def double(n): return 2 * n", tests)
    assert report.passed, report
