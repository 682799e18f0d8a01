"""The picture of what delay costs: the loss of a model by the factor that all delays are multiplied by.

The factors are on a logarithmic scale, on which 0 has no place. It stands to the left of all others, behind a break of
the axis and at the end of a dotted line, because nothing is known of what is between.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from belated.output.drawing import BLACK, BLUE, DOTTED, SMALL, Drawing, blank, drawn
from belated.replays.delay_result import DelayCost
from belated.replays.tables import short, span

GAP = 1.5
"""How far to the left of the smallest factor 0 stands, in doublings."""


def draw(cost: DelayCost) -> Drawing:
    """The picture as SVG and PNG."""
    with blank(1.0, 1.0):
        return drawn(painted(cost))


def painted(cost: DelayCost) -> Figure:
    """The picture as a figure of matplotlib."""
    with blank(8.6, 4.9) as figure:
        axes = figure.subplots()
        places = np.array(positions([each.factor for each in cost.points]))
        means = np.array([each.mean_loss for each in cost.points])
        now = cost.point(1.0)
        ends = np.array(
            [[now.mean_loss + each.change.lower, now.mean_loss + each.change.upper] for each in cost.points]
        )
        there = np.array([each.factor > 0.0 for each in cost.points])
        _band(axes, places, ends, there)
        axes.axhline(now.mean_loss, color=BLACK, linewidth=0.9, linestyle=DOTTED)
        axes.plot(places[there], means[there], color=BLUE, linewidth=2.0)
        if not there.all() and there.any():
            axes.plot(places[:2], means[:2], color=BLUE, linewidth=1.6, linestyle=DOTTED)
        axes.plot(places, means, "o", color=BLUE, markersize=6.5)
        _percentages(axes, cost, places, means, ends)
        _axis_of_factors(axes, cost, places, there)
        axes.set_ylabel(f"Mean {cost.loss}, less is better")
        axes.margins(y=0.16)
        figure.suptitle(f"What delay costs: {short(cost.log)}", x=0.01, ha="left", fontsize=13, fontweight="bold")
        axes.set_title(
            f"{cost.model} model, {cost.scored:,} questions, the same for all factors; band: 95 % interval of the "
            "change\n(blocks of time drawn anew); dotted: the log as it is",
            fontsize=SMALL,
            fontweight="normal",
            color="#444444",
        )
    return figure


def positions(factors: list[float]) -> list[float]:
    """Where factors stand: at their logarithms to base 2, and 0 left of the others."""
    least = min((factor for factor in factors if factor > 0.0), default=1.0)
    return [math.log2(factor) if factor > 0.0 else math.log2(least) - GAP for factor in factors]


def _band(axes: Axes, places: Any, ends: Any, there: Any) -> None:
    if np.isnan(ends[there]).all():
        return
    axes.fill_between(places[there], ends[there, 0], ends[there, 1], color=BLUE, alpha=0.18, linewidth=0)
    for place, (low, high) in zip(places[~there], ends[~there], strict=True):
        axes.plot([place, place], [low, high], color=BLUE, alpha=0.3, linewidth=7, solid_capstyle="butt")


def _percentages(axes: Axes, cost: DelayCost, places: Any, means: Any, ends: Any) -> None:
    """Write the change in per cent at each point, on the side that is away from the dotted line."""
    now = cost.point(1.0).mean_loss
    for each, place, mean, (low, high) in zip(cost.points, places, means, ends, strict=True):
        own = each.factor == 1.0 or not now
        below = own or each.change.mean < 0.0
        reach = (
            min(mean, math.inf if math.isnan(low) else low)
            if below
            else max(mean, -math.inf if math.isnan(high) else high)
        )
        axes.annotate(
            "as it is" if own else f"{100.0 * each.change.mean / now:+.1f} %",
            (place, reach),
            xytext=(0, -8 if below else 8),
            textcoords="offset points",
            ha="center",
            va="top" if below else "bottom",
            fontsize=SMALL,
            fontweight="bold",
            color=BLUE,
        )


def _axis_of_factors(axes: Axes, cost: DelayCost, places: Any, there: Any) -> None:
    words = []
    for each in cost.points:
        name = "at once" if each.factor == 0.0 else f"\N{MULTIPLICATION SIGN} {each.factor:g}"
        known = not math.isnan(cost.median_delay) and each.factor > 0.0
        words.append(f"{name}\n{span(each.factor * cost.median_delay, cost.unit)}" if known else name)
    axes.set_xticks(places, words)
    axes.set_xlim(places[0] - 0.5, places[-1] + 0.5)
    if not there.all() and there.any():
        middle = (places[0] + places[1]) / 2.0
        for shift in (-0.05, 0.05):
            axes.plot(
                [middle + shift - 0.05, middle + shift + 0.05],
                [-0.02, 0.02],
                transform=axes.get_xaxis_transform(),
                color="#555555",
                linewidth=1.0,
                clip_on=False,
            )
    axes.set_xlabel("All delays, multiplied; below, the median delay of an answer")
