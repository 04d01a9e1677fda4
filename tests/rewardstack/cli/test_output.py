"""Standard output holds results and nothing else; terminals get colours, files do not."""

import io
import os
import subprocess
import sys

import pytest

from rewardstack.cli import output


def test_everything_printed_inside_goes_to_standard_error(capfd):
    with output.clean_stdout():
        print("printed")
        os.write(1, b"written\n")
        subprocess.run(["echo", "spawned"], check=True)
    print("result")
    caught = capfd.readouterr()
    assert caught.out == "result\n"
    assert set(caught.err.split()) == {"printed", "written", "spawned"}


def test_standard_output_comes_back_after_an_error(capfd):
    with pytest.raises(KeyError), output.clean_stdout():
        raise KeyError
    print("back")
    os.write(1, b"here\n")
    assert set(capfd.readouterr().out.split()) == {"back", "here"}


def test_complaints_are_wrapped_and_paths_stay_whole(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    path = "a/" * 60
    output.complain(f"cannot read {path}: {'word ' * 30}\nsecond line")
    first, *others = capsys.readouterr().err.splitlines()
    assert first == "error: cannot read"
    assert others[0] == f"  {path}:"
    assert others[-1] == "  second line"
    assert all(len(line) <= 80 for line in others[1:])


def test_complaints_cannot_steer_the_terminal(capsys):
    output.complain("red \x1b[31m and \ud800")
    assert capsys.readouterr().err == "error: red \\x1b[31m and \\ud800\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [("é → 語", '"é → 語"'), ("é \ud800", r'"\u00e9 \ud800"'), ("\x1b\0", r'"\u001b\u0000"')],
)
def test_json_holds_whatever_there_is(capfdbinary, text, written):
    output.print_json({"text": text, "number": float("nan")})
    assert capfdbinary.readouterr().out.decode() == f'{{\n  "text": {written},\n  "number": null\n}}\n'


def test_colours_are_for_terminals_that_want_them(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def drawn(file):
        console = output.console(file)
        console.print("[x] text", style="red")
        return file.getvalue()

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert "\x1b[31m" in drawn(Terminal())
    assert drawn(io.StringIO()) == "[x] text\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31m" not in drawn(Terminal())


def test_progress_is_silent_where_there_is_no_terminal(capsys):
    with output.progress(3, "scoring") as advance:
        advance(3)
    assert capsys.readouterr() == ("", "")


def test_a_standard_output_that_cannot_write_a_letter_escapes_it(folder):
    (folder / "accents.py").write_text(
        "from rewardstack import Score, reward\n@reward\ndef accents(completion: str) -> Score:\n"
        "    return Score(1.0, 'a → b')\n",
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "rewardstack.cli", "try", "accents.py:accents", "--completion", "x"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert r"reason  a \u2192 b" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("skipped", "verbosity", "lines"),
    [([], 0, 0), (["a"], 0, 1), (["a", "b"], 0, 1), (["a", "b"], 1, 2), (["a"], -1, 0)],
)
def test_skipped_rows_are_told_of_by_verbosity(capsys, skipped, verbosity, lines):
    output.tell_skipped(skipped, verbosity)
    assert len(capsys.readouterr().err.splitlines()) == lines
