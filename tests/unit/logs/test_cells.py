"""Cells become values: which texts are numbers, and how columns are made text or number."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from belated.core.errors import BadRow
from belated.logs import Asked, Told, read_log


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


def test_cells_of_numpy_and_pandas_become_those_of_python():
    cells = [np.str_("a"), np.str_(""), np.float32(0.5), np.int8(3), np.True_, np.float64("nan"), pd.NA, Decimal("1.5")]
    (event,) = read_log([{"at": 0, **{str(i): cell for i, cell in enumerate(cells)}}], decided_at="at", label="y")
    expected = ["a", None, 0.5, 3.0, 1.0, None, None, 1.5]
    assert list(event.example.values()) == expected
    assert [type(value) for value in event.example.values()] == [type(value) for value in expected]
    times = [np.datetime64("2024-01-01T00:00:00.000000001"), pd.Timestamp("2024-01-01"), date(2024, 1, 1)]
    rows = [{"at": time, "known": gap} for time in times for gap in (np.datetime64("NaT"), pd.NaT)]
    log = read_log(rows, decided_at="at", answered_at="known", label="y")
    assert {event.time for event in log} == {1_704_067_200_000_000}
    assert log.counts.naive_times == len(rows)


def test_a_signalling_nan_is_a_gap():
    log = read_log([{"at": 1, "x": Decimal("sNaN"), "y": Decimal("NaN")}], decided_at="at", label="y")
    assert list(log) == [Asked(1, 1, {"x": None}, 1.0, None)]
