"""The settings that come with the library: all of them are valid and run; the paper's are the paper's."""

from pathlib import Path

import numpy as np
import pytest

import belated as bl
from belated import comparisons
from belated.comparisons import reading, report, shipped
from belated.core.errors import InvalidArgument
from belated.output import files
from belated.papers import wan2021


def test_there_are_some_and_each_has_words_about_it() -> None:
    assert {"paper-low", "paper-high", "bursts", "experts", "pricing"} <= set(shipped.names())
    assert shipped.names() == sorted(shipped.names())
    for name in shipped.names():
        tables = shipped.document(name)[0].tables
        assert 0 < len(tables["title"]) < 80
        assert len(tables["about"].split()) > 15


@pytest.mark.parametrize("name", shipped.names())
def test_every_setting_is_valid_as_it_is(name: str) -> None:
    made = comparisons.read(name)
    assert made.name == name
    assert len(made.entries) > 3
    assert made.measure.fits(made.problem)


@pytest.mark.parametrize("name", shipped.names())
def test_every_setting_runs_and_is_written_however_short(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("belated.output.drawing._saved", lambda figure, file_format, metadata: file_format.encode())
    comparison = comparisons.run(comparisons.read(name, rounds=30, seeds=2))
    assert len(comparison.ranking) == len(comparison.setting.entries)
    assert np.isfinite(comparison.curves.score).all()
    files.place(tmp_path, report.contents(comparison))
    assert {path.name for path in tmp_path.iterdir()} == set(report.NAMES)


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text((shipped.FOLDER / "experts.toml").read_text())
    made = comparisons.read(path)
    assert made.name == "own"
    assert made.tables == comparisons.read("experts").tables
    assert comparisons.read(str(path), rounds=7).rounds == 7


@pytest.mark.parametrize(
    ("place", "path", "name"),
    [
        (".", "bursts/setting.toml", "bursts"),
        (".", "./two words/setting.toml", "two words"),
        ("bursts", "setting.toml", "bursts"),
        ("bursts/deep", "../setting.toml", "bursts"),
        (".", "bursts/settings.toml", "settings"),
    ],
)
def test_a_setting_that_a_run_has_left_has_the_name_of_its_folder(
    place: str, path: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path / place)
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text((shipped.FOLDER / "experts.toml").read_text())
    assert shipped.document(path)[1] == name
    assert comparisons.read(Path(path).absolute(), rounds=5).name == name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rounds": 0}, r"^read\(rounds=...\): must be a whole number from 1"),
        ({"seeds": -1}, r"^read\(seeds=...\): must be a whole number from 1"),
        ({"round": 5}, r"^read\(round=...\): a setting has no such key; did you mean rounds\?$"),
    ],
)
def test_a_wrong_change_is_told_as_it_was_given(changes: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        comparisons.read("experts", **changes)


@pytest.mark.parametrize(("name", "near"), [("expert", "experts"), ("burst", "bursts"), ("paper-lo", "paper-low")])
def test_a_name_that_there_is_not_is_told_with_the_nearest_one(name: str, near: str) -> None:
    with pytest.raises(InvalidArgument, match=rf"^there is no setting '{name}'; did you mean {near}( or [a-z-]+)*\?$"):
        comparisons.read(name)


@pytest.mark.parametrize("name", ["zebra", "", "no/where", "x" * 500])
def test_a_name_like_none_is_told_with_those_that_there_are(name: str) -> None:
    with pytest.raises(InvalidArgument, match=r"there is no setting '.*; there are bursts, .*, and files named \*"):
        comparisons.read(name)


# --- the paper's experiment ---


def test_the_papers_numbers() -> None:
    """Mean regret over twenty seeds."""
    document, name = shipped.document("paper-low")
    learners = {label: document.tables["learners"][label] for label in ("dogd-sc", "dogd", "ftdl")}
    document = document.with_option("these", ("learners",), learners)
    result = comparisons.run(reading.setting_of(document, name))
    means = {standing.learner: standing.score.mean for standing in result.ranking}
    assert means == pytest.approx({"dogd-sc": 14.57, "dogd": 78.58, "ftdl": 9.96}, abs=0.005)


@pytest.mark.parametrize("which", ["low", "high"])
def test_the_papers_settings_are_those_of_its_reproduction(which: str) -> None:
    made = comparisons.read(f"paper-{which}", rounds=50, seeds=2)
    delays = wan2021.SETTINGS[which]
    assert made.delays == bl.delays.Periodic(delays)
    comparison = comparisons.run(made)
    direct = bl.simulate(
        {label: made.entries[label].learner for label in ("dogd", "dogd-sc", "bdogd-sc")},
        bl.problems.RandomQuadratic(10),
        bl.delays.Periodic(delays),
        50,
        range(2),
        initial={label: np.array(made.entries[label].initial) for label in ("dogd", "dogd-sc", "bdogd-sc")},
    )
    for label in ("dogd", "dogd-sc", "bdogd-sc"):
        own = comparison.curves.score.sel(learner=label).isel(round=-1)
        assert np.array_equal(own, direct.regret.sel(learner=label).isel(round=-1))
