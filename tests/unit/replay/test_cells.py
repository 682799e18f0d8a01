"""Cells become values: which texts are numbers, and how columns are made text or number."""

import pytest

from belated.core.errors import BadRow
from belated.replay import Asked, Told, read_log


def test_cells_of_csv(tmp_path):
    cells = ["1", "-1.5", "1e3", ".5", "1.", "007", " 1", "1_0", "nan", "inf", "0x1", "yes", "", "\uff11"]
    path = tmp_path / "a.csv"
    path.write_text("at,y,x,t\n" + "".join(f"0,1,{each},{each}\n" for each in cells), encoding="utf-8")
    log = read_log(path, decided_at="at", label="y", types={"t": str})
    found = [event.example for event in log if isinstance(event, Asked)]
    expected = [1.0, -1.5, 1000.0, 0.5, 1.0, 7.0, " 1", "1_0", "nan", "inf", "0x1", "yes", None, "\uff11"]
    assert [example["x"] for example in found] == expected
    assert [example["t"] for example in found] == [each or None for each in cells]


def test_types_are_forced():
    rows = [
        {"at": 0, "y": 1, "a": 7, "b": "7"},
        {"at": 0, "y": 0, "a": 7.5, "b": 7},
        {"at": 0, "y": 0, "a": 7.0, "b": None},
    ]
    log = read_log(rows, decided_at="at", label="y", types={"a": str, "b": float, "y": str})
    assert [event.example for event in log if isinstance(event, Asked)] == [
        {"a": "7", "b": 7.0},
        {"a": "7.5", "b": 7.0},
        {"a": "7", "b": None},
    ]
    assert [event.label for event in log if isinstance(event, Told)] == ["1", "0", "0"]
    with pytest.raises(BadRow, match="'seven' must be a number"):
        list(read_log([{"at": 0, "b": "seven"}], decided_at="at", label="y", types={"b": float}))
    with pytest.raises(BadRow, match="True must be a text or a number"):
        list(read_log([{"at": 0, "b": True}], decided_at="at", label="y", types={"b": str}))
