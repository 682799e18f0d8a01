"""The picture of a comparison: curves over the rounds on the left, the ranking after the last round on the right.

The first few learners have a colour and dashes of their own, all others are thin and grey: nobody can tell twenty
colours apart. Everybody's rank stands at the end of the curve, and the ranking names everybody.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from belated.comparisons.comparison import Comparison
from belated.comparisons.ranking import Standing, interval
from belated.core.arrays import Matrix
from belated.output.drawing import (
    BLUE,
    DASH_DOTTED,
    DASHED,
    DOTTED,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    SOLID,
    VERMILION,
    Dashes,
    Drawing,
    apart,
    blank,
    drawn,
)

LOOKS: tuple[tuple[str, Dashes], ...] = (
    (BLUE, SOLID),
    (VERMILION, DASHED),
    (GREEN, DASH_DOTTED),
    (PURPLE, DOTTED),
    (ORANGE, SOLID),
    (SKY, DASHED),
)
"""Of the first, the second, ..."""

FAR = 10.0
"""How many times the least score the largest may be before the scale becomes logarithmic."""

LONGEST = 40
"""Letters of a label; of a longer one this many are shown."""

LINE = 0.2
"""The height of a rank at the end of a curve, in inches."""


def draw(comparison: Comparison) -> Drawing:
    """The picture, as tall as the ranking is long."""
    height = max(4.4, 1.9 + 0.27 * len(comparison.ranking))
    with blank(11, height) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        far = _far_apart(comparison)
        _curves(left, comparison, far, LINE / height)
        _ranking(right, comparison, far)
        figure.suptitle(comparison.setting.title, x=0.01, ha="left", fontsize=13, fontweight="bold")
        figure.supxlabel(_note(comparison), fontsize=9.5, color="#444444")
        return drawn(figure)


def _look(standing: Standing) -> tuple[str, Dashes]:
    return LOOKS[standing.rank - 1] if standing.rank <= len(LOOKS) else (GREY, SOLID)


def _curves(axes: Axes, comparison: Comparison, far: bool, line: float) -> None:
    score = comparison.curves.score
    rounds = score["round"].to_numpy()
    ends = []
    for standing in reversed(comparison.ranking):  # the first is drawn on top of the others
        color, dashes = _look(standing)
        known = standing.rank <= len(LOOKS)
        table: Matrix = score.sel(learner=standing.learner).to_numpy()
        mean, low, high = np.array([interval(column) for column in table.T]).T
        if known and comparison.seeds > 1:
            axes.fill_between(rounds, low, high, color=color, alpha=0.16, linewidth=0)
        axes.plot(rounds, mean, color=color, linestyle=dashes, linewidth=2.0 if known else 0.8)
        ends.append((standing, float(mean[-1])))
    if far:
        axes.set_yscale("log")
        _plain_numbers(axes.yaxis)
    axes.set_xlim(0, comparison.setting.rounds)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.set_xlabel("Round")
    scale = ", logarithmic scale" if far else ""
    axes.set_title(f"{comparison.setting.measure.title} by round{scale}", fontsize=11)
    _number(axes, ends, line)


def _number(axes: Axes, ends: list[tuple[Standing, float]], line: float) -> None:
    """The rank of each at the end of its curve, one above the other where they end together."""
    to_share = axes.transData + axes.transAxes.inverted()
    shares = [float(to_share.transform((1.0, end))[1]) for _, end in ends]
    above, below = apart(shares, line), apart([-share for share in shares[::-1]], line)[::-1]  # ties in the same order
    middle = [(up - down) / 2.0 for up, down in zip(above, below, strict=True)]  # neither all above nor all below
    for (standing, _), share in zip(ends, middle, strict=True):
        axes.annotate(
            str(standing.rank),
            (1.0, share),
            xycoords="axes fraction",
            xytext=(5, 0),
            textcoords="offset points",
            color=_look(standing)[0],
            fontweight="bold" if standing.rank <= len(LOOKS) else "normal",
            fontsize=9.5,
            va="center",
        )


def _ranking(axes: Axes, comparison: Comparison, far: bool) -> None:
    standings = comparison.ranking
    heights = -np.arange(len(standings))
    for standing, height in zip(standings, heights, strict=True):
        color, _ = _look(standing)
        if comparison.seeds > 1:
            axes.plot([standing.score.low, standing.score.high], [height, height], color=color, linewidth=2.0)
        axes.plot([standing.score.mean], [height], "o", color=color, markersize=5)
    axes.set_yticks(heights, [_named(standing) for standing in standings], fontsize=9.5)
    for tick, standing in zip(axes.get_yticklabels(), standings, strict=True):
        tick.set_color(_look(standing)[0] if standing.rank <= len(LOOKS) else "#444444")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-len(standings) + 0.4, 0.6)
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
    if far:
        axes.set_xscale("log")
        _plain_numbers(axes.xaxis)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5))
    axes.set_title(f"After round {comparison.setting.rounds}", fontsize=11)


def _plain_numbers(axis: Axis) -> None:
    """Numbers as people write them along a logarithmic axis, and not powers of ten only."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 1e3 * low else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _named(standing: Standing) -> str:
    label = standing.learner if len(standing.learner) <= LONGEST else f"{standing.learner[: LONGEST - 3]}..."
    return f"{label}  {'=' if standing.tied else ''}{standing.rank}"


def _far_apart(comparison: Comparison) -> bool:
    """Whether a logarithmic scale is wanted, which needs curves above zero."""
    scores = [standing.score.mean for standing in comparison.ranking]
    lowest = float(comparison.curves.score.mean("seed").min())
    return lowest > 0.0 and max(scores) > FAR * min(scores)


def _note(comparison: Comparison) -> str:
    cut = ", interrupted" if comparison.interrupted else ""
    if comparison.seeds == 1:
        return f"One seed{cut}"
    tied = "; = cannot be told from the first" if any(standing.tied for standing in comparison.ranking) else ""
    return f"Mean of {comparison.seeds} seeds{cut}; bands and bars: 95 % confidence{tied}"
