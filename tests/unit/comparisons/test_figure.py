"""The picture can be drawn of whatever comes out, and its scales fit the scores."""

import struct
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from belated.comparisons import figure
from belated.comparisons.comparison import Comparison
from belated.comparisons.figure import FAR
from belated.output.drawing import apart
from support.comparisons import invented


def many(number: int, least: float = 1.0) -> Comparison:
    return invented({f"learner {i}": [least + i, least + 2.0 * i, least + i] for i in range(number)})


@pytest.mark.parametrize("number", [1, 20])
def test_a_picture_is_as_tall_as_its_ranking_is_long(number: int) -> None:
    picture = figure.draw(many(number))
    assert ET.fromstring(picture.svg).tag.endswith("svg")
    width, height = struct.unpack(">II", picture.png[16:24])
    assert width == 1650
    assert height == round(150 * max(4.4, 1.9 + 0.27 * number))


@pytest.mark.parametrize("number", [1, 2, 20])
def test_the_ranking_names_everybody(number: int, quick_drawing: list[Figure]) -> None:
    figure.draw(many(number))
    _, right = quick_drawing[0].axes
    assert [label.get_text().split("  ")[0] for label in right.get_yticklabels()] == [
        f"learner {i}" for i in range(number)
    ]


def test_only_the_first_have_a_look_of_their_own(quick_drawing: list[Figure]) -> None:
    figure.draw(many(20))
    left, _ = quick_drawing[0].axes
    own = {(line.get_color(), str(line.get_linestyle())) for line in left.lines if line.get_linewidth() == 2.0}
    assert len(own) == len(figure.LOOKS) == len({color for color, _ in figure.LOOKS})
    assert [line.get_linewidth() for line in left.lines].count(0.8) == 20 - len(figure.LOOKS)
    assert [text.get_text() for text in left.texts] == [str(rank) for rank in range(20, 0, -1)]
    assert [text.get_fontweight() for text in left.texts] == ["normal"] * 14 + ["bold"] * 6


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
    figure.draw(invented(scores))
    left, right = quick_drawing[0].axes
    assert (left.get_yscale(), right.get_xscale()) == scales
    assert ("logarithmic" in left.get_title(loc="left")) == (scales[0] == "log")


def test_one_curve_that_begins_below_zero_makes_both_scales_linear(quick_drawing: list[Figure]) -> None:
    """Where the scores themselves would allow for logarithms."""
    comparison = invented({"a": [1.0, 3.0], "b": [50.0, 60.0]})
    for least, scale in [(0.1, "log"), (0.0, "linear"), (-0.1, "linear")]:
        score = comparison.curves.score.copy()
        score.loc[{"learner": "b", "round": 10}] = [least - 5.0, least + 5.0]  # a seed below zero does not matter
        figure.draw(replace(comparison, curves=comparison.curves.assign(score=score)))
        left, right = quick_drawing.pop().axes
        assert (left.get_yscale(), right.get_xscale()) == (scale, scale)


def numbered(drawn: Figure) -> dict[int, tuple[float, float]]:
    """By rank, where its number stands and where its curve ends, in lines of text."""
    left, _ = drawn.axes
    to_share = left.transData + left.transAxes.inverted()
    line = figure.LINE / drawn.get_figheight()
    ends = [to_share.transform((1.0, float(np.asarray(curve.get_ydata())[-1])))[1] for curve in left.lines]
    return {
        int(text.get_text()): (float(text.xy[1]) / line, float(end) / line)  # type: ignore[attr-defined]  # annotations have it
        for text, end in zip(left.texts, ends, strict=True)
    }


def test_a_rank_stands_at_the_end_of_its_curve(quick_drawing: list[Figure]) -> None:
    for comparison in (many(20, least=9.0), invented({"a": [-5.0], "b": [7.0], "c": [1.0]}), many(3, least=0.05)):
        figure.draw(comparison)
        for place, end in numbered(quick_drawing.pop()).values():
            assert place == pytest.approx(end, abs=1e-9)


@pytest.mark.parametrize("number", [2, 3, 8])
@pytest.mark.parametrize("step", [0.0, 1e-12])
@pytest.mark.parametrize("others", [{}, {"z": [100.0, 100.0]}, {"y": [-100.0, -100.0], "z": [100.0, 100.0]}])
def test_ranks_of_curves_that_end_together_stand_a_line_apart_about_them(
    number: int, step: float, others: dict[str, list[float]], quick_drawing: list[Figure]
) -> None:
    together = {f"learner {i}": [1.0 + step * i] * 2 for i in range(number)}
    figure.draw(invented(together | others))
    found = numbered(quick_drawing[0])
    first = 1 + ("y" in others)
    ranks = range(first, first + number)
    places = np.array([found[rank][0] for rank in ranks])
    ends = np.array([found[rank][1] for rank in ranks])
    assert np.abs(np.diff(places)) == pytest.approx(np.ones(number - 1)), "in the order of ranks, up or down"
    assert places.mean() == pytest.approx(ends.mean()), "as much above as below"
    assert np.abs(places - ends).max() == pytest.approx((number - 1) / 2.0), "no farther than that needs"


def test_ranks_that_are_pushed_all_to_one_side_would_be_seen(
    monkeypatch: pytest.MonkeyPatch, quick_drawing: list[Figure]
) -> None:
    """The check above has power: names above their curves only, as elsewhere, are not about them."""

    def one_sided(ends: Sequence[float], line: float) -> list[float]:
        moved = apart(ends, line)
        return moved if sum(ends) > 0.0 else [-place for place in apart([-end for end in ends[::-1]], line)[::-1]]

    monkeypatch.setattr(figure, "apart", one_sided)
    figure.draw(invented({f"learner {i}": [1.0, 1.0] for i in range(5)} | {"z": [9.0, 9.0]}))
    found = numbered(quick_drawing[0])
    gaps = [found[rank][0] - found[rank][1] for rank in range(1, 6)]
    assert abs(np.mean(gaps)) > 0.5


@pytest.mark.parametrize("letters", [40, 41, 300])
def test_long_labels_are_cut_and_leave_room_for_the_curves(letters: int, quick_drawing: list[Figure]) -> None:
    label = "m" * letters
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.draw(invented({label: [1.0, 2.0], f"{label[:-1]}n": [3.0, 4.0]}))
    left, right = quick_drawing[0].axes
    shown = right.get_yticklabels()[0].get_text().split("  ")[0]
    assert len(shown) == min(letters, figure.LONGEST) == 40
    assert shown == (label if letters == 40 else f"{label[:37]}...")
    assert left.get_position().width > 0.2
    assert right.get_position().width > 0.15


def test_bands_are_those_of_the_ranking(quick_drawing: list[Figure]) -> None:
    comparison = many(3)
    figure.draw(comparison)
    _, right = quick_drawing[0].axes
    data = [np.asarray(line.get_xdata()).tolist() for line in right.lines]
    assert [bar for bar in data if len(bar) == 2] == [
        [place.score.low, place.score.high] for place in comparison.ranking
    ]


@pytest.mark.parametrize(
    ("comparison", "note"),
    [
        (invented({"a": [1.0], "b": [2.0]}), "One seed"),
        (invented({"a": [1.0], "b": [2.0]}, interrupted=True), "One seed, interrupted"),
        (invented({"a": [1.0, 1.0], "b": [2.0, 2.0]}), "Mean of 2 seeds; bands and bars: 95 % confidence"),
        (
            invented({"a": [1.0, 1.0], "b": [0.0, 3.0]}, interrupted=True),
            "Mean of 2 seeds, interrupted; bands and bars: 95 % confidence; = cannot be told from the first",
        ),
    ],
)
def test_the_note_says_what_is_seen(comparison: Comparison, note: str, quick_drawing: list[Figure]) -> None:
    figure.draw(comparison)
    assert quick_drawing[0]._supxlabel.get_text() == note  # type: ignore[attr-defined]  # there is no public way to it


def test_a_single_seed_has_no_bands(quick_drawing: list[Figure]) -> None:
    figure.draw(invented({"a": [1.0], "b": [2.0]}))
    left, right = quick_drawing[0].axes
    assert len(left.collections) == 0
    assert len(right.lines) == 2


@pytest.mark.parametrize("label", ["$x^", "costs $5 and $6", "100 % a_b^c <&>\"' é"])
def test_names_are_shown_as_they_are(label: str, quick_drawing: list[Figure]) -> None:
    figure.draw(invented({label: [1.0, 2.0], "other": [3.0, 4.0]}))
    assert quick_drawing[0].axes[1].get_yticklabels()[0].get_text() == f"{label}  1"


def test_letters_that_the_font_has_not_are_no_reason_to_fail() -> None:
    assert figure.draw(invented({"日本": [1.0], "$x^": [3.0]})).svg
