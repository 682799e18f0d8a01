"""The picture of a sweep: a panel for each path that is varied, with the score of every learner or model by its values.

In a grid, a curve shows for each value what is reached with the best other settings, averaged over the other
circumstances (:func:`~belated.sweeps.responses.curve_of`); the band is the 95 % interval of this mean. A path that is
the setting of one learner or model has the curve of that one only. Of a random search every point is shown, with its
interval. Points at which runs are missing or have failed are left out.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from belated.comparisons.ranking import Interval
from belated.output.drawing import (
    BLACK,
    BLUE,
    DASH_DOTTED,
    DASHED,
    DOTTED,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    SMALL,
    SOLID,
    VERMILION,
    Drawing,
    blank,
    drawn,
    fitted,
)
from belated.sweeps.collecting import labels_of
from belated.sweeps.outcome import Sweep
from belated.sweeps.responses import NOTHING, curve_of

COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK, GREY)
DASHES = (SOLID, DASHED, DOTTED, DASH_DOTTED)

COLUMNS = 3
"""How many panels stand beside each other."""

WIDTH, HEIGHT, HEAD, LINE = 3.8, 3.0, 0.9, 0.22
"""Of a panel, of the words above all panels, and of a line of the legend, in inches."""

MOST_SPELLED = 300.0
"""The largest by the smallest number of a logarithmic axis on which 20 and 50 are written between 10 and 100."""

FAR = 10.0
"""How many times the least value the largest may be before an axis becomes logarithmic."""

MOST_LETTERS = 14
"""Of a label below an axis; of a longer one the beginning is shown."""


def draw(sweep: Sweep) -> Drawing:
    """The picture of a sweep, drawn as SVG and PNG."""
    with blank(1.0, 1.0):
        return drawn(painted(sweep))


def painted(sweep: Sweep) -> Figure:
    """The picture: panels in rows, below them the names of the learners or models."""
    names = list(sweep.plan.axes)
    columns = min(COLUMNS, len(names))
    rows = math.ceil(len(names) / columns)
    width = max(5.0, WIDTH * columns)
    height = HEIGHT * rows + HEAD + LINE * math.ceil(len(sweep.plan.labels) / columns)
    with blank(width, height) as figure:
        axes = figure.subplots(rows, columns, squeeze=False, sharey=True).flatten().tolist()
        for name, panel in zip(names, axes, strict=False):
            _panel(panel, sweep, name)
        for empty in axes[len(names) :]:
            empty.set_axis_off()
        for first in axes[::columns]:
            first.set_ylabel(sweep.plan.measure)
        if not any(map(Axes.has_data, axes)):
            axes[0].set_yticks([])  # which all panels share
        if _far([each.mean for each in sweep.responses if each.whole]):
            for panel in filter(Axes.has_data, axes):
                panel.set_yscale("log")
                _spell_out(panel.yaxis)
        how = "every point" if sweep.plan.random else "each with its best settings, averaged over other circumstances"
        title = fitted(sweep.plan.title, width - 0.4, 13.0)
        words = textwrap.fill(" ".join([f"{sweep.plan.extent}; {how}; 95 % intervals.", *sweep.notes]), int(width * 15))
        figure.suptitle(f"{title}\n{words}", x=0.01, ha="left", fontsize=SMALL)
        shown: dict[str, Any] = {}
        for panel in axes:
            shown |= dict(zip(*reversed(panel.get_legend_handles_labels()), strict=True))
        if shown:
            figure.legend(
                list(shown.values()), list(shown), loc="outside lower left", ncols=3, frameon=False, fontsize=SMALL
            )
    return figure


def _panel(panel: Axes, sweep: Sweep, name: str) -> None:
    plan = sweep.plan
    labels = labels_of(plan.axes[name])
    known = list(dict.fromkeys(labels))
    numeric = not isinstance(known[0], str)
    places = [label if numeric else known.index(label) for label in labels]
    for number, label in enumerate(plan.labels):
        if plan.owners[name] not in (None, label):
            continue
        style = {"color": COLOURS[number % len(COLOURS)], "label": fitted(label, WIDTH - 0.9, SMALL)}
        if plan.random:
            mine = [each for each in sweep.responses if each.label == label and each.whole]
            points = {each.point: each.score for each in mine if each.score is not None}
            _scatter(panel, [places[each] for each in points], list(points.values()), style)
        else:
            curve = curve_of(plan, sweep.data, sweep.responses, label, name)
            dashes = DASHES[number // len(COLOURS) % len(DASHES)]
            _curve(panel, [places[each] for each in curve], list(curve.values()), dashes, style)
    panel.set_xlabel(fitted(name, WIDTH - 0.6, 10.5))
    if not panel.has_data():
        panel.text(0.5, 0.5, NOTHING, transform=panel.transAxes, ha="center", va="center", fontsize=SMALL, color=GREY)
        panel.set_xticks([])
    elif not numeric:
        panel.set_xticks(range(len(known)), [_short(label) for label in known], fontsize=SMALL)
    elif _far(known):
        panel.set_xscale("log")
        _spell_out(panel.xaxis)


def _curve(panel: Axes, places: list[Any], scores: list[Interval], dashes: Any, style: dict[str, Any]) -> None:
    if not places:
        return
    order = np.argsort(places)
    x, y = np.array(places)[order], np.array(scores).reshape(-1, 3)[order]
    panel.plot(x, y[:, 0], marker="o", markersize=3.5, linestyle=dashes, **style)
    if np.isfinite(y).all():
        panel.fill_between(x, y[:, 1], y[:, 2], color=style["color"], alpha=0.18, linewidth=0)


def _scatter(panel: Axes, places: list[Any], scores: list[Interval], style: dict[str, Any]) -> None:
    if not places:
        return
    means = [each.mean for each in scores]
    reach = [[0.0 if math.isnan(each.low) else end(each) for each in scores] for end in (_below, _above)]
    panel.errorbar(places, means, yerr=reach, fmt="o", markersize=3.5, elinewidth=0.8, **style)


def _below(score: Interval) -> float:
    return score.mean - score.low


def _above(score: Interval) -> float:
    return score.high - score.mean


def _spell_out(axis: Axis) -> None:
    """Write the numbers of a logarithmic axis as they are, since texts are not set as formulas here.

    Beyond some decades there is room for powers of ten alone.
    """
    low, high = axis.get_data_interval()
    axis.set_major_locator(LogLocator(subs=(1.0,) if high > MOST_SPELLED * low else (1.0, 2.0, 5.0), numticks=8))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _far(values: Sequence[float]) -> bool:
    """Whether values are all above 0 and so far apart that only a logarithmic axis shows all of them."""
    return bool(values) and min(values) > 0 and max(values) / min(values) > FAR


def _short(label: str) -> str:
    return label if len(label) <= MOST_LETTERS else f"{label[: MOST_LETTERS - 1]}..."
