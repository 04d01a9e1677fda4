"""Runs unittest's test classes. unittest itself is loaded when tests bring it: it makes every fork dearer."""

import importlib
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["Skipped", "is_skip", "run_test_case"]

Note = Callable[[str, BaseException | None], None]
# What unittest's own methods were called before; no version of Python from 3.12 on knows them
OLD_NAMES = {
    "assertEquals": "assertEqual", "assertNotEquals": "assertNotEqual", "assert_": "assertTrue",
    "assertAlmostEquals": "assertAlmostEqual", "assertNotAlmostEquals": "assertNotAlmostEqual",
    "assertItemsEqual": "assertCountEqual", "assertRegexpMatches": "assertRegex",
    "assertNotRegexpMatches": "assertNotRegex", "assertRaisesRegexp": "assertRaisesRegex",
    "failUnless": "assertTrue", "failIf": "assertFalse", "failUnlessEqual": "assertEqual",
    "failIfEqual": "assertNotEqual", "failUnlessAlmostEqual": "assertAlmostEqual",
    "failIfAlmostEqual": "assertNotAlmostEqual", "failUnlessRaises": "assertRaises",
}  # fmt: skip


class Skipped(Exception):
    """A test that the tests themselves skip."""


def is_skip(error: BaseException) -> bool:
    """Whether the tests skip themselves: by unittest or by pytest, either of which is loaded if the tests bring it."""
    theirs = (("unittest", "SkipTest"), ("_pytest.outcomes", "Skipped"))
    kinds = (getattr(sys.modules.get(module), name, Skipped) for module, name in theirs)
    return isinstance(error, (Skipped, *kinds))


class Noting:
    """Takes what unittest finds: the part of a `unittest.TestResult` that differs."""

    note: Note

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        """Note a test that passed."""
        self.note(label_of(test), None)

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        """Note a test that raised."""
        self.note(label_of(test), err[1])

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        """Note a test that failed."""
        self.note(label_of(test), err[1])

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        """Note a test that is skipped."""
        self.note(label_of(test), Skipped(reason))

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802, ARG002
        """Note a failed part of a test; unittest then reports no success of the whole."""
        if err is not None:
            self.note(label_of(test), err[1])

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        """Note a test that should have failed."""
        self.note(label_of(test), AssertionError("passed, where a failure was expected"))

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802, ARG002
        """Note a test that failed as it should."""
        self.note(label_of(test), None)


def run_test_case(kind: type, note: Note) -> None:
    """Run each test of a class. It may use unittest's old names: a test means the same on every version of Python."""
    for old, new in OLD_NAMES.items():
        if not hasattr(kind, old):
            setattr(kind, old, getattr(kind, new))
    unittest = importlib.import_module("unittest")
    result = type("Result", (Noting, unittest.TestResult), {"note": staticmethod(note)})()
    unittest.defaultTestLoader.loadTestsFromTestCase(kind).run(result)


def label_of(test: Any) -> str:
    """Return a test's class and method."""
    return f"{type(test).__name__}.{getattr(test, '_testMethodName', test)}"
