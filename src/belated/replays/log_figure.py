"""The picture of a log: how many questions are in flight, which share is answered by which age, and labels by age."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from belated.core.arrays import Vector
from belated.logs.summary import LogSummary
from belated.output.drawing import BLACK, BLUE, DOTTED, GREY, SMALL, VERMILION, Drawing, blank, drawn
from belated.replays.pictures import MANY_MOMENTS, TOGETHER
from belated.replays.ranking_figure import times_of
from belated.replays.tables import short, span

FAR = 50.0
"""How many times the 5 % quantile of delay the largest may be before ages are on a logarithmic scale."""

ROUND = (0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 6 * 3600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400)
"""Ages in seconds that people know, for the ticks of a logarithmic axis."""


def draw(summary: LogSummary) -> Drawing:
    """The picture as SVG and PNG."""
    with blank(1.0, 1.0):
        return drawn(painted(summary))


def painted(summary: LogSummary) -> Figure:
    """The picture as a figure of matplotlib."""
    with blank(9.6, 6.4) as figure:
        grid = figure.add_gridspec(2, 2)
        _in_flight(figure.add_subplot(grid[0, :]), summary)
        _answered(figure.add_subplot(grid[1, 0]), summary)
        _labels(figure.add_subplot(grid[1, 1]), summary)
        figure.suptitle(f"Late answers: {short(summary.name)}", x=0.01, ha="left", fontsize=13, fontweight="bold")
    return figure


def _in_flight(axes: Axes, summary: LogSummary) -> None:
    times, number = times_of(summary.times, summary.unit), summary.in_flight
    title = "Questions in flight, whose answers come later"
    if len(times) > MANY_MOMENTS:  # a line through nights and days would be a thicket
        places = np.arange(0, len(times), TOGETHER)
        counts = np.diff([*places, len(times)])
        low, high = np.minimum.reduceat(number, places), np.maximum.reduceat(number, places)
        axes.fill_between(times[places], low, high, color=BLUE, alpha=0.2, linewidth=0)
        axes.plot(times[places], np.add.reduceat(number, places) / counts, color=BLUE, linewidth=1.8)
        title += f"; mean, least and most of {TOGETHER} moments each"
    else:
        axes.plot(times, number, color=BLUE, linewidth=1.4)
    axes.set_title(title, fontsize=11)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    axes.set_xlabel("Time (UTC)" if summary.unit == "seconds" else "Time (ticks)", fontsize=10)
    axes.tick_params(labelsize=SMALL)


def _ages(axes: Axes, summary: LogSummary, ages: Vector) -> None:
    """The axis of ages, logarithmic where they are far apart."""
    positive = ages[ages > 0.0]
    low = summary.quantile(0.05) if summary.answered else 0.0
    far = len(positive) > 1 and (low <= 0.0 or float(positive[-1]) > FAR * low)
    if far:
        axes.set_xscale("log")
        axes.set_xlim(max(float(positive[0]), float(positive[-1]) / 1e5) * 0.8, float(positive[-1]) * 1.3)
        if summary.unit == "seconds":
            inside = [each for each in ROUND if axes.get_xlim()[0] <= each <= axes.get_xlim()[1]]
            if len(inside) > 1:
                axes.xaxis.set_major_locator(FixedLocator(inside))
                axes.xaxis.set_minor_locator(NullLocator())
    elif len(positive):
        last = min(float(positive[-1]), 1.3 * summary.quantile(0.99))  # the few that take longest leave no room
        axes.set_xlim(0.0, 1.04 * last)
        if summary.unit == "seconds":
            axes.xaxis.set_major_locator(FixedLocator(_marks(last)))
    if summary.unit == "seconds":
        axes.xaxis.set_major_formatter(FuncFormatter(lambda age, _: span(age)))
    axes.tick_params(labelsize=SMALL)
    longest = f"; the longest: {span(float(positive[-1]), summary.unit)}" if len(positive) else ""
    axes.set_xlabel(f"Age of the question{longest}", fontsize=10)


def _marks(last: float) -> list[float]:
    """Where marks stand on an axis of ages in seconds: at whole numbers of a unit, about six of them."""
    size = next((size for size in (86_400.0, 3_600.0, 60.0, 1.0) if last >= 2.0 * size), 1e-3)
    steps = (each * power for power in (1, 10, 100, 1000, 10**4, 10**5) for each in (1, 2, 3, 4, 5, 6))
    step = next((each for each in steps if last / size <= 7 * each), last / size)
    return [size * step * place for place in range(int(last / size / step) + 1)]


def _answered(axes: Axes, summary: LogSummary) -> None:
    ages = np.concatenate([[0.0], summary.ages])
    share = np.concatenate([[0.0], summary.share_answered])
    axes.step(ages, 100.0 * share, where="post", color=BLUE, linewidth=1.8)
    axes.set_ylim(0.0, 102.0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g} %"))
    axes.set_title("Share of questions answered by an age", fontsize=11)
    _ages(axes, summary, summary.ages)


def _labels(axes: Axes, summary: LogSummary) -> None:
    axes.set_title("Mean label by the age of the answer", fontsize=11)
    uneven = summary.lopsidedness
    if uneven is None:
        axes.text(0.5, 0.5, "no labels that have a mean", transform=axes.transAxes, ha="center", color=GREY)
        axes.set_axis_off()
        return
    begins = np.concatenate([[min(0.0, float(uneven.ages[0]))], uneven.ages[:-1]])
    colour = VERMILION if uneven.misleading else BLUE
    axes.axhline(uneven.overall, color=BLACK, linewidth=1.0, linestyle=DOTTED)
    axes.hlines(uneven.means, begins, uneven.ages, color=colour, linewidth=3.0)
    axes.plot(uneven.ages, uneven.means, "o", color=colour, markersize=4)
    high = max(float(uneven.means.max()), uneven.overall)
    low = min(float(uneven.means.min()), uneven.overall, 0.0)
    axes.set_ylim(low - 0.06 * (high - low or 1.0), high + 0.14 * (high - low or 1.0))
    _ages(axes, summary, summary.ages)
    axes.annotate(
        f"all: {uneven.overall:.3g}",
        (1.0, uneven.overall),
        xycoords=("axes fraction", "data"),
        xytext=(-2, 3),
        textcoords="offset points",
        ha="right",
        fontsize=SMALL,
    )
