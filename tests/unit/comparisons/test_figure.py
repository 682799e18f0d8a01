"""The picture can be drawn of whatever comes out; every learner has its panel, and its scales fit the scores."""

import math
import struct
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from belated.comparisons import figure
from belated.comparisons.comparison import Comparison
from belated.comparisons.figure import FAR, draw
from belated.comparisons.ranking import Interval, interval
from belated.core.arrays import Vector
from belated.output.drawing import BLUE, VERMILION, text_width
from support.comparisons import invented


def many(number: int, least: float = 1.0) -> Comparison:
    return invented({f"learner {i}": [least + i, least + 2.0 * i, least + i] for i in range(number)})


def parts(drawn: Figure) -> tuple[list[Axes], Axes]:
    """The panels, in the order of the ranking, and the ranking."""
    *panels, ranking = drawn.axes
    return panels, ranking


def own_line(panel: Axes) -> list[float]:
    """The curve that a panel is about: the broad one."""
    (line,) = [line for line in panel.lines if line.get_linewidth() > 1.5]
    heights: list[float] = np.asarray(line.get_ydata()).tolist()
    return heights


@pytest.mark.parametrize("number", [1, 5])
def test_a_picture_is_as_tall_as_it_needs(number: int) -> None:
    picture = draw(many(number))
    assert ET.fromstring(picture.svg).tag.endswith("svg")
    width, height = struct.unpack(">II", picture.png[16:24])
    assert width == 1650
    rows = math.ceil(number / 3)
    assert height > 150 * max(figure.PANEL * rows, figure.ROW * number)


@pytest.mark.parametrize("number", [1, 2, 3, 7])
def test_everybody_has_a_panel_and_a_line_of_the_ranking(number: int, quick_drawing: list[Figure]) -> None:
    comparison = many(number)
    draw(comparison)
    panels, ranking = parts(quick_drawing[0])
    titles = [panel.get_title(loc="left").lstrip("=").split("  ") for panel in panels]
    assert titles == [[str(1 + i), f"learner {i}"] for i in range(number)]
    labels = [label.get_text().replace("=", "") for label in ranking.get_yticklabels()]
    assert labels == [f"learner {i}  {1 + i}" for i in range(number)]
    for panel, standing in zip(panels, comparison.ranking, strict=True):
        expected = comparison.curves.score.sel(learner=standing.learner).mean("seed")
        assert own_line(panel) == pytest.approx(expected.values.tolist())
        assert len(panel.lines) == 2 + (standing.rank > 1), "all in one, its own, and the first"
        everybody = np.asarray(panel.lines[0].get_ydata()).reshape(number, -1)[:, :-1]
        assert np.array_equal(everybody, [own_line(each) for each in panels])


def check_bands(comparison: Comparison, drawn: Figure) -> None:
    """Bands and bars are the 95 % intervals of the mean over the seeds, in every round."""
    panels, ranking = parts(drawn)
    for panel, standing in zip(panels, comparison.ranking, strict=True):
        (band,) = [each for each in panel.collections if isinstance(each, PolyCollection)]
        corners = np.asarray(band.get_paths()[0].vertices)
        table = comparison.curves.score.sel(learner=standing.learner)
        for i, t in enumerate(comparison.curves["round"].values):
            ends = sorted({float(y) for x, y in corners if x == t})
            expected = interval(table.isel(round=i).to_numpy())
            assert (ends[0], ends[-1]) == pytest.approx((expected.low, expected.high))
    bars = [np.asarray(line.get_xdata()).tolist() for line in ranking.lines if len(np.asarray(line.get_xdata())) == 2]
    assert bars == [[standing.score.low, standing.score.high] for standing in comparison.ranking]
    for line in ranking.lines:
        assert line.get_solid_capstyle() == "butt" or line.get_marker() == "o", "or it would look longer than it is"


def test_bands_have_one_meaning(quick_drawing: list[Figure]) -> None:
    comparison = many(3)
    draw(comparison)
    check_bands(comparison, quick_drawing[0])
    assert "95 % interval of the mean over 3 seeds" in " ".join(legend(quick_drawing[0]))


def deviation(values: Vector) -> Interval:
    return Interval(float(values.mean()), float(values.mean() - values.std()), float(values.mean() + values.std()))


def extremes(values: Vector) -> Interval:
    return Interval(float(values.mean()), float(values.min()), float(values.max()))


@pytest.mark.parametrize("mutant", [deviation, extremes])
def test_bands_of_another_meaning_would_be_seen(
    mutant: Callable[[Vector], Interval], monkeypatch: pytest.MonkeyPatch, quick_drawing: list[Figure]
) -> None:
    monkeypatch.setattr(figure, "interval", mutant)
    comparison = many(2)
    draw(comparison)
    with pytest.raises(AssertionError):
        check_bands(comparison, quick_drawing[0])


def test_axes_are_shared_labelled_and_begin_in_the_first_round(quick_drawing: list[Figure]) -> None:
    draw(many(5))
    panels, ranking = parts(quick_drawing[0])
    assert {panel.get_xlim() for panel in panels} == {(10.0, 20.0)}
    assert len({panel.get_ylim() for panel in panels}) == 1
    assert panels[0].get_xticks().tolist() == [10, 15, 20]
    assert (quick_drawing[0].get_supxlabel(), quick_drawing[0].get_supylabel()) == ("Round", "Regret")
    assert ranking.get_xlabel() == "Regret after round 20; less is better"
    below = [panel.xaxis.get_tick_params()["labelbottom"] for panel in panels]
    assert below == [False, False, True, True, True], "where there is no panel below"


def legend(drawn: Figure) -> list[str]:
    return [text.get_text() for text in drawn.legends[0].get_texts()]


def words(drawn: Figure) -> list[str]:
    """The title of the figure and what stands below it, but not the names of its axes."""
    return [text.get_text() for text in drawn.texts if text.get_text() not in ("Round", "Regret")]


def test_title_and_words_say_what_is_compared(quick_drawing: list[Figure]) -> None:
    comparison = many(2)
    draw(comparison)
    title, below = words(quick_drawing[0])
    assert title == comparison.setting.title
    assert below == comparison.summary == "random quadratic, n = 2; delays fixed, delay 2; 20 rounds, 3 seeds"
    draw(invented({"a": [1.0], "b": [2.0]}, interrupted=True))
    assert words(quick_drawing[1])[1].endswith("20 rounds, 1 seed, interrupted")


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (invented({"a": [1.0]}), ["the learner of the panel"]),
        (invented({"a": [1.0], "b": [2.0]}), ["the learner of the panel", "the first", "all others"]),
        (
            invented({"a": [1.0, 1.0], "b": [0.0, 3.0]}),
            [
                "first, or cannot be told from it (=)",
                "band, bar: 95 % interval of the mean over 2 seeds",
                "the first",
                "all others",
            ],
        ),
        (
            invented({"a": [1.0, 1.0], "b": [2.0, 2.0]}),
            [
                "first",
                "behind the first",
                "band, bar: 95 % interval of the mean over 2 seeds",
                "the first",
                "all others",
            ],
        ),
        (
            invented({"a": [-1.0, 3.0], "b": [99.0, 99.0]}),
            [
                "first",
                "behind the first",
                "band, bar: 95 % interval of the mean over 2 seeds",
                "the interval goes on beyond the axis",
                "the first",
                "all others",
            ],
        ),
    ],
)
def test_the_legend_says_what_is_seen(comparison: Comparison, expected: list[str], quick_drawing: list[Figure]) -> None:
    draw(comparison)
    assert legend(quick_drawing[0]) == expected


def test_colours_say_who_is_behind(quick_drawing: list[Figure]) -> None:
    draw(invented({"a": [1.0, 1.0], "tied": [-3.0, 6.0], "behind": [7.0, 7.5]}))
    panels, ranking = parts(quick_drawing[0])
    broad = [line.get_color() for panel in panels for line in panel.lines if line.get_linewidth() > 1.5]
    assert broad == [BLUE, BLUE, VERMILION]
    assert [line.get_color() for line in ranking.lines if line.get_marker() == "o"] == broad
    assert panels[1].get_title(loc="left") == "=2  tied"


@pytest.mark.parametrize(
    ("scores", "scales"),
    [
        ({"a": [1.0, 1.0], "b": [1.1 * FAR, 1.1 * FAR]}, ("log", "log")),
        ({"a": [1.0, 1.0], "b": [0.9 * FAR, 0.9 * FAR]}, ("linear", "linear")),
        ({"a": [0.0, 0.0], "b": [30.0, 31.0]}, ("linear", "linear")),
        ({"a": [-5.0, -6.0], "b": [30.0, 31.0]}, ("linear", "linear")),
        ({"a": [-50.0, -60.0], "b": [-1.0, -1.0]}, ("linear", "linear")),
        ({"a": [0.0, 0.0], "b": [0.0, 0.0]}, ("linear", "linear")),
        ({"a": [-1.0, 3.0], "b": [99.0, -3.0]}, ("log", "log")),  # intervals reach below 0
        ({"a": [1e-12, 2e-12], "b": [1e12, 2e12]}, ("log", "log")),
        ({"a": [5.0]}, ("linear", "linear")),
        ({"a": [1.0], "b": [50.0]}, ("log", "log")),
        ({"a": [1.0], "b": [1e3], "c": [1e9]}, ("log", "log")),
    ],
)
def test_scales_are_logarithmic_only_where_all_scores_are_positive_and_far_apart(
    scores: dict[str, list[float]], scales: tuple[str, str], quick_drawing: list[Figure]
) -> None:
    draw(invented(scores))
    panels, ranking = parts(quick_drawing[0])
    assert (panels[0].get_yscale(), ranking.get_xscale()) == scales
    assert ("log scale" in quick_drawing[0].get_supylabel()) == (scales[0] == "log")
    assert ("log scale" in ranking.get_xlabel()) == (scales[1] == "log")


def cut(ranking: Axes) -> list[float]:
    """The heights at which an interval is marked as cut, all of them at the edge of the axis."""
    marks = [line for line in ranking.lines if line.get_marker() == figure.CUT]
    assert all(float(np.asarray(line.get_xdata())[0]) == ranking.get_xlim()[0] for line in marks)
    return [float(np.asarray(line.get_ydata())[0]) for line in marks]


def test_an_interval_that_a_logarithmic_axis_cuts_is_marked(quick_drawing: list[Figure]) -> None:
    draw(invented({"a": [1.0, 1.0], "b": [-1.0, 9.0], "c": [90.0, 91.0]}))
    panels, ranking = parts(quick_drawing[0])
    assert cut(ranking) == [-1.0]
    assert ranking.get_xlim()[0] == pytest.approx(0.6)
    (bar,) = [line for line in ranking.lines if np.asarray(line.get_ydata()).tolist() == [-1, -1]]
    assert np.asarray(bar.get_xdata())[0] == figure.TINY, "down to the edge and beyond"
    (band,) = [each for each in panels[1].collections if isinstance(each, PolyCollection)]
    assert np.asarray(band.get_paths()[0].vertices)[:, 1].min() == figure.TINY
    draw(invented({"a": [1.0, 1.0], "b": [-1.0, 9.0]}))
    assert cut(parts(quick_drawing[1])[1]) == [], "a linear axis has room for all"
    draw(invented({"a": [1.0], "b": [90.0]}))
    assert cut(parts(quick_drawing[2])[1]) == []


def test_the_picture_says_whom_no_feedback_has_reached(quick_drawing: list[Figure]) -> None:
    comparison = replace(many(2), unheard=("learner 0", "learner 1"))
    draw(comparison)
    assert words(quick_drawing[0])[1] == f"{comparison.summary}\n{comparison.notes[0]}"


def test_one_curve_below_zero_makes_both_scales_linear(quick_drawing: list[Figure]) -> None:
    """Where the scores themselves would allow for logarithms. Only the first round does not count."""
    given = invented({"a": [1.0, 3.0], "b": [50.0, 60.0]})
    first, last = given.curves.isel(round=[0]), given.curves.isel(round=[1])
    comparison = replace(given, curves=xr.concat([first, first.assign_coords(round=[15]), last], dim="round"))
    for at, least, scale in [(15, 0.1, "log"), (15, 0.0, "linear"), (10, -0.1, "log")]:
        score = comparison.curves.score.copy()
        score.loc[{"learner": "b", "round": at}] = [least - 5.0, least + 5.0]  # a seed below zero does not matter
        draw(replace(comparison, curves=comparison.curves.assign(score=score)))
        panels, ranking = parts(quick_drawing.pop())
        assert (panels[0].get_yscale(), ranking.get_xscale()) == (scale, scale)


@pytest.mark.parametrize("letter", ["m", "日"])
def test_long_labels_are_cut_and_leave_room_for_the_curves(letter: str, quick_drawing: list[Figure]) -> None:
    label = letter * 300
    draw(invented({label: [1.0, 2.0], f"{label[:-1]}n": [3.0, 4.0], "x": [9.0, 9.0], "y": [9.0, 9.0]}))
    panels, ranking = parts(quick_drawing[0])
    shown, title = ranking.get_yticklabels()[0].get_text(), panels[0].get_title(loc="left")
    assert shown.startswith(letter * 5)
    assert shown.endswith("...  1")
    assert title.startswith(f"1  {letter * 5}")
    assert title.endswith("...")
    assert text_width(shown, figure.NAME) <= figure.WIDEST_NAME + 0.3
    assert text_width(title, figure.SMALL) < panels[0].get_position().width * figure.WIDTH + figure.GAP
    assert ranking.get_position().width * figure.WIDTH > 0.8


def test_axes_keep_apart(quick_drawing: list[Figure]) -> None:
    """And so do the numbers and names along them, within the figure, however many digits these have."""
    short = invented({f"learner {i}": [1e5 * i, -2e5, 3e5 * i] for i in range(5)})
    draw(replace(short, curves=short.curves.assign_coords(round=[1, 10**6])))
    (drawn,) = quick_drawing
    assert [label.get_text() for label in drawn.axes[-2].get_xticklabels()] == ["1", "500k", "1M"]
    assert not any(axis.get_offset_text().get_text() for axes in drawn.axes for axis in (axes.xaxis, axes.yaxis))
    boxes = [axes.get_tightbbox() for axes in drawn.axes]
    for i, one in enumerate(boxes):
        assert one is not None
        assert drawn.bbox.containsx(one.x0)
        assert drawn.bbox.containsx(one.x1)
        for other in boxes[:i]:
            assert other is not None
            across = min(one.x1, other.x1) - max(one.x0, other.x0)
            along = min(one.y1, other.y1) - max(one.y0, other.y0)
            assert min(across, along) < 0.12 * drawn.dpi, "but for a title that begins where numbers end"


def test_a_single_seed_has_no_bands(quick_drawing: list[Figure]) -> None:
    draw(invented({"a": [1.0], "b": [2.0]}))
    panels, ranking = parts(quick_drawing[0])
    assert not any(panel.collections for panel in panels)
    assert len(ranking.lines) == 2


@pytest.mark.parametrize("label", ["$x^", "costs $5 and $6", "100 % a_b^c <&>\"' é"])
def test_names_are_shown_as_they_are(label: str, quick_drawing: list[Figure]) -> None:
    draw(invented({label: [1.0, 2.0], "other": [3.0, 4.0]}))
    panels, ranking = parts(quick_drawing[0])
    assert ranking.get_yticklabels()[0].get_text() == f"{label}  1"
    assert panels[0].get_title(loc="left") == f"1  {label}"


def test_letters_that_the_font_has_not_are_no_reason_to_fail() -> None:
    assert draw(invented({"日本": [1.0], "$x^": [3.0]})).svg


def test_a_figure_of_matplotlib_can_be_had() -> None:
    made = many(2).figure()
    assert isinstance(made, Figure)
    assert len(parts(made)[0]) == 2
