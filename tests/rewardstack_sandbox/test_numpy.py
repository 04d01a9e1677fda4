"""numpy's arrays and numbers cross by content, where both sides have numpy; it is loaded when they first do."""

import pytest

from rewardstack_sandbox.values import Codec, Malformed, Unsupported

np = pytest.importorskip("numpy")

ARRAYS = [
    np.arange(6).reshape(2, 3),
    np.arange(12.0).reshape(3, 4)[::2, 1::2],
    np.zeros((0, 3), dtype=bool),
    np.array(7, dtype=">i2"),
    np.array([1 + 2j, np.nan]),
    np.array([255], dtype=np.uint8).reshape(1, 1, 1),
    np.asfortranarray([[1.5, 2], [3, 4]]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_arrays_survive(array):
    back = Codec().decode(Codec().encode([array]))[0]
    assert type(back) is np.ndarray
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert np.array_equal(back, array, equal_nan=array.dtype.kind == "c")
    assert back.flags.writeable


@pytest.mark.parametrize(
    "value", [np.float64(0.1), np.int8(-3), np.bool_(True), np.complex64(1j), np.float16(2)]
)
def test_numbers_survive(value):
    back = Codec().decode(Codec().encode({"a": value}))["a"]
    assert (type(back), back) == (type(value), value)


class Friendly(np.ndarray):
    def __eq__(self, other):
        return True


@pytest.mark.parametrize(
    "value",
    [np.array([object()]), np.array(["text"]), np.array([1]).view(Friendly), np.zeros(1, dtype="i4,f8"),
     np.datetime64("2020"), np.ma.array([1], mask=[1])],
)  # fmt: skip
def test_others_do_not_cross(value):
    with pytest.raises(Unsupported):
        Codec().encode(value)


@pytest.mark.parametrize(
    "content",
    [("O", (1,), b"\0" * 8), ("<f8", (2,), b"\0" * 8), ("<f8", (1.0,), b"\0" * 8), ("<f8,<f8", None, b"\0" * 16),
     ("(9,)<f8", None, b""), (8, None, b""), ("<f99", None, b"")],
)  # fmt: skip
def test_forged_content_is_refused(content):
    with pytest.raises(Malformed):
        Codec().decode(Codec().encode(0)[:0] + b"x" + Codec().encode(("numpy", content)))


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        ("def f(x): return x * 2", "assert np.allclose(f(np.array([1, 2])), [2, 4])"),
        ("def f(x): return np.mean(x)", "assert f([1, 2]) == 1.5"),
        ("def f(x):\n    x[0] = 9", "x = np.zeros(2)\nf(x)\nassert x.tolist() == [9, 0]"),
        ("def f(x): return {'a': np.eye(x)}", "np.testing.assert_array_equal(f(2)['a'], [[1, 0], [0, 1]])\nassert f(1)"),
        ("def f(x): return int(np.float64(x))", "assert f(2.5) == 2"),
    ],
)  # fmt: skip
def test_programs_and_tests_use_numpy(sandbox, program, tests):
    report = sandbox.run_tests(f"import numpy as np\n{program}", f"import numpy as np\n{tests}")
    assert report.passed, report


def test_what_does_not_cross_says_so(sandbox):
    program = "import numpy as np\ndef f(): return np.array(['a'])"
    report = sandbox.run_tests(program, ["assert f() == ['a']"])
    assert (report.status, report.passed) == ("unsupported_value", False)
    assert "ndarray" in report.reason
    report = sandbox.run_tests("def f(x): return 1", "import numpy as np\nassert f(np.array(['a'])) == 1")
    assert (report.status, report.reason.rpartition(": ")[2]) == ("infrastructure_error", "ndarray")


def test_other_libraries_objects_cannot_be_given(sandbox):
    report = sandbox.run_tests("def f(x): return 1", "import array\nassert f(array.array('i')) == 1")
    assert report.status == "infrastructure_error"
    assert "cannot reach the program: array" in report.reason
