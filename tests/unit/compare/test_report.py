"""What is written can be read again, and says what the ranking says."""

import csv
import io
import math
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from belated.compare import Comparison, read, report, run
from belated.compare.report import NAMES, as_csv, contents, rows
from belated.compare.writing import as_toml
from support.comparisons import changed, invented, setting

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.integers(-(2**62), 2**62) | st.floats(allow_nan=False) | st.booleans()
VALUES = st.recursive(
    TEXTS | NUMBERS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_toml_is_read_as_it_was_written(tables: dict[str, Any]) -> None:
    again = tomllib.loads(as_toml(tables, "a preamble\nof two lines"))
    assert again == tables
    assert repr(_sorted(again)) == repr(_sorted(tables)), "which tells 1 from 1.0 and True"


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def test_toml_by_hand() -> None:
    tables = {
        "learners": {"a b": {}, "c": {"rate": 1e-05, "bases": [{"name": "x"}, "y"]}, "d": "dogd"},
        "title": 'say "hi"\n',
        "flag": True,
    }
    assert as_toml(tables, "one\ntwo").splitlines() == [
        "# one",
        "# two",
        r'title = "say \"hi\"\n"',
        "flag = true",
        "",
        "[learners]",
        'd = "dogd"',
        "",
        '[learners."a b"]',
        "",
        "[learners.c]",
        "rate = 1e-05",
        'bases = [{ name = "x" }, "y"]',
    ]
    assert tomllib.loads(as_toml({"not a number": math.nan}))["not a number"] != 0.0


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    own = """
[learners."dogd, \\"quoted\\" é"]
name = "dogd"
rate = 0.1
initial = [0.25, 0.5]
delays = { name = "never", probability = 0.25, law = { name = "geometric", mean = 3 } }

[learners.expert-advice]
bases = [{ name = "dogd", rate = 0.05 }, "dda"]
"""
    return run(setting(changed(title="'A title, é'", initial="0.5", seeds="[7, 3, 5]") + own))


@pytest.fixture(scope="module")
def written(comparison: Comparison) -> dict[str, bytes]:
    return contents(comparison)


def test_the_ranking_is_put_into_place_last(written: dict[str, bytes]) -> None:
    assert tuple(written) == NAMES
    assert NAMES[-1] == "ranking.csv"


def test_the_setting_runs_again_to_the_same_bits(
    comparison: Comparison, written: dict[str, bytes], tmp_path: Path
) -> None:
    (tmp_path / "setting.toml").write_bytes(written["setting.toml"])
    made = read(tmp_path / "setting.toml")
    again = run(made)
    assert again.ranking == comparison.ranking
    assert again.curves.equals(comparison.curves)
    assert contents(again)["ranking.csv"] == written["ranking.csv"]
    assert written["setting.toml"].startswith(b"# belated ")
    assert b"Known to learners that need it: rounds 20, lipschitz 3.4" in written["setting.toml"]
    assert written["setting.toml"].endswith(b"\n")


def test_the_curves_can_be_opened(comparison: Comparison, written: dict[str, bytes]) -> None:
    with xr.open_dataset(io.BytesIO(written["runs.nc"]), engine="scipy") as runs:
        for name in ("score", "cumulative_loss"):
            assert runs[name].dims == ("learner", "seed", "round")
            assert runs[name].values.tobytes() == comparison.curves[name].values.tobytes()
            assert runs[name].attrs["description"]
        assert runs.learner.values.astype(str).tolist() == list(comparison.setting.entries)
        assert runs.seed.values.tolist() == [7, 3, 5]
        assert runs.attrs["title"] == "A title, é"
        assert runs.attrs["measure"] == "regret"
        assert runs.attrs["interrupted"] == 0
        assert runs.attrs["lipschitz"] == comparison.setting.facts.lipschitz
        assert tomllib.loads(runs.attrs["setting"]) == comparison.setting.tables
    assert comparison.curves.attrs == {}, "what is written is a copy"


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_all_digits_are_in_the_table(comparison: Comparison, written: dict[str, bytes]) -> None:
    table = read_csv(written["ranking.csv"].decode())
    assert [row["learner"] for row in table] == [place.learner for place in comparison.ranking]
    for row, place in zip(table, comparison.ranking, strict=True):
        assert int(row["rank"]) == place.rank
        assert int(row["seeds"]) == 3
        assert bool(int(row["tied_with_first"])) == place.tied
        for name in ("score", "behind", "cumulative_loss"):
            own = getattr(place, name)
            assert [float(row[f"{name}_{end}"]) for end in ("mean", "low", "high")] == list(own)


def test_the_table_by_hand() -> None:
    lines = as_csv(invented({"b, c": [1.0, 3.0], "a": [2.0, 4.0]})).splitlines()
    assert lines[0].split(",") == list(report.COLUMNS)
    assert lines[1].startswith('1,"b, c",2,2.0,')
    assert lines[2].split(",")[:3] + lines[2].split(",")[6:10] == ["2", "a", "2", "1.0", "1.0", "1.0", "0"]


def test_one_seed_has_empty_cells_and_dashes() -> None:
    single = invented({"a": [1.0], "b": [2.5]})
    assert as_csv(single).splitlines()[1:] == ["1,a,1,1.0,,,0.0,,,0,3.0,,", "2,b,1,2.5,,,1.5,,,0,7.5,,"]
    assert rows(single)[1] == [("1", "a", "1.00", "-", "-", "-"), ("2", "b", "2.50", "-", "1.50", "-")]


def test_the_table_for_people() -> None:
    header, body = rows(invented({"a": [1.0, 1.0], "b": [1.0, 3.0], "c": [0.5, 1000.5], "d": [-3.0, 6.0]}))
    assert header == ("rank", "learner", "regret", "95 % interval", "behind the first", "95 % interval")
    assert body == [
        ("1", "a", "1.00", "1.00 to 1.00", "-", "-"),
        ("=2", "d", "1.50", "-55.68 to 58.68", "0.5", "-56.68 to 57.68"),
        ("=3", "b", "2.00", "-10.71 to 14.71", "1.00", "-11.71 to 13.71"),
        ("=4", "c", "500.50", "-5852.60 to 6853.60", "499.50", "-5853.60 to 6852.60"),
    ]


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0.0, "0.00"), (1.0, "1.00"), (-12.345, "-12.35"), (0.012345678, "0.01235"), (-2e-17, "-2e-17")],
)
def test_numbers_for_people(number: float, shown: str) -> None:
    assert report._number(number) == shown


def test_an_interrupted_comparison_says_so() -> None:
    cut = invented({"a": [1.0, 2.0]}, interrupted=True)
    with xr.open_dataset(io.BytesIO(contents(cut)["runs.nc"]), engine="scipy") as runs:
        assert runs.attrs["interrupted"] == 1
        assert np.array_equal(runs["round"], [10, 20])
