"""Libraries of extras: there, or told of with the line that installs them."""

import sys

import pytest

from rewardstack import RewardstackError, import_extra
from rewardstack.errors import MissingExtra


def test_what_is_there_is_imported():
    assert import_extra("json.decoder", "data", "reading").JSONDecoder


@pytest.mark.parametrize("module", ["no_such_library", "no_such_library.part"])
def test_what_is_missing_comes_with_its_pip_line(module):
    with pytest.raises(
        MissingExtra, match=r"^reading x needs no_such_library \(No module .*'rewardstack\[data\]'$"
    ):
        import_extra(module, "data", "reading x")


def test_a_library_that_lacks_another_says_which(write, monkeypatch, tmp_path):
    write("leaning.py", "import no_such_library\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(MissingExtra, match=r"needs leaning \(No module named 'no_such_library'\)"):
        import_extra("leaning", "data", "reading x")


def test_it_is_a_fault_of_usage():
    assert issubclass(MissingExtra, RewardstackError)
    assert MissingExtra.exit_code == 2
