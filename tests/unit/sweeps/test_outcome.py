"""What comes out of a sweep: the data set, responses and best settings against naive ones, tables, figure and files."""

from __future__ import annotations

import csv
import io
import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import belated as bl
from belated.comparisons.document import parsed
from belated.comparisons.ranking import interval
from belated.core.errors import InvalidArgument
from belated.sweeps import figure, page, report, running, words
from belated.sweeps.outcome import Sweep
from belated.sweeps.page import report_page
from belated.sweeps.planning import plan_of_sweep
from belated.sweeps.responses import NOTHING, best_of, curve_of
from belated.sweeps.tables import as_csv
from support.reports import Report, reaching_out
from support.sweeping import GRID, RUNS, SETTING

MEAN, OWN = "delays.mean", "learners.dogd-sc.strong_convexity"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    return bl.sweep(SETTING, tmp_path_factory.mktemp("found"), grid=GRID)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    ranges = {"samples": 4, OWN: {"from": 1.0, "to": 4.0, "scale": "log"}, "rounds": [10, 20]}
    return bl.sweep({**SETTING, "seeds": 2}, tmp_path_factory.mktemp("drawn"), random=ranges)


def test_the_data_set_has_a_dimension_for_each_path(found: Sweep) -> None:
    assert dict(found.data.sizes) == {"learner": 2, MEAN: 2, OWN: 2, "seed": 5}
    assert (found.data.state == "done").all()
    assert found.data[MEAN].values.tolist() == [2, 5]
    two = found.data.score.sel(learner="two")
    assert two.isel({OWN: 0}).equals(two.isel({OWN: 1}).assign_coords({OWN: 1.0})), "it has no such constant"
    assert not found.data.score.isnull().any()


def test_the_data_set_of_a_random_search_has_samples(drawn: Sweep) -> None:
    assert dict(drawn.data.sizes) == {"learner": 2, "sample": 4, "seed": 2}
    assert drawn.data[OWN].dims == drawn.data["rounds"].dims == ("sample",)
    for point in range(4):
        cell = drawn.plan.cells[drawn.plan.places[point][0]]
        assert cell["rounds"] == drawn.data["rounds"].values[point]
        assert cell["learner"]["strong_convexity"] == drawn.data[OWN].values[point]


@pytest.mark.parametrize("axes", list(itertools.permutations(["rounds", "problem.dim", "delays.mean"])))
def test_reading_it_back_finds_every_score_at_its_own_values(axes: tuple[str, ...], tmp_path: Path) -> None:
    """In whatever order the paths are written."""
    values = {"rounds": [4, 5], "problem.dim": [1, 2, 3], "delays.mean": [2, 5]}
    whole = bl.sweep({**SETTING, "seeds": 1}, tmp_path, grid={name: values[name] for name in axes})
    read = bl.sweeps.read(tmp_path)
    assert whole.data.score.dims == read.data.score.dims == ("learner", *axes, "seed")
    assert read.data.identical(whole.data)
    assert [read.plan.values(point) for point in range(12)] == [whole.plan.values(point) for point in range(12)]


def test_reading_it_back_says_what_is_missing(tmp_path: Path) -> None:
    whole = bl.sweep(SETTING, tmp_path, grid=GRID)
    read = bl.sweeps.read(tmp_path)
    assert read.data.identical(whole.data)
    assert (read.found, read.done, read.missing) == (RUNS, 0, 0)
    lost = whole.plan.keys[0][3]  # the first setting of dogd-sc, on the fourth seed
    (tmp_path / "runs" / lost[:2] / f"{lost[2:]}.parquet").unlink()
    read = bl.sweeps.read(tmp_path)
    assert read.missing == 1
    states = read.data.state.where(read.data.state != "done", drop=True)
    assert states.to_numpy().tolist() == [[[["missing"]]]]
    assert [states[name].item() for name in ("learner", MEAN, OWN, "seed")] == ["dogd-sc", 2, 1.0, 3]
    (response,) = [each for each in read.responses if each.missing]
    assert not response.whole
    assert response.done == 4
    assert response.score == interval(read.data.score.to_numpy()[0, 0, 0][[0, 1, 2, 4]])
    assert all(each.own != response.own or each.circumstances != response.circumstances for each in read.best)


def test_the_best_setting_is_the_one_with_the_least_mean(found: Sweep) -> None:
    """The witness goes through the labelled data set by itself."""
    means = found.data.score.mean("seed")
    expected = []
    for mean in (2, 5):
        under = means.sel({MEAN: mean})
        best = {label: float(under.sel(learner=label).min()) for label in ("dogd-sc", "two")}
        expected += sorted((score, label) for label, score in best.items())
    assert [each.label for each in found.best] == [label for _, label in expected]
    assert [each.mean for each in found.best] == pytest.approx([score for score, _ in expected])
    for each in found.best:
        if each.label == "dogd-sc":
            chosen = means.sel({"learner": "dogd-sc", MEAN: each.circumstances[MEAN]})
            assert each.own["strong_convexity"] == float(chosen.idxmin())
        else:
            assert each.own == {}


def test_of_equal_settings_the_first_is_the_best(found: Sweep) -> None:
    equal = [each._replace(score=interval(np.array([1.0, 2.0]))) for each in found.responses]
    assert [each.point for each in best_of(tuple(equal))] == [0, 0, 2, 2]


def test_a_curve_averages_over_circumstances_and_chooses_settings(found: Sweep) -> None:
    scores = found.data.score.sel(learner="dogd-sc")
    by_own = curve_of(found.plan, found.data, found.responses, "dogd-sc", OWN)
    by_mean = curve_of(found.plan, found.data, found.responses, "dogd-sc", MEAN)
    for place in range(2):
        expected = interval(scores.isel({OWN: place}).mean(MEAN).to_numpy())
        assert by_own[place] == pytest.approx(expected)
        under = scores.isel({MEAN: place})
        best = int(np.argmin(under.mean("seed").data))
        assert by_mean[place] == pytest.approx(interval(under.isel({OWN: best}).to_numpy()))


def test_a_curve_leaves_out_what_is_not_whole(found: Sweep) -> None:
    responses = tuple(each._replace(missing=1) if each.point == 0 else each for each in found.responses)
    assert set(curve_of(found.plan, found.data, responses, "dogd-sc", OWN)) == {1}
    assert set(curve_of(found.plan, found.data, responses, "dogd-sc", MEAN)) == {0, 1}


def test_tables(found: Sweep) -> None:
    text = repr(found)
    assert text.splitlines()[:2] == ["sweep", "4 points, 2 learners, 5 seeds: 30 runs of 6 settings, 0 found, 30 done"]
    assert "strong_convexity = 2" in text
    assert found.to_markdown().splitlines()[0] == "| delays.mean | learner | with | regret | 95 % interval |"
    rows = list(csv.DictReader(io.StringIO(as_csv(found))))
    assert len(rows) == 8
    for row, response in zip(rows, found.responses, strict=True):
        assert float(row["score_mean"]) == response.mean
        assert row["learner"] == response.label
        assert float(row[MEAN]) == response.circumstances[MEAN]
        assert (row["done"], row["failed"], row["missing"]) == ("5", "0", "0")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([2.0, 4.0, 40.0], False),
        ([40.0, 2.0, 4.0], False),  # the last, which is neither the least nor the largest
        ([1.0, 2.0, 4.0], True),
        ([2.0, 1.0, 400.0], True),  # under one of the two laws
        ([8.0, 40.0, 400.0], True),
        ([2.0, 4.0], False),  # of two values one is the best
    ],
)
def test_a_best_value_at_an_end_of_its_list_is_told(values: list[float], said: bool, tmp_path: Path) -> None:
    swept = bl.sweep(SETTING, tmp_path, grid=GRID | {OWN: values})
    ends = {min(values), max(values)} & {each.own["strong_convexity"] for each in swept.best if each.own}
    assert (bool(ends) and len(values) > 2) is said
    assert (f"Try values beyond the list of {OWN}: the best is at an end." in repr(swept)) is said


def test_where_every_point_has_circumstances_of_its_own_no_setting_is_the_best(tmp_path: Path) -> None:
    ranges = {"samples": 5, OWN: {"from": 1.0, "to": 4.0}, MEAN: {"from": 1.5, "to": 60.0}}
    alone = bl.sweep({**SETTING, "seeds": 2}, tmp_path, random=ranges)
    assert alone.best == ()
    said = "Left out are values of delays.mean that a single point has, since nothing is compared there: look at the"
    assert said in repr(alone)
    assert "Each setting" not in repr(alone)
    some = bl.sweep({**SETTING, "seeds": 2}, tmp_path, random={**ranges, "samples": 12, MEAN: [2, 50]})
    assert {each.circumstances[MEAN] for each in some.best} == {2, 50}
    assert len(some.best) == 4
    assert "Each setting" in repr(some)
    assert said not in repr(some)
    few = bl.sweep({**SETTING, "seeds": 2}, tmp_path, random={**ranges, MEAN: [2, 50]})
    assert few.plan.axes[MEAN].count(2) == 1
    assert {each.circumstances[MEAN] for each in few.best} == {50}
    assert said in repr(few)


def test_arrays_ranges_and_numbers_of_numpy_are_written_as_a_file_has_them(tmp_path: Path) -> None:
    plain = bl.sweep(
        {**SETTING, "seeds": [0, 1]}, tmp_path, grid={OWN: [1.0, 2.0], "delays": [{"name": "fixed", "delay": 2}]}
    )
    grid = {OWN: np.linspace(1.0, 2.0, 2), "delays": ({"name": "fixed", "delay": np.int64(2)},)}
    again = bl.sweep({**SETTING, "seeds": range(2)}, tmp_path, grid=grid)
    assert again.plan == plain.plan
    assert (again.found, again.done) == (plain.done, 0)


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        (
            {"learners": {"dogd-sc": {}, "y": bl.dogd_sc(bl.Ball(2), 2.0)}},
            "setting, learners.y: must be numbers, texts, lists",
        ),
        ({"problem": {"name": "random-quadratic", "dim": {2}}}, "setting, problem.dim: must be numbers"),
        ({"seeds": range(10**30)}, "setting, seeds: must be numbers, texts, lists and tables, not range(0, 1000"),
    ],
)
def test_what_no_file_can_have_is_told_with_its_place(changed: Any, where: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=re.escape(where)):
        bl.sweep({**SETTING, **changed}, tmp_path, grid=GRID)


def test_parts_are_no_lists_and_a_huge_range_is_not_written_out() -> None:
    ball, huge = bl.Ball(2), range(words.LONGEST_RANGE + 1)
    assert words.plain([ball])[0] is ball
    assert words.plain(huge) is huge
    assert words.plain(huge[1:]) == list(huge[1:])


def test_a_table_that_holds_itself_is_refused(tmp_path: Path) -> None:
    endless: dict[str, Any] = {}
    endless["problem"] = endless
    with pytest.raises(InvalidArgument, match="must not hold itself"):
        bl.sweep(endless, tmp_path, grid=GRID)


def test_of_what_was_drawn_no_value_is_at_an_end(drawn: Sweep) -> None:
    assert "Try values" not in repr(drawn)


def test_one_seed_has_no_interval(tmp_path: Path) -> None:
    laws = [{"name": "fixed", "delay": 2}, {"name": "geometric", "mean": 3}]
    one = bl.sweep({**SETTING, "seeds": 1}, tmp_path, grid={"delays": laws})
    assert one.best[0].score is not None
    assert "-" in repr(one).splitlines()[-3]
    assert set(report.contents(one)) == set(report.NAMES)
    assert one.data["delays"].values.tolist() == ['{"delay":2,"name":"fixed"}', '{"mean":3,"name":"geometric"}']


def test_files(found: Sweep, tmp_path: Path) -> None:
    found.save(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(report.NAMES)
    with xr.open_dataset(tmp_path / "sweep.nc", engine="scipy") as again:
        np.testing.assert_array_equal(again.score, found.data.score)
        assert again.attrs["measure"] == "Regret"
        assert again.learner.values.tolist() == ["dogd-sc", "two"]
    document = parsed("sweep.toml", (tmp_path / "sweep.toml").read_text(encoding="utf-8"))
    assert plan_of_sweep(document, "again")[0].keys == found.plan.keys
    assert report.contents(found) == report.contents(found), "the same sweep gives the same bytes"


def test_the_page_has_a_picture_for_each_path(found: Sweep, drawn: Sweep) -> None:
    page = Report(report_page(found, report.NAMES[:-1]))
    assert reaching_out(page) == []
    assert [each["x"]["title"] for each in page.data if "curves" in each] == [MEAN, OWN]
    for number, name in enumerate((MEAN, OWN), start=1):
        curve = curve_of(found.plan, found.data, found.responses, "dogd-sc", name)
        values, means = page.curve(f"responses_{number}", "dogd-sc")
        assert values == [found.plan.axes[name][place] for place in curve]
        assert means == pytest.approx([each.mean for each in curve.values()], rel=1e-6)
    assert [each["name"] for each in page.numbers("responses_2")["curves"]] == ["dogd-sc"]
    assert "strong_convexity = 2" in page.words
    random = Report(report_page(drawn, ()))
    values, means = random.curve("responses_1", "dogd-sc")
    mine = [each for each in drawn.responses if each.label == "dogd-sc"]
    assert sorted(means) == pytest.approx(sorted(each.mean for each in mine), rel=1e-6)
    assert values == sorted(values)


def test_the_figure_has_a_panel_for_each_path(found: Sweep, drawn: Sweep) -> None:
    painted = figure.painted(found)
    panels = [panel for panel in painted.axes if panel.axison]
    assert [panel.get_xlabel() for panel in panels] == [MEAN, OWN]
    assert [len(panel.lines) for panel in panels] == [2, 1], "only dogd-sc has a curve by its own constant"
    curve = curve_of(found.plan, found.data, found.responses, "dogd-sc", MEAN)
    assert np.array(panels[0].lines[0].get_ydata()).tolist() == [each.mean for each in curve.values()]
    random = [panel for panel in figure.painted(drawn).axes if panel.axison]
    assert [panel.get_xlabel() for panel in random] == [OWN, "rounds"]
    assert [len(panel.containers) for panel in random] == [1, 2]
    assert found.figure() is not None


def test_words_below_an_axis_and_more_panels_than_columns(tmp_path: Path) -> None:
    laws = [{"name": "fixed", "delay": 2}, {"name": "geometric", "mean": 3}]
    grid = {"delays": laws, "rounds": [5, 60], "initial": [0.1, 0.2], "measure": ["regret", "loss"]}
    wide = bl.sweep({**SETTING, "seeds": 2, "learners": {"dogd-sc": {}}}, tmp_path, grid=grid)
    panels = figure.painted(wide).axes
    assert [panel.axison for panel in panels] == [True] * 4 + [False] * 2
    assert [label.get_text() for label in panels[0].get_xticklabels()] == ['{"delay":2,"n...', '{"mean":3,"na...']
    assert panels[1].get_xscale() == "log"
    assert panels[1].xaxis.get_major_formatter()(20.0, 0) == "20"
    assert wide.plan.measure == "Cumulative loss or Regret"


def test_a_far_axis_without_a_finished_curve_is_drawn_all_the_same(tmp_path: Path) -> None:
    far = {OWN: [0.01, 1.0, 100.0], MEAN: [1, 1000]}
    whole = bl.sweep({**SETTING, "seeds": 1}, tmp_path, grid=far)
    for path in (tmp_path / "runs").rglob("*.parquet"):
        path.unlink()
    assert set(report.contents(bl.sweeps.read(tmp_path))) == set(report.contents(whole)) == set(report.NAMES)


def test_whole_numbers_beyond_64_bits_are_drawn_and_kept_as_real_ones(tmp_path: Path) -> None:
    found = bl.sweep({**SETTING, "seeds": 1}, tmp_path, grid={OWN: [1, 2**63, 10**20]})
    assert found.data[OWN].values.tolist() == [1.0, 2.0**63, 1e20]
    assert set(report.contents(found)) == set(report.NAMES)
    assert "\ndogd-sc,100000000000000000000," in as_csv(found)


def test_files_hold_large_numbers_and_all_letters(tmp_path: Path) -> None:
    setting = {**SETTING, "seeds": 1, "learners": {"\u03b2 slow": {"name": "dogd"}}}
    found = bl.sweep(setting, tmp_path, grid={'learners."\u03b2 slow".rate': [1, 2**32, 2**32 + 1]})
    path = tmp_path / "sweep.nc"
    path.write_bytes(report.contents(found)["sweep.nc"])
    with xr.open_dataset(path) as read:
        assert read['learners."\\u03b2 slow".rate'].values.tolist() == [1, 2**32, 2**32 + 1]
        assert read.learner.values.tolist() == ["\u03b2 slow"]


def test_the_page_does_not_tell_who_did_the_runs(found: Sweep) -> None:
    """Runs that were found and runs that were done are the same result, so they give the same page."""
    again = replace(found, found=found.done, done=0)
    assert again.summary != found.summary
    page = report_page(found, ())
    assert report_page(again, ()) == page
    assert f"{RUNS} of {RUNS} runs complete." in Report(page).words
    assert (
        f"{RUNS - 3} of {RUNS} runs complete, 3 missing."
        in Report(report_page(replace(found, done=RUNS - 3), ())).words
    )


def test_the_page_says_what_was_written() -> None:
    table = {"name": "logistic", "step": {"name": "adagrad", "scale": 0.1}, "features": ["a", "b"]}
    setting = {"title": "It", "rounds": 50, "models": {"slow": table, "plain": {}}, "delays": "fixed", "grid": {}}
    assert page._written(setting) == [
        ("Rounds", "50"),
        ("Models", 'slow (name = logistic, features = ["a","b"], step (name = adagrad, scale = 0.1)), plain'),
        ("Delays", "fixed"),
    ]


def test_a_panel_without_a_value_that_is_complete_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_run_all", lambda *arguments: None)
    nothing = bl.sweep(SETTING, tmp_path, grid=GRID)
    assert nothing.missing == RUNS
    texts = [[text.get_text() for text in axes.texts] for axes in nothing.figure().axes]
    assert texts == [[NOTHING]] * 2
    assert report_page(nothing, ()).count(NOTHING.encode()) == 2


def test_a_panel_without_values_leaves_the_axis_of_the_others_as_it_is(found: Sweep) -> None:
    """It may be that of a learner all of whose runs have failed."""
    data = found.data.copy(deep=True)
    data.state.loc[{"learner": "dogd-sc"}] = "failed"
    one = replace(found, data=data).figure()
    full, empty = one.axes
    assert (len(full.texts), len(empty.texts)) == (0, 1)
    assert len(full.get_yticks()) > 2
    assert len(empty.get_xticks()) == 0
