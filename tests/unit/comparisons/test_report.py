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

import belated
from belated.comparisons import Comparison, read, run
from belated.comparisons.report import NAMES, contents
from belated.comparisons.setting import WrittenSetting
from belated.comparisons.writing import as_toml
from belated.learners.card import Facts
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


def test_what_cannot_be_printed_is_escaped() -> None:
    """Such as the signs that turn the direction of reading, and those outside of the first plane."""
    tables = {"a": "x\u202ey\x7f\x85\U000e0001é日😀"}
    text = as_toml(tables)
    assert text == r'a = "x\U0000202ey\U0000007f\U00000085\U000e0001é日😀"'
    assert tomllib.loads(text) == tables


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


def facts(comparison: Comparison) -> Facts:
    assert isinstance(comparison.setting, WrittenSetting)
    return comparison.setting.facts


@pytest.fixture(scope="module")
def written(comparison: Comparison) -> dict[str, bytes]:
    return contents(comparison)


def test_the_page_is_put_into_place_last(written: dict[str, bytes]) -> None:
    assert tuple(written) == NAMES
    assert NAMES[-1] == "report.html"


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
    assert written["setting.toml"].endswith(b"\n")


def test_the_head_of_the_setting_says_what_was_known_and_what_was_told(
    comparison: Comparison, written: dict[str, bytes]
) -> None:
    text = written["setting.toml"].decode()
    head = [line.removeprefix("# ") for line in text.splitlines() if line.startswith("#")]
    slope = facts(comparison).lipschitz
    known = f"Known of the first seed: rounds 20, lipschitz {slope:.6g}, strong_convexity 2, bound {slope:.6g}, "
    assert known in head[0]
    assert head[0].startswith(f"belated {belated.__version__}. ")
    assert head[1:] == [
        "Told to learners besides what is below:",
        "  dogd-sc: strong_convexity = 2.0",
        f"  dda: lipschitz = {slope!r}",
        f"  expert-advice.bases.1: lipschitz = {slope!r}",
        f"  expert-advice: lipschitz = {slope!r}",
    ], "and not those to whom the setting says everything"
    assert text.startswith("# belated ")


def test_the_head_cannot_be_left_by_a_label() -> None:
    """A label may look like the beginning of something else."""
    made = setting(changed() + "[learners.'x] = 1 # \"']\nname = 'dda'\n")
    text = contents(run(made))["setting.toml"].decode()
    assert tomllib.loads(text) == made.tables
    assert '\n#   x] = 1 # ": lipschitz = ' in text


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
        assert runs.attrs["summary"] == comparison.summary
        assert runs.attrs["lipschitz"] == facts(comparison).lipschitz
        assert tomllib.loads(runs.attrs["setting"])["learners"].keys() == comparison.setting.entries.keys()
    assert comparison.curves.attrs == {}, "what is written is a copy"


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_all_digits_are_in_the_table(comparison: Comparison, written: dict[str, bytes]) -> None:
    table = read_csv(written["ranking.csv"].decode())
    assert [row["learner"] for row in table] == [standing.learner for standing in comparison.ranking]
    for row, standing in zip(table, comparison.ranking, strict=True):
        assert int(row["rank"]) == standing.rank
        assert int(row["seeds"]) == 3
        assert bool(int(row["tied_with_first"])) == standing.tied
        for name in ("score", "behind", "cumulative_loss"):
            own = getattr(standing, name)
            assert [float(row[f"{name}_{end}"]) for end in ("mean", "low", "high")] == list(own)


def test_an_interrupted_comparison_says_so() -> None:
    cut = invented({"a": [1.0, 2.0]}, interrupted=True)
    with xr.open_dataset(io.BytesIO(contents(cut)["runs.nc"]), engine="scipy") as runs:
        assert runs.attrs["interrupted"] == 1
        assert np.array_equal(runs["round"], [10, 20])
