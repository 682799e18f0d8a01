"""Thinned curves keep their ends and extremes, and a straightened line still passes every point."""

import numpy as np
import pytest

from belated.output.page.thin import MOST_POINTS, straightened, thinned


def walks(number=3, size=5000, seed=0):
    return np.random.default_rng(seed).normal(size=(number, size)).cumsum(axis=1)


def lost(curves, places):
    """What a choice of places has lost: an end, a beginning, an extreme, or order."""
    found = []
    if places[0] != 0 or places[-1] != len(curves[0]) - 1:
        found.append("ends")
    if np.any(np.diff(places) <= 0):
        found.append("order")
    if places[: MOST_POINTS // 6].tolist() != list(range(MOST_POINTS // 6)):
        found.append("beginning")
    for curve in curves:
        if curve[places].min() != np.nanmin(curve) or curve[places].max() != np.nanmax(curve):
            found.append("extremes")
    return found


@pytest.mark.parametrize("number", [1, 3, 15])
def test_ends_beginning_and_extremes_of_every_curve_stay(number):
    curves = walks(number)
    places = thinned(curves)
    assert lost(curves, places) == []
    assert MOST_POINTS // 2 < len(places) <= MOST_POINTS


def test_choices_that_lose_something_are_noticed():
    curves = walks()
    every = np.linspace(0, curves.shape[1] - 1, MOST_POINTS).astype(np.int64)
    assert "extremes" in lost(curves, every)
    places = thinned(curves)
    assert lost(curves, places[1:])[0] == "ends"
    assert "ends" in lost(curves, places[:-1])
    assert lost(curves, np.delete(places, 3)) == ["beginning"]
    assert lost(curves, places[::-1])[:2] == ["ends", "order"]


def test_short_curves_stay_whole_and_gaps_are_no_extremes():
    assert thinned([[1.0, 2.0]]).tolist() == [0, 1]
    assert thinned([]).tolist() == []
    curve = walks(1)[0]
    curve[::7] = np.nan
    places = thinned([curve])
    assert np.nanmin(curve[places]) == np.nanmin(curve)
    assert np.nanmax(curve[places]) == np.nanmax(curve)
    assert len(thinned([np.full(5000, np.nan)])) <= MOST_POINTS


def distance(points, line):
    """How far points are above or below a line through some of them."""
    xs, ys = zip(*line, strict=True)
    return max(abs(y - np.interp(x, xs, ys)) for x, y in points)


def test_a_straightened_line_passes_every_point():
    curve = walks(1, 600)[0]
    points = [(float(x), float(y)) for x, y in enumerate(np.convolve(curve, np.ones(50) / 50))]
    for nearness in (0.01, 0.1, 1.0):
        line = straightened(points, nearness)
        assert (line[0], line[-1]) == (points[0], points[-1])
        assert set(line) <= set(points)
        assert distance(points, line) <= nearness * (1 + 1e-9)
        assert len(line) < len(points)
    assert distance(points, points[::40]) > 0.1, "which is what the distance notices"


def test_lines_that_go_straight_up_keep_their_corners():
    steps = [(0.0, 0.0), (1.0, 0.0), (1.0, 5.0), (2.0, 5.0), (2.0, 5.0)]
    assert straightened(steps, 0.1) == [(0.0, 0.0), (1.0, 0.0), (1.0, 5.0), (2.0, 5.0)]
    assert straightened([(0.0, 1.0)], 0.1) == [(0.0, 1.0)]
    assert straightened([], 0.1) == []
