"""How figures look does not depend on whose machine they are drawn on, and names keep apart."""

import struct

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.output import drawing
from belated.output.drawing import Drawing, apart, blank, drawn


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
