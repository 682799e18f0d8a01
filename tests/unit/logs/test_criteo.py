"""The format of Criteo's logs, on a file that the test makes."""

import gzip

import pytest

from belated.core.errors import BadRow, InvalidArgument
from belated.logs import Asked, Told, criteo
from belated.logs.criteo_log import NUMBERS, TEXTS

SECOND = 1_000_000


def line(click, conversion, numbers=("",) * 8, texts=("",) * 9):
    return "\t".join(map(str, (click, conversion, *numbers, *texts))) + "\n"


LINES = [
    line(0, 90, numbers=(1, -2, "", 4, 5, 6, 7, 8), texts=("123", "0a", '"', "", "e", "f", "g", "h", "i")),
    line(30, ""),
    line(60, 60),
]


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "data.txt"
    made.write_text("".join(LINES))
    return made


def test_clicks_and_conversions(path):
    log = criteo(path)
    first, *rest = list(log)
    assert first.time == 0
    assert [first.example[name] for name in NUMBERS] == [1.0, -2.0, None, 4.0, 5.0, 6.0, 7.0, 8.0]
    assert [first.example[name] for name in TEXTS] == ["123", "0a", '"', None, "e", "f", "g", "h", "i"]
    nothing = dict.fromkeys(NUMBERS + TEXTS)
    assert rest == [
        Asked(30 * SECOND, 2, nothing),
        Asked(60 * SECOND, 3, nothing),
        Told(60 * SECOND, 3, 1.0),
        Told(90 * SECOND, 1, 1.0),
    ]
    assert log.counts.missing_labels == 1
    assert log.describe().lopsidedness.one_sided


def test_a_horizon_is_a_deadline_of_every_click(path):
    asked = [event for event in criteo(path, horizon=3600) if isinstance(event, Asked)]
    assert [event.deadline for event in asked] == [(at + 3600) * SECOND for at in (0, 30, 60)]


def test_compressed_unsorted_and_bad_rows(path):
    packed = path.with_suffix(".txt.gz")
    packed.write_bytes(gzip.compress("".join([*LINES, LINES[0], "1\t2\n"]).encode()))
    with pytest.raises(BadRow, match="line 4, column 'click': '0' must not be before '60'"):
        list(criteo(packed))
    log = criteo(packed, sort=True, on_bad_rows="skip")
    assert [event.key for event in log if isinstance(event, Asked)] == [1, 4, 2, 3]
    assert log.counts.bad_by_reason == {"row": 1}


def test_arguments(path, tmp_path):
    with pytest.raises(InvalidArgument, match=r"`criteo\(horizon=-1\)`: must be >= 0"):
        criteo(path, horizon=-1)
    with pytest.raises(InvalidArgument, match=r"`criteo\(on_bad_rows='no'\)`: must be 'stop' or 'skip'"):
        criteo(path, on_bad_rows="no")
    with pytest.raises(FileNotFoundError):
        criteo(tmp_path / "none.txt")
