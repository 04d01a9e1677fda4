"""Reading samples from whatever people have, and saying what is wrong with what cannot be read."""

import gzip
import json
import math
import os
import re
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack.errors import MissingExtra, RecordError
from rewardstack.records import read_samples, write_rows
from rewardstack.records.samples import unique_id
from rewardstack.records.text import Fault, decode, encode

DATA = Path(__file__).parents[1] / "data"
GSM8K = DATA / "answers" / "gsm8k.jsonl"
ROWS = [{"completion": "four", "answer": "4"}, {"completion": "five", "answer": "5", "id": "last"}]


def lines(*rows):
    return "".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def samples(tmp_path):
    """Return a function that writes lines to a file and gives its path as text."""

    def write_lines(*rows, name="samples.jsonl"):
        path = tmp_path / name
        path.write_text(lines(*rows), "utf-8")
        return str(path)

    return write_lines


class TestFormats:
    def test_real_completions_are_read_in_order(self):
        loaded = read_samples(str(GSM8K))
        first = json.loads(GSM8K.read_text("utf-8").splitlines()[0])
        assert len(loaded.samples) == len(loaded.rows) == len(loaded.places) == 120
        assert loaded.samples[0].completion == first["completion"]
        assert loaded.rows[0] == first
        assert loaded.places[:2] == [f"{GSM8K}:1", f"{GSM8K}:2"]
        assert loaded.skipped == []

    def test_places_are_lines_and_blank_lines_count(self, samples):
        loaded = read_samples(samples(ROWS[0], "\n", "  \r\n", ROWS[1]))
        assert [place.rpartition(":")[2] for place in loaded.places] == ["1", "4"]

    def test_rows_without_an_id_get_their_number(self, samples):
        assert [sample.id for sample in read_samples(samples(*ROWS)).samples] == ["0", "last"]

    @pytest.mark.parametrize(
        ("given", "unique"),
        [
            (["q1", "q1", "q2", "q1"], ["q1", "q1#2", "q2", "q1#3"]),
            (["q1", "q1#2", "q1", "q1"], ["q1", "q1#2", "q1#3", "q1#4"]),
            (["q1", "q1", "q1#2"], ["q1", "q1#2", "q1#2#2"]),
            ([1, "1", None], ["1", "1#2", "2"]),
            ([None, "0"], ["0", "0#2"]),
        ],
    )
    def test_rows_that_share_an_id_are_numbered(self, samples, given, unique):
        path = samples(*({"completion": "c", "id": id} for id in given))
        loaded = read_samples(path)
        assert [sample.id for sample in loaded.samples] == unique
        assert [row["id"] for row in loaded.rows] == given, "rows stay as they were read"

    @given(st.lists(st.sampled_from(["a", "a#2", "a#3", "a#2#2", "0", "1"])))
    def test_ids_are_unique_whatever_they_were(self, given):
        taken = {}
        found = [unique_id(id, taken) for id in given]
        assert len(set(found)) == len(given)
        assert all(new.startswith(old) for old, new in zip(given, found, strict=True))

    def test_a_byte_order_mark_and_a_missing_last_line_end_do_no_harm(self, tmp_path):
        path = tmp_path / "samples.jsonl"
        path.write_bytes(b"\xef\xbb\xbf" + lines(*ROWS).rstrip().encode())
        assert read_samples(str(path)).rows == ROWS

    def test_gzip_is_told_by_its_first_bytes(self, tmp_path):
        path = tmp_path / "samples.data"
        path.write_bytes(gzip.compress(lines(*ROWS).encode()))
        assert read_samples(str(path)).rows == ROWS

    @pytest.mark.parametrize("name", ["samples.json", "samples.json.gz"])
    def test_a_json_array_counts_its_items(self, tmp_path, name):
        path = tmp_path / name
        text = json.dumps(ROWS, indent=2).encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        loaded = read_samples(str(path))
        assert loaded.rows == ROWS
        assert loaded.places == [f"{path}:1", f"{path}:2"]

    def test_standard_input(self, monkeypatch, tmp_path):
        (tmp_path / "in").write_text(lines(*ROWS))
        with (tmp_path / "in").open() as file:
            monkeypatch.setattr("sys.stdin", file)
            loaded = read_samples("-")
        assert loaded.rows == ROWS
        assert loaded.places == ["<stdin>:1", "<stdin>:2"]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
    def test_a_named_pipe_is_read_once(self, tmp_path):
        path = tmp_path / "pipe"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_text, args=(lines(*ROWS),))
        writer.start()
        assert read_samples(str(path)).rows == ROWS
        writer.join()

    @pytest.mark.parametrize("name", ["trl_text", "trl_chat"])
    def test_completions_that_trl_logged(self, name):
        pytest.importorskip("pyarrow")
        loaded = read_samples(str(DATA / "records" / f"{name}.parquet"))
        assert len(loaded.samples) == 8
        assert {"step", "main", "main/brief", "advantage"} <= set(loaded.samples[0].columns)
        assert None in [row["main/some"] for row in loaded.rows], "pandas' NaN is a gap"
        chat = name == "trl_chat"
        assert all(isinstance(sample.completion, list if chat else str) for sample in loaded.samples)

    def test_a_data_set_folder(self, tmp_path):
        datasets = pytest.importorskip("datasets")
        data = datasets.Dataset.from_list([{**row, "id": str(n)} for n, row in enumerate(ROWS)])
        data.save_to_disk(tmp_path / "one")
        assert [row["completion"] for row in read_samples(str(tmp_path / "one")).rows] == ["four", "five"]
        datasets.DatasetDict({"train": data, "test": data}).save_to_disk(tmp_path / "many")
        with pytest.raises(RecordError, match=r"several splits.*many/train"):
            read_samples(str(tmp_path / "many"))
        assert len(read_samples(str(tmp_path / "many" / "test")).rows) == 2

    def test_a_folder_that_is_no_data_set(self, tmp_path):
        with pytest.raises(RecordError, match="is a folder, but none that a data set was saved to"):
            read_samples(str(tmp_path))


class TestColumns:
    def test_a_column_is_read_under_another_name(self, samples):
        path = samples({"completion": "c", "solution": "4", "answer": "old"})
        loaded = read_samples(path, columns={"answer": "solution"})
        assert loaded.rows == [{"completion": "c", "answer": "4"}]
        assert loaded.samples[0].columns == {"answer": "4"}

    def test_two_columns_can_change_names(self, samples):
        path = samples({"completion": "a", "answer": "b"})
        assert read_samples(path, columns={"completion": "answer", "answer": "completion"}).rows == [
            {"completion": "b", "answer": "a"}
        ]

    def test_a_slip_names_the_nearest_column(self, samples):
        path = samples({"completion": "c", "solution": "4"})
        with pytest.raises(
            RecordError, match=r"no column 'solutoin' to read as 'answer' \(did you mean 'solution'\?\)"
        ):
            read_samples(path, columns={"answer": "solutoin"})

    def test_chat_wraps_text_and_leaves_messages_alone(self, samples):
        turn = [{"role": "assistant", "content": "hi"}]
        path = samples({"prompt": "p", "completion": "c"}, {"completion": turn}, {"completion": ""})
        first, second, third = read_samples(path, chat=True).samples
        assert first.completion == [{"role": "assistant", "content": "c"}]
        assert first.prompt == [{"role": "user", "content": "p"}]
        assert (second.prompt, second.completion) == (None, turn)
        assert third.completion == [{"role": "assistant", "content": ""}]

    def test_messages_alone_are_split_before_the_last(self, samples):
        user, assistant = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
        (sample,) = read_samples(samples({"messages": [user, assistant]})).samples
        assert (sample.prompt, sample.completion) == ([user], [assistant])


BAD_ROWS = [
    ('{"completion": "x" "y"}\n', r"broken JSON at column 20: expecting ',' delimiter"),
    ('{"completion": "x\n', r"broken JSON at column 16: unterminated string"),
    ('{"completion": "x', r"unterminated string.* \(the last line: is the file cut off\?\)"),
    ('{"completion": NaN}\n', "holds NaN, which JSON does not have"),
    ('{"completion": "x", "a": -Infinity}\n', "holds -Infinity"),
    ('{"completion": "x", "a": 1e999}\n', "the number 1e999 is too large"),
    ("[" * 100_000 + "\n", "nested too deeply"),
    ('{"completion": "x", "a": ' + "9" * 5000 + "}\n", "limit .* for integer string conversion"),
    ("[1, 2]\n", "a row must be an object with columns, not a list"),
    ("3\n", "a row must be an object with columns, not a number"),
    ("null\n", "a row must be an object with columns, not null"),
    ({"prompt": "p"}, "a sample needs a column 'completion' .*; it has 'prompt'$"),
    ({"response": "p"}, r"it has 'response'\. Another name can be mapped: -c completion=response"),
    ({"messages": []}, "a sample needs a column 'completion'"),
    ({"completion": 3}, "the completion must be text or a list of chat messages, not a number"),
    ({"completion": None}, "the completion must be text or a list of chat messages, not null"),
    ({"completion": True}, "not true or false"),
    ({"completion": []}, "the completion is an empty list of chat messages"),
    ({"completion": ["x"]}, "its item 1 is no chat message: text"),
    ({"completion": [{"role": "assistant"}]}, "message 1 of the completion has no content; it has 'role'"),
    ({"completion": [{"role": "user", "content": "x"}, {}]}, "message 2 .* has no content; it has nothing"),
    ({"completion": [{"content": 3}]}, "the content of message 1 of the completion must be text or a list"),
    ({"completion": [{"role": 3, "content": "x"}]}, "the role of message 1 of the completion must be text"),
    ({"completion": "x", "prompt": 3}, "the prompt must be text or a list of chat messages, not a number"),
    ({"completion": "x", "id": [1]}, "an id must be text or a whole number, not a list"),
]


class TestBadRows:
    @pytest.mark.parametrize(("bad", "message"), BAD_ROWS, ids=[message for _, message in BAD_ROWS])
    def test_it_names_file_line_and_fault(self, samples, bad, message):
        path = samples({"completion": "fine"}, "\n", bad)
        with pytest.raises(RecordError, match=rf"samples\.jsonl:3: .*{message}"):
            read_samples(path)

    @pytest.mark.parametrize(("bad", "message"), BAD_ROWS, ids=[message for _, message in BAD_ROWS])
    def test_it_can_be_passed_over(self, samples, bad, message):
        ended = bad if not isinstance(bad, str) or bad.endswith("\n") else bad + "\n"
        loaded = read_samples(samples({"completion": "fine"}, ended, {"completion": "last"}), skip_bad=True)
        assert [sample.completion for sample in loaded.samples] == ["fine", "last"]
        assert len(loaded.skipped) == 1

    def test_bytes_that_are_no_utf8_are_the_rows_fault(self, tmp_path):
        path = tmp_path / "samples.jsonl"
        path.write_bytes(b'{"completion": "fine"}\n{"completion": "caf\xe9"}\n')
        with pytest.raises(RecordError, match=r"samples\.jsonl:2: not UTF-8 text: byte 0xe9 at byte 20"):
            read_samples(str(path))
        assert len(read_samples(str(path), skip_bad=True).samples) == 1

    def test_a_message_that_only_calls_tools_is_fine(self, samples):
        turn = [{"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}]
        assert read_samples(samples({"completion": turn})).samples[0].completion == turn

    def test_nothing_but_bad_rows_is_an_error_even_when_they_may_be_bad(self, samples):
        with pytest.raises(
            RecordError, match=r"none of the 2 rows .* can be read; the first: .*:1: a row must"
        ):
            read_samples(samples("1\n", "2\n"), skip_bad=True)


class TestBadFiles:
    def test_missing(self):
        with pytest.raises(RecordError, match=r"cannot read nowhere\.jsonl: No such file"):
            read_samples("nowhere.jsonl")

    def test_not_to_be_read(self, monkeypatch, samples):
        def refuse(*_):
            raise PermissionError(13, "Permission denied")

        path = samples(*ROWS)
        monkeypatch.setattr("builtins.open", refuse)
        with pytest.raises(RecordError, match="Permission denied"):
            read_samples(path)

    def test_empty(self, samples):
        with pytest.raises(RecordError, match="is empty"):
            read_samples(samples())

    def test_blank(self, samples):
        with pytest.raises(RecordError, match="holds no rows"):
            read_samples(samples("\n", "   \n"))

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            ('{"completion": "x"}\n'.encode("utf-16"), "is UTF-16 text"),
            (b"PK\x03\x04rest", "is a ZIP archive"),
            (b"\x28\xb5\x2f\xfdrest", "zstd"),
            (b'\xef\xbb\xbf  [{"completion": "x"}, ', "begins as a JSON array, but has broken JSON"),
        ],
    )
    def test_of_another_kind(self, tmp_path, data, message):
        path = tmp_path / "samples.json"
        path.write_bytes(data)
        with pytest.raises(RecordError, match=rf"samples\.json .*{message}"):
            read_samples(str(path))

    def test_gzip_cut_off_says_how_far_it_went(self, tmp_path):
        path = tmp_path / "samples.jsonl.gz"
        whole = gzip.compress(GSM8K.read_bytes())
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(RecordError, match=r"cut off after .*samples\.jsonl\.gz:\d+"):
            read_samples(str(path))

    def test_gzip_in_name_only(self, samples):
        with pytest.raises(RecordError, match="no whole gzip file: Not a gzipped file"):
            read_samples(samples(*ROWS, name="samples.jsonl.gz"))

    def test_gzip_with_broken_bytes(self, tmp_path):
        path = tmp_path / "samples.jsonl.gz"
        data = bytearray(gzip.compress(GSM8K.read_bytes()))
        data[200:220] = b"\xff" * 20
        path.write_bytes(data)
        with pytest.raises(RecordError, match="no whole gzip file|cut off|not UTF-8|broken JSON"):
            read_samples(str(path))

    @pytest.mark.parametrize("size", [6, 1000])
    def test_parquet_without_its_end(self, tmp_path, size):
        pytest.importorskip("pyarrow")
        path = tmp_path / "samples.parquet"
        path.write_bytes((DATA / "records" / "trl_text.parquet").read_bytes()[:size])
        with pytest.raises(RecordError, match=r"samples\.parquet is no whole Parquet file: \w+"):
            read_samples(str(path))

    def test_a_data_set_with_a_broken_table(self, tmp_path):
        datasets = pytest.importorskip("datasets")
        datasets.Dataset.from_list(ROWS[:1]).save_to_disk(tmp_path)
        (table,) = tmp_path.glob("*.arrow")
        table.write_bytes(table.read_bytes()[:50])
        with pytest.raises(RecordError, match="no whole Hugging Face data set"):
            read_samples(str(tmp_path))

    def test_a_missing_library_comes_with_its_pip_line(self, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
        with pytest.raises(MissingExtra, match=r"needs pyarrow .*: pip install 'rewardstack\[data\]'"):
            read_samples(str(DATA / "records" / "trl_text.parquet"))


HARD_TEXTS = [
    "lone \ud800 surrogate",
    "\udc00",
    "NUL \x00 byte",
    "\u2028 line",
    "x" * 10_000_000,
    "",
    "é\U0001f600",
]


class TestWriting:
    @pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
    def test_hard_texts_come_back_as_they_were(self, tmp_path, suffix):
        path = str(tmp_path / f"out{suffix}")
        rows = [{"completion": text, "text": {text[:20]: [text[:20]]}} for text in HARD_TEXTS]
        write_rows(path, rows)
        assert read_samples(path).rows == rows

    def test_parquet_writes_lone_surrogates_as_escapes(self, tmp_path):
        pytest.importorskip("pyarrow")
        path = str(tmp_path / "out.parquet")
        write_rows(path, [{"completion": text} for text in HARD_TEXTS])
        texts = [row["completion"] for row in read_samples(path).rows]
        assert texts == [r"lone \ud800 surrogate", r"\udc00", *HARD_TEXTS[2:]]

    def test_parquet_takes_mixed_types_empty_objects_and_missing_columns(self, tmp_path):
        pytest.importorskip("pyarrow")
        path = str(tmp_path / "out.parquet")
        rows = [
            {"completion": "a", "expected": 1.0, "details": {}},
            {"completion": "b", "expected": {"min": 0}, "late": [1]},
        ]
        write_rows(path, rows)
        assert read_samples(path).rows == [
            {"completion": "a", "expected": "1.0", "details": "{}", "late": None},
            {"completion": "b", "expected": '{"min":0}', "details": None, "late": [1]},
        ]

    def test_a_failure_leaves_the_old_file_and_nothing_else(self, samples, tmp_path):
        path = samples(*ROWS)

        def fails():
            yield {"completion": "new"}
            raise RuntimeError("halfway")

        with pytest.raises(RuntimeError):
            write_rows(path, fails())
        assert read_samples(path).rows == ROWS
        assert [entry.name for entry in tmp_path.iterdir()] == ["samples.jsonl"]

    def test_it_keeps_the_files_mode_and_follows_links(self, samples, tmp_path):
        path = Path(samples(*ROWS))
        path.chmod(0o640)
        link = tmp_path / "link.jsonl"
        link.symlink_to(path)
        write_rows(str(link), ROWS[:1])
        assert link.is_symlink()
        assert path.stat().st_mode & 0o777 == 0o640
        assert read_samples(str(path)).rows == ROWS[:1]

    def test_an_unknown_suffix_and_a_missing_folder_are_told_of(self, tmp_path):
        with pytest.raises(RecordError, match=r"must end in \.jsonl, \.jsonl\.gz, \.parquet"):
            write_rows(str(tmp_path / "out.csv"), ROWS)
        with pytest.raises(RecordError, match=r"cannot write .*out\.jsonl: No such file"):
            write_rows(str(tmp_path / "nowhere" / "out.jsonl"), ROWS)


class Odd:
    def __repr__(self):
        return "<odd>"


class TestJson:
    @pytest.mark.parametrize(
        ("value", "written"),
        [
            (math.nan, None),
            ([math.inf, "\ud800"], [None, "\ud800"]),
            (Odd(), "<odd>"),
            ({(1, 2): Odd()}, {"(1, 2)": "<odd>"}),
            (2**70, 2**70),
            (10**5000, hex(10**5000)),
        ],
        ids=["NaN", "infinity", "an object", "a key", "a long integer", "an endless integer"],
    )
    def test_whatever_a_row_holds_is_written(self, value, written):
        assert json.loads(encode(value)) == written

    def test_arrays_are_lists(self):
        numpy = pytest.importorskip("numpy")
        assert json.loads(encode({"a": numpy.arange(3), "b": numpy.float32(0.5)})) == {
            "a": [0, 1, 2],
            "b": 0.5,
        }

    def test_a_circle_is_cut(self):
        circle: dict = {}
        circle["self"] = circle
        assert json.loads(encode(circle))["self"]["self"]

    @given(
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=10,
        )
    )
    def test_what_is_written_is_read(self, value):
        assert decode(encode(value)) == value

    @given(st.text(alphabet='{}[]",:0123456789.-+eEaltrufnsND\\ \t\x00\u00e9'))
    def test_texts_are_refused_where_the_standard_library_refuses_them(self, text):
        try:
            expected = json.loads(text, parse_constant=float)
        except (ValueError, RecursionError):
            assert isinstance(decode(text.encode()), Fault)
        else:
            read = decode(text.encode())
            assert read == expected or (isinstance(read, Fault) and re.search(r"NaN|Inf|\d", text))

    @given(st.binary())
    def test_no_bytes_make_the_reader_raise(self, data):
        read = decode(data)
        assert isinstance(read, Fault) or decode(encode(read)) == read
