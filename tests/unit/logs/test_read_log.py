"""The arguments of ``read_log``: what cannot be meant is refused at once, in the library's form."""

import pytest

import belated as bl
from belated.core.errors import InvalidArgument
from belated.logs import Asked, read_log

ROWS = [{"id": 1, "at": 1, "known": 2, "y": 1, "w": 2, "x": 3}]
COLUMNS = {"decided_at": "at", "answered_at": "known", "label": "y"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"decided_at": None}, "`read_log(decided_at=None)`: must be the name of a column"),
        ({"label": None}, "`read_log(label=None)`: must be the name of a column"),
        ({"label": 7}, "`read_log(label=7)`: must be the name of a column"),
        ({"label": "at"}, "`read_log(decided_at='at')`: must not be the column of labels"),
        ({"label": "known"}, "`read_log(answered_at='known')`: must not be the column of labels"),
        ({"features": "x"}, "`read_log(features='x')`: must be a list of names of columns"),
        ({"features": ["x", 1]}, "`read_log(features=['x', 1])`: must be a list of names of columns, one is 1"),
        ({"features": ["x", "x"]}, "`read_log(features=['x', 'x'])`: must not name a column twice"),
        ({"features": ["y"]}, "`read_log(features=['y'])`: must not have 'y', which is not known when"),
        ({"features": ["known"]}, "must not have 'known', which is not known when the question is asked"),
        ({"unit": "h"}, "`read_log(unit='h')`: must be one of 's', 'ms', 'us', 'ns', or None"),
        ({"zone": "Mars"}, "`read_log(zone='Mars')`: must be the IANA name of a time zone"),
        ({"types": [1]}, "`read_log(types=[1])`: must be a mapping"),
        ({"types": {"x": int}}, "must be a mapping from names of columns to str or float"),
        ({"types": {"at": str}}, "must name features or the label; 'at' is neither"),
        ({"sort": 1}, "`read_log(sort=1)`: must be True or False"),
        ({"on_bad_rows": "ignore"}, "`read_log(on_bad_rows='ignore')`: must be 'stop' or 'skip'"),
        ({"remember": 0}, "`read_log(remember=0)`: must be >= 1"),
        ({"deadline": -1}, "`read_log(deadline=-1)`: must be >= 0"),
        ({"deadline": 1e13}, "`read_log(deadline=10000000000000.0)`: must be at most 1e12"),
        ({"answers_key": "id"}, "`read_log(answers_key='id')`: needs a table of answers"),
        ({"answers": ROWS}, "`read_log(key=None)`: must be the name of a column, by which"),
        ({"answers": ROWS, "key": "id", "answered_at": None}, "`read_log(answered_at=None)`: must be the name"),
        ({"answers": 7, "key": "id"}, "`read_log(answers=7)`: must be a path"),
    ],
)
def test_arguments_that_cannot_be_meant(more, words):
    with pytest.raises(InvalidArgument) as caught:
        read_log(ROWS, **COLUMNS | more)
    assert words in str(caught.value)


@pytest.mark.parametrize("source", [7, None, {"at": 1}, b"log.csv"])
def test_sources_that_are_none(source):
    with pytest.raises(InvalidArgument, match="must be a path, a table of pyarrow, a DataFrame, or an iterable"):
        read_log(source, **COLUMNS)


def test_a_file_of_an_unknown_kind():
    with pytest.raises(InvalidArgument, match=r"must be a file whose name ends in \.csv, \.csv\.gz"):
        read_log("log.xlsx", **COLUMNS)


@pytest.mark.parametrize("argument", ["decided_at", "label", "answered_at", "key", "weight", "deadline"])
def test_columns_that_are_not_there(argument, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("at,known,y\n")
    with pytest.raises(InvalidArgument) as caught:
        read_log(path, **COLUMNS | {argument: "z"})
    assert f"`read_log({argument}='z')`: must be a column of {path}, which has 'at', 'known', 'y'" in str(caught.value)
    for more in ({"features": ["z"]}, {"types": {"z": str}}):
        with pytest.raises(InvalidArgument, match="must be a column of"):
            read_log(path, **COLUMNS | more)
    answers = tmp_path / "b.csv"
    answers.write_text("of,known\n")
    for key in (None, "of"):
        with pytest.raises(InvalidArgument, match="must be a column of"):
            read_log(path, **COLUMNS, key="at", answers=answers, answers_key=key)


def test_features_are_what_has_no_other_role():
    (first, *_) = read_log(ROWS, **COLUMNS, key="id", weight="w")
    assert first == Asked(1, 1, {"x": 3.0}, 2.0)
    (first, *_) = read_log(ROWS, **COLUMNS)
    assert first.example == {"id": 1.0, "w": 2.0, "x": 3.0}
    (first, *_) = read_log(ROWS, **COLUMNS, features=["x", "z"])
    assert first.example == {"x": 3.0, "z": None}


def test_the_label_in_the_table_of_questions_is_no_feature_of_two_tables():
    answers = [{"id": 1, "known": 5, "y": 1}]
    (asked, told) = read_log(ROWS, **COLUMNS, key="id", answers=answers)
    assert asked.example == {"w": 2.0, "x": 3.0}
    assert told == (5, 1, 1.0)


def test_public_names():
    log = bl.read_log(ROWS, **COLUMNS)
    assert isinstance(log, bl.Log)
    assert repr(log) == "Log('<list>')"
    assert repr(bl.read_log(ROWS, **COLUMNS, key="id", answers=ROWS)) == "Log('<list>', answers='<list>')"
    assert log.clock is None
    list(log)
    assert log.clock == "ticks"
    assert bl.read_log(ROWS, **COLUMNS, unit="s").clock == "calendar"
