"""The picture can be drawn of whatever comes out, and its scales fit the scores."""

import struct
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure

from belated.compare import figure
from belated.compare.comparison import Comparison
from belated.compare.figure import FAR
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
    assert [text.get_text() for text in left.texts] == ["6", "5", "4", "3", "2", "1"]


@pytest.mark.parametrize(
    ("scores", "scales"),
    [
        ({"a": [1.0, 1.0], "b": [1.1 * FAR, 1.1 * FAR]}, ("symlog", "log")),
        ({"a": [1.0, 1.0], "b": [0.9 * FAR, 0.9 * FAR]}, ("linear", "linear")),
        ({"a": [0.0, 0.0], "b": [30.0, 31.0]}, ("linear", "linear")),
        ({"a": [-5.0, -6.0], "b": [30.0, 31.0]}, ("linear", "linear")),
        ({"a": [-50.0, -60.0], "b": [-1.0, -1.0]}, ("linear", "linear")),
        ({"a": [0.0, 0.0], "b": [0.0, 0.0]}, ("linear", "linear")),
        ({"a": [-1.0, 3.0], "b": [99.0, -3.0]}, ("symlog", "log")),  # intervals reach below 0
        ({"a": [1e-12, 2e-12], "b": [1e12, 2e12]}, ("symlog", "log")),
        ({"a": [5.0]}, ("linear", "linear")),
        ({"a": [1.0], "b": [50.0]}, ("symlog", "log")),
    ],
)
def test_scales_are_logarithmic_only_where_all_scores_are_positive_and_far_apart(
    scores: dict[str, list[float]], scales: tuple[str, str], quick_drawing: list[Figure]
) -> None:
    figure.draw(invented(scores))
    left, right = quick_drawing[0].axes
    assert (left.get_yscale(), right.get_xscale()) == scales


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
