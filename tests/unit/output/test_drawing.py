"""How figures look does not depend on whose machine they are drawn on, and names keep apart."""

import struct

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.output import drawing
from belated.output.drawing import Drawing, apart, blank, drawn, fitted, in_two_lines, text_width


def picture(title: str = "A title") -> Drawing:
    with blank(4, 2) as figure:
        axes = figure.subplots()
        axes.plot([0, 1], [1, 0], color=drawing.BLUE, linestyle=drawing.DASHED)
        axes.set_title(title)
        return drawn(figure)


def test_somebody_elses_settings_change_nothing_and_are_not_changed() -> None:
    usual = picture()
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.hashsalt": "another", "axes.facecolor": "red"}):
        before = dict(mpl.rcParams)
        assert picture() == usual
        assert dict(mpl.rcParams) == before


def test_files_have_a_size_and_no_date() -> None:
    png, svg = picture()
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">II", png[16:24]) == (600, 300)
    assert svg.startswith(b"<?xml")
    assert b"<dc:date>" not in svg


@pytest.mark.parametrize("title", ["$x^", "$\\nothing$", "日本"])
def test_any_text_can_be_drawn(title: str) -> None:
    assert picture(title).svg


def test_colours_and_dashes_are_all_different() -> None:
    colours = {value for name, value in vars(drawing).items() if name.isupper() and str(value).startswith("#")}
    assert len(colours) == 8
    assert len({drawing.SOLID, drawing.DOTTED, drawing.DASHED, drawing.DASH_DOTTED}) == 4


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6))
def test_names_are_a_line_apart_and_in_the_order_of_the_curves(ends: list[float]) -> None:
    places = apart(ends, 10.0)
    order = np.argsort(ends, kind="stable")
    assert (np.diff(np.array(places)[order]) >= 10.0 - 1e-9).all()
    assert all(place >= end for place, end in zip(places, ends, strict=True))


def test_names_with_room_stay_at_their_curves() -> None:
    assert apart([50.0, 0.0, 20.0], 10.0) == [50.0, 0.0, 20.0]


def test_wider_texts_are_wider() -> None:
    assert 0.0 < text_width("ii", 9.0) < text_width("iii", 9.0) < text_width("mmm", 9.0) < text_width("mmm", 18.0) < 1.5


@settings(max_examples=20)
@given(st.text(max_size=150), st.floats(0.5, 3.0))
def test_a_text_that_is_fitted_is_not_too_wide(text: str, inches: float) -> None:
    line = " ".join(text.split())
    shown = fitted(line, inches, 9.0)
    if shown == line:
        assert text_width(shown, 9.0) <= inches
    else:
        kept = shown.removesuffix("...")
        assert line.startswith(kept)
        assert shown.endswith("...")
        assert text_width(shown, 9.0) <= inches or len(kept) == 1
        assert text_width(line, 9.0) > inches, "or it need not have been cut"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2  dogd", "2  dogd"),
        ("2  composite-ftrl, caution 0.1", "2  composite-ftrl,\ncaution 0.1"),
        ("=13  weinberger-ordentlich", "=13  weinberger-\nordentlich"),
        ("=13  delayedonlinegradientdescent", None),
        ("2  restarting dogd-sc, every one of the hundred rounds", "2  restarting dogd-sc,\nevery one of the hun..."),
    ],
)
def test_what_is_too_wide_for_one_line_has_two_if_it_can_be_broken(text: str, shown: str | None) -> None:
    """Not after a rank, which would be a line of its own. Both lines fit; two learners keep two titles."""
    found = in_two_lines(text, 1.4, 8.5)
    assert found == (fitted(text, 1.4, 8.5) if shown is None else shown)
    assert all(text_width(line, 8.5) <= 1.4 for line in found.splitlines())
