"""The picture of a comparison: a small panel of curves for each learner, and the ranking after the last round.

Curves of many learners lie on top of each other, and nobody can tell twenty colours apart. So every learner has a panel
of its own, in the order of the ranking and with the same axes, in which only its own curve is coloured; the first is
there as a dotted line and all others are pale. Coloured bands and bars have one meaning: the 95 % interval of the mean
over the seeds. A logarithmic scale has no room for 0, so that it ends a little below the least mean; an interval of the
ranking that goes on beyond it is marked by a triangle at the edge.
"""

import math
import textwrap
from typing import Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from belated.comparisons.comparison import Comparison
from belated.comparisons.ranking import Standing, interval
from belated.core.arrays import Vector
from belated.output.drawing import (
    BLACK,
    BLUE,
    DOTTED,
    VERMILION,
    Drawing,
    blank,
    drawn,
    fitted,
    in_two_lines,
    text_width,
)

FAR = 10.0
"""How many times the least score the largest may be before the scale becomes logarithmic."""

WIDTH, PANELS = 11.0, 6.6
"""The width of the figure, and of all panels together with their numbers, in inches."""

MARGIN, GAP = 0.78, 0.2
"""The width of what stands left of the first panel, and between two, in inches."""

PANEL, TITLE, ROW, LINE = 1.0, 0.34, 0.25, 0.2
"""The heights of a panel of curves, of its title, of a line of the ranking and of a line of words, in inches."""

BELOW = 0.5
"""The height of the numbers and words along an axis, in inches."""

LETTERS_A_LINE = 150
"""Of the words below the title of the figure, which go on in the next line."""

NAME, SMALL = 9.0, 8.5
"""The sizes of letters in the ranking and in the panels."""

WIDEST_NAME = 2.7
"""Of a label in the ranking, in inches; of a wider one the beginning is shown."""

PALE = "#d9d9d9"

CUT: Literal[4] = 4
"""The mark of an interval that goes on beyond the axis: matplotlib's triangle with its tip at the edge."""

TINY = 1e-300
"""In place of 0 and of what is below it on a logarithmic scale: further down than any axis goes."""


class Curve(NamedTuple):
    """A learner's mean over the seeds by round, with its 95 % interval."""

    mean: Vector
    low: Vector
    high: Vector


class Layout(NamedTuple):
    """How a figure is divided: rows and columns of panels, and heights in inches."""

    rows: int
    columns: int
    head: float
    middle: float
    foot: float

    @property
    def height(self) -> float:
        """The height of the whole figure in inches."""
        return self.head + self.middle + self.foot

    def place(self, left: float, top: float, width: float, height: float) -> tuple[float, float, float, float]:
        """Where axes are, as shares of the figure: ``top`` is measured from the head down."""
        bottom = self.foot + self.middle - top - height
        return left / WIDTH, bottom / self.height, width / WIDTH, height / self.height


def draw(comparison: Comparison) -> Drawing:
    """The picture of a comparison, drawn as SVG and PNG."""
    with blank(WIDTH, 1.0):
        return drawn(painted(comparison))


def painted(comparison: Comparison) -> Figure:
    """The picture, as tall as its panels or its ranking need."""
    far = _far_apart(comparison)
    words, legend = _words(comparison), _legend(comparison, far)
    layout = _layout(len(comparison.ranking), len(words), len(legend))
    with blank(WIDTH, layout.height, layout=None) as figure:
        _panels(figure, layout, comparison, far)
        _ranking(figure, layout, comparison, far)
        top = 1.0 - 0.1 / layout.height
        figure.text(0.01, top, comparison.setting.title, fontsize=13, fontweight="bold", va="top")
        figure.text(0.01, top - 0.27 / layout.height, "\n".join(words), fontsize=9.5, color="#444444", va="top")
        figure.legend(
            handles=legend, loc="lower left", ncols=3, frameon=False, fontsize=SMALL, borderpad=0.2, labelspacing=0.3
        )
        return figure


def _words(comparison: Comparison) -> list[str]:
    """What stands below the title."""
    return [line for each in (comparison.summary, *comparison.notes) for line in textwrap.wrap(each, LETTERS_A_LINE)]


def _layout(learners: int, lines: int, explained: int) -> Layout:
    columns = learners if learners <= 3 else min(4, math.ceil(math.sqrt(learners)))  # more are too narrow for names
    rows = math.ceil(learners / columns)
    middle = max(2.4, (PANEL + TITLE) * rows, ROW * learners)
    return Layout(rows, columns, 0.45 + LINE * lines, middle, BELOW + 0.15 + LINE * math.ceil(explained / 3))


def _panels(figure: Figure, layout: Layout, comparison: Comparison, far: bool) -> None:
    rounds = comparison.curves["round"].to_numpy()
    curves = [_curve(comparison, standing) for standing in comparison.ranking]
    width = (PANELS - MARGIN + GAP) / layout.columns - GAP
    height = layout.middle / layout.rows
    first: Axes | None = None
    for own, standing in enumerate(comparison.ranking):
        row, column = divmod(own, layout.columns)
        place = layout.place(MARGIN + column * (width + GAP), row * height + TITLE, width, height - TITLE)
        axes = figure.add_axes(place, sharex=first, sharey=first)
        first = first or axes
        _pale_curves(axes, rounds, curves)
        _own_curve(axes, rounds, curves[own], standing, far)
        if own > 0:
            axes.plot(rounds, curves[0].mean, color=BLACK, linewidth=1.0, linestyle=DOTTED)
        title = in_two_lines(f"{_rank(standing)}  {standing.learner}", width + 0.5 * GAP, SMALL)
        axes.set_title(title, fontsize=SMALL, fontweight="normal", linespacing=1.0, pad=4.0)
        nothing_below = own + layout.columns >= len(curves)
        axes.tick_params(labelsize=SMALL, labelleft=column == 0, labelbottom=nothing_below)
        if own == 0:
            _common_axes(axes, rounds, curves, far)
        if nothing_below:  # numbers of many digits stay below their own panel
            axes.get_xticklabels()[0].set_horizontalalignment("left")
            axes.get_xticklabels()[-1].set_horizontalalignment("right")
    scale = ", log scale" if far else ""
    bottom = (layout.foot - BELOW) / layout.height
    figure.supxlabel("Round", x=(MARGIN + PANELS) / 2.0 / WIDTH, y=bottom, va="bottom", fontsize=10)
    middle = (layout.foot + layout.middle / 2.0) / layout.height
    figure.supylabel(f"{comparison.setting.measure.title}{scale}", x=0.01, y=middle, fontsize=10)


def _pale_curves(axes: Axes, rounds: Vector, curves: list[Curve]) -> None:
    """Everybody's, as a single line with gaps, which is much quicker to draw than a line for each."""
    gap = np.array([math.nan])
    x = np.concatenate([each for _ in curves for each in (rounds, gap)])
    y = np.concatenate([each for curve in curves for each in (curve.mean, gap)])
    axes.plot(x, y, color=PALE, linewidth=0.8)


def _own_curve(axes: Axes, rounds: Vector, curve: Curve, standing: Standing, far: bool) -> None:
    color = _color(standing)
    if not np.isnan(curve.low).any():
        low = np.maximum(curve.low, TINY) if far else curve.low
        axes.fill_between(rounds, low, curve.high, color=color, alpha=0.25, linewidth=0)
    axes.plot(rounds, curve.mean, color=color, linewidth=1.8)


def _common_axes(axes: Axes, rounds: Vector, curves: list[Curve], far: bool) -> None:
    """The scales that all panels share."""
    first, last = int(rounds[0]), int(rounds[-1])
    axes.set_xlim(first, max(last, first + 1))
    axes.set_xticks([first, last] if last < first + 2 else [first, (first + last) // 2, last])
    if far:
        axes.set_yscale("log")
        later = [curve.mean[1:] if curve.mean.size > 1 else curve.mean for curve in curves]  # the first may be near 0
        axes.set_ylim(0.5 * min(float(each.min()) for each in later), 1.5 * max(float(each.max()) for each in later))
        _logarithmic(axes.yaxis)
    else:
        axes.yaxis.set_major_locator(MaxNLocator(nbins=4))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda number, _: short(number)))


def _ranking(figure: Figure, layout: Layout, comparison: Comparison, far: bool) -> None:
    names = [f"{fitted(each.learner, WIDEST_NAME, NAME)}  {_rank(each)}" for each in comparison.ranking]
    left = PANELS + 0.3 + max(text_width(name, NAME) for name in names)
    axes = figure.add_axes(layout.place(left, 0.0, WIDTH - left - 0.25, layout.middle))
    heights = -np.arange(len(names))
    edge = _edge(comparison) if far else -math.inf
    for standing, height in zip(comparison.ranking, heights, strict=True):
        color = _color(standing)
        if comparison.seeds > 1:
            ends = [max(standing.score.low, TINY) if far else standing.score.low, standing.score.high]
            axes.plot(ends, [height, height], color=color, alpha=0.45, linewidth=5, solid_capstyle="butt")
            if standing.score.low < edge:
                axes.plot([edge], [height], marker=CUT, color=color, markersize=8, clip_on=False, zorder=3)
        axes.plot([standing.score.mean], [height], "o", color=color, markersize=4.5)
    axes.set_yticks(heights, names, fontsize=NAME)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=SMALL)
    axes.set_ylim(-len(heights) + 0.4, 0.6)
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
    scale = ""
    if far:
        axes.set_xscale("log")
        axes.set_xlim(edge, 1.3 * float(np.nanmax([standing.score for standing in comparison.ranking])))
        _logarithmic(axes.xaxis)
        scale = ", log scale"
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: short(number)))
    measured = f"{comparison.setting.measure.title} after round {comparison.setting.rounds}"
    axes.set_xlabel(f"{measured}{scale}; less is better", loc="right", fontsize=10)


def _legend(comparison: Comparison, far: bool) -> list[Line2D | Patch]:
    """What colours, bands and lines mean, as far as they are there."""
    several, seeds = len(comparison.ranking) > 1, comparison.seeds
    tied = any(standing.tied for standing in comparison.ranking)
    behind = any(_color(standing) == VERMILION for standing in comparison.ranking)
    found: list[Line2D | Patch] = []
    words = "first" if behind else "the learner of the panel"
    words = "first, or cannot be told from it (=)" if tied else words
    found.append(Line2D([], [], color=BLUE, linewidth=1.8, label=words))
    if behind:
        found.append(Line2D([], [], color=VERMILION, linewidth=1.8, label="behind the first"))
    if seeds > 1:
        words = f"band, bar: 95 % interval of the mean over {seeds} seeds"
        found.append(Patch(color="#777777", alpha=0.4, linewidth=0, label=words))
    if far and any(standing.score.low < _edge(comparison) for standing in comparison.ranking):
        words = "the interval goes on beyond the axis"
        found.append(Line2D([], [], color="#777777", marker=CUT, linestyle="none", label=words))
    if several:
        found.append(Line2D([], [], color=BLACK, linewidth=1.0, linestyle=DOTTED, label="the first"))
        found.append(Line2D([], [], color=PALE, linewidth=1.2, label="all others"))
    return found


def _curve(comparison: Comparison, standing: Standing) -> Curve:
    table = comparison.curves.score.sel(learner=standing.learner).to_numpy()
    return Curve(*np.array([interval(column) for column in table.T]).T)


def _color(standing: Standing) -> str:
    """Of a single seed nobody knows who is behind, which shows as an interval without ends."""
    behind = standing.behind.low > 0.0
    return VERMILION if behind else BLUE


def _edge(comparison: Comparison) -> float:
    """Where a logarithmic scale of the scores begins: a little below the least of them."""
    return 0.6 * min(standing.score.mean for standing in comparison.ranking)


def _logarithmic(axis: Axis) -> None:
    """Numbers as people write them along a logarithmic axis, and not powers of ten only."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 1e2 * low else (1.0,)))
    axis.set_minor_formatter(NullFormatter())


def short(number: float) -> str:
    """A number along an axis, where there is little room.

    >>> short(0.5), short(1000), short(50_000), short(-2e6), short(1e12)
    ('0.5', '1000', '50k', '-2M', '1e+12')
    """
    for least, unit, letter in ((1e9, 1.0, ""), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(number) >= least:
            return f"{number / unit:g}{letter}"
    return f"{number:g}"


def _rank(standing: Standing) -> str:
    return f"{'=' if standing.tied else ''}{standing.rank}"


def _far_apart(comparison: Comparison) -> bool:
    """Whether a logarithmic scale is wanted, which needs curves above zero; the first round does not count."""
    scores = [standing.score.mean for standing in comparison.ranking]
    means = comparison.curves.score.mean("seed")
    lowest = float(means.isel(round=slice(1, None)).min()) if means.sizes["round"] > 1 else float(means.min())
    return lowest > 0.0 and max(scores) > FAR * min(scores)
