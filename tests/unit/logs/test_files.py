"""The same log in every kind of file and table gives the same events; files are closed whatever happens."""

import contextlib
import gzip
import json
import os
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.errors import BadRow, InvalidArgument
from belated.logs import csv_log, jsonl_log, parquet_log, read_log, sources, tables, text_files
from support.plain_log import break_code

WIDE = {"decided_at": "at", "answered_at": "known", "label": "y"}
ROWS = [
    {"at": "2024-01-01T00:00:00Z", "known": "2024-01-02T00:00:00Z", "y": 1.0, "x": 0.5, "word": 'ä, "b"\nc'},
    {"at": "2024-01-01T06:00:00Z", "known": None, "y": None, "x": None, "word": "d"},
    {"at": "2024-01-01T07:00:00Z", "known": "2024-01-01T07:30:00Z", "y": 0.0, "x": -1e-3, "word": None},
]
NAMES = ["at", "known", "y", "x", "word"]


def cell(value, delimiter):
    text = "" if value is None else str(value)
    quoted = any(mark in text for mark in (delimiter, '"', "\n"))
    return '"' + text.replace('"', '""') + '"' if quoted else text


def as_csv(rows, delimiter=","):
    lines = [NAMES, *([row[name] for name in NAMES] for row in rows)]
    return "".join(delimiter.join(cell(value, delimiter) for value in line) + "\r\n" for line in lines).encode()


def as_jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def frame(rows):
    made = pd.DataFrame(rows, columns=NAMES)
    return made.assign(at=pd.to_datetime(made["at"]), known=pd.to_datetime(made["known"]))


SCHEMA = pa.schema({name: pa.float64() if name in "xy" else pa.string() for name in NAMES})


def arrow(rows):
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def parquet(path, rows):
    pq.write_table(pa.Table.from_pandas(frame(rows)), path, row_group_size=2)


WRITERS = {
    "log.csv": lambda path, rows: path.write_bytes(as_csv(rows)),
    "LOG.CSV": lambda path, rows: path.write_bytes(b"\xef\xbb\xbf" + as_csv(rows)),
    "log.csv.gz": lambda path, rows: path.write_bytes(gzip.compress(as_csv(rows))),
    "log.tsv": lambda path, rows: path.write_bytes(as_csv(rows, "\t")),
    "log.tsv.gz": lambda path, rows: path.write_bytes(gzip.compress(as_csv(rows, "\t"))),
    "log.jsonl": lambda path, rows: path.write_bytes(as_jsonl(rows)),
    "log.ndjson.gz": lambda path, rows: path.write_bytes(gzip.compress(as_jsonl(rows))),
    "log.parquet": parquet,
}


def in_memory(rows):
    return list(read_log(rows, **WIDE))


@pytest.mark.parametrize("name", WRITERS)
def test_all_kinds_of_files_say_the_same(name, tmp_path):
    WRITERS[name](tmp_path / name, ROWS)
    log = read_log(tmp_path / name, **WIDE)
    assert list(log) == in_memory(ROWS)
    assert list(log) == list(read_log(str(tmp_path / name), **WIDE))
    assert len(in_memory(ROWS)) == 5


@pytest.mark.parametrize("make", [frame, arrow, lambda rows: pa.Table.from_pandas(frame(rows)), iter])
def test_all_kinds_of_tables_say_the_same(make):
    assert list(read_log(make(ROWS), **WIDE)) == in_memory(ROWS)


CELLS = st.none() | st.floats(-1e9, 1e9).map(lambda x: x + 0.0) | st.text("ab\n\"',;\té", min_size=1)


@given(rows=st.lists(st.tuples(st.none() | st.integers(0, 99), CELLS, CELLS), max_size=9))
def test_any_cells_come_back_from_csv_and_json(rows, folder):
    rows = [{"at": at, "known": known, "y": 1, "x": x, "word": word} for at, (known, x, word) in enumerate(rows)]
    expected = in_memory(rows)
    for name in ("log.csv", "log.tsv", "log.jsonl"):
        WRITERS[name](folder / name, rows)
        assert list(read_log(folder / name, **WIDE)) == expected, name


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cells")


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("at,known,y\n1,,\n\n2,x,1\n", 4, "column 'known': 'x' must be an ISO 8601 time"),
        ('at,known,y\n1,,"a\nb"\nx,,\n', 4, "column 'at': 'x' must be"),
        ("at,known,y\n1,,\n2,3\n", 3, r"\['2', '3'\] must have 3 cells, one for each column, and has 2"),
        ("at,known,y\n1,,1e999\n", 2, "column 'y': '1e999' must be finite"),
        (b"at,known,y\n1,,\n2,,\xff\n", 3, "column 'y': .* must be text in UTF-8"),
        ('at,known,y\n1,,"a"b\n', 2, "the line must be a row of cells"),
        ('at,known,y\n1,,"a\n2,,\n', 2, "the line must be a row of cells"),
    ],
)
def test_errors_name_file_line_and_column(text, line, words, tmp_path):
    path = write(tmp_path / "a.csv", text)
    with pytest.raises(BadRow, match=words) as caught:
        list(read_log(path, **WIDE))
    assert caught.value.line == line
    assert caught.value.source == str(path)
    log = read_log(path, **WIDE, on_bad_rows="skip")
    list(log)
    assert log.counts.bad_rows == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "must be a JSON object"),
        ("[1]", "must be a JSON object"),
        ("[" * 99999, "must be a JSON object"),
        (b"\xff", "must be text in UTF-8"),
    ],
)
def test_lines_that_are_no_json(line, words, tmp_path):
    bad = line if isinstance(line, bytes) else line.encode()
    path = write(tmp_path / "a.jsonl", b'{"at": 1, "y": NaN}\n\n' + bad + b'\n{"at": 2}\n')
    with pytest.raises(BadRow, match=words) as caught:
        list(read_log(path, decided_at="at", label="y"))
    assert caught.value.line == 3
    log = read_log(path, decided_at="at", label="y", on_bad_rows="skip")
    assert [event.key for event in log] == [1, 3]
    assert log.counts.missing_labels == 2


def test_a_damaged_archive_is_a_bad_row_that_cannot_be_skipped(tmp_path):
    whole = gzip.compress(as_jsonl(ROWS * 1000))
    path = write(tmp_path / "a.jsonl.gz", whole[: len(whole) // 2])
    with pytest.raises(BadRow, match="the compressed file must be whole"):
        list(read_log(path, **WIDE, sort=True, on_bad_rows="skip"))
    with pytest.raises(BadRow, match="the compressed file must be whole"):
        read_log(write(tmp_path / "a.csv.gz", b"no archive"), **WIDE)


@pytest.mark.parametrize(
    ("text", "words"), [("", "is empty"), ("at,at\n", "two are 'at'"), ('"at\n', "must begin with")]
)
def test_a_file_without_proper_names_of_columns(text, words, tmp_path):
    with pytest.raises(InvalidArgument, match=words):
        read_log(write(tmp_path / "a.csv", text), **WIDE)


def test_other_tables_without_proper_names_of_columns(tmp_path):
    with pytest.raises(InvalidArgument, match="texts as names of columns, one is 0"):
        read_log(pd.DataFrame([[1, 2]]), **WIDE)
    with pytest.raises(InvalidArgument, match="must be a Parquet file"):
        read_log(write(tmp_path / "a.parquet", "no"), **WIDE)


@pytest.fixture
def still_open(monkeypatch):
    """The files that were opened and are not closed yet."""
    files = []
    original = text_files.opened.__wrapped__

    def watched(path):
        for file in original(path):
            files.append(file)
            yield file

    watcher = contextlib.contextmanager(watched)
    for module in (csv_log, jsonl_log):
        monkeypatch.setattr(module, "opened", watcher)
    return lambda: [file for file in files if not file.closed]


def a_pass_that_is_given_up_closes_its_files(path, still_open):
    events = read_log(path, **WIDE).events()
    next(events)
    assert len(still_open()) == 1
    events.close()
    assert still_open() == []


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log.jsonl"])
def test_files_are_closed_whatever_happens(name, tmp_path, still_open):
    path = tmp_path / name
    WRITERS[name](path, ROWS)
    a_pass_that_is_given_up_closes_its_files(path, still_open)
    list(read_log(path, **WIDE))
    assert still_open() == []
    WRITERS[name](path, [ROWS[1], ROWS[0]])
    with pytest.raises(BadRow):
        list(read_log(path, **WIDE))
    assert still_open() == []
    answers = tmp_path / "answers.csv"
    answers.write_text("id,known,y\n1,2024-01-01T01:00Z,1\n")
    WRITERS[name](path, ROWS)
    events = read_log(path, answers=answers, key="word", answers_key="id", **WIDE).events()
    next(events)
    assert len(still_open()) == 2
    events.close()
    assert still_open() == []


def test_parquet_files_are_closed_when_a_pass_is_given_up(tmp_path, monkeypatch):
    files = []
    original = parquet_log.ParquetFile._opened
    monkeypatch.setattr(parquet_log.ParquetFile, "_opened", lambda self: files.append(original(self)) or files[-1])
    parquet(tmp_path / "a.parquet", ROWS)
    events = read_log(tmp_path / "a.parquet", **WIDE).events()
    next(events)
    assert [file.closed for file in files] == [True, False]
    events.close()
    assert [file.closed for file in files] == [True, True]


def test_a_file_that_stays_open_is_noticed(tmp_path, still_open, monkeypatch):
    kept = []
    original = csv_log.CsvFile.rows

    def rows(self):
        kept.append(original(self))
        return (pair for pair in kept[0])  # closing this one does not close the other

    monkeypatch.setattr(csv_log.CsvFile, "rows", rows)
    WRITERS["log.csv"](tmp_path / "log.csv", ROWS)
    with pytest.raises(AssertionError):
        a_pass_that_is_given_up_closes_its_files(tmp_path / "log.csv", still_open)
    kept[0].close()


def test_parquet_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_log, "PIECE", 7)
    monkeypatch.setattr(tables, "PIECE", 7)
    rows = [{"at": i, "known": i + 3, "y": 1.0, "x": float(i), "word": None} for i in range(50)]
    expected = in_memory(rows)
    made = pd.DataFrame(rows)
    made.to_parquet(tmp_path / "a.parquet", row_group_size=20)
    for source in (tmp_path / "a.parquet", made, pa.Table.from_pandas(made)):
        assert list(read_log(source, **WIDE)) == expected


def test_times_finer_than_a_microsecond_are_cut_off():
    column = pa.array([1_500_000_001, None], pa.timestamp("ns", tz="Europe/Berlin"))
    event, _ = read_log(pa.table({"at": column, "y": [1, 1]}).slice(0, 1), decided_at="at", label="y")
    assert event.time == 1_500_000


def test_a_missing_package_is_named_with_the_words_to_type(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'belated\[parquet\]'$"):
        read_log(tmp_path / "a.parquet", **WIDE)


def test_a_file_that_is_not_there(tmp_path):
    for name in ("a.csv", "a.csv.gz", "a.jsonl", "a.parquet"):
        with pytest.raises(FileNotFoundError):
            read_log(tmp_path / name, **WIDE)


def test_a_broken_line_number_is_noticed(tmp_path, monkeypatch):
    break_code(monkeypatch, csv_log, "line[0] = reader.line_num + 1", "line[0] = reader.line_num")
    monkeypatch.setitem(sources.FILES, ".csv", csv_log.CsvFile)
    with pytest.raises(AssertionError):
        test_errors_name_file_line_and_column("at,known,y\nx,,\n", 2, "column 'at': 'x' must be", tmp_path)


def test_names_of_columns_that_are_not_utf8(tmp_path):
    for name, content in {
        "latin.csv": "at,caf\xe9,y\n".encode("latin-1"),
        "wide.csv": "at,y\n".encode("utf-16"),
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InvalidArgument, match="must be text in UTF-8"):
            read_log(tmp_path / name, decided_at="at", label="y")


def test_a_pipe_is_refused_rather_than_waited_for(tmp_path):
    for name in ("log.csv", "log.jsonl", "log.parquet"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(InvalidArgument, match="must not be a pipe"):
            read_log(tmp_path / name, decided_at="at", label="y")


def test_a_message_does_not_name_thousands_of_columns(tmp_path):
    path = write(tmp_path / "log.csv", "at,y," + ",".join(f"c{i}" for i in range(5000)))
    with pytest.raises(InvalidArgument, match="'c27' and 4972 more") as caught:
        read_log(path, decided_at="at", label="z")
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_a_time_of_parquet_beyond_the_calendar_is_a_bad_row(unit):
    times = pa.array([0, 2**62, 1], pa.timestamp(unit))
    log = read_log(pa.table({"at": times, "y": [0, 1, 1]}), decided_at="at", label="y", on_bad_rows="skip")
    assert [event.key for event in log] == [1, 1, 3, 3]
    assert dict(log.counts.bad_by_reason) == {"time": 1}
    assert log.counts.first_bad_rows[0].startswith("`read_log('<Table>')`: row 2, column 'at': ")


def test_a_log_knows_its_features_where_all_rows_have_the_same(tmp_path):
    path = write(tmp_path / "log.csv", "at,x,y,z\n1,2,3,4\n")
    assert read_log(path, decided_at="at", label="y").features == ("x", "z")
    assert read_log(path, decided_at="at", label="y", features=["z"]).features == ("z",)
    assert read_log([{"at": 1, "y": 1}], decided_at="at", label="y").features is None
