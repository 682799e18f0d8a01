"""The picture of a ranking of models: by how much each is better than the constant over time, and the ranking itself.

The loss of all models goes up and down with the log, by far more than models differ. So the curves show losses minus
that of the constant in the same block of time. Where predictions are probabilities, panels below show whether these can
be taken at their word.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateFormatter, AutoDateLocator
from matplotlib.figure import Figure

from belated.output.drawing import (
    BLACK,
    BLUE,
    DASHED,
    DOTTED,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    SMALL,
    VERMILION,
    Dashes,
    Drawing,
    blank,
    drawn,
    fitted,
)
from belated.replays.calibration_figure import ROW, draw_panels, rows_of_panels
from belated.replays.pictures import FIRST_DATE, LAST_DATE, joined
from belated.replays.ranking_result import ModelRanking
from belated.replays.result import CONSTANT, Difference
from belated.replays.tables import decimals, number, short

COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
"""Of the first few candidates; the others are grey."""

MOST_DATES = 8
"""An axis has at most so many dates; more would run into each other."""

YEARS = 3 * 366 * 86_400_000_000
"""An axis of dates may begin so much earlier than its first date, and end so much later than the last."""


def draw(ranking: ModelRanking) -> Drawing:
    """The picture as SVG and PNG."""
    with blank(1.0, 1.0):
        return drawn(painted(ranking))


def painted(ranking: ModelRanking) -> Figure:
    """The picture as a figure of matplotlib."""
    looks, lines = _looks(ranking), len(ranking.standings) + len(ranking.marks)
    above, below = 4.4 + 0.28 * lines, ROW * rows_of_panels(ranking)
    with blank(9.6, above + below) as figure:
        parts: Any = figure.subfigures(2, 1, height_ratios=(above, below)) if below else (figure,)
        curves, dots = parts[0].subplots(2, 1, height_ratios=(3.4, 0.6 + 0.28 * lines))
        _curves(curves, ranking, looks)
        _dots(dots, ranking, looks)
        if below:
            draw_panels(parts[1], ranking, {name: colour for name, (colour, _) in looks.items()})
        figure.suptitle(f"Models on {short(ranking.log)}", x=0.01, ha="left", fontsize=13, fontweight="bold")
    return figure


def times_of(microseconds: Any, unit: str) -> Any:
    """Times for an axis: dates on the calendar, and numbers otherwise."""
    if unit != "seconds" or not len(microseconds):
        return microseconds
    first, last = int(microseconds[0]), int(microseconds[-1])
    room = (last - first) // 10 + YEARS
    within = first - room > FIRST_DATE and last + room < LAST_DATE
    return microseconds.astype("datetime64[us]") if within else microseconds


def _looks(ranking: ModelRanking) -> dict[str, tuple[str, Dashes]]:
    """The colour and the dashes of each candidate; the constant is black."""
    found: dict[str, tuple[str, Dashes]] = {}
    for each in ranking.standings:
        others = sum(name != CONSTANT for name in found)
        if each.name == CONSTANT:
            found[each.name] = (BLACK, DOTTED)
        else:
            found[each.name] = (COLOURS[others] if others < len(COLOURS) else GREY, "-" if others % 2 == 0 else DASHED)
    return found


def _curves(axes: Axes, ranking: ModelRanking, looks: dict[str, tuple[str, Dashes]]) -> None:
    result = ranking.replay
    first, losses, weights = joined(result)
    starts, means = times_of(first, ranking.unit), losses / weights
    base = means[result.names.index(CONSTANT)]
    for each in reversed(ranking.standings):
        colour, dashes = looks[each.name]
        curve = means[result.names.index(each.entry)] - base
        marker = "o" if len(starts) == 1 else ""
        axes.plot(
            starts,
            curve,
            color=colour,
            linestyle=dashes,
            linewidth=1.7,
            marker=marker,
            label=fitted(each.name, 1.4, SMALL),
        )
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(
        handles[::-1], labels[::-1], frameon=False, fontsize=SMALL, ncols=3, loc="lower left", bbox_to_anchor=(0.0, 1.0)
    )
    axes.set_ylabel(f"Mean {ranking.loss}\nminus that of the constant")
    axes.tick_params(labelsize=SMALL)
    if np.issubdtype(starts.dtype, np.datetime64):
        locator = AutoDateLocator(maxticks=MOST_DATES)  # type: ignore[no-untyped-call]  # matplotlib has no types here
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(AutoDateFormatter(locator))  # type: ignore[no-untyped-call]
    axes.set_xlabel(
        "When the question was asked" + (" (UTC)" if ranking.unit == "seconds" else " (ticks)"), fontsize=10
    )


def _dots(axes: Axes, ranking: ModelRanking, looks: dict[str, tuple[str, Dashes]]) -> None:
    """The ranking, and below it the best models in hindsight, as rings."""
    places = decimals([each.mean_loss for each in ranking.standings])
    names: list[str] = []
    for each in ranking.standings:
        _dot(axes, -len(names), each.behind, number(each.mean_loss, places), looks[each.name][0], filled=True)
        names.append(f"{fitted(each.name, 2.2, SMALL)}  {'=' if each.tied else ''}{each.rank}")
    for mark in ranking.marks:
        ahead = Difference(-mark.regret.mean, -mark.regret.upper, -mark.regret.lower)
        _dot(axes, -len(names), ahead, number(mark.mean_loss, places), GREY, filled=False)
        names.append(f"{mark.name}, in hindsight")
    axes.set_yticks(-np.arange(len(names)), names, fontsize=SMALL)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=SMALL)
    axes.set_ylim(-len(names) + 0.4, 0.6)
    axes.margins(x=0.12)
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
    axes.axvline(0.0, color=BLACK, linewidth=0.9, linestyle=DOTTED)
    axes.set_xlabel(
        f"Mean {ranking.loss} behind the first, with 95 % interval; the numbers are the mean losses", fontsize=10
    )


def _dot(axes: Axes, height: float, behind: Difference, words: str, colour: str, *, filled: bool) -> None:
    """One line of the ranking: how far it is behind the first, with its interval, and its mean loss in words."""
    if not math.isnan(behind.lower):
        axes.plot([behind.lower, behind.upper], [height] * 2, color=colour, alpha=0.4, linewidth=6)
    face = colour if filled else "white"
    axes.plot([behind.mean], [height], "o", color=colour, markerfacecolor=face, markersize=6)
    right = max(behind.mean, 0.0 if math.isnan(behind.upper) else behind.upper)
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}  # lines behind a number would be taken for digits
    axes.annotate(
        words, (right, height), xytext=(8, 0), textcoords="offset points", va="center", fontsize=SMALL, bbox=paper
    )
