"""What comes out of a sweep over a log: the data set, intervals of the log itself, tables, figure, page and files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
import xarray as xr

import belated as bl
from belated import cli
from belated.comparisons.document import parsed
from belated.comparisons.writing import as_toml
from belated.core.errors import InvalidArgument
from belated.sweeps import figure, report
from belated.sweeps.page import report_page
from belated.sweeps.plan_reading import plan_from
from belated.sweeps.planning import plan_of_sweep
from belated.sweeps.responses import curve_of
from belated.sweeps.tables import as_csv
from support.late_logs import late_rows, write_csv
from support.reports import Report, reaching_out
from support.sweeping import LATE_RUNS, on_a_log

SCALE = "models.slow.step.scale"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> bl.Sweep:
    folder = tmp_path_factory.mktemp("found")
    return bl.sweep(on_a_log(folder / "log.csv", title="Late"), folder / "sweep", workers=1)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> bl.Sweep:
    folder = tmp_path_factory.mktemp("drawn")
    ranges = {"samples": 5, SCALE: {"from": 0.01, "to": 1.0, "scale": "log"}, "models.default.bits": [4, 6]}
    return bl.sweep(on_a_log(folder / "log.csv", grid=None, random=ranges), folder / "sweep", workers=1)


def test_the_data_set_has_models_and_no_seeds(found: bl.Sweep) -> None:
    assert dict(found.data.sizes) == {"model": 2, "log.stretch": 2, SCALE: 3}
    assert set(found.data.data_vars) == {"score", "cumulative_loss", "low", "high", "constant", "state"}
    assert (found.data.state == "done").all()
    assert (found.data.low < found.data.score).all()
    assert (found.data.score < found.data.high).all()
    default = found.data.score.sel(model="default").to_numpy()
    assert (default == default[:, :1]).all(), "it has no such scale"


def test_a_random_search_has_samples(drawn: bl.Sweep) -> None:
    assert dict(drawn.data.sizes) == {"model": 2, "sample": 5}
    for point in range(5):
        default, slow = (drawn.plan.cells[place] for place in drawn.plan.places[point])
        assert slow["model"]["step"]["scale"] == drawn.data[SCALE].values[point]
        assert default["model"]["bits"] == drawn.data["models.default.bits"].values[point]
    assert drawn.plan.runs == 7, "two settings of one model, and five of the other"


def test_it_is_read_back_as_it_was(found: bl.Sweep, drawn: bl.Sweep) -> None:
    for each in (found, drawn):
        folder = Path(each.plan.setting["log"]["source"]).parent / "sweep"
        read = bl.sweeps.read(folder)
        assert read.data.identical(each.data)
        assert read.plan == each.plan
        assert (read.found, read.done, read.missing) == (each.done, 0, 0)
        assert read.best == each.best


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    whole = bl.sweep(on_a_log(tmp_path / "log.csv"), tmp_path / "sweep", workers=1)
    lost = whole.plan.keys[1][0]  # the first scale, labels at once
    (tmp_path / "sweep" / "runs" / lost[:2] / f"{lost[2:]}.parquet").unlink()
    read = bl.sweeps.read(tmp_path / "sweep")
    assert (read.found, read.missing) == (LATE_RUNS - 1, 1)
    (response,) = [each for each in read.responses if each.missing]
    assert (response.label, response.own, response.score) == ("slow", {"step.scale": 0.01}, None)
    assert set(curve_of(read.plan, read.data, read.responses, "slow", SCALE)) == {1, 2}


def test_a_response_has_the_interval_of_its_log(found: bl.Sweep) -> None:
    for each in found.responses:
        mine = found.data.isel({"model": found.plan.labels.index(each.label)})
        point = mine.sel(
            {"log.stretch": each.circumstances["log.stretch"], SCALE: found.plan.values(each.point)[SCALE]}
        )
        assert each.score == (float(point.score), float(point.low), float(point.high))
        assert each.constant == float(point.constant)


def test_a_curve_averages_means_and_ends_over_circumstances(found: bl.Sweep) -> None:
    slow = found.data.sel(model="slow")
    by_scale = curve_of(found.plan, found.data, found.responses, "slow", SCALE)
    by_stretch = curve_of(found.plan, found.data, found.responses, "slow", "log.stretch")
    for place in range(3):
        ends = [float(slow[name].isel({SCALE: place}).mean()) for name in ("score", "low", "high")]
        assert by_scale[place] == pytest.approx(tuple(ends))
    for place in range(2):
        under = slow.isel({"log.stretch": place})
        best = under.isel({SCALE: int(np.argmin(under.score.data))})
        assert by_stretch[place] == pytest.approx((float(best.score), float(best.low), float(best.high)))


def test_tables_speak_of_models_and_of_the_log(found: bl.Sweep) -> None:
    lines = repr(found).splitlines()
    assert lines[:2] == ["Late", "6 points, 2 models: 8 runs of 8 settings, 0 found, 8 done"]
    assert lines[3].split("  ")[0] == "log.stretch"
    markdown = found.to_markdown()
    assert markdown.splitlines()[0] == "| log.stretch | model | with | constant | mean log-loss | 95 % interval |"
    assert "best of many on the same log" in markdown
    assert "constant is the mean of the labels so far" in markdown
    for word in ("seed", "learner"):
        assert word not in repr(found)
    rows = list(csv.DictReader(io.StringIO(as_csv(found))))
    assert [float(row["score_mean"]) for row in rows] == [each.mean for each in found.responses]
    assert [float(row["score_high"]) for row in rows] == [each.score.high for each in found.responses if each.score]
    assert {row["model"] for row in rows} == {"default", "slow"}


def test_the_page_speaks_of_models_and_of_the_log(found: bl.Sweep, drawn: bl.Sweep) -> None:
    page = Report(report_page(found, report.NAMES[:-1]))
    assert reaching_out(page) == []
    assert [each["x"]["title"] for each in page.data if "curves" in each] == ["log.stretch", SCALE]
    curve = curve_of(found.plan, found.data, found.responses, "slow", SCALE)
    values, means = page.curve("responses_2", "slow")
    assert values == [0.01, 0.1, 1.0]
    assert means == pytest.approx([each.mean for each in curve.values()], rel=1e-6)
    assert "The best setting of every model" in page.words
    assert "the 95 % interval of the mean loss, blocks of time drawn anew" in page.words
    assert str(found.plan.setting["log"]["source"]) in page.words
    random = Report(report_page(drawn, ()))
    assert "Every point: the mean loss over the log." in random.words
    for words in (page.words, random.words):
        assert "seed" not in words
        assert "learner" not in words


def test_the_figure_has_a_panel_for_each_path(found: bl.Sweep, drawn: bl.Sweep) -> None:
    painted = figure.painted(found)
    panels = [panel for panel in painted.axes if panel.axison]
    assert [panel.get_xlabel() for panel in panels] == ["log.stretch", SCALE]
    assert [len(panel.lines) for panel in panels] == [2, 1]
    assert panels[0].get_ylabel() == "Mean log-loss"
    assert "6 points, 2 models;" in painted.get_suptitle()
    (bars,) = next(panel for panel in figure.painted(drawn).axes if panel.get_xlabel() == SCALE).containers
    ends = [segment[:, 1].tolist() for segment in bars[2][0].get_segments()]
    scores = [each.score for each in drawn.responses if each.label == "slow" and each.score]
    assert ends == [pytest.approx([score.low, score.high]) for score in scores], "an interval need not be symmetric"


def test_files(found: bl.Sweep, tmp_path: Path) -> None:
    found.save(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(report.NAMES)
    with xr.open_dataset(tmp_path / "sweep.nc", engine="scipy") as again:
        np.testing.assert_array_equal(again.low, found.data.low)
        assert again.attrs["measure"] == "Mean log-loss"
    document = parsed("sweep.toml", (tmp_path / "sweep.toml").read_text(encoding="utf-8"))
    assert plan_of_sweep(document, "again")[0].keys == found.plan.keys
    assert (tmp_path / "failures.csv").read_text() == "key,model,error,message\n"


def test_the_columns_of_a_run_are_its_words_and_numbers(found: bl.Sweep) -> None:
    folder = Path(found.plan.setting["log"]["source"]).parent / "sweep" / "runs"
    table = pyarrow.parquet.read_table(folder)
    assert table.num_rows == LATE_RUNS
    assert {"log.source", "log.stretch", "model.name", "model.bits", "score", "low", "high", "constant"} <= set(
        table.column_names
    )
    assert "seed" not in table.column_names


def test_one_block_of_time_has_no_interval(tmp_path: Path) -> None:
    write_csv(tmp_path / "log.csv", [{**row, "at": 0, "known": 1} for row in late_rows(10)])
    found = bl.sweep(on_a_log(tmp_path / "log.csv"), tmp_path / "sweep", workers=1)
    assert all(np.isnan(each.score.low) for each in found.responses if each.score)
    assert (bl.sweeps.read(tmp_path / "sweep").found, found.done) == (LATE_RUNS, LATE_RUNS)
    assert set(report.contents(found)) == set(report.NAMES)


def test_a_plan_of_a_log_with_a_wrong_value_is_refused(found: bl.Sweep) -> None:
    fields = json.loads(found.plan.text)
    assert plan_from(found.plan.text, "plan.json") == found.plan
    wrong: list[tuple[str, object]] = [
        ("subject", "setting"),
        ("subject", "logs"),
        ("seeds", []),
        ("seeds", [None, None]),
        ("cells", [{}] * LATE_RUNS),
    ]
    for name, value in wrong:
        with pytest.raises(InvalidArgument, match="was changed or damaged"):
            plan_from(json.dumps({**fields, name: value}), "plan.json")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "late.toml", tmp_path / "out"
    grid = {"grid": {"models.default.bits": [4, 6]}, "models": {"default": {"name": "logistic"}}}
    file.write_text(as_toml(on_a_log(tmp_path / "log.csv", **grid)), encoding="utf-8")
    assert cli.main(["sweep", str(file), "--out", str(out), "--workers", "1"]) == 0
    said = capsys.readouterr().out
    assert "2 points, 1 model: 2 runs of 2 settings, 0 found, 2 done" in said
    assert cli.main(["sweep", str(out / "sweep.toml"), "--out", str(out), "--workers", "1"]) == 0
    assert "2 found, 0 done" in capsys.readouterr().out


def test_labels_with_all_letters_are_shown_and_kept(tmp_path: Path) -> None:
    label = "\u03b2, sl.ow"
    models = {label: {"name": "logistic"}}
    given = on_a_log(tmp_path / "log.csv", models=models, grid={f'models."{label}".bits': [4, 5]})
    found = bl.sweep(given, tmp_path / "sweep", workers=1)
    assert found.data.model.values.tolist() == [label]
    assert found.best[0].own.keys() == {"bits"}
    assert set(report.contents(found)) == set(report.NAMES)
