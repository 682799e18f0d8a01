"""The figures of a reproduction: the same on every machine, readable, and possible for the smallest run."""

import struct

import matplotlib as mpl
import pytest

from belated.papers import figures
from belated.papers.report import FIGURES
from belated.papers.wan2021 import Reproduction, reproduce


def test_somebody_elses_settings_change_nothing_and_are_not_changed(small: Reproduction) -> None:
    usual = figures.draw(small, FIGURES["figure1"])
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.hashsalt": "another", "axes.facecolor": "red"}):
        before = dict(mpl.rcParams)
        assert figures.draw(small, FIGURES["figure1"]) == usual
        assert dict(mpl.rcParams) == before


def test_svg_has_no_date(small: Reproduction) -> None:
    svg = figures.draw(small, FIGURES["figure2"]).svg
    assert svg.startswith(b"<?xml")
    assert b"<dc:date>" not in svg


def test_png_is_wide_enough_for_a_page(small: Reproduction) -> None:
    png = figures.draw(small, FIGURES["figure2"]).png
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    assert width == 1500
    assert height == 630


@pytest.mark.parametrize("learners", FIGURES.values())
def test_no_two_curves_of_a_figure_share_dashes_or_colour(learners: tuple[str, ...]) -> None:
    looks = [figures.LOOKS[name] for name in learners]
    assert len({look.dashes for look in looks}) == len({look.color for look in looks}) == len(learners)


def test_long_curves_are_thinned_but_keep_their_ends() -> None:
    drawn = figures.drawn_rounds(100_000)
    assert (drawn[0], drawn[-1], len(drawn)) == (1, 100_000, figures.MOST_POINTS)
    assert figures.drawn_rounds(7).tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_the_smallest_run_can_be_drawn() -> None:
    assert figures.draw(reproduce(seeds=[0], rounds=2), FIGURES["figure2"]).svg
