"""The figures: cumulative loss against the round, low delays on the left and high delays on the right.

Curves can be told apart without their colours, by their dashes and by the name at their end. The learner with gradients
and its counterpart without them have the same style.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from belated.core.arrays import Integers
from belated.output.drawing import (
    BLACK,
    BLUE,
    DASH_DOTTED,
    DASHED,
    DOTTED,
    GREEN,
    SOLID,
    VERMILION,
    Dashes,
    Drawing,
    apart,
    blank,
    drawn,
)
from belated.papers.wan2021 import LABELS, SETTINGS, Reproduction

MOST_POINTS = 500
"""Longer curves are drawn at this many rounds, the last one included; a screen could not show more."""

LINE = 0.085
"""The height of a curve's name, of at most two lines, as a share of the height of the axes."""


class LineStyle(NamedTuple):
    """How a learner's curve is drawn."""

    color: str
    dashes: Dashes
    width: float = 2.0


LOOKS = {
    "ogd-sc": LineStyle(BLACK, DOTTED),
    "dogd": LineStyle(VERMILION, DASHED),
    "dogd-sc": LineStyle(BLUE, SOLID),
    "dbgd": LineStyle(VERMILION, DASHED),
    "bdogd-sc": LineStyle(BLUE, SOLID),
    "bdogd-sc-two-point": LineStyle(GREEN, DASH_DOTTED, 1.6),
}


def draw(reproduction: Reproduction, learners: Sequence[str]) -> Drawing:
    """Both settings side by side, the given learners in each: their mean over the seeds, and one standard deviation."""
    with blank(10, 4.2) as figure:
        for axes, setting in zip(figure.subplots(1, 2), SETTINGS, strict=True):
            _panel(axes, reproduction, setting, learners)
        figure.supxlabel(_note(len(reproduction.seeds)), fontsize=9.5, color="#444444")
        return drawn(figure)


def _panel(axes: Axes, reproduction: Reproduction, setting: str, learners: Sequence[str]) -> None:
    rounds = drawn_rounds(reproduction.rounds)
    curves = reproduction.runs.cumulative_loss.sel(setting=setting, round=rounds)
    ends, lowest = [], 0.0
    for name in learners:
        look, curve = LOOKS[name], curves.sel(learner=name)
        mean = curve.mean("seed").to_numpy()
        lowest = min(lowest, mean.min())
        if len(reproduction.seeds) > 1:
            sd = curve.std("seed", ddof=1).to_numpy()
            lowest = min(lowest, (mean - sd).min())
            axes.fill_between(rounds, mean - sd, mean + sd, color=look.color, alpha=0.16, linewidth=0)
        axes.plot(rounds, mean, color=look.color, linestyle=look.dashes, linewidth=look.width)
        ends.append(float(mean[-1]))
    delays = ", ".join(str(delay) for delay in SETTINGS[setting])
    axes.set_title(f"{setting.capitalize()} delays\n", fontsize=12)
    axes.text(0, 1.025, f"{delays}, repeated", transform=axes.transAxes, fontsize=9.5, color="#444444")
    axes.set_xlabel("Round")
    axes.set_ylabel("Cumulative loss")
    axes.set_xlim(0, reproduction.rounds)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    if lowest == 0.0:
        axes.set_ylim(bottom=0.0)
    bottom, top = axes.get_ylim()
    for name, end, place in zip(learners, ends, apart(ends, LINE * (top - bottom)), strict=True):
        axes.annotate(
            f"{LABELS[name]} {end:.1f}".replace(", two queries", ",\ntwo queries"),
            (1.0, place),
            xycoords=("axes fraction", "data"),
            xytext=(5, 0),
            textcoords="offset points",
            color=LOOKS[name].color,
            fontweight="bold",
            fontsize=9.5,
            va="center",
            linespacing=1.0,
        )


def _note(seeds: int) -> str:
    return f"Mean of {seeds} seeds; the band is one standard deviation either way" if seeds > 1 else "One seed"


def drawn_rounds(rounds: int) -> Integers:
    """The rounds at which a curve is drawn."""
    return np.unique(np.linspace(1, rounds, MOST_POINTS).round().astype(np.int64))
