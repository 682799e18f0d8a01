"""The figures: cumulative loss against the round, low delays on the left and high delays on the right.

Curves are told apart without their colours, by their dashes and by the name at their end. The colours are those of
Okabe and Ito, which colour-blind people can distinguish; counterparts with and without gradients share one. Figures are
drawn without pyplot and with matplotlib's own defaults, so that nobody's settings change them and they change nobody's,
and the same data give the same SVG, byte for byte.
"""

import io
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from belated.core.arrays import Integers
from belated.papers.wan2021 import LABELS, SETTINGS, Reproduction

MOST_POINTS = 500
"""Longer curves are thinned to this many rounds, the last one included: more would be finer than a screen."""

LINE = 0.085
"""The height of a curve's name, of at most two lines, as a share of the height of the axes."""

STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.labelcolor": "#222222",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "font.size": 10.5,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.8,
    "svg.hashsalt": "belated",
    "xtick.color": "#555555",
    "xtick.labelcolor": "#222222",
    "ytick.color": "#555555",
    "ytick.labelcolor": "#222222",
}


class Look(NamedTuple):
    """How a learner's curve is drawn."""

    color: str
    dashes: str | tuple[int, tuple[float, ...]]
    width: float = 2.0


BLACK, BLUE, VERMILION, GREEN = "#000000", "#0072B2", "#D55E00", "#009E73"
SOLID, DOTTED, DASHED, DASH_DOTTED = "-", (0, (1, 1.3)), (0, (5, 2)), (0, (6, 1.5, 1.2, 1.5))

LOOKS = {
    "ogd-sc": Look(BLACK, DOTTED),
    "dogd": Look(VERMILION, DASHED),
    "dogd-sc": Look(BLUE, SOLID),
    "dbgd": Look(VERMILION, DASHED),
    "bdogd-sc": Look(BLUE, SOLID),
    "bdogd-sc-two-point": Look(GREEN, DASH_DOTTED, 1.6),
}


class Drawing(NamedTuple):
    """A figure as it is written to files."""

    png: bytes
    svg: bytes


def draw(reproduction: Reproduction, learners: Sequence[str]) -> Drawing:
    """Both settings side by side, the given learners in each: their mean over the seeds, and one standard deviation."""
    with matplotlib.style.context(["default", STYLE]):
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        for axes, setting in zip(figure.subplots(1, 2), SETTINGS, strict=True):
            _panel(axes, reproduction, setting, learners)
        figure.supxlabel(_note(len(reproduction.seeds)), fontsize=9.5, color="#444444")
        return Drawing(_saved(figure, "png", {}), _saved(figure, "svg", {"Date": None, "Creator": None}))


def _panel(axes: Axes, reproduction: Reproduction, setting: str, learners: Sequence[str]) -> None:
    drawn = drawn_rounds(reproduction.rounds)
    curves = reproduction.runs.cumulative_loss.sel(setting=setting, round=drawn)
    ends, lowest = [], 0.0
    for name in learners:
        look, curve = LOOKS[name], curves.sel(learner=name)
        mean = curve.mean("seed").to_numpy()
        lowest = min(lowest, mean.min())
        if len(reproduction.seeds) > 1:
            sd = curve.std("seed", ddof=1).to_numpy()
            lowest = min(lowest, (mean - sd).min())
            axes.fill_between(drawn, mean - sd, mean + sd, color=look.color, alpha=0.16, linewidth=0)
        axes.plot(drawn, mean, color=look.color, linestyle=look.dashes, linewidth=look.width)
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


def apart(ends: Sequence[float], line: float) -> list[float]:
    """Where to write the names of curves that end at ``ends``: there, or so far above that names are a line apart."""
    places = list(ends)
    for below, above in pairwise(np.argsort(ends, kind="stable")):
        places[above] = max(places[above], places[below] + line)
    return places


def _saved(figure: Figure, file_format: str, metadata: dict[str, None]) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format=file_format, dpi=150, metadata=metadata)
    return file.getvalue()
